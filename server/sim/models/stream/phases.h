// The phases of a tick of stream water, in their order. Each reads and writes the gathered cells.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "server/sim/models/stream/cells.h"
#include "server/sim/models/stream/turns.h"

namespace sluice::sim {

/// Finds what joins each cell to a spring (to_source, source_height, has_source, largest) and to an
/// open edge (to_edge, flow_out).
class StreamPaths {
 public:
  void find(StreamCells& cells);

 private:
  void reach_from_springs(StreamCells& cells);
  void spread_from(StreamCells& cells, std::int32_t slot);
  void widen(StreamCells& cells);
  void reach_from_edges(StreamCells& cells);

  std::vector<std::int32_t> queue_;
  bool drawn_ = false;  // ways depend on the order of springs, which is drawn for each tick
  std::vector<std::int32_t> springs_;
  std::array<std::vector<std::int32_t>, kMostCapacity + 1> by_width_;
};

/// Lets each cell's water fall, else spread. Returns the levels that left over open edges.
std::int64_t settle_streams(StreamCells& cells, StreamTurns& turns);

}  // namespace sluice::sim
