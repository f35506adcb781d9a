// Springs (sources) and drains: at most one of each kind in a cell.
#pragma once

#include <cstdint>
#include <map>

#include "server/sim/geometry.h"

namespace sluice::sim {

struct SpringState {
  std::int32_t rate = 0;  // units a tick
  /// Units that the last tick could not move: no room or rock (a source), too little (a drain).
  std::int32_t missed = 0;

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("rate", self.rate);
    v.field("missed", self.missed);
  }
};

/// By cell, in the order in which they act.
using Springs = std::map<Vec3, SpringState>;

}  // namespace sluice::sim
