// Springs (sources) and drains: at most one of each kind in a cell.
#pragma once

#include <cstdint>
#include <map>

#include "protocol/base/geometry.h"

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

/// The heads up to which sources give, in level units above the world's floor; of those only that
/// were told one. What the others have is the model's to say.
using SourceHeads = std::map<Vec3, std::int32_t>;

}  // namespace sluice::sim
