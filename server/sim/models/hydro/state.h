// What hydro water is beyond its cells: what moves. A world at rest has none of it, so what is not
// listed here is zero. hydro.md says what the numbers do.
#pragma once

#include <cstdint>
#include <map>

#include "protocol/base/geometry.h"

namespace sluice::sim {

/// Of a cell above its run's surface, whose water falls.
struct HydroFallState {
  std::int32_t speed = 0;  // level units a tick

  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("speed", self.speed);
  }
};

/// Of a run, by its lowest cell.
struct HydroRunState {
  std::int64_t pressure = 0;  // head of a full run, 1/256 level units; 0: not known
  std::int32_t friction = 0;  // a tick, Q16
  std::int32_t age = 0;       // ticks since the last event that its water has met; 0: long ago

  [[nodiscard]] bool nothing() const { return pressure == 0 && friction == 0 && age == 0; }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("pressure", self.pressure);
    v.field("friction", self.friction);
    v.field("age", self.age);
  }
};

/// Of a link, by the lowest cell of its opening on the side of the smaller x (or z).
struct HydroLinkState {
  std::int64_t flow = 0;   // units a tick towards greater x (or z), Q16
  std::int32_t carry = 0;  // of a unit, Q16: flowed and not yet moved

  [[nodiscard]] bool nothing() const { return flow == 0 && carry == 0; }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("flow", self.flow);
    v.field("carry", self.carry);
  }
};

struct HydroState {
  std::map<Vec3, HydroRunState> runs;
  std::map<Vec3, HydroFallState> falls;
  std::map<Vec3, HydroLinkState> links_x;
  std::map<Vec3, HydroLinkState> links_z;

  [[nodiscard]] bool nothing() const {
    return runs.empty() && falls.empty() && links_x.empty() && links_z.empty();
  }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("runs", self.runs);
    v.field("falls", self.falls);
    v.field("links_x", self.links_x);
    v.field("links_z", self.links_z);
  }
};

}  // namespace sluice::sim
