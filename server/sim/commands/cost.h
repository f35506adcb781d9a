// What a command costs, known before it runs: an upper bound from the box that it names and from
// what is stored there. A host keeps to budgets by it; no result depends on it.
//
// One unit of work is one cell rewritten, or one node or link touched: some four nanoseconds.
#pragma once

#include <cstdint>

#include "server/sim/commands/commands.h"
#include "server/sim/world.h"

namespace sluice::sim {

/// A chunk that is looked up, has its digest made anew and is published.
inline constexpr std::int64_t kWorkOfChunk = 256;
/// A chunk that is made.
inline constexpr std::int64_t kWorkOfNewChunk = 1024;
/// A sleeping chunk that is woken: the sweeps of one tick over it.
inline constexpr std::int64_t kWorkOfWaking = 5 * kChunkCells / 2;
/// For each cell of a box that is filled with water, on top of rewriting it and waking its chunk:
/// the water may all flow at once in the next ticks. What that takes depends on the water model and
/// on the world's layers (waves, heat, tracers). Measured by boxes of water that fall apart.
[[nodiscard]] std::int64_t work_of_flowing_cell(const World& world);
/// One more cell of a strand of falling water, in each tick.
inline constexpr std::int64_t kWorkOfFallingCell = 128;
/// What any command takes: names resolved, a row of the recording, a reply.
inline constexpr std::int64_t kWorkOfAnyCommand = 512;
/// A run of cells in a search for a region: it is found, kept, and its neighbours are looked up.
inline constexpr std::int64_t kWorkOfRun = 300;
/// A column that a splash moves: some twenty strengths are tried.
inline constexpr std::int64_t kWorkOfSplashedColumn = 256;
/// A chunk whose heat is looked at for a tick.
inline constexpr std::int64_t kWorkOfHeatStep = 8 * kChunkCells;
/// And of a tracer.
inline constexpr std::int64_t kWorkOfTracerStep = 4 * kChunkCells;
/// The cost of a box of more chunks than this is not counted out but bounded.
inline constexpr std::int64_t kMostChunksCounted = 512;
/// Finding out the cost, at the most: so many chunks are looked up.
inline constexpr std::int64_t kWorkOfCounting = 32 * kMostChunksCounted;

struct CommandCost {
  /// Never less than what the command takes, now and in the rest of its tick; saturates at
  /// kTooMuchWork.
  std::int64_t work = 0;
  /// It may set in motion, or keep in motion, what is at rest now: ticks after it may cost more.
  bool sets_in_motion = false;
  /// Cells that water which goes on coming has yet to fall, one in each tick: so many more will be
  /// in motion at last. Less than 0: cells that it will not fall any more.
  std::int64_t to_fall = 0;
};

/// No command that costs so much can be applied within a tick.
inline constexpr std::int64_t kTooMuchWork = std::int64_t{1} << 40;

/// Of a command that applies to the world as it is now, next (CommandSource). A command that would
/// be refused costs little, whatever is said here.
[[nodiscard]] CommandCost cost_of(const Command& command, const World& world);

}  // namespace sluice::sim
