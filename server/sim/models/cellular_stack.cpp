// The apply half of a pass, for one stack of chunks (see cellular.h).
#include <algorithm>

#include "server/sim/models/cellular.h"

namespace sluice::sim {

namespace {

SlabBuffer filled_slab(Cell cell) {
  SlabBuffer slab;
  slab.fill(cell);
  return slab;
}

const Cell* bottom_slab(const Chunk& chunk) {
  return chunk.cells.data();
}

std::int32_t top_slab_index(const ChunkShape& shape) {
  return (shape.height() - 1) * shape.slab();
}

const Cell* top_slab(const ChunkShape& shape, const Chunk& chunk) {
  return chunk.cells.data() + top_slab_index(shape);
}

/// The borders that a kernel's report touches.
std::uint8_t borders_of(const ChunkShape& shape, const PassChanges& changes) {
  const std::int32_t width = shape.width();
  const std::int32_t depth = shape.depth();
  Cell any = 0;
  Cell left = 0;
  Cell right = 0;
  Cell front = 0;
  Cell back = 0;
  for (std::int32_t z = 0; z < depth; ++z) {
    const Cell* row = changes.columns.data() + z * width;
    Cell in_row = 0;
    for (std::int32_t x = 0; x < width; ++x) in_row |= row[x];
    any |= in_row;
    left |= row[0];
    right |= row[width - 1];
    if (z == 0) front = in_row;
    if (z + 1 == depth) back = in_row;
  }
  const auto bit = [](bool set, std::uint8_t which) { return set ? which : std::uint8_t{0}; };
  const int mask = bit(any != 0, kChangedInside) | bit(left != 0, kChangedLeft) |
                   bit(right != 0, kChangedRight) | bit(front != 0, kChangedFront) |
                   bit(back != 0, kChangedBack) | bit(changes.bottom, kChangedBottom) |
                   bit(changes.top, kChangedTop);
  return static_cast<std::uint8_t>(mask);
}

/// Walks up one stack. Each chunk first lets its water spread sideways (from the old state alone:
/// `old_top_` keeps the slab below as it was), then settles with the chunk below it, then within.
class StackWalk {
 public:
  StackWalk(const CellularRule& rule, Grid& grid, CellularPass pass, BorderFluxes& fluxes,
            StackReport& report)
      : rule_(rule),
        grid_(grid),
        shape_(grid.shape()),
        pass_(pass),
        fluxes_(fluxes),
        report_(report) {}

  /// Visits one chunk. True when what settles in it may go on into the chunk above.
  bool visit(const ActiveChunk& active) {
    Chunk& chunk = *active.chunk;
    const bool follows = previous_ != nullptr && previous_ == chunk.below;
    const bool from_below = follows && previous_settled_;
    const Cell* below = follows ? old_top_[turn_].data() : slab_below(grid_, chunk);
    turn_ ^= 1;
    std::copy_n(top_slab(shape_, chunk), shape_.slab(), old_top_[turn_].begin());

    PassChanges changes;
    bool settles = active.vertical;
    // In nothing but rock nothing moves, nor in nothing but air into which nothing comes.
    const bool all_rock = chunk.cells.is_shared_rock();
    const bool empty = chunk.cells.is_shared_air();
    if (active.sideways && !all_rock && !(empty && nothing_comes(active))) {
      const auto kernel =
          pass_.axis == SidewaysAxis::kX ? kernels().sideways_x : kernels().sideways_z;
      kernel(rule_, shape_, chunk.cells.edit(), below, fluxes_.low(active.fluxes),
             fluxes_.high(active.fluxes), changes);
      settles = settles || borders_of(shape_, changes) != 0;
      drain(chunk);
    }
    settles = settles && pass_.vertical;
    if (pass_.vertical && (settles || from_below)) {
      settles = settle_with_below(chunk, changes) || settles;
    }
    if (settles && !all_rock && !chunk.cells.is_shared_air()) kernels().vertical(rule_, shape_, chunk.cells.edit(), changes);
    finish(chunk, changes);
    // What settled may rise into a place where no chunk is yet.
    if (settles && chunk.above == nullptr && would_move(top_slab(shape_, chunk), air_.data())) {
      store_beside(chunk, +1);
    }
    // A sweep's last pass counts, so that a cell counts once a sweep in 3D too.
    if (pass_.vertical) report_.processed_cells += chunk.world_cells;
    previous_ = &chunk;
    previous_settled_ = settles;
    return settles;
  }

 private:
  [[nodiscard]] bool nothing_comes(const ActiveChunk& active) {
    const std::int32_t* const fluxes = fluxes_.low(active.fluxes);
    return std::all_of(fluxes, fluxes + 2 * fluxes_.faces(), [](std::int32_t f) { return f == 0; });
  }

  /// The pair of the chunk below's top and this one's bottom.
  bool settle_with_below(Chunk& chunk, PassChanges& changes) {
    if (chunk.below == nullptr && would_move(air_.data(), bottom_slab(chunk))) {
      store_beside(chunk, -1);
    }
    if (chunk.below == nullptr) return false;
    if (chunk.cells.is_shared_rock() || chunk.below->cells.is_shared_rock()) return false;
    PassChanges pair;
    const bool moved =
        kernels().pair(rule_, shape_.slab(), chunk.below->cells.edit() + top_slab_index(shape_),
                       chunk.cells.edit(), pair);
    changes.largest_flow = std::max(changes.largest_flow, pair.largest_flow);
    if (!moved) return false;
    for (std::size_t i = 0; i < changes.columns.size(); ++i) changes.columns[i] |= pair.columns[i];
    changes.bottom = true;
    pair.top = true;
    finish(*chunk.below, pair);
    return true;
  }

  /// Whether two slabs, one over the other, would exchange anything.
  [[nodiscard]] bool would_move(const Cell* lower, const Cell* upper) const {
    SlabBuffer low;
    SlabBuffer up;
    std::copy_n(lower, shape_.slab(), low.begin());
    std::copy_n(upper, shape_.slab(), up.begin());
    PassChanges ignored;
    return kernels().pair(rule_, shape_.slab(), low.data(), up.data(), ignored);
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

  void drain(Chunk& chunk) {
    if (chunk.has_gutter) report_.drained += grid_.drain_gutter(chunk);
  }

  void finish(Chunk& chunk, const PassChanges& changes) {
    report_.largest_flow = std::max(report_.largest_flow, changes.largest_flow);
    const std::uint8_t borders = borders_of(shape_, changes);
    if (borders == 0) return;
    if (chunk.changed == 0) report_.touched.push_back(&chunk);
    chunk.changed |= borders;
  }

  const CellularRule& rule_;
  Grid& grid_;
  const ChunkShape& shape_;
  CellularPass pass_;
  BorderFluxes& fluxes_;
  StackReport& report_;
  SlabBuffer air_{};
  SlabBuffer old_top_[2] = {};
  int turn_ = 0;
  const Chunk* previous_ = nullptr;
  bool previous_settled_ = false;
};

}  // namespace

const Cell* slab_below(const Grid& grid, const Chunk& chunk) {
  static const SlabBuffer kAirSlab = filled_slab(kAir);
  static const SlabBuffer kSolidSlab = filled_slab(kOutside);
  if (chunk.below != nullptr) return top_slab(grid.shape(), *chunk.below);
  const ChunkCoord below = {chunk.coord.x, chunk.coord.y - 1, chunk.coord.z};
  return grid.reaches(below) ? kAirSlab.data() : kSolidSlab.data();
}

void apply_to_stack(const CellularRule& rule, Grid& grid, CellularPass pass,
                    std::span<const ActiveChunk> stack, BorderFluxes& fluxes, StackReport& report) {
  StackWalk walk(rule, grid, pass, fluxes, report);
  for (std::size_t i = 0; i < stack.size(); ++i) {
    // What settles may push water into sleeping chunks above, or into new ones.
    Chunk* chunk = stack[i].chunk;
    bool rising = walk.visit(stack[i]);
    const Chunk* const next = i + 1 < stack.size() ? stack[i + 1].chunk : nullptr;
    while (rising && chunk->above != nullptr && chunk->above != next) {
      chunk = chunk->above;
      rising = walk.visit({chunk, false, false, 0});
    }
  }
  for (Chunk* chunk : report.touched) {
    if (chunk->has_gutter) report.drained += grid.drain_gutter(*chunk);
  }
}

}  // namespace sluice::sim
