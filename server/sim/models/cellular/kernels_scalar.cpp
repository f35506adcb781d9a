// The portable kernels of cellular water: the definition that the vector ones are compared with.
#include <algorithm>
#include <cstdlib>

#include "server/sim/models/cellular/kernels.h"

namespace sluice::sim {

namespace {

/// The fluxes of one slab along one axis, before each cell and behind the last: `step` leads to the
/// neighbour, `low` and `high` are those over the chunk's borders in this slab.
struct SlabAxis {
  std::int32_t length;  // cells of a line
  std::int32_t step;
  std::int32_t lines;
  std::int32_t line_step;
  const std::int32_t* low;
  const std::int32_t* high;
};

bool holds(std::uint32_t segments, std::size_t cell) {
  return (segments >> (cell / static_cast<std::size_t>(kSegment)) & 1U) != 0;
}

/// Adds to `slab` what flows along an axis between the cells of `old`, `under` being those below.
/// Returns whether anything flowed; `later` becomes true where a flux was smaller than `least`.
bool flow_along(const CellularRule& rule, const SlabAxis& axis, const Cell* old, const Cell* under,
                const SidewaysInput& input, Cell* slab, PassChanges& changes, bool& later) {
  bool moved = false;
  const std::uint32_t segments = input.region.segments;
  for (std::int32_t line = 0; line < axis.lines; ++line) {
    std::int32_t entering = axis.low[line];
    for (std::int32_t i = 0; i < axis.length; ++i) {
      const auto at = static_cast<std::size_t>(line * axis.line_step + i * axis.step);
      const auto next = at + static_cast<std::size_t>(axis.step);
      std::int32_t leaving = i + 1 == axis.length ? axis.high[line] : 0;
      if (i + 1 < axis.length && holds(segments, at) && holds(segments, next)) {
        leaving = sideways_flux(rule, old[at], old[next], under[at], under[next]);
        if (leaving != 0 && std::abs(leaving) < input.least) {
          leaving = 0;
          later = true;
        }
      }
      if (holds(segments, at)) {
        slab[at] += entering - leaving;
        changes.columns[at] |= entering | leaving;
        moved = moved || entering != 0 || leaving != 0;
      }
      entering = leaving;
    }
  }
  return moved;
}

void sideways_scalar(const CellularRule& rule, const ChunkShape& shape, Cell* cells,
                     const SidewaysInput& input, PassChanges& changes) {
  const std::int32_t width = shape.width();
  const std::int32_t depth = shape.depth();
  SlabBuffer under{};
  std::copy_n(input.below, shape.slab(), under.begin());
  SlabBuffer old{};
  for (std::int32_t y = 0; y < shape.height(); ++y) {
    Cell* slab = cells + y * shape.slab();
    std::copy_n(slab, shape.slab(), old.begin());
    if ((input.region.slabs >> y & 1U) != 0) {
      bool later = false;
      const SlabAxis x = {
          width, 1, depth, width, input.low_x + y * depth, input.high_x + y * depth};
      bool moved = flow_along(rule, x, old.data(), under.data(), input, slab, changes, later);
      if (depth > 1) {
        const SlabAxis z = {
            depth, width, width, 1, input.low_z + y * width, input.high_z + y * width};
        moved = flow_along(rule, z, old.data(), under.data(), input, slab, changes, later) || moved;
      }
      changes.slabs |= std::uint64_t{moved} << y;
      changes.later |= std::uint64_t{later} << y;
    }
    under.swap(old);
  }
}

bool pair_scalar(const CellularRule& rule, std::uint32_t segments, Cell* lower, Cell* upper,
                 PassChanges& changes) {
  bool moved = false;
  for (std::size_t i = 0; i < kMaxSlab; ++i) {
    if (!holds(segments, i) || !is_open(lower[i]) || !is_open(upper[i])) continue;
    const std::int32_t sum = lower[i] + upper[i];
    const std::int32_t settled = lower_share(rule, sum);
    changes.columns[i] |= lower[i] ^ settled;
    moved = moved || settled != lower[i];
    lower[i] = settled;
    upper[i] = sum - settled;
  }
  return moved;
}

void vertical_scalar(const CellularRule& rule, const ChunkShape& shape, Cell* cells,
                     const ChunkRegion& region, PassChanges& changes) {
  std::uint64_t slabs = region.slabs;
  for (std::int32_t y = 0; y + 1 < shape.height(); ++y) {
    if ((slabs >> y & 3U) == 0) continue;
    Cell* slab = cells + y * shape.slab();
    if (!pair_scalar(rule, region.segments, slab, slab + shape.slab(), changes)) continue;
    changes.slabs |= std::uint64_t{3} << y;
    slabs |= std::uint64_t{3} << y;
  }
}

bool faces_scalar(const CellularRule& rule, const FaceCells& cells, std::int32_t least,
                  std::int32_t* flux, bool& waits) {
  bool flows = false;
  for (std::int32_t i = 0; i < kSegment; ++i) {
    const std::int32_t amount =
        sideways_flux(rule, cells.from[i], cells.to[i], cells.from_under[i], cells.to_under[i]);
    const bool small = std::abs(amount) < least;
    waits = waits || (small && amount != 0);
    flux[i] = small ? 0 : amount;
    flows = flows || flux[i] != 0;
  }
  return flows;
}

bool stands_scalar(const CellularRule& rule, const ChunkShape& shape, const Cell* cells,
                   const Cell* below, const ChunkRegion& region) {
  const auto slab_cells = static_cast<std::size_t>(shape.slab());
  const Cell* under = below;
  for (std::int32_t y = 0; y < shape.height(); ++y) {
    const Cell* const slab = cells + static_cast<std::size_t>(y) * slab_cells;
    for (std::size_t i = 0; (region.slabs >> y & 1U) != 0 && i < slab_cells; ++i) {
      if (holds(region.segments, i) && standing_units(rule, slab[i], under[i]) > 0) return true;
    }
    under = slab;
  }
  return false;
}

}  // namespace

CellularKernels scalar_cellular_kernels() {
  return {sideways_scalar, vertical_scalar, pair_scalar, faces_scalar, stands_scalar};
}

}  // namespace sluice::sim
