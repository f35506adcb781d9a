// The loops over cells, behind one table of plain functions: one set in portable C++ that states
// what is computed (kernels_scalar.cpp), one for each vector unit made from a single source
// (kernels_vector.cpp). All give the same bits; which one runs is chosen once, by what the
// processor has. One indirect call per chunk and pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/base/geometry.h"
#include "server/sim/cell.h"
#include "server/sim/chunk.h"
#include "server/sim/chunk_region.h"
#include "server/sim/models/cellular/rule.h"
#include "server/sim/waves/step_kernel.h"

namespace sluice::sim {

inline constexpr std::size_t kDigestLanes = 8;

/// The digest's key of lane i in stripe s is kDigestKeys[i] + s * kDigestStep.
inline constexpr std::array<std::uint64_t, kDigestLanes> kDigestKeys = {
    0x243f6a8885a308d3U, 0x13198a2e03707344U, 0xa4093822299f31d0U, 0x082efa98ec4e6c89U,
    0x452821e638d01377U, 0xbe5466cf34e90c6cU, 0xc0ac29b7c97c50ddU, 0x3f84d5b5b5470917U};
inline constexpr std::uint64_t kDigestStep = 0x9e3779b97f4a7c15U;

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

struct Kernels {
  const char* name;
  void (*digest_cells)(const Cell* cells, std::uint64_t* sums);
  SidewaysKernel sideways;
  VerticalKernel vertical;
  PairKernel pair;
  WaveStepKernel waves;
};

/// The set in use: the best that the processor can run, unless another one was selected.
[[nodiscard]] const Kernels& kernels();
/// Every set that this processor can run, the portable one first.
[[nodiscard]] std::span<const Kernels> all_kernels();
/// For tests and measurements; not while a world ticks. False when there is no such set here.
bool select_kernels(std::string_view name);

[[nodiscard]] const Kernels& scalar_kernels();

}  // namespace sluice::sim
