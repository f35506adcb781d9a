// Worlds of water that sloshes: most of it is open water, with what ends that here and there.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tests/support/dice.h"
#include "tests/support/hydro_world.h"
#include "tests/support/random_tracers.h"
#include "tests/support/random_world.h"

namespace sluice::tests {

/// A hill of water and smaller waves over a bed that is flat or goes up and down, islands that
/// waves come over or do not, dry ground behind walls, roofs close over the water. In a third of
/// all cases the water carries tracers, so that what moves is told of.
inline sim::WorldSpec random_sea(std::uint64_t seed, bool solid) {
  Dice dice(seed ^ 0x5ea5U);
  const std::int32_t height = dice.roll(24, 48);
  const Vec3 size = solid ? Vec3{dice.roll(3, 40), height, dice.roll(2, 24)}
                          : Vec3{dice.roll(10, 200), height, 1};
  sim::WorldSpec spec = hydro_box(size);
  const std::int32_t level = dice.roll(6, height - 14);
  const std::int32_t hill = dice.roll(1, size.x);
  const std::int32_t hill_height = dice.roll(0, 8);
  const std::int32_t wave = dice.roll(0, 2);
  const std::int32_t islands = dice.chance(60) ? dice.roll(1, 5) : 0;  // of a hundred columns
  const std::int32_t bumps = dice.chance(50) ? dice.roll(1, dice.chance(70) ? 4 : level + 1) : 0;
  for (std::int32_t x = 0; x < size.x; ++x) {
    for (std::int32_t z = 0; z < size.z; ++z) {
      const std::int32_t surface = level + (x < hill ? hill_height : 0) + dice.roll(0, wave);
      fill(spec, {x, 0, z}, {1, surface, 1}, kFull);
      const std::int32_t bed = dice.roll(0, bumps);
      if (bed > 0) fill(spec, {x, 0, z}, {1, bed, 1}, kRock);
      const std::int32_t island = dice.chance(50) ? height : surface + dice.roll(-1, 3);
      if (dice.chance(islands)) fill(spec, {x, 0, z}, {1, island, 1}, kRock);
    }
  }
  const std::int32_t end = dice.roll(0, size.x / 2);
  if (dice.chance(25) && end > 0) {
    fill(spec, {0, 0, 0}, {end, height, size.z}, kAir);
    fill(spec, {end, 0, 0}, {1, std::min(height, level + dice.roll(2, 14)), size.z}, kRock);
  }
  for (std::int32_t i = dice.chance(25) ? dice.roll(1, 4) : 0; i > 0; --i) {
    const Vec3 at = {dice.roll(0, size.x - 1), std::min(height - 1, level + dice.roll(2, 14)),
                     dice.roll(0, size.z - 1)};
    const std::int32_t width = std::min(dice.roll(1, 20), size.x - at.x);
    fill(spec, at, {width, 1, std::min(dice.roll(1, 6), size.z - at.z)}, kRock);
  }
  if (dice.chance(20)) spec.config.edges.top = sim::Edge::kOpen;
  if (dice.chance(5)) spec.config.edges.right = sim::Edge::kOpen;
  if (dice.chance(33)) add_random_tracers(seed, spec);
  return spec;
}

}  // namespace sluice::tests
