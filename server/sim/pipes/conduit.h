// A conduit: full pipes that pass on what they get, all in one tick (pipes.md, "Full pipes").
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/pipes/network.h"

namespace sluice::sim {

/// A link between a full node of a conduit and a node beyond it; or, without a link, an inner node
/// that has some room left: it receives, too.
struct PipeNetwork::Mouth {
  Slot link = kNoSlot;
  Slot outer = kNoSlot;
  Slot inner = kNoSlot;
  std::uint32_t distance = 0;  // links from here to the nearest mouth of the other side
  std::int64_t flow = 0;       // units this tick
  PackedConductance conductance = 0;
};

struct PipeNetwork::Conduit {
  bool siphon = false;
  std::vector<Slot> inner;
  std::vector<Slot> towards_supplier;  // beside inner: the link that leads to the nearest supplier
  std::vector<Mouth> suppliers;
  std::vector<Mouth> receivers;
  std::int64_t throughput = 0;  // units a tick that the pipes on the shortest way let pass
};

}  // namespace sluice::sim
