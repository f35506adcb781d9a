// One tick of a world, phase by phase. This is the only code that changes a world after it was
// made; everything else may be slow, fail or vanish.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "protocol/base/assert.h"
#include "protocol/base/sometimes.h"
#include "server/sim/commands/context.h"
#include "server/sim/heat/field.h"
#include "server/sim/int_math.h"
#include "server/sim/models/registry.h"
#include "server/sim/steam/field.h"
#include "server/sim/text.h"
#include "server/sim/tracers/field.h"
#include "server/sim/waves/field.h"
#include "server/sim/world.h"

namespace sluice::sim {

TickReport World::tick(CommandSource& commands, Executor& executor) {
  TickReport report;
  report.tick = ++core_.tick;

  apply_commands(commands, report);  // in the order given
  after("commands");
  take_changes();
  run_springs();  // sources, then drains, cell by cell
  after("springs");
  advance_pipes(executor);  // ports, pumps, flows over links, levelling
  after("pipes");
  trapped_air_.open(grid_);  // pockets that air has reached, or that were dug
  after("pockets");
  advance_heat(executor);  // heaters, conduction and the air; ice and steam
  after("heat");
  advance_tracers(executor);  // foam of waves; then they spread, sink and fade
  after("tracers");
  advance_water(executor, report);  // sweeps of plan and apply, until calm or the cap
  after("water");
  drain_beyond_limit(update_digest(executor));  // of the chunks that changed
  finish_layers();
  advance_waves();  // of the free surfaces, as the water now stands
  after("waves");
  sleep_and_wake(report);  // what moved nothing sleeps; what holds nothing is dropped
  after("sleep");
  check();  // the conservation law; in checked builds the caches too

  report.digest = digest();
  return report;
}

TickReport World::tick(std::span<const Command> commands, Executor& executor) {
  SLUICE_ASSERT(commands.size() <= static_cast<std::size_t>(kMaxCommandsPerTick));
  class Listed final : public CommandSource {
   public:
    explicit Listed(std::span<const Command> commands) : left_(commands) {}
    const Command* next(const World& /*world*/) override {
      if (left_.empty()) return nullptr;
      const Command* const command = &left_.front();
      left_ = left_.subspan(1);
      return command;
    }

   private:
    std::span<const Command> left_;
  };
  Listed listed(commands);
  return tick(listed, executor);
}

void World::apply_commands(CommandSource& commands, TickReport& report) {
  CommandContext context(*this);
  for (std::int32_t count = 0; count < kMaxCommandsPerTick; ++count) {
    const Command* const command = commands.next(*this);
    if (command == nullptr) break;
    // A reason quotes what the client sent: here, where all reasons pass, it is made harmless.
    const std::string reason = printable(context.apply(*command).reason);
    report.outcomes.push_back({std::string(cut_text(reason, kMaxReasonBytes))});
    commands.note(report.outcomes.back());
  }
  pipes_.arrange_if_rebuilt();
}

// The head up to which a source gives (models/*.md say why).
std::int64_t World::head_of_source(Vec3 at) const {
  if (const auto told = core_.source_heads.find(at); told != core_.source_heads.end()) {
    return told->second;
  }
  if (measure_.springs_give_to_their_cell) return (std::int64_t{at.y} + 1) * kFull;
  return std::int64_t{core_.config.size.y} * kFull;
}

// Where a source's water comes to lie, and what there is room for, in whole quanta: below its head,
// and of what the world still takes in.
World::SourceRoom World::room_for_source(Vec3 at) {
  const std::int64_t head = head_of_source(at);
  if (!is_open(grid_.cell(at))) return {at, 0};
  const std::optional<Vec3> place =
      measure_.springs_give_to_their_cell && !core_.source_heads.contains(at)
          ? std::optional(at)
          : water_->taker(grid_, at);
  if (!place) return {at, 0};
  const std::int64_t most =
      std::min<std::int64_t>(water_->most_at(grid_, *place, head), measure_.cell_max);
  const std::int64_t left = core_.limits.units - core_.totals.taken_in();
  const std::int64_t room = std::min(most - grid_.cell(*place), left);
  return {*place, round_down_to(static_cast<std::int32_t>(std::max<std::int64_t>(room, 0)),
                                measure_.quantum)};
}

// Chunks that changed since the springs were last looked at.
void World::wake_springs(const std::vector<Chunk*>& changed) {
  grid_.forget_tops();
  for (Chunk* chunk : changed) {
    if (!std::exchange(chunk->watched, false)) continue;
    source_schedule_.wake(chunk->coord);
    drain_schedule_.wake(chunk->coord);
  }
}

// `run(cell of the spring, units due)` returns the units that it moved, and whether it could move
// any.
template <class Run>
void World::run_kind(Springs& springs, SpringSchedule& schedule, Run&& run) {
  const std::int32_t quantum = measure_.quantum;
  const auto note_missed = [this](SpringState& spring, std::int32_t missed) {
    if (spring.missed == missed) return;
    spring.missed = missed;
    springs_digest_known_ = false;
  };
  const auto due = [&](const SpringState& spring) {
    return due_in_tick(spring.rate, core_.tick, quantum);
  };
  if (!run_options_.sleep || !springs_known_) schedule.wake_all(springs);
  schedule.count_asleep(quantum,
                        [&](auto& spring) { note_missed(spring.second, due(spring.second)); });
  schedule.run_awake(grid_.shape(), [&](auto& spring) {
    const std::int32_t units = due(spring.second);
    const auto [moved, possible] = run(spring.first, units);
    note_missed(spring.second, units - moved);
    // One that waits for its rate to add up to a quantum is active, too.
    springs_active_ = springs_active_ || possible > 0;
    return possible == 0;
  });
}

void World::run_springs() {
  springs_active_ = false;
  wake_springs(grid_.changed());
  const bool bodies = measure_.heads_of_bodies &&
                      (!measure_.springs_give_to_their_cell || !core_.source_heads.empty());
  if (bodies && !core_.sources.empty()) {
    water_->look(grid_);
    // What one gives in this tick can make room for those after it, wherever its body reaches.
    const auto gives = [&](const auto& spring) {
      return due_in_tick(spring.second.rate, core_.tick, measure_.quantum) > 0 &&
             room_for_source(spring.first).units > 0;
    };
    if (!changed_.empty() || !grid_.changed().empty() || source_schedule_.any_awake(gives)) {
      source_schedule_.wake_all(core_.sources);
    }
  }
  const auto move = [&](Vec3 place, Vec3 at, std::int32_t units) {
    if (units == 0) return;
    grid_.add_to_cell(at, units);
    core_.totals.water += units;
    if (bodies) water_->follow(grid_, at);
    if (!carried_) return;
    if (units < 0) return carried_->exchanged(grid_, at, {0, -units}, {});
    carried_->exchanged(grid_, at, {units, 0}, load_of_source(place, units));
  };
  run_kind(core_.sources, source_schedule_, [&](Vec3 place, std::int32_t due) {
    watch(place);
    SourceRoom room = room_for_source(place);
    const std::int32_t possible = room.units;
    std::int32_t given = 0;
    while (given < due && room.units > 0) {
      const std::int32_t units = std::min(due - given, room.units);
      move(place, room.at, units);
      core_.totals.sourced += units;
      given += units;
      if (!bodies) break;
      room = room_for_source(place);  // the next place of its body
    }
    return std::pair(given, possible);
  });
  wake_springs(grid_.changed());  // drains take from what sources have just given
  run_kind(core_.drains, drain_schedule_, [&](Vec3 place, std::int32_t due) {
    watch(place);
    const std::int32_t possible = water_of(grid_.cell(place));
    const std::int32_t units = std::min(due, possible);
    move(place, place, -units);
    core_.totals.drained += units;
    return std::pair(units, possible);
  });
  springs_known_ = true;
}

// A spring that may sleep has to hear of changes in its chunk, and in those that its head was read
// from (Grid::top_over). Where none is stored, one that is made is watched.
void World::watch(Vec3 at) {
  if (Chunk* chunk = grid_.find(grid_.shape().chunk_of(at))) chunk->watched = true;
}

namespace {

/// The grid as ports see it.
class PortGrid final : public PortCells {
 public:
  /// `changed` lists the chunks that the last tick changed; the grid knows what this one did so
  /// far.
  PortGrid(Grid& grid, WaterModelState& water, WaterMeasure measure, std::int64_t highest_head,
           std::span<const ChunkCoord> changed, CarriedWater* carried)
      : grid_(grid),
        carried_(carried),
        water_(water),
        measure_(measure),
        highest_head_(highest_head),
        changed_(changed) {}
  [[nodiscard]] WaterMeasure measure() const override { return measure_; }
  [[nodiscard]] Cell cell(Vec3 at) const override { return grid_.cell(at); }
  [[nodiscard]] Head head(Vec3 at) override {
    const WaterHead head = water_.head(grid_, at);
    return {head.level, head.unit_rise};
  }
  [[nodiscard]] std::int64_t most_at(Vec3 at, std::int64_t head) override {
    return water_.most_at(grid_, at, head);
  }
  [[nodiscard]] std::int64_t highest_head() const override { return highest_head_; }
  [[nodiscard]] std::optional<Vec3> giver(Vec3 at) override { return water_.giver(grid_, at); }
  [[nodiscard]] std::optional<Vec3> taker(Vec3 at) override { return water_.taker(grid_, at); }
  void add(Vec3 at, std::int32_t units) override {
    grid_.add_to_cell(at, units);
    water_.follow(grid_, at);
    if (carried_ == nullptr) return;
    WaterExchange& exchange = exchanges_[at];
    (units > 0 ? exchange.came : exchange.went) += units > 0 ? units : -units;
  }
  // When all ports are done, since their order is no part of the state. Pipes keep nothing of what
  // water carries: what comes out of them brings the usual load.
  void tell_exchanges() {
    for (const auto& [at, units] : exchanges_) {
      carried_->exchanged(grid_, at, units, carried_->usual_load(units.came));
    }
  }
  // Water that cannot be pressed together comes to lie on a surface, a cell at a time.
  std::int32_t give(Vec3 at, std::int32_t units, std::int64_t head) override {
    if (!measure_.heads_of_bodies) return PortCells::give(at, units, head);
    std::int32_t given = 0;
    while (given < units) {
      const std::optional<Vec3> place = water_.taker(grid_, at);
      if (!place) break;
      const std::int64_t room = water_.most_at(grid_, *place, head) - grid_.cell(*place);
      if (room <= 0) break;
      const auto some = static_cast<std::int32_t>(std::min<std::int64_t>(room, units - given));
      add(*place, some);
      given += some;
    }
    return given;
  }
  // A head comes from the whole column at least.
  [[nodiscard]] Vec3 region(Vec3 at) const override { return place(grid_.shape().chunk_of(at)); }
  [[nodiscard]] bool changed_regions(std::vector<Vec3>& regions) const override {
    for (const ChunkCoord coord : changed_) regions.push_back(place(coord));
    for (const Chunk* chunk : grid_.changed()) regions.push_back(place(chunk->coord));
    std::sort(regions.begin(), regions.end());
    regions.erase(std::unique(regions.begin(), regions.end()), regions.end());
    return true;
  }

 private:
  [[nodiscard]] Vec3 place(ChunkCoord coord) const {
    return measure_.heads_of_bodies ? Vec3{} : Vec3{coord.x, 0, coord.z};
  }

  Grid& grid_;
  CarriedWater* carried_;
  std::map<Vec3, WaterExchange> exchanges_;
  WaterModelState& water_;
  WaterMeasure measure_;
  std::int64_t highest_head_;
  std::span<const ChunkCoord> changed_;
};

}  // namespace

void World::advance_pipes(Executor& executor) {
  if (pipes_.port_count() > 0) water_->look(grid_);
  const std::int64_t highest = std::int64_t{core_.config.size.y} * kFull;
  PortGrid cells(grid_, *water_, measure_, highest, changed_, carried_.get());
  const PipesAdvance done = pipes_.tick(core_.tick, run_options_.sleep, cells, executor);
  cells.tell_exchanges();
  core_.totals.pipes += done.into_pipes;
  core_.totals.water -= done.into_pipes;
}

void World::advance_water(Executor& executor, TickReport& report) {
  moves_.clear();
  const WaterTick now{core_.tick, run_options_.sleep, core_.sources, carried_ ? &moves_ : nullptr};
  const WaterAdvance done = water_->advance(now, grid_, executor);
  core_.totals.drained += done.drained;
  core_.totals.evaporated += done.evaporated;
  core_.totals.water -= done.drained + done.evaporated;
  report.cell_updates = done.cell_updates;
  report.sweeps = done.sweeps;
  if (carried_) carried_->carry(moves_, grid_);
}

// What a source's water brings along.
Load World::load_of_source(Vec3 at, std::int32_t units) const {
  Load load = carried_->usual_load(units);
  if (const auto told = core_.heat.springs.find(at); told != core_.heat.springs.end()) {
    load[kHeatCargo] = heat_->energy_of(units, told->second.temperature, core_.heat);
  }
  if (const auto told = core_.tracers.springs.find(at); told != core_.tracers.springs.end()) {
    const auto shares = by_number(core_.tracers, told->second.shares);
    for (std::size_t t = 0; t < static_cast<std::size_t>(core_.tracers.count); ++t) {
      load[first_tracer_cargo() + t] = std::min(shares[t] * units / kFull, core_.tracers.room(t));
    }
  }
  return load;
}

void World::take_changes() {
  if (carried_) carried_->take_changes(grid_);
}

void World::advance_heat(Executor& executor) {
  take_changes();  // air that was trapped
  if (!heat_) return;
  const HeatTick now{core_.tick, run_options_.sleep, measure_.quantum, measure_.cell_max,
                     run_options_.heat_by_cell};
  const std::int64_t steam = heat_->step(now, grid_, *carried_, executor, core_.heat);
  core_.totals.evaporated += steam;
  core_.totals.water -= steam;
  advance_steam();
  if (!waves_ || !heat_->simmers()) return;
  for (const WavePush& kick : heat_->kicks(core_.tick, core_.config.seed, grid_, core_.heat)) {
    waves_->push(kick);
  }
}

// What is steam counts as evaporated until it is water again.
void World::advance_steam() {
  if (!steam_) return;
  const SteamTick now{core_.tick, measure_.quantum, core_.waves.wind};
  const std::int64_t rained = steam_->step(now, heat_->take_boiled(), grid_, *carried_, core_.heat);
  core_.totals.evaporated -= rained;
  core_.totals.water += rained;
}

void World::advance_tracers(Executor& executor) {
  if (!tracers_) return;
  if (waves_) tracers_->whip_up(*waves_, core_.waves, grid_, core_.tracers);
  tracers_->step(run_options_.sleep, grid_, executor, core_.tracers);
}

void World::finish_layers() {
  if (!carried_) return;
  take_changes();  // what was drained just now
  if (heat_) heat_->finish(*carried_, core_.heat);
  if (tracers_) tracers_->finish(core_.tracers);
  carried_->finish();
}

// Returns the chunks that held nothing before.
std::vector<Chunk*> World::update_digest(Executor& executor) {
  const std::vector<Chunk*> changed = grid_.take_changed();
  struct Digests {
    Digest cells = 0;
    Digest marks = 0;
  };
  std::vector<Digests> digests(changed.size());
  wake_springs(changed);
  executor.run(changed.size(), [&](std::size_t i) {
    const Digest cells = digest_cells(changed[i]->cells.data());
    if (is_of_shared_page(cells)) changed[i]->cells.share_if_uniform();
    digests[i] = {cells, digest_marks(changed[i]->marks.get())};
  });
  changed_.clear();
  std::vector<Chunk*> filled;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const bool held = changed[i]->holds();
    grid_.set_digests(*changed[i], digests[i].cells, digests[i].marks);
    if (!held && changed[i]->holds()) filled.push_back(changed[i]);
    if (changed[i]->world_cells > 0) changed_.push_back(changed[i]->coord);
  }
  std::sort(changed_.begin(), changed_.end());
  return filled;
}

// Commands that would fill too many chunks are refused; water that flows into too many is drained,
// in those that it reached in this tick, the last ones in their order first. The count is one of
// chunks that hold anything, so neither sleep nor a restore can change what is drained. Rock and
// trapped air come by commands alone, so there is always enough that holds none. Ice does not: what
// a source gives may freeze as it comes.
void World::drain_beyond_limit(std::vector<Chunk*> filled) {
  if (grid_.holding_count() <= core_.limits.chunks) return;
  SLUICE_SOMETIMES("water was drained that flowed into too many chunks");
  bool drained_any = false;
  std::sort(filled.begin(), filled.end(),
            [](const Chunk* a, const Chunk* b) { return b->coord < a->coord; });
  for (Chunk* chunk : filled) {
    if (grid_.holding_count() <= core_.limits.chunks) break;
    if (std::any_of(chunk->cells.begin(), chunk->cells.end(),
                    [](Cell cell) { return cell == kRock || cell == kTrappedAir; })) {
      continue;
    }
    std::int64_t drained = 0;
    grid_.edit(*chunk, [&](ChunkEdit& cells) {
      for (std::size_t i = 0; i < kChunkCells; ++i) {
        if (held_in(cells[i]) == 0) continue;
        drained += held_in(cells[i]);
        cells.set(i, kAir);
      }
      cells.clear_marks();
    });
    core_.totals.drained += drained;
    core_.totals.water -= drained;
    grid_.set_digests(*chunk, chunk->pristine, 0);
    drained_any = true;
  }
  if (drained_any) water_->attach(grid_, core_.water);
}

void World::advance_waves() {
  if (!waves_) return;
  std::vector<ChunkCoord> changed = changed_;
  for (const Chunk* chunk : grid_.changed()) changed.push_back(chunk->coord);  // drained just now
  waves_->advance(core_.tick, core_.config.seed, run_options_.sleep, grid_, changed, core_.waves);
}

void World::sleep_and_wake(TickReport& report) {
  std::vector<Chunk*> asleep;
  for (Chunk* chunk : grid_.awake()) {
    if (chunk->wake == 0) asleep.push_back(chunk);
  }
  grid_.settle(asleep);
  const bool opens = trapped_air_.look(grid_, changed_);
  report.active_chunks = static_cast<std::int64_t>(grid_.awake().size());
  report.at_rest = report.active_chunks == 0 && !springs_active_ && pipes_.at_rest() && !opens &&
                   (!waves_ || waves_->at_rest(core_.waves)) &&
                   (!heat_ || heat_->at_rest(core_.heat)) && (!tracers_ || tracers_->at_rest()) &&
                   (!steam_ || steam_->at_rest(core_.heat, core_.waves.wind)) &&
                   !(waves_ && heat_ && heat_->simmers());
}

void World::check() const {
  SLUICE_ASSERT(core_.totals.balanced());
  SLUICE_ASSERT(core_.totals.pipes == pipes_.units());
  SLUICE_ASSERT(core_.heat.totals.balanced());
  for (const Tracer& tracer : core_.tracers.tracers) SLUICE_ASSERT(tracer.totals.balanced());
#ifdef SLUICE_CHECKED
  if (rechecks_) recheck();
#endif
}

void World::recheck() const {
  std::int64_t water = 0;
  grid_.for_each([&](const Chunk& chunk) {
    for (std::size_t i = 0; i < kChunkCells; ++i) water += held_in(chunk.cells[i]);
  });
  SLUICE_ASSERT(water == core_.totals.water);
  pipes_.check();
  SLUICE_ASSERT(digest() == recompute_digest());
}

}  // namespace sluice::sim
