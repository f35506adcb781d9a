// The apply half of a pass, for one stack of chunks (see cellular.h).
#include <algorithm>
#include <bit>

#include "server/sim/kernels.h"
#include "server/sim/models/cellular/cellular.h"

namespace sluice::sim {

namespace {

constexpr std::uint64_t kLowest = 1;

constexpr SlabBuffer filled_slab(Cell cell) {
  SlabBuffer slab{};
  slab.fill(cell);
  return slab;
}

constexpr SlabBuffer kAirSlab = filled_slab(kAir);
constexpr SlabBuffer kSolidSlab = filled_slab(kOutside);

const Cell* bottom_slab(const Chunk& chunk) {
  return chunk.cells.data();
}

std::int32_t highest_slab_index(const ChunkShape& shape) {
  return (shape.height() - 1) * shape.slab();
}

const Cell* highest_slab(const ChunkShape& shape, const Chunk& chunk) {
  return chunk.cells.data() + highest_slab_index(shape);
}

/// What a sweep changed in a chunk: the borders that it touches, and where.
struct Touched {
  std::uint8_t borders = 0;
  ChunkRegion region;
  std::uint32_t beside = 0;  // segments with a face at a changed cell
};

/// Nothing changed beyond `segments`.
Touched touched_by(const ChunkShape& shape, const PassChanges& changes, std::uint32_t segments) {
  Touched touched;
  touched.region.slabs = changes.slabs;
  if (changes.slabs == 0) return touched;
  const auto note = [&](bool set, std::uint8_t border) {
    if (set) touched.borders = static_cast<std::uint8_t>(touched.borders | border);
  };
  for (std::uint32_t left = segments; left != 0; left &= left - 1) {
    const auto segment = static_cast<std::uint32_t>(std::countr_zero(left));
    const Cell* const cells = changes.columns.data() + segment * kSegment;
    Cell any = 0;
    for (std::int32_t i = 0; i < kSegment; ++i) any |= cells[i];
    if (any == 0) continue;
    const std::uint32_t bit = 1U << segment;
    touched.region.segments |= bit;
    touched.beside |= bit;
    const bool first = segment == 0;
    const bool last = bit == last_segment(shape);
    const bool row = shape.depth() > 1;  // the segment goes from the left border to the right one
    // In 3D every cell of a segment touches those before and behind it, in a side view its ends do.
    if (row || cells[0] != 0) touched.beside |= bit >> 1;
    if (row || cells[kSegment - 1] != 0) touched.beside |= bit << 1;
    note((row || first) && cells[0] != 0, kChangedLeft);
    note((row || last) && cells[kSegment - 1] != 0, kChangedRight);
    note(row && first, kChangedFront);
    note(row && last, kChangedBack);
  }
  touched.beside &= all_segments(shape);
  note(touched.region.segments != 0, kChangedInside);
  note((changes.slabs & kLowest) != 0, kChangedBottom);
  note((changes.slabs & top_slab(shape)) != 0, kChangedTop);
  return touched;
}

/// Walks up one stack. Each chunk first lets its water spread sideways (from the old state alone:
/// `old_top_` keeps the slab below as it was), then settles with the chunk below it, then within.
class StackWalk {
 public:
  StackWalk(const CellularRule& rule, Grid& grid, std::int32_t least, const BorderFluxes& fluxes,
            StackReport& report)
      : rule_(rule),
        grid_(grid),
        shape_(grid.shape()),
        least_(least),
        fluxes_(fluxes),
        report_(report) {}

  /// Visits one chunk; `next`: the chunk of this stack that takes part after it, if there is one.
  /// Returns the segments of its uppermost slab that may have changed, so that what settles may go
  /// on into the chunk above.
  std::uint32_t visit(const ActiveChunk& active, const ActiveChunk* next) {
    Chunk& chunk = *active.chunk;
    const bool follows = previous_ != nullptr && previous_ == chunk.below;
    const Cell* below = follows ? old_top_[turn_].data() : slab_below(grid_, chunk);
    turn_ ^= 1;
    if (next != nullptr && next->chunk == chunk.above && spreads(*next)) {
      std::copy_n(highest_slab(shape_, chunk), shape_.slab(), old_top_[turn_].begin());
    }

    PassChanges changes(shape_);
    const bool all_rock = chunk.cells.is_shared_rock();
    std::uint32_t seen = active.sideways.segments | active.vertical.segments;
    if (spreads(active)) spread(active, below, changes);
    ChunkRegion settling = active.vertical;
    if (changes.slabs != 0) settling.add({changes.slabs, active.sideways.segments});
    const std::uint32_t rising = follows ? previous_rises_ : 0;
    if ((settling.slabs & kLowest) != 0 || rising != 0) {
      const std::uint32_t segments = rising | settling.segments;
      if (settle_with_below(chunk, segments, changes)) settling.add({kLowest, segments});
      seen |= segments;
    }
    if (!settling.empty() && !all_rock && !chunk.cells.is_shared_air()) {
      kernels().cellular.vertical(rule_, shape_, chunk.cells.edit(), settling, changes);
      settling.slabs |= changes.slabs;
    }
    finish(chunk, changes, seen);
    const std::uint32_t rises =
        (settling.slabs & top_slab(shape_)) != 0 ? settling.segments : std::uint32_t{0};
    if (rises != 0 && chunk.above == nullptr &&
        would_move(highest_slab(shape_, chunk), kAirSlab.data(), rises)) {
      store_beside(chunk, +1);
    }
    report_.processed_cells +=
        std::min(chunk.world_cells, std::popcount(active.sideways.slabs | settling.slabs) *
                                        std::popcount(seen) * kSegment);
    previous_ = &chunk;
    previous_rises_ = rises;
    return rises;
  }

 private:
  /// Whether anything flows sideways in it, into it, or out of it.
  [[nodiscard]] bool spreads(const ActiveChunk& active) const {
    if (active.sideways.empty()) return false;
    return active.stands || fluxes_.any(active.fluxes);
  }

  void spread(const ActiveChunk& active, const Cell* below, PassChanges& changes) {
    Chunk& chunk = *active.chunk;
    SidewaysInput input;
    input.below = below;
    input.low_x = fluxes_.low(active.fluxes, SidewaysAxis::kX);
    input.high_x = fluxes_.high(active.fluxes, SidewaysAxis::kX);
    if (shape_.depth() > 1) {
      input.low_z = fluxes_.low(active.fluxes, SidewaysAxis::kZ);
      input.high_z = fluxes_.high(active.fluxes, SidewaysAxis::kZ);
    }
    input.over_borders = fluxes_.any(active.fluxes);
    input.region = active.sideways;
    input.least = least_;
    kernels().cellular.sideways(rule_, shape_, chunk.cells.edit(), input, changes);
    if (changes.later != 0) {
      chunk.regions.next_tick.add({changes.later, active.sideways.segments});
      report_.waiting.push_back(&chunk);
    }
    if (chunk.has_gutter) report_.drained += grid_.drain_gutter(chunk, changes.slabs);
  }

  /// The pair of the chunk below's top and this one's bottom.
  bool settle_with_below(Chunk& chunk, std::uint32_t segments, PassChanges& changes) {
    if (chunk.below == nullptr && would_move(kAirSlab.data(), bottom_slab(chunk), segments)) {
      store_beside(chunk, -1);
    }
    if (chunk.below == nullptr) return false;
    if (chunk.cells.is_shared_rock() || chunk.below->cells.is_shared_rock()) return false;
    // A page that is shared is copied only where something moves.
    const bool shares = chunk.cells.is_shared() || chunk.below->cells.is_shared();
    if (shares && !would_move(highest_slab(shape_, *chunk.below), bottom_slab(chunk), segments)) {
      return false;
    }
    PassChanges pair(shape_);
    const bool moved = kernels().cellular.pair(
        rule_, segments, chunk.below->cells.edit() + highest_slab_index(shape_), chunk.cells.edit(),
        pair);
    if (!moved) return false;
    const auto columns = static_cast<std::size_t>(shape_.slab());
    for (std::size_t i = 0; i < columns; ++i) changes.columns[i] |= pair.columns[i];
    changes.slabs |= kLowest;
    pair.slabs |= top_slab(shape_);
    finish(*chunk.below, pair, segments);
    return true;
  }

  /// Whether two slabs, one over the other, would exchange anything.
  [[nodiscard]] bool would_move(const Cell* lower, const Cell* upper,
                                std::uint32_t segments) const {
    SlabBuffer low;
    SlabBuffer up;
    std::copy_n(lower, shape_.slab(), low.begin());
    std::copy_n(upper, shape_.slab(), up.begin());
    PassChanges ignored(shape_);
    return kernels().cellular.pair(rule_, segments, low.data(), up.data(), ignored);
  }

  /// Makes the missing chunk above (+1) or below (-1) and links it into this stack, which is all
  /// that looks at it in this pass.
  void store_beside(Chunk& chunk, std::int32_t step) {
    const ChunkCoord c = chunk.coord;
    const ChunkCoord coord = {c.x, c.y + step, c.z};
    if (!grid_.reaches(coord)) return;
    report_.stored.push_back(grid_.make(coord));
    Chunk& made = *report_.stored.back();
    // Its other neighbour may be stored already, or have been made in this very pass.
    Chunk* const beyond = known({c.x, c.y + 2 * step, c.z});
    made.above = step > 0 ? beyond : &chunk;
    made.below = step > 0 ? &chunk : beyond;
    if (made.above != nullptr) made.above->below = &made;
    if (made.below != nullptr) made.below->above = &made;
  }

  [[nodiscard]] Chunk* known(ChunkCoord coord) const {
    for (const auto& made : report_.stored) {
      if (made->coord == coord) return made.get();
    }
    return grid_.find(coord);
  }

  void finish(Chunk& chunk, const PassChanges& changes, std::uint32_t segments) {
    const Touched touched = touched_by(shape_, changes, segments);
    if (touched.borders == 0) return;
    if (chunk.changed == 0) report_.touched.push_back(&chunk);
    chunk.changed |= touched.borders;
    chunk.changed_region.add(touched.region);
    chunk.changed_beside |= touched.beside;
  }

  const CellularRule& rule_;
  Grid& grid_;
  const ChunkShape& shape_;
  std::int32_t least_;
  const BorderFluxes& fluxes_;
  StackReport& report_;
  SlabBuffer old_top_[2];
  int turn_ = 0;
  const Chunk* previous_ = nullptr;
  std::uint32_t previous_rises_ = 0;  // segments of its uppermost slab that may have changed
};

}  // namespace

const Cell* slab_below(const Grid& grid, const Chunk& chunk) {
  if (chunk.below != nullptr) return highest_slab(grid.shape(), *chunk.below);
  const ChunkCoord below = {chunk.coord.x, chunk.coord.y - 1, chunk.coord.z};
  return grid.reaches(below) ? kAirSlab.data() : kSolidSlab.data();
}

void apply_to_stack(const CellularRule& rule, Grid& grid, std::int32_t least,
                    std::span<const ActiveChunk> stack, const BorderFluxes& fluxes,
                    StackReport& report) {
  StackWalk walk(rule, grid, least, fluxes, report);
  for (std::size_t i = 0; i < stack.size(); ++i) {
    // What settles may push water into sleeping chunks above, or into new ones.
    Chunk* chunk = stack[i].chunk;
    const ActiveChunk* const next = i + 1 < stack.size() ? &stack[i + 1] : nullptr;
    std::uint32_t rising = walk.visit(stack[i], next);
    while (rising != 0 && chunk->above != nullptr &&
           (next == nullptr || chunk->above != next->chunk)) {
      chunk = chunk->above;
      rising = walk.visit({chunk, {}, {}, 0}, next);
    }
  }
  for (Chunk* chunk : report.touched) {
    if (chunk->has_gutter) report.drained += grid.drain_gutter(*chunk, chunk->changed_region.slabs);
  }
}

}  // namespace sluice::sim
