// One tick of a world, phase by phase. This is the only code that changes a world after it was
// made; everything else may be slow, fail or vanish.
#include <algorithm>

#include "server/sim/assert.h"
#include "server/sim/command_context.h"
#include "server/sim/int_math.h"
#include "server/sim/models/registry.h"
#include "server/sim/text.h"
#include "server/sim/world.h"

namespace sluice::sim {

TickReport World::tick(std::span<const Command> commands, Executor& executor) {
  SLUICE_ASSERT(commands.size() <= static_cast<std::size_t>(kMaxCommandsPerTick));
  TickReport report;
  report.tick = ++core_.tick;

  apply_commands(commands, report);  // in the order given
  after("commands");
  run_springs();  // sources, then drains, cell by cell
  after("springs");
  advance_pipes(executor);  // ports, pumps, flows over links, levelling
  after("pipes");
  advance_water(executor, report);  // sweeps of plan and apply, until calm or the cap
  after("water");
  drain_beyond_limit(update_digest(executor));  // of the chunks that changed
  sleep_and_wake(report);  // what moved nothing sleeps; what holds nothing is dropped
  after("sleep");
  check();  // the conservation law; in checked builds the caches too

  report.digest = digest();
  return report;
}

void World::apply_commands(std::span<const Command> commands, TickReport& report) {
  CommandContext context(*this);
  report.outcomes.reserve(commands.size());
  for (const Command& command : commands) {
    // A reason quotes what the client sent: here, where all reasons pass, it is made harmless.
    const std::string reason = printable(context.apply(command).reason);
    report.outcomes.push_back({std::string(cut_text(reason, kMaxReasonBytes))});
  }
  pipes_.arrange_if_rebuilt();
}

// Where the water of a spring comes out.
Vec3 World::outlet_of_spring(Vec3 at, const WaterMeasure& measure) const {
  if (!measure.springs_rise) return at;
  Vec3 place = at;
  while (grid_.cell(place) == measure.cell_max) ++place.y;
  return is_open(grid_.cell(place)) ? place : at;
}

// What a source may add to its cell, in whole quanta: what fits, and what the world still takes in.
std::int32_t World::room_for_source(Cell cell, const WaterMeasure& measure) const {
  const std::int64_t room = core_.limits.units - core_.totals.taken_in();
  return round_down_to(static_cast<std::int32_t>(std::min<std::int64_t>(
                           measure.cell_max - cell, std::max<std::int64_t>(room, 0))),
                       measure.quantum);
}

void World::run_springs() {
  springs_active_ = false;
  const WaterMeasure measure = measure_of(core_.config);
  const auto run = [&](Springs& springs, bool adds) {
    for (auto& [place, spring] : springs) {
      const Vec3 at = adds ? outlet_of_spring(place, measure) : place;
      const Cell before = grid_.cell(at);
      const std::int32_t due = due_in_tick(spring.rate, core_.tick, measure.quantum);
      // A source fills its cell to what a cell holds; a drain takes what is there.
      const std::int32_t possible = !is_open(before) ? 0
                                    : adds           ? room_for_source(before, measure)
                                                     : before;
      const std::int32_t moved = std::min(due, possible);
      spring.missed = due - moved;
      // One that waits for its rate to add up to a quantum is active, too.
      springs_active_ = springs_active_ || possible > 0;
      if (moved == 0) continue;
      Chunk& chunk = grid_.obtain(grid_.shape().chunk_of(at));
      chunk.cells.edit()[static_cast<std::size_t>(grid_.shape().index_of(at))] +=
          adds ? moved : -moved;
      grid_.note_change(chunk, kChangedAll);
      (adds ? core_.totals.sourced : core_.totals.drained) += moved;
      core_.totals.water += adds ? moved : -moved;
    }
  };
  run(core_.sources, true);
  run(core_.drains, false);
}

namespace {

/// The grid as ports see it.
class PortGrid final : public PortCells {
 public:
  PortGrid(Grid& grid, WaterMeasure measure) : grid_(grid), measure_(measure) {}
  [[nodiscard]] WaterMeasure measure() const override { return measure_; }
  [[nodiscard]] Cell cell(Vec3 at) const override { return grid_.cell(at); }
  void add(Vec3 at, std::int32_t units) override {
    Chunk& chunk = grid_.obtain(grid_.shape().chunk_of(at));
    chunk.cells.edit()[static_cast<std::size_t>(grid_.shape().index_of(at))] += units;
    grid_.note_change(chunk, kChangedAll);
  }

 private:
  Grid& grid_;
  WaterMeasure measure_;
};

}  // namespace

void World::advance_pipes(Executor& executor) {
  PortGrid cells(grid_, measure_of(core_.config));
  const PipesAdvance done = pipes_.tick(core_.tick, run_options_.sleep, cells, executor);
  core_.totals.pipes += done.into_pipes;
  core_.totals.water -= done.into_pipes;
}

void World::advance_water(Executor& executor, TickReport& report) {
  const WaterTick now{core_.tick, run_options_.sleep, core_.sources};
  const WaterAdvance done = water_->advance(now, grid_, executor);
  core_.totals.drained += done.drained;
  core_.totals.evaporated += done.evaporated;
  core_.totals.water -= done.drained + done.evaporated;
  report.cell_updates = done.cell_updates;
  report.sweeps = done.sweeps;
}

// Returns the chunks that held nothing before.
std::vector<Chunk*> World::update_digest(Executor& executor) {
  const std::vector<Chunk*> changed = grid_.take_changed();
  struct Digests {
    Digest cells = 0;
    Digest marks = 0;
  };
  std::vector<Digests> digests(changed.size());
  executor.run(changed.size(), [&](std::size_t i) {
    changed[i]->cells.share_if_uniform();
    digests[i] = {digest_cells(changed[i]->cells.data()), digest_marks(changed[i]->marks.get())};
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
// chunks that hold anything, so neither sleep nor a restore can change what is drained. Rock comes
// by commands alone, so there is always enough that holds none.
void World::drain_beyond_limit(std::vector<Chunk*> filled) {
  if (grid_.holding_count() <= core_.limits.chunks) return;
  std::sort(filled.begin(), filled.end(),
            [](const Chunk* a, const Chunk* b) { return b->coord < a->coord; });
  for (Chunk* chunk : filled) {
    if (grid_.holding_count() <= core_.limits.chunks) return;
    if (std::find(chunk->cells.begin(), chunk->cells.end(), kRock) != chunk->cells.end()) continue;
    std::int64_t drained = 0;
    std::for_each_n(chunk->cells.edit(), kChunkCells, [&](Cell& cell) {
      drained += water_of(cell);
      cell = std::min(cell, kAir);
    });
    if (chunk->marks != nullptr) chunk->marks->cells.fill(0);
    core_.totals.drained += drained;
    core_.totals.water -= drained;
    grid_.set_digests(*chunk, chunk->pristine, 0);
    grid_.note_change(*chunk, kChangedAll);
  }
}

void World::sleep_and_wake(TickReport& report) {
  std::vector<Chunk*> asleep;
  for (Chunk* chunk : grid_.awake()) {
    if (chunk->wake == 0) asleep.push_back(chunk);
  }
  grid_.settle(asleep);
  report.active_chunks = static_cast<std::int64_t>(grid_.awake().size());
  report.at_rest = report.active_chunks == 0 && !springs_active_ && pipes_.at_rest();
}

void World::check() const {
  SLUICE_ASSERT(core_.totals.balanced());
  SLUICE_ASSERT(core_.totals.pipes == pipes_.units());
#ifdef SLUICE_CHECKED
  std::int64_t water = 0;
  grid_.for_each([&](const Chunk& chunk) {
    for (std::size_t i = 0; i < kChunkCells; ++i) water += water_of(chunk.cells[i]);
  });
  SLUICE_ASSERT(water == core_.totals.water);
  pipes_.check();
  SLUICE_ASSERT(digest() == recompute_digest());
#endif
}

}  // namespace sluice::sim
