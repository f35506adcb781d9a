// The faces between two chunks that lie side by side, and what flows over them in a sweep.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/base/cell.h"
#include "protocol/base/geometry.h"
#include "server/sim/chunk_region.h"
#include "server/sim/models/cellular/rule.h"

namespace sluice::sim {

enum class SidewaysAxis : std::uint8_t { kX, kZ };

/// Faces of a border: those in any of these slabs and on any of these lines.
struct FaceMask {
  std::uint64_t slabs = 0;
  std::uint32_t lines = 0;

  [[nodiscard]] bool empty() const { return slabs == 0 || lines == 0; }
};

/// The cells on a border, as an index into the chunk's cells: [y][z] for x, [y][x] for z.
struct Border {
  Border(const ChunkShape& shape, SidewaysAxis axis)
      : lines(axis == SidewaysAxis::kX ? shape.depth() : shape.width()),
        line_step(axis == SidewaysAxis::kX ? shape.width() : 1),
        slab(shape.slab()),
        height(shape.height()),
        last(axis == SidewaysAxis::kX ? shape.width() - 1 : (shape.depth() - 1) * shape.width()),
        segment_is_line(axis == SidewaysAxis::kX && shape.depth() > 1),
        last_segment(sim::last_segment(shape)) {}
  std::int32_t lines;      // border cells of one slab
  std::int32_t line_step;  // from one to the next
  std::int32_t slab;
  std::int32_t height;
  std::int32_t last;  // from the low border's cell to the high border's
  bool segment_is_line;
  std::uint32_t last_segment;

  [[nodiscard]] std::size_t faces() const { return static_cast<std::size_t>(lines * height); }

  /// Those between the region of the chunk on the low side and that of the chunk on the high side;
  /// null: where no chunk is, so that the other alone counts.
  [[nodiscard]] FaceMask faces_in(const ChunkRegion* low, const ChunkRegion* high) const {
    FaceMask mask = {~std::uint64_t{0}, ~std::uint32_t{0} >> (32 - lines)};
    for (const ChunkRegion* region : {low, high}) {
      if (region == nullptr) continue;
      mask.slabs &= region->slabs;
      // Along z a segment is a line; along x its first or last segment holds a border.
      if (segment_is_line) {
        mask.lines &= region->segments;
      } else if ((region->segments & (region == low ? last_segment : 1U)) == 0) {
        mask.lines = 0;
      }
    }
    return mask;
  }
};

/// One side of a border: its chunk's cells and the slab below them; null where no chunk is, which
/// is as air.
struct BorderSide {
  const Cell* cells = nullptr;
  const Cell* below = nullptr;
};

/// The fluxes over the given faces, of which there are some, from the high border of `low` to the
/// low border of `high`, go to `flux`, which holds zeros, [y][line]. Returns whether anything
/// flows. A flux below `least` is left out, and its slab noted in `waits`.
bool border_fluxes(const CellularRule& rule, const Border& border, const BorderSide& low,
                   const BorderSide& high, FaceMask faces, std::int32_t least, std::int32_t* flux,
                   std::uint64_t& waits);

}  // namespace sluice::sim
