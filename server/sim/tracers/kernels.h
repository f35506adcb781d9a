// The loops of tracers over cells, behind plain functions; server/sim/kernels.h says which run.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "protocol/base/cell.h"
#include "server/sim/chunk_plane.h"
#include "server/sim/tracers/options.h"

namespace sluice::sim {

/// Shares of a tracer in its water are known to a part of 65,536, rounded down.
inline constexpr std::int32_t kLogTracerShare = 16;
/// Beyond, shares spread as if they differed by no more, and cells as if they held no more, so that
/// the factors of a flux fit 32 bits.
inline constexpr std::int64_t kMostShareDifference = (std::int64_t{1} << 32) - 1;
inline constexpr std::int32_t kMostSpreading = 1 << 20;
static_assert(kMostTracerUnits < INT64_MAX >> kLogTracerShare);
static_assert(std::int64_t{std::max(kMostSpread, kMostOverturn)} * kMostSpreading < INT32_MAX);
static_assert(kMostTracerUnits < INT64_MAX / kMostSink);

/// A chunk's cells as a flux sees them, and those around it. A cell without water, or frozen, has
/// no units: it exchanges nothing.
struct TracerPlane : ChunkPlane {
  using ChunkPlane::ChunkPlane;
  // All without a value until they are read, corners for ever.
  std::array<std::int64_t, kMost> values;  // shares; of what sinks or rises, amounts
  std::array<std::int32_t, kMost> units;   // at most kMostSpreading
};

struct TracerFluxInput {
  ChunkShape shape;
  std::int32_t layers = 0;  // at least one, from the lowest on; none above them holds water
  // As in TracerOptions.
  std::int32_t spread = 0;
  std::int32_t overturn = 0;
  std::int32_t sink = 0;  // not 0: nothing else flows
};

/// One place of a plane.
struct TracerCell {
  std::int64_t value = 0;
  std::int32_t units = 0;
};

/// From `a` to `b`: from the greater share to the lesser, less than one part of what the shares may
/// seem to differ by for being rounded.
inline std::int64_t spreading(std::int32_t parts, const TracerCell& a, const TracerCell& b) {
  const std::int64_t difference = a.value - b.value;
  const std::int64_t size = std::clamp<std::int64_t>(
      (difference < 0 ? -difference : difference) - 1, 0, kMostShareDifference);
  const std::int64_t units = std::min(a.units, b.units);
  const std::int64_t amount = (parts * units * size) >> (kLogTracerParts + kLogTracerShare);
  return difference < 0 ? -amount : amount;
}

struct TracerKernels {
  /// What flows into each cell of those layers, less what flows out. True if anything flows over
  /// some face.
  bool (*fluxes)(const TracerFluxInput& input, const TracerPlane& plane, std::int64_t* change);
};

[[nodiscard]] TracerKernels scalar_tracer_kernels();

}  // namespace sluice::sim
