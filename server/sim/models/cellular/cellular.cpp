#include "server/sim/models/cellular/cellular.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "server/sim/kernels.h"
#include "server/sim/models/cellular/head.h"
#include "server/sim/models/cellular/level.h"
#include "server/sim/range.h"

namespace sluice::sim {

namespace {

/// What differs between the two sideways axes.
struct AxisView {
  Chunk* Chunk::*low;
  Chunk* Chunk::*high;
};

constexpr AxisView view_of(SidewaysAxis axis) {
  return axis == SidewaysAxis::kX ? AxisView{&Chunk::left, &Chunk::right}
                                  : AxisView{&Chunk::front, &Chunk::back};
}

ChunkCoord step(ChunkCoord coord, SidewaysAxis axis, std::int32_t by) {
  return axis == SidewaysAxis::kX ? ChunkCoord{coord.x + by, coord.y, coord.z}
                                  : ChunkCoord{coord.x, coord.y, coord.z + by};
}

class CellularWater final : public WaterModelState {
 public:
  explicit CellularWater(const WorldConfig& config)
      : max_sweeps_(config.option("max_sweeps")),
        smallest_flow_(config.option("smallest_flow")),
        rule_(prepare(config)),
        borders_{Border(config.shape(), SidewaysAxis::kX),
                 Border(config.shape(), SidewaysAxis::kZ)},
        axes_(config.side_view() ? 1 : 2),
        fluxes_(2 * axes_, borders_[0].faces()) {
    if (FillOrder::has_depth(rule_)) leveller_.emplace(rule_);
  }

  WaterAdvance advance(const WaterTick& now, Grid& grid, Executor& executor) override {
    WaterAdvance done;
    bool moved = true;
    while (moved && done.sweeps < max_sweeps_) {
      // For this sweep alone: one that comes no more in this tick would find no rest.
      if (!now.sleep) grid.wake_all();
      least_ = done.sweeps == 0 ? 0 : smallest_flow_;
      moved = sweep(now, grid, executor, done);
      ++done.sweeps;
    }
    for (Chunk* chunk : waiting_) {
      grid.wake(*chunk, kWakeX | kWakeZ, std::exchange(chunk->regions.next_tick, {}));
    }
    waiting_.clear();
    level_bodies(now, grid);
    return done;
  }

  WaterHead head(const Grid& grid, Vec3 at) override { return cellular_head(rule_, grid, at); }
  std::int64_t most_at(const Grid& grid, Vec3 at, std::int64_t head) override {
    return cellular_most(rule_, grid, at, head);
  }

 private:
  // Every few ticks, as the tick's number says. What changed since is kept in mind until then:
  // of chunks in which nothing did, all bodies are as the last time left them.
  void level_bodies(const WaterTick& now, Grid& grid) {
    if (leveller_ && !levels_in(now.tick)) return;
    std::vector<ChunkPart> parts;
    for (Chunk* chunk : grid.awake()) {
      if ((chunk->wake & kWakeLevel) == 0) continue;
      chunk->wake = static_cast<std::uint8_t>(chunk->wake & ~kWakeLevel);
      parts.push_back({chunk->coord, std::exchange(chunk->regions.level, {})});
    }
    if (!leveller_) return;
    if (!now.sleep) {
      parts.clear();
      grid.for_each([&](const Chunk& chunk) {
        parts.push_back({chunk.coord, whole_chunk(grid.shape())});
      });
    }
    if (!parts.empty()) leveller_->level(parts, grid, now.moves);
  }

  /// Whether anything flowed.
  bool sweep(const WaterTick& now, Grid& grid, Executor& executor, WaterAdvance& done) {
    choose_active(grid);
    if (active_.empty()) return false;
    fluxes_.reset(active_.size(), planned_any_);
    planned_any_ = look_what_stands(grid, executor, now.sizes.asked_segments);
    if (planned_any_) plan(grid, executor);
    for (ActiveChunk& active : active_) active.chunk->pass_region = {};
    if (now.moves != nullptr) {
      tell_moves(rule_, borders_, grid, active_, fluxes_, least_, *now.moves);
    }
    cut_into_stacks();
    executor.run(stacks_.size(), [&](std::size_t i) {
      const auto [first, count] = stacks_[i];
      apply_to_stack(rule_, grid, least_, std::span(active_).subspan(first, count), fluxes_,
                     reports_[i]);
    });
    bool moved = false;
    for (std::size_t i = 0; i < stacks_.size(); ++i) {
      moved = take_report(grid, reports_[i], done) || moved;
    }
    return moved;
  }

  // The chunks that this sweep must look at, in stack order, each with what it must look for.
  void choose_active(Grid& grid) {
    std::vector<Chunk*>& awake = grid.awake();
    const auto by_coord = [](const Chunk* a, const Chunk* b) { return a->coord < b->coord; };
    if (!std::is_sorted(awake.begin(), awake.end(), by_coord)) {
      std::sort(awake.begin(), awake.end(), by_coord);
    }
    active_.clear();
    for (Chunk* chunk : awake) {
      chunk->wake = static_cast<std::uint8_t>(chunk->wake & ~kWakeAll);
      const ChunkRegion sideways = std::exchange(chunk->regions.sideways, {});
      const ChunkRegion vertical = std::exchange(chunk->regions.vertical, {});
      if (sideways.empty() && vertical.empty()) continue;
      chunk->pass_slot = static_cast<std::uint32_t>(active_.size());
      chunk->pass_region = sideways;
      active_.push_back({chunk, sideways, vertical, chunk->pass_slot});
    }
  }

  // What falls does not spread, and is most of what moves where little does: of such chunks nothing
  // is planned. Where much is to be looked at, something stands: that is not asked. Returns whether
  // anything does.
  bool look_what_stands(const Grid& grid, Executor& executor, int most_asked) {
    asked_.clear();
    bool any = false;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const ChunkRegion& region = active_[i].sideways;
      const CellPage& cells = active_[i].chunk->cells;
      if (region.empty() || cells.is_shared_rock() || cells.is_shared_air()) continue;
      const int segments = std::popcount(region.slabs) * std::popcount(region.segments);
      active_[i].stands = segments > most_asked;
      if (active_[i].stands) {
        any = true;
      } else {
        asked_.push_back(i);
      }
    }
    executor.run(asked_.size(), [&](std::size_t i) {
      ActiveChunk& asked = active_[asked_[i]];
      asked.stands = kernels().cellular.stands(rule_, grid.shape(), asked.chunk->cells.data(),
                                               slab_below(grid, *asked.chunk), asked.sideways);
    });
    return any || std::any_of(asked_.begin(), asked_.end(),
                              [this](std::size_t i) { return active_[i].stands; });
  }

  // Every flux over a border between two chunks is computed once, from the old state: by the chunk
  // on the border's low side, or by the other where there is none. A flux that a sleeping
  // neighbour, or a slab that one of the two need not look at, could have is nothing, or a change
  // in what it depends on would have woken it (Grid::note_change).
  void plan(Grid& grid, Executor& executor) {
    for (std::size_t axis = 0; axis < axes_; ++axis) planned_[axis].assign(active_.size(), {});
    executor.run(active_.size(), [&](std::size_t i) {
      for (std::size_t axis = 0; axis < axes_; ++axis) {
        plan_chunk(grid, static_cast<SidewaysAxis>(axis), active_[i], planned_[axis][i]);
      }
    });
    const std::size_t planned = active_.size();
    for (std::size_t i = 0; i < planned; ++i) {
      for (std::size_t axis = 0; axis < axes_; ++axis) {
        take_plan(grid, static_cast<SidewaysAxis>(axis), active_[i], planned_[axis][i]);
      }
    }
    if (active_.size() > planned) {
      std::sort(active_.begin(), active_.end(), [](const ActiveChunk& a, const ActiveChunk& b) {
        return a.chunk->coord < b.chunk->coord;
      });
    }
  }

  /// What planning one chunk along one axis found beside the fluxes.
  struct Plan {
    bool low_missing = false;  // something flows into a place where no chunk is
    bool high_missing = false;
    std::uint64_t low_waits = 0;  // slabs with a flux too small for this sweep
    std::uint64_t high_waits = 0;
  };

  void plan_chunk(const Grid& grid, SidewaysAxis axis, const ActiveChunk& active, Plan& plan) {
    if (active.sideways.empty()) return;
    const AxisView view = view_of(axis);
    const Border& border = borders_[static_cast<std::size_t>(axis)];
    const Chunk& chunk = *active.chunk;
    const Chunk* const high = chunk.*view.high;
    // Most regions touch no border: that is seen first.
    const FaceMask high_faces =
        border.faces_in(&active.sideways, high != nullptr ? &high->pass_region : nullptr);
    const FaceMask low_faces = border.faces_in(nullptr, &active.sideways);
    const bool low_place = chunk.*view.low == nullptr && !low_faces.empty();
    if (high_faces.empty() && !low_place) return;
    const bool high_stands =
        high != nullptr && !high_faces.empty() && active_[high->pass_slot].stands;
    if (!active.stands && !high_stands) return;
    const BorderSide here = {chunk.cells.data(), slab_below(grid, chunk)};
    if (!high_faces.empty() && (high != nullptr || grid.reaches(step(chunk.coord, axis, +1)))) {
      const BorderSide there =
          high == nullptr ? BorderSide{} : BorderSide{high->cells.data(), slab_below(grid, *high)};
      std::int32_t* const flux = fluxes_.high(active.fluxes, axis);
      if (border_fluxes(rule_, border, here, there, high_faces, least_, flux, plan.high_waits)) {
        fluxes_.note_high(active.fluxes, axis);
        plan.high_missing = high == nullptr;
        if (high != nullptr) {
          std::copy_n(flux, border.faces(), fluxes_.low(high->pass_slot, axis));
          fluxes_.note_low(high->pass_slot, axis);
        }
      }
    }
    if (low_place && grid.reaches(step(chunk.coord, axis, -1))) {
      plan.low_missing = border_fluxes(rule_, border, {}, here, low_faces, least_,
                                       fluxes_.low(active.fluxes, axis), plan.low_waits);
      if (plan.low_missing) fluxes_.note_low(active.fluxes, axis);
    }
  }

  void take_plan(Grid& grid, SidewaysAxis axis, ActiveChunk active, const Plan& plan) {
    if (plan.low_missing) store_receiver(grid, axis, active, -1);
    if (plan.high_missing) store_receiver(grid, axis, active, +1);
    if ((plan.low_waits | plan.high_waits) == 0) return;
    wait(*active.chunk, plan.low_waits | plan.high_waits);
    Chunk* const high = active.chunk->*view_of(axis).high;
    if (high != nullptr) wait(*high, plan.high_waits);
  }

  // Of one that was made in this tick: a flux towards its place may have been found too small
  // before, when only the chunk that it leaves could wait.
  void wait_whole(const Grid& grid, Chunk& chunk) {
    waiting_.push_back(&chunk);
    chunk.regions.next_tick.add(whole_chunk(grid.shape()));
  }

  // Of one that was made as its stack was applied, all of it awake: what came into it will be noted
  // as changed, and the rest is air, into which something flows only where a chunk beside it is to
  // be looked at, or waits. All of a chunk for each that a drop falls into would be felt.
  void wake_made(const ChunkShape& shape, Chunk& chunk) {
    chunk.regions.sideways = {};
    chunk.regions.vertical = {};
    for (const Chunk* beside : {chunk.left, chunk.right, chunk.front, chunk.back}) {
      if (beside == nullptr) continue;
      const auto add_slabs = [&shape](ChunkRegion& to, const ChunkRegion& from) {
        if (!from.empty()) to.add({from.slabs, all_segments(shape)});
      };
      add_slabs(chunk.regions.sideways, beside->regions.sideways);
      add_slabs(chunk.regions.next_tick, beside->regions.next_tick);
    }
    // It is awake in the next tick, too, also where nothing waits: checkpoints and reports tell who
    // is.
    waiting_.push_back(&chunk);
  }

  void wait(Chunk& chunk, std::uint64_t slabs) {
    if (slabs == 0) return;
    waiting_.push_back(&chunk);
    chunk.regions.next_tick.add({slabs, chunk.pass_region.segments});
  }

  // Water flows from `donor` into a place where no chunk is yet: makes it one, and part of the
  // sweep.
  void store_receiver(Grid& grid, SidewaysAxis axis, ActiveChunk donor, std::int32_t side) {
    Chunk& receiver = grid.obtain(step(donor.chunk->coord, axis, side));
    if (receiver.pass_region.empty()) {
      receiver.wake = static_cast<std::uint8_t>(receiver.wake & ~kWakeAll);
      receiver.regions.sideways = {};
      receiver.regions.vertical = {};
      receiver.pass_region = whole_chunk(grid.shape());
      receiver.pass_slot = static_cast<std::uint32_t>(active_.size());
      active_.push_back({&receiver, receiver.pass_region, {}, receiver.pass_slot});
      wait_whole(grid, receiver);
      fluxes_.grow(active_.size());
    }
    const std::int32_t* const from =
        side > 0 ? fluxes_.high(donor.fluxes, axis) : fluxes_.low(donor.fluxes, axis);
    std::int32_t* const to =
        side > 0 ? fluxes_.low(receiver.pass_slot, axis) : fluxes_.high(receiver.pass_slot, axis);
    std::copy_n(from, fluxes_.faces(), to);
    side > 0 ? fluxes_.note_low(receiver.pass_slot, axis)
             : fluxes_.note_high(receiver.pass_slot, axis);
  }

  void cut_into_stacks() {
    stacks_.clear();
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const ChunkCoord here = active_[i].chunk->coord;
      if (i > 0) {
        const ChunkCoord before = active_[i - 1].chunk->coord;
        if (before.x == here.x && before.z == here.z) {
          ++stacks_.back().second;
          continue;
        }
      }
      stacks_.emplace_back(i, 1);
    }
    if (reports_.size() < stacks_.size()) reports_.resize(stacks_.size());
    for (std::size_t i = 0; i < stacks_.size(); ++i) reports_[i].clear();
  }

  bool take_report(Grid& grid, StackReport& report, WaterAdvance& done) {
    done.drained += report.drained;
    done.cell_updates += report.processed_cells;
    for (auto& chunk : report.stored) wake_made(grid.shape(), grid.adopt(std::move(chunk)));
    for (Chunk* chunk : report.touched) {
      grid.note_change(*chunk, std::exchange(chunk->changed, std::uint8_t{0}),
                       std::exchange(chunk->changed_region, {}),
                       std::exchange(chunk->changed_beside, 0U));
    }
    for (Chunk* chunk : report.waiting) waiting_.push_back(chunk);
    return !report.touched.empty();
  }

  std::int32_t max_sweeps_;
  std::int32_t smallest_flow_;  // units
  CellularRule rule_;
  std::optional<Leveller> leveller_;  // none where pressure has no depth
  std::array<Border, 2> borders_;     // by axis
  std::size_t axes_;
  std::int32_t least_ = 0;  // units: a smaller sideways flux waits for the next tick
  std::vector<ActiveChunk> active_;
  bool planned_any_ = false;                  // in the sweep under way, or the last one
  std::vector<std::size_t> asked_;            // of active_, whether anything stands there
  std::array<std::vector<Plan>, 2> planned_;  // by axis, then as active_
  BorderFluxes fluxes_;
  std::vector<std::pair<std::size_t, std::size_t>> stacks_;  // first in active_, how many
  std::vector<StackReport> reports_;
  std::vector<Chunk*> waiting_;  // each may stand there more than once
};

constexpr const char* kCompressions[] = {"hydrostatic", "uniform"};  // as Compression

constexpr WaterOption kOptions[] = {
    {"full", kFull, 64, kMaxFullOption, "units at which a cell counts as full"},
    {"compressed_max", 4137, 64, kMaxFullOption + kMaxFullOption / 8,
     "units: full, and what a cell of depth adds, at most an eighth of it"},
    {"smallest_flow", 41, 0, kFull, "units: a smaller sideways flow has one sweep a tick"},
    {"max_sweeps", 8, 1, 1024, "sweeps a tick at the most"},
    choice("compression", kCompressions, "whether what a cell of depth adds grows with the depth"),
};

Status check(const WorldConfig& config) {
  const std::int32_t full = config.option("full");
  const std::int32_t compressed = config.option("compressed_max");
  if (compressed >= full && compressed <= full + full / 8) return Done{};
  return out_of_range("water.compressed_max", compressed, full, full + full / 8);
}

WaterMeasure measure(const WorldConfig& config) {
  const CellularRule rule = prepare(config);
  return {.full = rule.full, .load = rule.extra, .uniform_load = rule.uniform};
}

std::unique_ptr<WaterModelState> make(const WorldConfig& config) {
  return std::make_unique<CellularWater>(config);
}

}  // namespace

WaterModelRow cellular_water() {
  return {.id = WaterModel::kCellular,
          .version = 3,
          .name = "cellular",
          .meaning = "compressible water that settles between neighbouring cells",
          .options = kOptions,
          .work = {.side_view = 2, .solid = 20},
          .measure = measure,
          .check = check,
          .make = make};
}

}  // namespace sluice::sim
