// The phases of a tick of stream water, in their order. Each reads and writes the gathered cells.
#pragma once

#include <cstdint>

#include "server/sim/models/stream/cells.h"
#include "server/sim/models/stream/turns.h"

namespace sluice::sim {

/// Lets each cell's water fall, else spread. Returns the levels that left over open edges.
std::int64_t settle_streams(StreamCells& cells, StreamTurns& turns);

}  // namespace sluice::sim
