// The law that a world can be held to: initial + sourced - drained - evaporated = water + pipes.
#pragma once

#include <cstdint>

namespace sluice::sim {

/// All in units; every one is kept up to date by whoever moves water over the grid's border.
struct Totals {
  std::int64_t initial = 0;     // as described by the world file
  std::int64_t water = 0;       // in the grid now
  std::int64_t pipes = 0;       // in the pipes now
  std::int64_t sourced = 0;     // added by springs and commands
  std::int64_t drained = 0;     // taken by drains, open edges and commands
  std::int64_t evaporated = 0;  // lost to the air; falls again where steam of it rains (steam.md)

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("initial", self.initial);
    v.field("water", self.water);
    v.field("pipes", self.pipes);
    v.field("sourced", self.sourced);
    v.field("drained", self.drained);
    v.field("evaporated", self.evaporated);
  }

  /// Units that the world has taken in; see WorldLimits::units.
  [[nodiscard]] std::int64_t taken_in() const { return initial + sourced; }
  [[nodiscard]] bool balanced() const {
    return initial + sourced - drained - evaporated == water + pipes;
  }
};

}  // namespace sluice::sim
