// The loops of cellular water over cells, behind plain functions; server/sim/kernels.h says which
// run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "protocol/base/cell.h"
#include "protocol/base/geometry.h"
#include "server/sim/chunk.h"
#include "server/sim/chunk_region.h"
#include "server/sim/models/cellular/rule.h"

namespace sluice::sim {

inline constexpr std::size_t kMaxSlab = 256;
/// A slab with the padding that kernels may read past its end.
using SlabBuffer = std::array<Cell, kMaxSlab + kOverread>;

/// What a kernel reports. It adds to what is there.
struct PassChanges {
  alignas(64) SlabBuffer columns{};  // [z][x], not 0 where anything flowed in or out of that column
  std::uint64_t slabs = 0;  // ChunkRegion::slabs in which something flowed in or out of a cell
  std::uint64_t later = 0;  // and those in which a flux was too small for this sweep
};

/// What a sideways pass over one chunk reads beside its cells.
struct SidewaysInput {
  const Cell* below = nullptr;  // the slab under the chunk; kMaxSlab + kOverread readable
  // The fluxes over the chunk's borders, positive towards higher coordinates: [y][z] for x, [y][x]
  // for z, which a side view has not.
  const std::int32_t* low_x = nullptr;
  const std::int32_t* high_x = nullptr;
  const std::int32_t* low_z = nullptr;
  const std::int32_t* high_z = nullptr;
  ChunkRegion region;      // of what may flow: nothing does over its edge, but over borders
  std::int32_t least = 0;  // units: a smaller flux inside the chunk waits; those given do not
};

/// One sideways pass over one chunk, in place.
using SidewaysKernel = void (*)(const CellularRule& rule, const ChunkShape& shape, Cell* cells,
                                const SidewaysInput& input, PassChanges& changes);

/// Lets each pair of stacked cells of one chunk settle, from the bottom up, in place, as far as the
/// region's segments go. `region`: what may have changed since its pairs settled last.
using VerticalKernel = void (*)(const CellularRule& rule, const ChunkShape& shape, Cell* cells,
                                const ChunkRegion& region, PassChanges& changes);

/// The same for two slabs: lower[i] with upper[i] in those segments. Changes go to `columns` only;
/// returns whether anything moved.
using PairKernel = bool (*)(const CellularRule& rule, std::uint32_t segments, Cell* lower,
                            Cell* upper, PassChanges& changes);

struct CellularKernels {
  SidewaysKernel sideways;
  VerticalKernel vertical;
  PairKernel pair;
};

[[nodiscard]] CellularKernels scalar_cellular_kernels();

}  // namespace sluice::sim
