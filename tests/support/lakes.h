// Worlds of lakes that lie at rest, and scripts that touch them here and there: what moves in a
// lake is to end in it, meet other such water, and come to rest beside what does.
#pragma once

#include <algorithm>
#include <cstdint>

#include "server/sim/commands/commands.h"
#include "tests/support/dice.h"
#include "tests/support/hydro_world.h"
#include "tests/support/random_world.h"

namespace sluice::tests {

/// Hills of a random walk under one level of water, islands, roofs and tunnels in it, walls that
/// reach out of it.
inline sim::WorldSpec random_lakes(std::uint64_t seed, bool solid) {
  Dice dice(seed ^ 0x1a4e5U);
  const std::int32_t height = dice.roll(8, 24);
  const Vec3 size =
      solid ? Vec3{dice.roll(3, 30), height, dice.roll(2, 30)} : Vec3{dice.roll(8, 200), height, 1};
  sim::WorldSpec spec = hydro_box(size);
  const std::int32_t level = dice.roll(3, height - 3);
  fill(spec, {0, 0, 0}, {size.x, level, size.z}, kFull);
  if (dice.chance(30)) fill(spec, {0, level, 0}, {size.x, 1, size.z}, dice.roll(1, kFull - 1));
  const std::int32_t boxes = dice.roll(0, solid ? 20 : 12);
  for (std::int32_t i = 0; i < boxes; ++i) {
    const Box box = random_box(dice, size, solid ? 10 : 30);
    spec.fills.push_back({{{box.from.x, dice.chance(60) ? 0 : box.from.y, box.from.z},
                           {box.size.x, std::min(box.size.y, height - box.from.y), box.size.z}},
                          kRock});
  }
  for (sim::Edge* edge : {&spec.config.edges.left, &spec.config.edges.right,
                          &spec.config.edges.front, &spec.config.edges.back}) {
    if (dice.chance(10)) *edge = sim::Edge::kOpen;
  }
  return spec;
}

/// A few touches, far apart in time.
inline Script random_touches(std::uint64_t seed, Vec3 size, std::size_t ticks, bool springs) {
  Dice dice(seed ^ 0x70c4U);
  Script script(ticks);
  const std::int32_t most = dice.roll(1, 12);
  for (std::int32_t i = 0; i < most; ++i) {
    const auto last = static_cast<std::int32_t>(ticks) - 1;
    auto& tick = script[static_cast<std::size_t>(dice.roll(1, last))];
    const Vec3 at = random_place(dice, size);
    sim::Command command{.body = sim::Pour{at, dice.roll(1, kFull)}};
    switch (dice.roll(0, 6)) {
      case 0:
        command.body = sim::SetCells{at, {1, 1, 1}, kAir};
        break;
      case 1:
        command.body = sim::SetCells{at, {1, 1, 1}, kRock};
        break;
      case 2: {
        const Box box = random_box(dice, size, 4);
        command.body = sim::RemoveWater{box.from, box.size};
        break;
      }
      case 3:
        if (springs) command.body = sim::AddSource{at, dice.roll(1, 200)};
        break;
      default:
        if (dice.chance(50)) command.body = sim::Pour{at, dice.roll(1, 60)};
    }
    tick.push_back(command);
  }
  return script;
}

}  // namespace sluice::tests
