// Goal: ice keeps the shape of the wave that it froze, as waves.md says, and that is all it does.
// Method: drawn lakes with a splash whose surface is frozen by coolers; worlds drawn by rapidcheck.
#include <map>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/heat/field.h"
#include "server/sim/waves/surfaces.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/mirror.h"
#include "tests/support/random_heat.h"
#include "tests/support/through_a_snapshot.h"
#include "tests/support/water_options.h"

namespace sluice::tests::frozen_waves_test {
namespace {

using sim::World;

constexpr std::int32_t kSurface = 4;  // y of a lake's uppermost cells
constexpr std::int32_t kWidth = 12;

sim::WorldSpec lake(sim::WaterModel water) {
  sim::WorldSpec spec =
      drawn_spec(water, {{"..............", "..............", "..............", "#~~~~~~~~~~~~#",
                          "#~~~~~~~~~~~~#", "#~~~~~~~~~~~~#", "#~~~~~~~~~~~~#", "##############"}});
  spec.config.edges = {};
  spec.waves.on = true;
  spec.waves.options.keep_shape = true;
  spec.heat.on = true;
  sim::HeatOptions& options = spec.heat.options;
  options.down = options.sideways = options.up = options.ice = options.surface = 0;
  set_option(spec.config, "drying", 0);
  return spec;
}

void tick(World& world, const std::vector<sim::Command>& commands = {}) {
  sim::SerialExecutor serial;
  for (const sim::CommandOutcome& outcome : world.tick(commands, serial).outcomes) {
    EXPECT_EQ(outcome.reason, "");
  }
}

/// Of one tick, at each cell of a row.
std::vector<sim::Command> heaters(std::int32_t rate, std::int32_t y = kSurface) {
  std::vector<sim::Command> commands;
  for (std::int32_t x = 1; x <= kWidth; ++x) {
    if (rate == 0) commands.push_back({sim::RemoveHeater{{x, y, 0}}});
    if (rate != 0) commands.push_back({sim::AddHeater{{x, y, 0}, rate}});
  }
  return commands;
}

/// A lake at rest with waves on it, of which the surface freezes in the last tick.
std::unique_ptr<World> frozen_lake(sim::WorldSpec spec, std::map<Vec3, std::int32_t>* waves) {
  auto world = make_world(spec);
  for (int t = 0; t < 20; ++t) tick(*world);
  tick(*world, {{sim::Splash{{4, kSurface, 0}, 2, 400'000, 0}}});
  for (int t = 0; t < 3; ++t) tick(*world);
  for (const auto& [at, column] : world->core().waves.columns.by_place()) {
    if (waves != nullptr && column.height != 0) (*waves)[at] = column.height;
  }
  const std::int64_t energy = world->wave_energy();
  EXPECT_GT(energy, 0);
  tick(*world, heaters(-sim::kMostHeaterRate));
  EXPECT_LE(world->wave_energy(), energy);
  return world;
}

std::map<Vec3, std::int32_t> heights(const World& world) {
  std::map<Vec3, std::int32_t> heights;
  for (const auto& [at, wave] : world.core().waves.frozen) heights[at] = wave.height;
  return heights;
}

TEST(FrozenWaves, IceKeepsTheHeightsThatColumnsHad) {
  for (const sim::WaterModel model : every_water()) {
    SCOPED_TRACE(sim::find_water_model(model)->name);
    std::map<Vec3, std::int32_t> waves;
    auto world = frozen_lake(lake(model), &waves);
    EXPECT_GT(waves.size(), 3U);
    EXPECT_EQ(heights(*world), waves);
    EXPECT_TRUE(is_ice(world->cell({4, kSurface, 0})));
    EXPECT_EQ(world->wave_energy(), 0);
    EXPECT_EQ(world->digest(), world->recompute_digest());
    // It does not move.
    for (int t = 0; t < 100; ++t) tick(*world);
    EXPECT_EQ(heights(*world), waves);
  }
}

TEST(FrozenWaves, WithoutTheOptionNothingIsKept) {
  sim::WorldSpec spec = lake(sim::WaterModel::kHydro);
  spec.waves.options.keep_shape = false;
  auto world = frozen_lake(spec, nullptr);
  EXPECT_TRUE(world->core().waves.frozen.empty());
}

TEST(FrozenWaves, WhatMeltsOrIsDugHasNoShape) {
  auto world = frozen_lake(lake(sim::WaterModel::kHydro), nullptr);
  const std::size_t all = world->core().waves.frozen.size();
  const Vec3 dug = world->core().waves.frozen.begin()->first;
  tick(*world, {{sim::SetCells{dug, {1, 1, 1}, kRock}}});
  EXPECT_EQ(world->core().waves.frozen.size(), all - 1);
  tick(*world, heaters(0));
  tick(*world, heaters(sim::kMostHeaterRate));
  for (int t = 0; t < 10; ++t) tick(*world);
  EXPECT_TRUE(world->core().waves.frozen.empty());
  EXPECT_EQ(world->digest(), world->recompute_digest());
}

TEST(FrozenWaves, TheyAreDrawnBetweenBedAndCeiling) {
  std::map<Vec3, std::int32_t> waves;
  auto world = frozen_lake(lake(sim::WaterModel::kHydro), &waves);
  std::size_t drawn = 0;
  for (const sim::DrawnSurface& surface :
       sim::drawn_surfaces(world->config(), world->grid(), world->core().waves)) {
    if (!surface.ice) continue;
    ++drawn;
    EXPECT_EQ(surface.rest, kFull);
    EXPECT_EQ(surface.height, waves.at(surface.at) / 64);
  }
  EXPECT_EQ(drawn, waves.size());
  // Under a ceiling of rock nothing stands out.
  for (std::int32_t x = 1; x <= kWidth; ++x) {
    tick(*world, {{sim::SetCells{{x, kSurface + 1, 0}, {1, 1, 1}, kRock}}});
  }
  for (const sim::DrawnSurface& surface :
       sim::drawn_surfaces(world->config(), world->grid(), world->core().waves)) {
    EXPECT_LE(surface.height, 0);
  }
}

TEST(FrozenWaves, ASnapshotKeepsThemAndDigestsNameTheLayer) {
  auto world = frozen_lake(lake(sim::WaterModel::kHydro), nullptr);
  auto restored = through_a_snapshot(*world);
  EXPECT_EQ(heights(*restored), heights(*world));
  EXPECT_EQ(restored->digest(), world->digest());
  EXPECT_TRUE(restored->core().waves.options.keep_shape);
  // Another shape is another layer of waves, and nothing else.
  const auto before = world->layer_digests();
  tick(*world, {{sim::SetCells{{4, kSurface, 0}, {1, 1, 1}, kRock}}});
  tick(*restored);
  const auto after = world->layer_digests();
  const auto without = restored->layer_digests();
  const auto waves = static_cast<std::size_t>(sim::Layer::kWaves);
  EXPECT_NE(after[waves], without[waves]);
  EXPECT_EQ(before[waves], without[waves]);
}

// Of a floe that moves the shape goes along.
TEST(FrozenWaves, FloesTakeTheirShapesAlong) {
  sim::WorldSpec spec = lake(sim::WaterModel::kHydro);
  spec.heat.options.floating = true;
  std::map<Vec3, std::int32_t> waves;
  auto world = frozen_lake(spec, &waves);
  tick(*world, heaters(0));
  // Free at both ends, and the lake loses two cells of its depth.
  tick(*world, {{sim::AddHeater{{1, kSurface, 0}, sim::kMostHeaterRate}},
                {sim::AddHeater{{kWidth, kSurface, 0}, sim::kMostHeaterRate}}});
  tick(*world, {{sim::RemoveHeater{{1, kSurface, 0}}},
                {sim::RemoveHeater{{kWidth, kSurface, 0}}},
                {sim::RemoveWater{{1, 2, 0}, {kWidth, 2, 1}}}});
  for (int t = 0; t < 400; ++t) tick(*world);
  EXPECT_FALSE(is_ice(world->cell({5, kSurface, 0})));
  std::map<Vec3, std::int32_t> expected;
  std::int32_t y = kSurface;
  while (!is_ice(world->cell({5, y, 0}))) --y;
  for (const auto& [at, height] : waves) {
    if (at.x > 1 && at.x < kWidth) expected[{at.x, y, 0}] = height;
  }
  EXPECT_EQ(heights(*world), expected);
  EXPECT_EQ(world->digest(), world->recompute_digest());
}

sim::WorldSpec random_shapes(std::uint64_t seed, bool solid) {
  sim::WorldSpec spec = random_heat(seed, solid, false);
  spec.waves.on = true;
  spec.waves.options.keep_shape = true;
  spec.heat.options.steam = false;
  spec.heat.air = -40 * sim::kDegree;
  return spec;
}

Script random_pushes(std::uint64_t seed, const sim::WorldSpec& spec, std::size_t ticks) {
  Dice dice(seed ^ 0x5b1a5U);
  Script script = random_heat_script(seed, spec, ticks, false);
  for (auto& commands : script) {
    const Vec3 at = random_place(dice, spec.config.size);
    if (dice.chance(30)) {
      commands.push_back({sim::Splash{at, dice.roll(0, 5), dice.roll(1, 400'000), 0}});
    }
    if (dice.chance(20)) commands.push_back({sim::AddHeater{at, -(1 << 28)}});
  }
  return script;
}

RC_GTEST_PROP(FrozenWavesProperty, WorkersSleepAndSnapshotsChangeNothing,
              (std::uint64_t seed, bool solid)) {
  const sim::WorldSpec spec = random_shapes(seed, solid);
  auto plain = make_world(spec);
  auto awake = make_world(spec);
  awake->set_run_options({.sleep = false});
  auto restored = through_a_snapshot(*plain);
  sim::SerialExecutor serial;
  Dice dice(seed);
  for (const auto& commands : random_pushes(seed, spec, 60)) {
    const sim::TickReport report = plain->tick(commands, serial);
    RC_ASSERT(report.digest == plain->recompute_digest());
    RC_ASSERT(awake->tick(commands, serial).digest == report.digest);
    if (dice.chance(40)) restored = through_a_snapshot(*restored);
    RC_ASSERT(restored->tick(commands, serial).digest == report.digest);
    for (const auto& [at, wave] : plain->core().waves.frozen) {
      RC_ASSERT(is_ice(plain->cell(at)));
      RC_ASSERT(wave.height != 0);
    }
  }
}

// A lake that freezes here and there while waves go over it.
RC_GTEST_PROP(FrozenWavesProperty, TheMirrorImageKeepsTheMirroredShape,
              (std::uint64_t seed, bool solid)) {
  Dice dice(seed ^ 0x3177U);
  sim::WorldSpec spec;
  spec.config.name = "lake";
  spec.config.water = dice.chance(50) ? sim::WaterModel::kCellular : sim::WaterModel::kHydro;
  spec.config.size = {dice.roll(2, solid ? 24 : 90), dice.roll(4, 9), solid ? dice.roll(2, 24) : 1};
  const Vec3 size = spec.config.size;
  const std::int32_t depth = dice.roll(1, size.y - 2);
  spec.fills = {{{{0, 0, 0}, {size.x, depth, size.z}}, kFull, true}};
  spec.waves.on = true;
  spec.waves.options.keep_shape = true;
  spec.heat.on = true;
  spec.heat.options.floating = dice.chance(50);
  Script script(30);
  std::set<Vec3> cooled;
  for (auto& commands : script) {
    const auto place = [&] {
      return Vec3{dice.roll(0, size.x - 1), depth - 1, dice.roll(0, size.z - 1)};
    };
    if (dice.chance(30)) commands.push_back({sim::Splash{place(), 3, dice.roll(1, 400'000), 0}});
    for (int i = dice.roll(0, 4); i > 0; --i) {
      const Vec3 at = place();
      if (cooled.insert(at).second) {
        commands.push_back({sim::AddHeater{at, -sim::kMostHeaterRate}});
      }
    }
  }
  const Mirror mirror = {solid ? dice.roll(1, 7) : 1, size};
  auto world = make_world(spec);
  auto image = make_world(mirror(spec));
  const Script mirrored = mirror(script);
  sim::SerialExecutor serial;
  for (std::size_t t = 0; t < script.size(); ++t) {
    (void)world->tick(script[t], serial);
    (void)image->tick(mirrored[t], serial);
  }
  std::map<Vec3, std::int32_t> expected;
  for (const auto& [at, height] : heights(*world)) expected[mirror(at)] = height;
  RC_ASSERT(heights(*image) == expected);
}

}  // namespace
}  // namespace sluice::tests::frozen_waves_test
