// A chunk as both ends of a connection know it.
#pragma once

#include <array>
#include <cstdint>

#include "protocol/base/geometry.h"
#include "protocol/base/limits.h"

namespace sluice::protocol {

/// Cell values: 0 and more are units of water (4,096 fill a cell), -1 is rock, -2 lies outside the
/// world (a chunk that the world's edge cuts has such cells).
inline constexpr std::int32_t kRockCell = -1;
inline constexpr std::int32_t kOutsideCell = -2;
/// Air that cannot leave: solid to water, and looks like air.
inline constexpr std::int32_t kTrappedAirCell = -3;
/// Ice: this or less. The units of water in it are what it is below kIceBaseCell.
inline constexpr std::int32_t kIceBaseCell = -16;
inline constexpr std::int32_t kThinnestIceCell = kIceBaseCell - 1;

/// [y][z][x]. A chunk that was never sent is all air: zeros.
using ChunkCells = std::array<std::int32_t, kChunkCells>;

}  // namespace sluice::protocol
