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

  report.digest = digest(executor);
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

namespace {

/// The grid as ports see it.
class PortGrid final : public PortCells {
 public:
  /// `changed` lists the chunks that the last tick changed, `heads_changed` tells of heads; the
  /// grid knows what this one did so far.
  PortGrid(Grid& grid, WaterModelState& water, WaterMeasure measure, std::int64_t highest_head,
           std::span<const ChunkCoord> changed, bool heads_changed, CarriedWater* carried)
      : grid_(grid),
        carried_(carried),
        water_(water),
        measure_(measure),
        highest_head_(highest_head),
        changed_(changed),
        heads_changed_(heads_changed) {}
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
      if (measure_.spreads) {
        water_.spread(grid_, at, units - given, head, gifts_);
        for (const WaterGift& gift : gifts_) {
          add(gift.at, gift.units);
          if (gift.at == at) water_.gushed(at, gift.units);
          given += gift.units;
        }
        if (!gifts_.empty()) continue;
        if (given > 0) break;
      }
      // What is too little for places that are alike goes to the first: a port does not wait.
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
    if (heads_changed_) regions.push_back(place({}));
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
  std::vector<WaterGift> gifts_;
  WaterModelState& water_;
  WaterMeasure measure_;
  std::int64_t highest_head_;
  std::span<const ChunkCoord> changed_;
  bool heads_changed_;  // of bodies: all of the world is one region then
};

}  // namespace

void World::advance_pipes(Executor& executor) {
  if (pipes_.port_count() > 0) water_->look(grid_);
  const std::int64_t highest = std::int64_t{core_.config.size.y} * kFull;
  PortGrid cells(grid_, *water_, measure_, highest, changed_, heads_changed_, carried_.get());
  const PipesAdvance done = pipes_.tick(core_.tick, run_options_.sleep, cells, executor);
  cells.tell_exchanges();
  core_.totals.pipes += done.into_pipes;
  core_.totals.water -= done.into_pipes;
}

void World::advance_water(Executor& executor, TickReport& report) {
  moves_.clear();
  const WaterTick now{core_.tick, run_options_.sleep, core_.sources, carried_ ? &moves_ : nullptr,
                      run_options_.water};
  const WaterAdvance done = water_->advance(now, grid_, executor);
  heads_changed_ = done.heads_changed;
  core_.totals.drained += done.drained;
  core_.totals.evaporated += done.evaporated;
  core_.totals.water -= done.drained + done.evaporated;
  report.cell_updates = done.cell_updates;
  report.sweeps = done.sweeps;
  if (carried_) carried_->carry(moves_, grid_);
}

void World::take_changes() {
  if (carried_) carried_->take_changes(grid_);
}

void World::advance_heat(Executor& executor) {
  take_changes();  // air that was trapped
  if (!heat_) return;
  const HeatTick now{core_.tick,        run_options_.sleep,        measure_.quantum,
                     measure_.cell_max, run_options_.heat_by_cell, changed_};
  const std::int64_t steam = heat_->step(now, grid_, *carried_, executor, core_.heat);
  core_.totals.evaporated += steam;
  core_.totals.water -= steam;
  advance_steam();
  if (waves_) waves_->ice_moved(heat_->moves(), grid_, core_.waves);
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
    const Digest cells = take_digest(*changed[i], grid_.shape());
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
  const bool ports_look = heads_changed_ && pipes_.port_count() > 0;
  report.at_rest = report.active_chunks == 0 && !springs_active_ && pipes_.at_rest() &&
                   !ports_look && !opens && (!waves_ || waves_->at_rest(core_.waves)) &&
                   (!heat_ || heat_->at_rest(core_.heat)) && (!tracers_ || tracers_->at_rest()) &&
                   (!steam_ || steam_->at_rest(core_.heat, core_.waves.wind)) &&
                   !(waves_ && heat_ && heat_->simmers());
  if (report.at_rest && heat_) {
    report.at_rest = heat_->ice_at_rest(grid_, changed_, core_.heat);
  }
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
