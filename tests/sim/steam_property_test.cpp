// Goal: steam keeps its laws over any water.
// Method: ponds of every model drawn by rapidcheck (which prints the seed of a failure), which boil
// under roofs and in the open, run in ways that must agree. heat_property_test.cpp has worlds of
// all kinds, half of them with steam.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/heat/field.h"
#include "server/workers/thread_pool.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/mirror.h"
#include "tests/support/random_heat.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::steam_property_test {
namespace {

using sim::World;
using sim::WorldSpec;

constexpr int kBoilingTicks = 80;

/// Boils, with shelves of rock over it, wind and maybe open edges.
WorldSpec boiling_pond(std::uint64_t seed, bool solid, sim::WaterModel water) {
  Dice dice(seed ^ 0x57eaU);
  WorldSpec spec;
  spec.config.name = "boiling";
  spec.config.water = water;
  spec.config.size = {dice.roll(2, solid ? 20 : 80), dice.roll(6, 24),
                      solid ? dice.roll(2, 20) : 1};
  const Vec3 size = spec.config.size;
  if (dice.chance(30)) spec.config.edges.top = sim::Edge::kOpen;
  if (dice.chance(30)) spec.config.edges.left = sim::Edge::kOpen;
  add_random_heat(seed, spec);
  spec.fills = {{{{0, 0, 0}, {size.x, dice.roll(1, 4), size.z}}, kFull}};
  for (int i = dice.roll(0, 6); i > 0; --i) {
    const Vec3 at = random_place(dice, size);
    spec.fills.push_back(
        {{at, {dice.roll(1, size.x - at.x), 1, dice.roll(1, size.z - at.z)}}, kRock});
  }
  spec.heat.options.steam = true;
  spec.heat.options.water = dice.roll(90, 105) * sim::kDegree;
  spec.heat.air = dice.roll(-30, 110) * sim::kDegree;
  spec.waves.on = dice.chance(50);
  if (spec.waves.on) spec.waves.wind = dice.roll(-1000, 1000);
  spec.heaters.clear();
  for (std::int32_t x = dice.roll(0, 3); x < size.x; x += dice.roll(1, 7)) {
    const Vec3 at = {x, 0, dice.roll(0, size.z - 1)};
    spec.heaters.push_back({at, dice.roll(10, 400) * 1'000'000});
  }
  return spec;
}

/// Digs and builds, so that roofs come and go.
std::vector<sim::Command> builders(Dice& dice, Vec3 size) {
  std::vector<sim::Command> commands;
  while (dice.chance(10)) {
    commands.push_back({sim::SetCells{random_place(dice, size),
                                      {1, 1, 1},
                                      dice.chance(50)   ? kRock
                                      : dice.chance(50) ? kFull
                                                        : kAir}});
  }
  return commands;
}

RC_GTEST_PROP(SteamProperty, AllWaysToRunAWorldAgreeAndTheBooksBalance,
              (std::uint64_t seed, bool solid)) {
  Dice which(seed);
  const WorldSpec spec = boiling_pond(seed, solid, any_water(which));
  auto world = make_world(spec);
  auto shuffled = make_world(spec);
  auto awake = make_world(spec);
  awake->set_run_options({.sleep = false});
  auto restored = through_a_snapshot(*world);
  sim::SerialExecutor serial;
  workers::ThreadPool pool(3);
  workers::ShuffledExecutor any_order(pool, seed);
  Dice dice(seed);
  std::size_t most = 0;
  for (int t = 0; t < kBoilingTicks; ++t) {
    const std::vector<sim::Command> commands = builders(dice, spec.config.size);
    if (dice.chance(20)) restored = through_a_snapshot(*restored);
    const sim::TickReport report = world->tick(commands, serial);
    RC_ASSERT(shuffled->tick(commands, any_order).digest == report.digest);
    const sim::TickReport wide_awake = awake->tick(commands, serial);
    RC_ASSERT(wide_awake.digest == report.digest);
    RC_ASSERT(wide_awake.at_rest == report.at_rest);
    RC_ASSERT(restored->tick(commands, serial).digest == report.digest);
    RC_ASSERT(world->recompute_digest() == report.digest);
    RC_ASSERT(world->conserved());
    const sim::HeatState& heat = world->core().heat;
    RC_ASSERT(heat.steam.units() <= world->totals().evaporated);
    std::int64_t energy = heat.steam.energy();
    for (const auto& [coord, page] : heat.pages) {
      for (std::size_t i = 0; i < kChunkCells; ++i) energy += page.at(i);
    }
    RC_ASSERT(heat.totals.balanced() && heat.totals.now == energy);
    RC_ASSERT(world->carried()->unexplained_units() == 0);
    most = std::max(most, heat.steam.cells.size());
  }
  RC_CLASSIFY(most > 0);
}

RC_GTEST_PROP(SteamProperty, TheMirrorImageHasTheMirroredSteam, (std::uint64_t seed, bool solid)) {
  const auto water = Dice(seed).chance(50) ? sim::WaterModel::kCellular : sim::WaterModel::kHydro;
  WorldSpec spec = boiling_pond(seed, solid, water);
  const Mirror mirror = {solid ? Dice(seed).roll(1, 7) : 1, spec.config.size};
  if ((mirror.bits & 4) != 0) spec.waves.wind = 0;  // it blows along x
  WorldSpec reflected = mirror(spec);
  for (sim::PlacedHeater& heater : reflected.heaters) heater.at = mirror(heater.at);
  // Gusts and kicks are drawn by place.
  spec.waves.on = reflected.waves.on = spec.waves.wind != 0;
  spec.heat.options.simmer = reflected.heat.options.simmer = sim::kBoiling - 1;
  if ((mirror.bits & 1) != 0) reflected.waves.wind = -spec.waves.wind;
  auto world = make_world(spec);
  auto image = make_world(reflected);
  sim::SerialExecutor serial;
  Dice dice(seed);
  for (int t = 0; t < kBoilingTicks; ++t) {
    const std::vector<sim::Command> commands = builders(dice, spec.config.size);
    const Script mirrored = mirror(Script{commands});
    (void)world->tick(commands, serial);
    (void)image->tick(mirrored.front(), serial);
    std::map<Vec3, sim::Steam> steam;
    for (const auto& [at, held] : world->core().heat.steam.cells) steam[mirror(at)] = held;
    RC_ASSERT(steam == image->core().heat.steam.by_place());
    RC_ASSERT(world->totals().evaporated == image->totals().evaporated);
    RC_ASSERT(world->core().heat.totals.out == image->core().heat.totals.out);
  }
}

}  // namespace
}  // namespace sluice::tests::steam_property_test
