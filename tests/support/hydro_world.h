// Boxes of hydro water that tests fill, and how long they take to rest.
#pragma once

#include "tests/support/drawn_world.h"

namespace sluice::tests {

inline sim::WorldSpec hydro_box(Vec3 size) {
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kHydro;
  spec.config.size = size;
  return spec;
}

inline void fill(sim::WorldSpec& spec, Vec3 from, Vec3 size, Cell cell) {
  spec.fills.push_back({{from, size}, cell});
}

/// Ticks until nothing is active, or `most` + 1.
inline int ticks_to_rest(sim::World& world, int most) {
  sim::SerialExecutor serial;
  for (int t = 1; t <= most; ++t) {
    if (world.tick({}, serial).at_rest) return t;
  }
  return most + 1;
}

}  // namespace sluice::tests
