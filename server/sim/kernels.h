// The loops over cells and over open water, behind one table of plain functions: one set in
// portable C++ that states what is computed (kernels_scalar.cpp), one for each vector unit made
// from a single source (kernels_vector.cpp). All give the same bits; which one runs is chosen once,
// by what the processor has. One indirect call per chunk and pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "protocol/base/cell.h"
#include "server/sim/digest.h"
#include "server/sim/heat/kernels.h"
#include "server/sim/models/cellular/kernels.h"
#include "server/sim/models/hydro/kernels.h"
#include "server/sim/tracers/kernels.h"
#include "server/sim/waves/step_kernel.h"

namespace sluice::sim {

/// The digest's key of lane i in stripe s is kDigestKeys[i] + s * kDigestStep.
inline constexpr std::array<std::uint64_t, kDigestLanes> kDigestKeys = {
    0x243f6a8885a308d3U, 0x13198a2e03707344U, 0xa4093822299f31d0U, 0x082efa98ec4e6c89U,
    0x452821e638d01377U, 0xbe5466cf34e90c6cU, 0xc0ac29b7c97c50ddU, 0x3f84d5b5b5470917U};
inline constexpr std::uint64_t kDigestStep = 0x9e3779b97f4a7c15U;

/// Of every folder that has some, although this header then names them: they are chosen together,
/// and compiled together for each vector unit (kernels_vector.cpp). Tables that the folders would
/// register each for itself needed a source for all units, a dispatch and a choice in each.
struct Kernels {
  const char* name;
  /// The sums of the digest over `count` cells of a chunk, from that one on: both are multiples of
  /// kDigestPartCells.
  void (*digest_cells)(const Cell* cells, std::size_t first, std::size_t count,
                       std::uint64_t* sums);
  CellularKernels cellular;
  WaveStepKernel waves;
  HeatKernels heat;
  TracerKernels tracers;
  hydro::HydroKernels hydro;
};

/// The set in use: the best that the processor can run, unless another one was selected.
[[nodiscard]] const Kernels& kernels();
/// Every set that this processor can run, the portable one first.
[[nodiscard]] std::span<const Kernels> all_kernels();
/// For tests and measurements; not while a world ticks. False when there is no such set here.
bool select_kernels(std::string_view name);

[[nodiscard]] const Kernels& scalar_kernels();

}  // namespace sluice::sim
