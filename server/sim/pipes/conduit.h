// A conduit: full pipes that pass on what they get, all in one tick (pipes.md, "Full pipes").
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/pipes/node.h"

namespace sluice::sim {

/// An opening of a conduit: a link between a full node of it and a node beyond it; or, without a
/// link, an inner node that has some room left: it receives, too.
struct Opening {
  Slot link = kNoSlot;
  Slot outer = kNoSlot;
  Slot inner = kNoSlot;
  std::uint32_t distance = 0;  // links from here to the nearest opening of the other side
  std::int64_t flow = 0;       // units this tick
  PackedConductance conductance = 0;
};

struct Conduit {
  bool siphon = false;
  std::vector<Slot> inner;
  std::vector<Slot> towards_supplier;  // beside inner: the link that leads to the nearest supplier
  std::vector<Opening> suppliers;
  std::vector<Opening> receivers;
  std::int64_t throughput = 0;  // units a tick that the pipes on the shortest way let pass
};

/// All conduits of a tick, and what finding them needs.
struct ConduitSearch {
  /// Links from an inner node to the nearest supplier and receiver, both 0 where not reached.
  struct Distance {
    std::uint32_t from_supplier = 0;
    std::uint32_t from_receiver = 0;
  };
  std::vector<Conduit> found;
  std::vector<Slot> siphon_ends;    // in order
  std::vector<Slot> recounted;      // inner nodes and their neighbours
  std::vector<Distance> distances;  // by node; all 0 between two conduits
};

}  // namespace sluice::sim
