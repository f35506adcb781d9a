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

#include "server/sim/cell.h"
#include "server/sim/chunk.h"
#include "server/sim/geometry.h"
#include "server/sim/models/cellular_rule.h"

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
  alignas(64) SlabBuffer columns{};  // [z][x], not 0 where any cell of that column changed
  std::int32_t largest_flow = 0;     // units over one face
  bool bottom = false;               // a cell of the lowest slab changed
  bool top = false;
};

/// One sideways pass over one chunk, in place. `below` is the slab under the chunk (kMaxSlab +
/// kOverread readable); `low` and `high` are the fluxes over the chunk's two borders on the axis,
/// [y][z] for x and [y][x] for z, positive towards higher coordinates.
using SidewaysKernel = void (*)(const CellularRule& rule, const ChunkShape& shape, Cell* cells,
                                const Cell* below, const std::int32_t* low,
                                const std::int32_t* high, PassChanges& changes);

/// Lets each pair of stacked cells of one chunk settle, from the bottom up, in place.
using VerticalKernel = void (*)(const CellularRule& rule, const ChunkShape& shape, Cell* cells,
                                PassChanges& changes);

/// The same for two slabs: lower[i] with upper[i] for i in [0, count). Changes go to `columns`
/// and largest_flow only; returns whether anything moved.
using PairKernel = bool (*)(const CellularRule& rule, std::int32_t count, Cell* lower, Cell* upper,
                            PassChanges& changes);

struct Kernels {
  const char* name;
  void (*digest_cells)(const Cell* cells, std::uint64_t* sums);
  SidewaysKernel sideways_x;
  SidewaysKernel sideways_z;
  VerticalKernel vertical;
  PairKernel pair;
};

/// The set in use: the best that the processor can run, unless another one was selected.
[[nodiscard]] const Kernels& kernels();
/// Every set that this processor can run, the portable one first.
[[nodiscard]] std::span<const Kernels> all_kernels();
/// For tests and measurements; not while a world ticks. False when there is no such set here.
bool select_kernels(std::string_view name);

[[nodiscard]] const Kernels& scalar_kernels();

}  // namespace sluice::sim
