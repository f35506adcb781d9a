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

Cell* bottom_slab(Chunk& chunk) {
  return chunk.cells.data();
}

Cell* top_slab(const ChunkShape& shape, Chunk& chunk) {
  return chunk.cells.data() + (shape.height() - 1) * shape.slab();
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
  StackWalk(const CellularRule& rule, const Grid& grid, CellularPass pass, BorderFluxes& fluxes,
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
    if (active.sideways) {
      const auto kernel =
          pass_.axis == SidewaysAxis::kX ? kernels().sideways_x : kernels().sideways_z;
      kernel(rule_, shape_, chunk.cells.data(), below, fluxes_.low(active.fluxes),
             fluxes_.high(active.fluxes), changes);
      settles = settles || borders_of(shape_, changes) != 0;
    }
    settles = settles && pass_.vertical;
    if (pass_.vertical && (settles || from_below)) {
      settles = settle_with_below(chunk, changes) || settles;
    }
    if (settles) kernels().vertical(rule_, shape_, chunk.cells.data(), changes);
    finish(chunk, changes);
    if (settles && chunk.above == nullptr) overflow_above(chunk);
    // A sweep's last pass counts, so that a cell counts once a sweep in 3D too.
    if (pass_.vertical) report_.processed_cells += chunk.world_cells;
    previous_ = &chunk;
    previous_settled_ = settles;
    return settles;
  }

 private:
  bool settle_with_below(Chunk& chunk, PassChanges& changes) {
    PassChanges pair;
    bool moved = false;
    if (chunk.below != nullptr) {
      moved = kernels().pair(rule_, shape_.slab(), top_slab(shape_, *chunk.below),
                             bottom_slab(chunk), pair);
      if (moved) {
        pair.top = true;
        finish(*chunk.below, pair);
      }
    } else if (grid_.reaches({chunk.coord.x, chunk.coord.y - 1, chunk.coord.z})) {
      Overflow fall{{chunk.coord.x, chunk.coord.y - 1, chunk.coord.z}, false, {}};
      moved = kernels().pair(rule_, shape_.slab(), fall.slab.data(), bottom_slab(chunk), pair);
      if (moved) report_.overflows.push_back(fall);
    }
    if (moved) {
      for (std::size_t i = 0; i < changes.columns.size(); ++i)
        changes.columns[i] |= pair.columns[i];
      changes.bottom = true;
    }
    changes.largest_flow = std::max(changes.largest_flow, pair.largest_flow);
    return moved;
  }

  void overflow_above(Chunk& chunk) {
    const ChunkCoord coord = {chunk.coord.x, chunk.coord.y + 1, chunk.coord.z};
    if (!grid_.reaches(coord)) return;
    Overflow rise{coord, true, {}};
    PassChanges pair;
    if (!kernels().pair(rule_, shape_.slab(), top_slab(shape_, chunk), rise.slab.data(), pair)) {
      return;
    }
    report_.overflows.push_back(rise);
    pair.top = true;
    finish(chunk, pair);
  }

  void finish(Chunk& chunk, const PassChanges& changes) {
    report_.largest_flow = std::max(report_.largest_flow, changes.largest_flow);
    const std::uint8_t borders = borders_of(shape_, changes);
    if (borders == 0) return;
    if (chunk.changed == 0) report_.touched.push_back(&chunk);
    chunk.changed |= borders;
  }

  const CellularRule& rule_;
  const Grid& grid_;
  const ChunkShape& shape_;
  CellularPass pass_;
  BorderFluxes& fluxes_;
  StackReport& report_;
  SlabBuffer old_top_[2] = {};
  int turn_ = 0;
  const Chunk* previous_ = nullptr;
  bool previous_settled_ = false;
};

}  // namespace

const Cell* air_slab() {
  static const SlabBuffer kAirSlab = filled_slab(kAir);
  return kAirSlab.data();
}

const Cell* slab_below(const Grid& grid, const Chunk& chunk) {
  static const SlabBuffer kSolidSlab = filled_slab(kOutside);
  if (chunk.below != nullptr) return top_slab(grid.shape(), *chunk.below);
  const ChunkCoord below = {chunk.coord.x, chunk.coord.y - 1, chunk.coord.z};
  return grid.reaches(below) ? air_slab() : kSolidSlab.data();
}

void apply_to_stack(const CellularRule& rule, const Grid& grid, CellularPass pass,
                    std::span<const ActiveChunk> stack, BorderFluxes& fluxes, StackReport& report) {
  StackWalk walk(rule, grid, pass, fluxes, report);
  for (std::size_t i = 0; i < stack.size(); ++i) {
    bool rising = walk.visit(stack[i]);
    Chunk* above = stack[i].chunk->above;
    // What settles may push water into sleeping chunks above.
    while (rising && above != nullptr && (i + 1 == stack.size() || stack[i + 1].chunk != above)) {
      rising = walk.visit({above, false, false, 0});
      above = above->above;
    }
  }
  for (Chunk* chunk : report.touched) {
    if (chunk->has_gutter) report.drained += grid.drain_gutter(*chunk);
  }
}

}  // namespace sluice::sim
