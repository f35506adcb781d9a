// Goal: every rule of steam.md, in drawn worlds.
// Method: small worlds in which one rule is seen at a time.
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/sim/heat/field.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/through_a_snapshot.h"
#include "tests/support/water_options.h"

namespace sluice::tests::steam_test {
namespace {

using sim::kDegree;
using sim::World;
using sim::WorldSpec;
using testing::HasSubstr;

WorldSpec steamy(sim::WaterModel water, const Drawing& drawing, std::int32_t degrees,
                 std::int32_t air) {
  WorldSpec spec = drawn_spec(water, {drawing});
  spec.heat.on = true;
  spec.heat.options.steam = true;
  spec.heat.options.water = degrees * kDegree;
  spec.heat.air = air * kDegree;
  set_option(spec.config, "drying", 0);
  return spec;
}

sim::TickReport run_ticks(World& world, int ticks) {
  sim::SerialExecutor serial;
  sim::TickReport report;
  for (int t = 0; t < ticks; ++t) report = world.tick({}, serial);
  return report;
}

sim::CommandOutcome give_to(World& world, const sim::Command& command) {
  sim::SerialExecutor serial;
  return world.tick(std::span(&command, 1), serial).outcomes.front();
}

std::map<Vec3, sim::Steam> steam_of(const World& world) {
  return world.core().heat.steam.by_place();
}

/// The heat that makes so many units of boiling water steam.
constexpr std::int32_t to_steam(std::int32_t units) {
  return units * sim::kHeatOfBoiling;
}

/// A world of a shaft, with water at 100 degrees in its lowest cell, of which `units` boil.
std::unique_ptr<World> with_a_puff(WorldSpec spec, Vec3 at, std::int32_t units) {
  spec.heaters = {{at, to_steam(units)}};
  auto world = make_world(spec);
  run_ticks(*world, 1);
  EXPECT_TRUE(give_to(*world, {sim::RemoveHeater{at}}).applied());
  return world;
}

TEST(Steam, WorldsWithoutItHaveNone) {
  WorldSpec spec = steamy(sim::WaterModel::kHydro, {"#.#", "#~#", "###"}, 99, 99);
  spec.heat.options.steam = false;
  spec.heaters = {{{1, 1, 0}, 20'000'000}};
  auto world = make_world(spec);
  run_ticks(*world, 100);
  EXPECT_GT(world->totals().evaporated, 0);
  EXPECT_TRUE(steam_of(*world).empty());
}

// The worked example of steam.md.
TEST(Steam, AThousandUnitsRiseCoolAndRainAsTheDocumentSays) {
  WorldSpec spec =
      steamy(sim::WaterModel::kHydro, {"###", "#.#", "#.#", "#.#", "#~#", "###"}, 100, 100);
  auto world = with_a_puff(spec, {1, 1, 0}, 1000);
  // It came into the cell above in the first tick, and rose by one in the second.
  const std::int64_t full = sim::HeatCurve(true).boils() + sim::kHeatOfBoiling;
  EXPECT_EQ(steam_of(*world), (std::map<Vec3, sim::Steam>{{{1, 3, 0}, {1000, 1000 * full}}}));
  EXPECT_EQ(world->totals().evaporated, 1000);
  EXPECT_TRUE(give_to(*world, {sim::SetAir{10 * kDegree}}).applied());
  // 96 of 4,096 parts of 90 degrees: 540 for each unit, less what rounding may have added.
  EXPECT_EQ(96LL * 1000 * (90 * 65536 - 1) >> 20, 539'999);
  EXPECT_EQ(steam_of(*world),
            (std::map<Vec3, sim::Steam>{{{1, 4, 0}, {1000, 1000 * full - 539'999}}}));
  // A drop is 64 units, which have lost 64 * 138,240 = 8,847,360: that takes 17 ticks.
  run_ticks(*world, 15);
  EXPECT_EQ(world->totals().evaporated, 1000);
  run_ticks(*world, 1);
  EXPECT_EQ(world->totals().evaporated, 1000 - 66);
  EXPECT_EQ(world->cell({1, 4, 0}) + world->cell({1, 3, 0}), 66);  // it falls already
}

TEST(Steam, AKettleRainsBackIntoItself) {
  for (const sim::WaterModel model : every_water()) {
    WorldSpec spec = steamy(model,
                            {"########", "#......#", "#......#", "#......#", "##..####", "#~~~~~~#",
                             "#~~~~~~#", "########"},
                            95, 5);
    spec.heat.options.surface = 20;
    spec.heaters = {{{3, 1, 0}, 60'000'000}};
    auto world = make_world(spec);
    const std::int64_t all = world->totals().water;
    std::int64_t most = 0;
    bool rained = false;
    std::int64_t before = 0;
    for (int t = 0; t < 2000; ++t) {
      run_ticks(*world, 1);
      const std::int64_t now = world->totals().evaporated;
      ASSERT_EQ(now, world->core().heat.steam.units());
      ASSERT_EQ(world->totals().water + now, all);
      rained = rained || now < before;
      before = now;
      most = std::max(most, now);
    }
    EXPECT_GT(most, 4 * kFull) << static_cast<int>(model);
    EXPECT_TRUE(rained);
    EXPECT_TRUE(give_to(*world, {sim::RemoveHeater{{3, 1, 0}}}).applied());
    sim::TickReport report;
    for (int t = 0; t < 200'000 && !report.at_rest; ++t) report = run_ticks(*world, 1);
    EXPECT_TRUE(report.at_rest) << static_cast<int>(model);
    EXPECT_EQ(world->totals().water, all);
    EXPECT_EQ(world->totals().evaporated, 0);
  }
}

TEST(Steam, BubblesOfDeepWaterComeUpInTheAirOverIt) {
  WorldSpec spec = steamy(sim::WaterModel::kHydro, {"#.#", "#.#", "#~#", "#~#", "###"}, 100, 100);
  spec.heaters = {{{1, 1, 0}, to_steam(500)}};
  auto world = make_world(spec);
  run_ticks(*world, 1);
  const auto steam = steam_of(*world);
  ASSERT_EQ(steam.size(), 1U);
  EXPECT_EQ(steam.begin()->first, (Vec3{1, 3, 0}));
}

TEST(Steam, WithoutAirOverItsWaterItIsGone) {
  WorldSpec spec = steamy(sim::WaterModel::kHydro, {"###", "#~#", "#~#", "###"}, 100, 100);
  spec.heaters = {{{1, 1, 0}, to_steam(500)}};
  auto world = make_world(spec);
  run_ticks(*world, 1);
  EXPECT_TRUE(steam_of(*world).empty());
  EXPECT_EQ(world->totals().evaporated, 500);
  EXPECT_GT(world->core().heat.totals.out, 0);
}

TEST(Steam, AnOpenTopLetsItGoAndAWallHoldsIt) {
  for (const sim::Edge top : {sim::Edge::kOpen, sim::Edge::kWall}) {
    WorldSpec spec = steamy(sim::WaterModel::kHydro, {"#.#", "#.#", "#~#", "###"}, 100, 150);
    spec.config.edges.top = top;
    spec.heat.options.surface = 0;
    auto world = with_a_puff(spec, {1, 1, 0}, 1000);
    run_ticks(*world, 3);
    EXPECT_EQ(steam_of(*world).empty(), top == sim::Edge::kOpen);
    EXPECT_EQ(world->core().heat.totals.out > 0, top == sim::Edge::kOpen);
  }
}

TEST(Steam, UnderARoofItSpreadsToBothSidesAlike) {
  WorldSpec spec = steamy(sim::WaterModel::kHydro,
                          {"#########", "#.......#", "####~####", "#########"}, 100, 150);
  spec.heat.options.surface = 0;
  auto world = with_a_puff(spec, {4, 1, 0}, 4000);
  const auto at = [&](std::int32_t x) {
    const auto steam = steam_of(*world);
    const auto found = steam.find({x, 2, 0});
    return found == steam.end() ? 0 : found->second.units;
  };
  EXPECT_EQ(at(4), 2000);
  EXPECT_EQ(at(3), 1000);
  EXPECT_EQ(at(5), 1000);
  const sim::TickReport report = run_ticks(*world, 300);
  EXPECT_TRUE(report.at_rest);
  for (std::int32_t x = 1; x < 8; ++x) EXPECT_NEAR(at(x), 4000 / 7, 12) << x;
}

// A wind of 1,000 goes a cell further in 1,000 of 4,096 ticks.
TEST(Steam, ItDriftsAsFarAsTheWind) {
  for (const std::int32_t wind : {1000, -1000}) {
    Drawing drawing(30, "#...........................#");
    drawing.push_back("##############~##############");
    drawing.push_back("#############################");
    WorldSpec spec = steamy(sim::WaterModel::kHydro, drawing, 100, 150);
    spec.heat.options.surface = 0;
    spec.heat.options.simmer = 25599;
    spec.waves.on = true;
    spec.waves.wind = wind;
    auto world = with_a_puff(spec, {14, 1, 0}, 1000);
    run_ticks(*world, 20);
    const auto steam = steam_of(*world);
    ASSERT_EQ(steam.size(), 1U);
    const std::int32_t cells = 22 * 1000 / 4096;
    EXPECT_EQ(steam.begin()->first, (Vec3{14 + (wind > 0 ? cells : -cells), 23, 0}));
  }
}

TEST(Steam, WhatBuriesItPushesItUpOrEndsIt) {
  WorldSpec spec =
      steamy(sim::WaterModel::kHydro, {"###", "#.#", "#.#", "#.#", "#~#", "###"}, 100, 150);
  spec.heat.options.surface = 0;
  auto world = with_a_puff(spec, {1, 1, 0}, 1000);
  run_ticks(*world, 3);
  ASSERT_EQ(steam_of(*world).begin()->first, (Vec3{1, 4, 0}));
  EXPECT_TRUE(give_to(*world, {sim::SetCells{{1, 4, 0}, {1, 1, 1}, kRock}}).applied());
  EXPECT_TRUE(steam_of(*world).empty());
  EXPECT_EQ(world->totals().evaporated, 1000);
  EXPECT_TRUE(world->core().heat.totals.balanced());
}

TEST(Steam, InAirAsHotItStaysAndTheWorldRests) {
  WorldSpec spec = steamy(sim::WaterModel::kHydro, {"###", "#.#", "#~#", "###"}, 100, 100);
  auto world = with_a_puff(spec, {1, 1, 0}, 1000);
  EXPECT_TRUE(run_ticks(*world, 50).at_rest);
  EXPECT_EQ(steam_of(*world).size(), 1U);
  const auto restored = through_a_snapshot(*world);
  EXPECT_EQ(restored->digest(), world->digest());
  EXPECT_TRUE(run_ticks(*restored, 1).at_rest);
}

TEST(Steam, SnapshotsWhoseSteamCannotBeAreRefused) {
  WorldSpec spec = steamy(sim::WaterModel::kStream, {"###", "#.#", "#~#", "###"}, 100, 100);
  auto world = with_a_puff(spec, {1, 1, 0}, 1024);
  const sim::SteamState good = world->core().heat.steam;
  const auto refused = [&](auto&& change) {
    sim::SteamState state = good;
    change(state.cells.front());
    return !validate(state, spec.config, 1024).ok();
  };
  EXPECT_TRUE(validate(good, spec.config, 1024).ok());
  EXPECT_FALSE(validate(good, spec.config, 1023).ok());
  EXPECT_TRUE(refused([](sim::SteamCell& cell) { cell.at.x = 3; }));
  EXPECT_TRUE(refused([](sim::SteamCell& cell) { cell.held.units = 0; }));
  EXPECT_TRUE(refused([](sim::SteamCell& cell) { cell.held.units = 511; }));
  EXPECT_TRUE(refused([](sim::SteamCell& cell) { cell.held.energy = -1; }));
  EXPECT_TRUE(refused([](sim::SteamCell& cell) { cell.held.energy *= 3; }));
}

}  // namespace
}  // namespace sluice::tests::steam_test
