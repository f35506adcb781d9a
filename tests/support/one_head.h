// Whether the surfaces of each body of cellular water stand at one head, found from the cells
// alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "server/sim/world.h"

namespace sluice::tests {

/// What the surfaces of one body bear, in units of head: a cell of height has as many as it is full
/// with.
struct HeadRange {
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();  // that one is above for sure
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();   // that one is below for sure
  Vec3 at_highest;
  Vec3 at_lowest;
};

/// The heads of what hangs together with a wet cell, all of which is added to `seen`.
inline HeadRange heads_of_body(const sim::World& world, Vec3 seed, std::set<Vec3>& seen) {
  const std::int64_t full = world.measure().full;
  const std::int64_t load = world.measure().load;
  HeadRange range;
  std::vector<Vec3> pending = {seed};
  seen.insert(seed);
  while (!pending.empty()) {
    const Vec3 p = pending.back();
    pending.pop_back();
    for (const Vec3 step : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0},
                            Vec3{0, 0, 1}, Vec3{0, 0, -1}}) {
      if (water_of(world.cell(p + step)) > 0 && seen.insert(p + step).second) {
        pending.push_back(p + step);
      }
    }
    const Cell over = world.cell(p + Vec3{0, 1, 0});
    if (water_of(over) > 0) continue;
    const std::int64_t cell = world.cell(p);
    std::int64_t low = std::int64_t{p.y} * full + cell;
    std::int64_t high = low;
    if (!is_open(over)) {
      // Of a roofed cell compression says it, to within a unit.
      low = std::int64_t{p.y + 1} * full + (cell - full - 1) * full / load;
      high = std::int64_t{p.y + 1} * full + (cell - full + 1) * full / load + 1;
      if (cell < full) low = high = std::int64_t{p.y} * full + cell;
    }
    if (low > range.highest) range.highest = low, range.at_highest = p;
    if (high < range.lowest) range.lowest = high, range.at_lowest = p;
  }
  return range;
}

/// What is not level to within what one unit of compression makes; empty where all is. Only of
/// water whose pressure has a depth.
inline std::string not_at_one_head(const sim::World& world) {
  const sim::WaterMeasure& measure = world.measure();
  if (measure.uniform_load || measure.load == 0) return {};
  const std::int64_t most = (measure.full + measure.load - 1) / measure.load + 3;
  std::set<Vec3> seen;
  const Vec3 size = world.config().size;
  for (std::int32_t y = 0; y < size.y; ++y) {
    for (std::int32_t z = 0; z < size.z; ++z) {
      for (std::int32_t x = 0; x < size.x; ++x) {
        if (water_of(world.cell({x, y, z})) == 0 || seen.contains({x, y, z})) continue;
        const HeadRange range = heads_of_body(world, {x, y, z}, seen);
        if (range.highest - range.lowest <= most) continue;
        return "the head at " + to_string(range.at_highest) + ", " + std::to_string(range.highest) +
               ", is higher than that at " + to_string(range.at_lowest) + ", " +
               std::to_string(range.lowest);
      }
    }
  }
  return {};
}

}  // namespace sluice::tests
