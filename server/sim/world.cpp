#include "server/sim/world.h"

#include <algorithm>

#include "protocol/base/assert.h"
#include "server/sim/at_rest.h"
#include "server/sim/commands/context.h"
#include "server/sim/fields.h"
#include "server/sim/heat/field.h"
#include "server/sim/models/registry.h"
#include "server/sim/steam/field.h"
#include "server/sim/tracers/field.h"
#include "server/sim/waves/field.h"

namespace sluice::sim {

namespace {

/// Of what stays the same over a world's life. The greatest limits count as none, so that worlds
/// from before there were any keep their digests.
// As it was when there was no limit of pipes, where they have none of their own.
Digest digest_of_limits(const WorldLimits& limits) {
  std::vector<std::byte> bytes;
  StateWriter writer(bytes);
  writer.field("chunks", limits.chunks);
  writer.field("units", limits.units);
  if (limits.pipes != WorldLimits{}.pipes) writer.field("pipes", limits.pipes);
  return digest_bytes(bytes);
}

Digest digest_of_config(const CoreState& core) {
  const Digest config = digest_bytes(canonical_bytes(core.config));
  // Nor has a world without waves any options of them.
  const Digest limited =
      core.limits == WorldLimits{} ? config : combine(config, digest_of_limits(core.limits));
  if (!core.waves.on) return limited;
  const Digest waves = combine(limited, digest_bytes(canonical_bytes(core.waves.options)));
  return core.waves.options.keep_shape ? combine(waves, 1) : waves;
}

}  // namespace

World::World(WorldConfig config, WorldLimits limits, WaveState waves, HeatState heat,
             TracerState tracers)
    : core_{std::move(config), 0, {}, {}, {}, limits, {}, {}, std::move(waves), std::move(heat),
            std::move(tracers)},
      grid_(core_.config),
      config_digest_(digest_of_config(core_)),
      measure_(measure_of(core_.config)),
      water_(find_water_model(core_.config.water)->make(core_.config)) {
  core_.water.make_for(core_.config.water);
  PipeLimits of_pipes;
  of_pipes.nodes = core_.limits.pipes;
  of_pipes.links = std::min(of_pipes.links, kLinksAPipe * core_.limits.pipes);
  pipes_.set_limits(of_pipes);
  make_layers();
}

void World::make_layers() {
  if (core_.waves.on) waves_ = std::make_unique<WaveField>(measure_.full);
  if (core_.heat.on && core_.heat.options.steam) {
    steam_ = std::make_unique<SteamField>(core_.config);
  }
  if (!core_.heat.on && !core_.tracers.on()) return;
  carried_ = std::make_unique<CarriedWater>(core_.config);
  if (core_.heat.on) {
    heat_ = std::make_unique<HeatField>(core_.config);
    carried_->add(heat_->cargo(core_.heat));
  }
  if (core_.tracers.on()) {
    tracers_ = std::make_unique<TracerField>(core_.config);
    for (auto& cargo : tracers_->cargoes(core_.tracers)) carried_->add(std::move(cargo));
  }
}

World::~World() = default;

namespace {

Result<TracerState> tracers_of(const WorldSpec& spec) {
  TracerState state;
  state.solid = !spec.tracers.empty() && !spec.config.side_view();
  if (spec.tracers.size() > kMostTracers) {
    return Error{"tracer: a world has at most " + std::to_string(kMostTracers) + " of them"};
  }
  for (const TracerOptions& options : spec.tracers) {
    const std::string path = "tracer[" + std::to_string(state.count) + "]";
    if (Status valid = validate(options, path); !valid) return Error{valid.error()};
    if (state.find(options.name)) {
      return Error{path + ".name: there is a tracer '" + options.name + "' already"};
    }
    state.tracers[static_cast<std::size_t>(state.count++)].options = options;
  }
  return state;
}

}  // namespace

Result<std::unique_ptr<World>> World::create(const WorldSpec& spec) {
  if (Status valid = validate(spec.config); !valid) return Error{valid.error()};
  if (Status valid = validate(spec.limits); !valid) return Error{valid.error()};
  if (spec.waves.on) {
    if (Status valid = validate(spec.waves.options); !valid) return Error{valid.error()};
    if (Status valid = validate_wind(spec.waves.wind); !valid) return Error{valid.error()};
  }
  WorldLimits limits = spec.limits;
  HeatState heat = spec.heat;
  if (heat.on) {
    if (Status valid = validate(heat.options); !valid) return Error{valid.error()};
    if (Status valid = validate_temperature("heat.air", heat.air); !valid) {
      return Error{valid.error()};
    }
    limits.units = std::min(limits.units, kMostHeatedUnits);
    heat.solid = !spec.config.side_view();
  }
  Result<TracerState> tracers = tracers_of(spec);
  if (!tracers) return Error{tracers.error()};
  std::unique_ptr<World> world(
      new World(spec.config, limits, spec.waves, std::move(heat), std::move(*tracers)));
  if (Status placed = world->place(spec); !placed) return Error{placed.error()};
  // What the world file describes is the beginning, not a change.
  world->core_.totals.initial = world->core_.totals.water + world->core_.totals.pipes;
  world->core_.totals.sourced = 0;
  world->core_.totals.drained = 0;
  SerialExecutor serial;
  (void)world->update_digest(serial);
  world->changed_.clear();
  world->water_->attach(world->grid_, world->core_.water);
  if (world->waves_) world->waves_->attach(world->core_.waves, world->grid_);
  if (world->carried_) world->carried_->begin(world->grid_);
  if (world->heat_) world->heat_->begin(world->core_.heat, world->grid_);
  if (Status placed = world->place_tracers(spec); !placed) return Error{placed.error()};
  return world;
}

// When all water stands where it begins.
Status World::place_tracers(const WorldSpec& spec) {
  for (std::size_t i = 0; i < spec.fills.size(); ++i) {
    const Fill& fill = spec.fills[i];
    if (fill.tracers.empty()) continue;
    if (Status s = check_amounts(core_.tracers.options(), fill.tracers); !s) {
      return Error{"fill[" + std::to_string(i) + "].tracer: " + s.error()};
    }
    fill_tracers(grid_, fill.box, fill.tracers, core_.tracers);
  }
  if (!tracers_) return Done{};
  if (Status begun = begin_tracers(core_.tracers); !begun) return begun;
  return tracers_->attach(core_.tracers, grid_);
}

Status World::place(const WorldSpec& spec) {
  CommandContext context(*this);
  const auto placed = [](const std::string& key, const CommandOutcome& outcome) -> Status {
    if (outcome.applied()) return Done{};
    return Error{key + ": " + outcome.reason};
  };
  for (std::size_t i = 0; i < spec.fills.size(); ++i) {
    const Fill& fill = spec.fills[i];
    if (Status s = placed("fill[" + std::to_string(i) + "]",
                          context.apply(SetCells{fill.box.from, fill.box.size, fill.cell}));
        !s) {
      return s;
    }
  }
  for (const PlacedCell& cell : spec.cells) {
    const CommandOutcome outcome = context.apply(SetCells{cell.at, {1, 1, 1}, cell.cell});
    if (!outcome.applied()) {
      return Error{"map: the cell " + to_string(cell.at) + ": " + outcome.reason};
    }
  }
  place_at_rest(spec);
  if (Status s = place_marks(spec); !s) return s;
  for (std::size_t i = 0; i < spec.heaters.size(); ++i) {
    const PlacedHeater& heater = spec.heaters[i];
    if (Status s = placed("heater[" + std::to_string(i) + "]",
                          context.apply(AddHeater{heater.at, heater.rate}));
        !s) {
      return s;
    }
  }
  for (std::size_t i = 0; i < spec.sources.size(); ++i) {
    if (Status s = placed("source[" + std::to_string(i) + "]", context.add_source(spec.sources[i]));
        !s) {
      return s;
    }
  }
  for (std::size_t i = 0; i < spec.drains.size(); ++i) {
    if (Status s = placed("drain[" + std::to_string(i) + "]",
                          context.apply(AddDrain{spec.drains[i].at, spec.drains[i].rate}));
        !s) {
      return s;
    }
  }
  return place_pipes(spec);
}

// When all is drawn: what hangs together is known then.
void World::place_at_rest(const WorldSpec& spec) {
  std::vector<Box> boxes;
  for (const Fill& fill : spec.fills) {
    if (fill.at_rest && water_of(fill.cell) > 0) boxes.push_back(fill.box);
  }
  for (const PlacedCell& cell : spec.cells) {
    if (cell.at_rest && water_of(cell.cell) > 0) boxes.push_back({cell.at, {1, 1, 1}});
  }
  if (!boxes.empty()) core_.totals.water += set_at_rest(measure_, grid_, boxes);
}

Status World::place_marks(const WorldSpec& spec) {
  if (spec.marks.empty()) return Done{};
  CommandContext context(*this);
  const CommandOutcome filled = context.fill(spec.marks, units_of_marks_);
  if (!filled.applied()) return Error{filled.reason};
  return Done{};
}

Status World::place_pipes(const WorldSpec& spec) {
  CommandContext context(*this);
  const auto failed = [](const char* list, std::size_t index, const std::string& problem) {
    return Error{std::string(list) + "[" + std::to_string(index) + "]: " + problem};
  };
  for (std::size_t i = 0; i < spec.pipes.size(); ++i) {
    const PipeNode& node = spec.pipes[i];
    const CommandOutcome made = context.add_node(node.fields, node.kind, node.rate, node.open);
    if (!made.applied()) {
      return failed(std::string(name_of(node.kind)).c_str(), i, made.reason);
    }
  }
  for (std::size_t i = 0; i < spec.pipe_links.size(); ++i) {
    const PipeLink& link = spec.pipe_links[i];
    const CommandOutcome made = context.apply(LinkPipes{link.from, link.to, link.one_way});
    if (!made.applied()) return failed("link", i, made.reason);
  }
  for (std::size_t i = 0; i < spec.ports.size(); ++i) {
    const CommandOutcome made = context.apply(spec.ports[i]);
    if (!made.applied()) return failed("port", i, made.reason);
  }
  if (!pipes_.empty()) pipes_.arrange();
  return Done{};
}

void World::set_run_options(RunOptions options) {
  if (options.pipe_block_nodes != run_options_.pipe_block_nodes) {
    pipes_.set_block_nodes(options.pipe_block_nodes);
  }
  run_options_ = options;
}

Cell World::cell(Vec3 at) const {
  return grid_.cell(at);
}

std::int64_t World::head(Vec3 at) const {
  water_->look(grid_);
  return water_->head(grid_, at).level;
}

std::int64_t World::wave_energy() const {
  if (!waves_) return 0;
  return energy_of(core_.waves.options, waves_->sheet(), core_.waves.columns).told();
}

std::int64_t World::active_chunks() const {
  return std::count_if(grid_.awake().begin(), grid_.awake().end(),
                       [](const Chunk* chunk) { return chunk->wake != 0; });
}

namespace {

Digest springs_digest(const Springs& springs) {
  std::vector<std::byte> bytes;
  StateWriter writer(bytes);
  writer.field("springs", springs);
  return digest_bytes(bytes);
}

Digest springs_digest(const CoreState& core) {
  const Digest springs = combine(springs_digest(core.sources), springs_digest(core.drains));
  if (core.source_heads.empty()) return springs;
  std::vector<std::byte> bytes;
  StateWriter(bytes).field("source_heads", core.source_heads);
  return combine(springs, digest_bytes(bytes));
}

}  // namespace

std::array<Digest, kLayerCount> World::layers_with(Digest springs, Digest cells, Digest pipes,
                                                   Digest marks, Digest waves, Digest heat,
                                                   Digest tracers) const {
  std::array<Digest, kLayerCount> layers{};
  layers[static_cast<std::size_t>(Layer::kClock)] = mix64(core_.tick);
  layers[static_cast<std::size_t>(Layer::kConfig)] = config_digest_;
  layers[static_cast<std::size_t>(Layer::kTotals)] = digest_bytes(canonical_bytes(core_.totals));
  layers[static_cast<std::size_t>(Layer::kSprings)] = springs;
  layers[static_cast<std::size_t>(Layer::kCells)] = cells;
  layers[static_cast<std::size_t>(Layer::kPipes)] = pipes;
  layers[static_cast<std::size_t>(Layer::kMarks)] = marks;
  if (core_.waves.on) {
    layers[static_cast<std::size_t>(Layer::kWaves)] =
        combine(static_cast<std::uint32_t>(core_.waves.wind), waves);
  }
  if (core_.heat.on) {
    layers[static_cast<std::size_t>(Layer::kHeat)] = combine(digest_of_small(core_.heat), heat);
  }
  if (core_.tracers.on()) {
    layers[static_cast<std::size_t>(Layer::kTracers)] =
        combine(digest_of_small(core_.tracers), tracers);
  }
  return layers;
}

std::array<Digest, kLayerCount> World::layer_digests() const {
  SerialExecutor serial;
  return layer_digests(serial);
}

std::array<Digest, kLayerCount> World::layer_digests(Executor& executor) const {
  if (!springs_digest_known_) springs_digest_ = springs_digest(core_);
  springs_digest_known_ = true;
  return layers_with(springs_digest_, grid_.cells_digest(), pipes_.digest(),
                     grid_.marks_digest() + core_.water.digest(executor),
                     waves_ ? waves_->digest() : 0,
                     (heat_ ? heat_->digest() : 0) + (steam_ ? steam_->digest() : 0),
                     tracers_ ? tracers_->digest() : 0);
}

namespace {

Digest combine_layers(const std::array<Digest, kLayerCount>& layers) {
  Digest digest = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    // A world without pipes or marks has the digest that it had before there were any.
    const bool absent = may_be_absent(static_cast<Layer>(i)) && layers[i] == 0;
    if (!absent) digest = combine(digest, layers[i]);
  }
  return digest;
}

}  // namespace

Digest World::digest() const {
  return combine_layers(layer_digests());
}

Digest World::digest(Executor& executor) const {
  return combine_layers(layer_digests(executor));
}

std::array<Digest, kLayerCount> World::recompute_layer_digests() const {
  Digest cells = 0;
  Digest marks = 0;
  grid_.for_each([&](const Chunk& chunk) {
    cells += chunk_contribution(chunk.coord, digest_cells(chunk.cells.data()), chunk.pristine);
    marks += chunk_contribution(chunk.coord, digest_marks(chunk.marks.get()), 0);
  });
  SerialExecutor serial;
  std::array<Digest, kLayerCount> layers = layers_with(
      springs_digest(core_), cells, pipes_.recompute_digest(), marks + core_.water.digest(serial),
      digest_of(core_.waves.columns) + digest_of(core_.waves.frozen),
      digest_of(core_.heat.pages) + digest_of(core_.heat.steam), digest_of(core_.tracers));
  layers[static_cast<std::size_t>(Layer::kConfig)] = digest_of_config(core_);
  return layers;
}

Digest World::recompute_digest() const {
  return combine_layers(recompute_layer_digests());
}

}  // namespace sluice::sim
