// The maxima that the whole simulation shares (a model's own stand in its folder), and the proofs
// that nothing overflows below them.
#pragma once

#include <cstdint>

#include "protocol/base/limits.h"

namespace sluice::sim {

/// What a cell can hold at the most. The kernels add the amounts of two cells in 32 bits.
inline constexpr std::int32_t kMaxCellUnits = (1 << 30) - 1;
static_assert(2 * std::int64_t{kMaxCellUnits} <= INT32_MAX);
// The total of every cell of the largest world fits 64 bits.
static_assert(std::int64_t{kMaxCellUnits} <= INT64_MAX / (kMaxChunks * kChunkCells));

/// What one command or spring may add to one cell at a time (16 full cells of pressure a tick
/// are already a jet; a larger number is a typing error).
inline constexpr std::int32_t kMaxPourUnits = 1 << 24;

/// Cells of a pour at rest: of its box, and of the water that stands over and under it.
inline constexpr std::int64_t kMostRestingCells = std::int64_t{1} << 16;

/// What one command fills or evaporates to a level: cells of its region, stretches of cells that
/// lie one above the other, and chunks.
inline constexpr std::int64_t kMostLevelCells = std::int64_t{1} << 18;
inline constexpr std::int64_t kMostLevelRuns = std::int64_t{1} << 12;
inline constexpr std::int64_t kMostLevelChunks = 128;

/// Cells of trapped air that open in one tick; the next one goes on.
inline constexpr std::int64_t kMostOpenedAtOnce = std::int64_t{1} << 14;

/// Springs and drains of one world.
inline constexpr std::int32_t kMaxSprings = 1 << 16;

/// Commands that one tick applies; a host keeps the rest for the next tick.
inline constexpr std::int32_t kMaxCommandsPerTick = 1 << 16;

/// Pipe networks (pipes/pipes.md). A node's capacity fits 30 bits, so that twice an amount fits 31.
inline constexpr std::int32_t kMaxPipeCapacity = 1 << 30;
inline constexpr std::int32_t kMaxPipeHeight = 1 << 24;  // level units: 4,096 cells
inline constexpr std::int32_t kMaxPipeBase = 1 << 29;    // level units, either side of zero
inline constexpr std::int32_t kMaxPipeLinks = 1 << 24;
/// Of a world with a limit of its own.
inline constexpr std::int64_t kLinksAPipe = 4;
inline constexpr std::int32_t kMaxPorts = 1 << 16;
inline constexpr std::int32_t kMaxFluids = 1 << 10;
inline constexpr std::int32_t kDefaultPipeCapacity = 20000;
inline constexpr std::int32_t kDefaultPipeHeight = 10000;

/// Units that a world may take in over its whole life: what it began with and all that was sourced.
/// Nothing can leave that did not come, so every total stays below it.
inline constexpr std::int64_t kMaxTakenIn = std::int64_t{1} << 62;
static_assert(std::int64_t{kMaxCellUnits} * kMaxChunks * kChunkCells +
                  std::int64_t{kMaxPipeCapacity} * kMaxPipes <=
              kMaxTakenIn);
// A level with 32 fractional bits, and the difference of two, fit 64 bits.
static_assert((std::int64_t{kMaxPipeBase} + kMaxPipeHeight) * 2 < INT64_MAX >> 32);

inline constexpr std::int32_t kMaxTickRate = 1000;

/// Bytes of the reason for which a command was refused; a longer one is cut.
inline constexpr std::int32_t kMaxReasonBytes = 256;

}  // namespace sluice::sim
