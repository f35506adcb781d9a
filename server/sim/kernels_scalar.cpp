// The portable kernels: the definition that the vector ones are compared with, and what runs where
// there is no vector unit that they know.
#include <algorithm>
#include <cstdlib>

#include "server/sim/kernels.h"

namespace sluice::sim {

namespace {

void digest_cells_scalar(const Cell* cells, std::uint64_t* sums) {
  std::array<std::uint64_t, kDigestLanes> keys = kDigestKeys;
  std::fill_n(sums, kDigestLanes, 0);
  for (std::size_t i = 0; i < kChunkCells; i += 2 * kDigestLanes) {
    for (std::size_t lane = 0; lane < kDigestLanes; ++lane) {
      const std::uint64_t low = static_cast<std::uint32_t>(cells[i + 2 * lane]);
      const std::uint64_t high = static_cast<std::uint32_t>(cells[i + 2 * lane + 1]);
      const std::uint64_t data = low | high << 32;
      const std::uint64_t keyed = data ^ keys[lane];
      sums[lane] += (keyed & 0xffffffffU) * (keyed >> 32) + data;
      keys[lane] += kDigestStep;
    }
  }
}

void note(std::int32_t before, std::int32_t after, std::size_t column, PassChanges& changes) {
  changes.columns[column] |= before ^ after;
}

/// Both sideways kernels: `step` leads to the neighbour on the axis; the fluxes of a slab go
/// through `flux`, laid out so that the face before cell i is i's, the one behind is i + step's.
void sideways(const CellularRule& rule, const ChunkShape& shape, bool along_x, Cell* cells,
              const Cell* below, const std::int32_t* low, const std::int32_t* high,
              PassChanges& changes) {
  const std::int32_t width = shape.width();
  const std::int32_t length = along_x ? width : shape.depth();
  const std::int32_t step = along_x ? 1 : width;
  const std::int32_t rows = shape.slab() / length;  // parallel lines of cells in a slab
  const std::int32_t row_step = along_x ? width : 1;
  SlabBuffer under{};
  std::copy_n(below, shape.slab(), under.begin());
  SlabBuffer old{};
  for (std::int32_t y = 0; y < shape.height(); ++y) {
    Cell* slab = cells + y * shape.slab();
    std::copy_n(slab, shape.slab(), old.begin());
    bool moved = false;
    for (std::int32_t row = 0; row < rows; ++row) {
      std::int32_t entering = low[y * rows + row];
      for (std::int32_t i = 0; i < length; ++i) {
        const auto at = static_cast<std::size_t>(row * row_step + i * step);
        const auto next = at + static_cast<std::size_t>(step);
        const std::int32_t leaving =
            i + 1 < length ? sideways_flux(rule, old[at], old[next], under[at], under[next])
                           : high[y * rows + row];
        slab[at] = old[at] + entering - leaving;
        note(old[at], slab[at], at, changes);
        moved = moved || slab[at] != old[at];
        changes.largest_flow =
            std::max({changes.largest_flow, std::abs(entering), std::abs(leaving)});
        entering = leaving;
      }
    }
    if (moved && y == 0) changes.bottom = true;
    if (moved && y + 1 == shape.height()) changes.top = true;
    under.swap(old);
  }
}

void sideways_x_scalar(const CellularRule& rule, const ChunkShape& shape, Cell* cells,
                       const Cell* below, const std::int32_t* low, const std::int32_t* high,
                       PassChanges& changes) {
  sideways(rule, shape, true, cells, below, low, high, changes);
}

void sideways_z_scalar(const CellularRule& rule, const ChunkShape& shape, Cell* cells,
                       const Cell* below, const std::int32_t* low, const std::int32_t* high,
                       PassChanges& changes) {
  sideways(rule, shape, false, cells, below, low, high, changes);
}

bool pair_scalar(const CellularRule& rule, std::int32_t count, Cell* lower, Cell* upper,
                 PassChanges& changes) {
  bool moved = false;
  for (std::int32_t i = 0; i < count; ++i) {
    if (!is_open(lower[i]) || !is_open(upper[i])) continue;
    const std::int32_t sum = lower[i] + upper[i];
    const std::int32_t settled = lower_share(rule, sum);
    note(lower[i], settled, static_cast<std::size_t>(i), changes);
    changes.largest_flow = std::max(changes.largest_flow, std::abs(settled - lower[i]));
    moved = moved || settled != lower[i];
    lower[i] = settled;
    upper[i] = sum - settled;
  }
  return moved;
}

void vertical_scalar(const CellularRule& rule, const ChunkShape& shape, Cell* cells,
                     PassChanges& changes) {
  for (std::int32_t y = 0; y + 1 < shape.height(); ++y) {
    Cell* slab = cells + y * shape.slab();
    const bool moved = pair_scalar(rule, shape.slab(), slab, slab + shape.slab(), changes);
    if (moved && y == 0) changes.bottom = true;
    if (moved && y + 2 == shape.height()) changes.top = true;
  }
}

}  // namespace

const Kernels& scalar_kernels() {
  static constexpr Kernels kScalar = {"scalar",          digest_cells_scalar, sideways_x_scalar,
                                      sideways_z_scalar, vertical_scalar,     pair_scalar};
  return kScalar;
}

}  // namespace sluice::sim
