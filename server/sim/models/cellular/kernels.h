// The loops of cellular water over cells, behind plain functions; server/sim/kernels.h says which
// run.
#pragma once

#include <algorithm>
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
  PassChanges() { columns.fill(0); }
  /// Of chunks of this shape; the rest of `columns` is not touched, which a falling drop would
  /// feel.
  explicit PassChanges(const ChunkShape& shape) { std::fill_n(columns.begin(), shape.slab(), 0); }

  alignas(64) SlabBuffer columns;  // [z][x], not 0 where anything flowed in or out of that column
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
  bool over_borders = true;  // false: all of these are 0
  ChunkRegion region;        // of what may flow: nothing does over its edge, but over borders
  std::int32_t least = 0;    // units: a smaller flux inside the chunk waits; those given do not
};

/// kSegment faces beside each other: from[i] is on the low side of one, to[i] on the high side.
struct FaceCells {
  const Cell* from = nullptr;
  const Cell* to = nullptr;
  const Cell* from_under = nullptr;  // the cells below those
  const Cell* to_under = nullptr;
};

/// The fluxes over those faces, positive from `from` to `to`; `flux` holds zeros before. One below
/// `least` stays 0, and `waits` becomes true. Returns whether anything flows.
using FacesKernel = bool (*)(const CellularRule& rule, const FaceCells& cells, std::int32_t least,
                             std::int32_t* flux, bool& waits);

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

/// Whether any cell of the region holds more than what can still fall: `below` is the slab under
/// the chunk. Where none does, nothing flows sideways out of the region.
using StandsKernel = bool (*)(const CellularRule& rule, const ChunkShape& shape, const Cell* cells,
                              const Cell* below, const ChunkRegion& region);

struct CellularKernels {
  SidewaysKernel sideways;
  VerticalKernel vertical;
  PairKernel pair;
  FacesKernel faces;
  StandsKernel stands;
};

[[nodiscard]] CellularKernels scalar_cellular_kernels();

}  // namespace sluice::sim
