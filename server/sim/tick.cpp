// One tick of a world, phase by phase. This is the only code that changes a world after it was
// made; everything else may be slow, fail or vanish.
#include <algorithm>
#include <utility>

#include "server/sim/assert.h"
#include "server/sim/command_context.h"
#include "server/sim/int_math.h"
#include "server/sim/models/registry.h"
#include "server/sim/text.h"
#include "server/sim/world.h"

namespace sluice::sim {

TickReport World::tick(CommandSource& commands, Executor& executor) {
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
  }
  pipes_.arrange_if_rebuilt();
}

// What a source may add to its cell, in whole quanta: what fits, and what the world still takes in.
std::int32_t World::room_for_source(Cell cell, const WaterMeasure& measure) const {
  const std::int64_t room = core_.limits.units - core_.totals.taken_in();
  return round_down_to(static_cast<std::int32_t>(std::min<std::int64_t>(
                           measure.cell_max - cell, std::max<std::int64_t>(room, 0))),
                       measure.quantum);
}

// Chunks that changed since the springs were last looked at.
void World::wake_springs(const std::vector<Chunk*>& changed) {
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
  const std::int32_t quantum = measure_of(core_.config).quantum;
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
  const WaterMeasure measure = measure_of(core_.config);
  struct Move {
    std::int32_t units;
    std::int32_t possible;
  };
  const auto move = [&](Vec3 at, std::int32_t due, std::int32_t possible, std::int32_t sign) {
    const std::int32_t units = std::min(due, possible);
    if (units == 0) return Move{0, possible};
    grid_.add_to_cell(at, sign * units);
    core_.totals.water += sign * units;
    return Move{units, possible};
  };
  ColumnTops tops(grid_, measure.cell_max);
  run_kind(core_.sources, source_schedule_, [&](Vec3 place, std::int32_t due) {
    // What cannot go into its full cell rises, where the model's springs rise.
    const Vec3 top = measure.springs_rise ? tops.top_of(place) : place;
    const Vec3 at = is_open(grid_.cell(top)) ? top : place;
    watch(place);
    const Cell before = grid_.cell(at);
    const Move done = move(at, due, is_open(before) ? room_for_source(before, measure) : 0, +1);
    core_.totals.sourced += done.units;
    return done;
  });
  wake_springs(grid_.changed());  // drains take from what sources have just given
  run_kind(core_.drains, drain_schedule_, [&](Vec3 place, std::int32_t due) {
    watch(place);
    const Move done = move(place, due, water_of(grid_.cell(place)), -1);
    core_.totals.drained += done.units;
    return done;
  });
  springs_known_ = true;
}

// A spring that may sleep has to hear of changes in its chunk. Where none is stored, one that is
// made is watched.
void World::watch(Vec3 at) {
  if (Chunk* chunk = grid_.find(grid_.shape().chunk_of(at))) chunk->watched = true;
}

namespace {

/// The grid as ports see it.
class PortGrid final : public PortCells {
 public:
  /// `changed` lists the chunks that the last tick changed; the grid knows what this one did so
  /// far.
  PortGrid(Grid& grid, WaterMeasure measure, std::span<const ChunkCoord> changed)
      : grid_(grid), measure_(measure), changed_(changed) {}
  [[nodiscard]] WaterMeasure measure() const override { return measure_; }
  [[nodiscard]] Cell cell(Vec3 at) const override { return grid_.cell(at); }
  void add(Vec3 at, std::int32_t units) override { grid_.add_to_cell(at, units); }
  [[nodiscard]] Vec3 region(Vec3 at) const override { return place(grid_.shape().chunk_of(at)); }
  [[nodiscard]] bool changed_regions(std::vector<Vec3>& regions) const override {
    for (const ChunkCoord coord : changed_) regions.push_back(place(coord));
    for (const Chunk* chunk : grid_.changed()) regions.push_back(place(chunk->coord));
    return true;
  }

 private:
  static Vec3 place(ChunkCoord coord) { return {coord.x, coord.y, coord.z}; }

  Grid& grid_;
  WaterMeasure measure_;
  std::span<const ChunkCoord> changed_;
};

}  // namespace

void World::advance_pipes(Executor& executor) {
  PortGrid cells(grid_, measure_of(core_.config), changed_);
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
  wake_springs(changed);
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
  bool drained_any = false;
  std::sort(filled.begin(), filled.end(),
            [](const Chunk* a, const Chunk* b) { return b->coord < a->coord; });
  for (Chunk* chunk : filled) {
    if (grid_.holding_count() <= core_.limits.chunks) break;
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
    drained_any = true;
  }
  if (drained_any) water_->attach(grid_, core_.hydro);
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
