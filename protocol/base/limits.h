// The maxima that the simulation, the wire and the clients share.
#pragma once

#include <cstdint>

namespace sluice {

/// Units of water in one full cell.
inline constexpr std::int32_t kFull = 4096;

/// Cells along one side of a world.
inline constexpr std::int32_t kMaxSide = 1 << 20;

/// Cells in a chunk: 64x64x1 in a side-view world, 16x16x16 in a 3D one.
inline constexpr std::int32_t kChunkCells = 4096;

/// Chunks of one world that hold anything: 2^18 are 4 GiB of cells.
inline constexpr std::int64_t kMaxChunks = std::int64_t{1} << 18;

/// Pipes, pumps and valves of one world.
inline constexpr std::int32_t kMaxPipes = 1 << 23;
/// Of a pipe's name, and a fluid's.
inline constexpr std::int32_t kMaxPipeNameBytes = 64;

/// Cells above its own that one pour may rise into.
inline constexpr std::int32_t kMostPourAbove = 64;

}  // namespace sluice
