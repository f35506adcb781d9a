// Goal: every rule of heat.md, in drawn worlds.
// Method: small worlds in which one rule is seen at a time.
#include <cmath>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/sim/heat/field.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/water_options.h"

namespace sluice::tests::heat_test {
namespace {

using sim::kDegree;
using sim::World;
using sim::WorldSpec;

WorldSpec heated(sim::WaterModel water, const Drawing& drawing, std::int32_t degrees,
                 std::int32_t air) {
  WorldSpec spec = drawn_spec(water, {drawing});
  spec.heat.on = true;
  spec.heat.options.water = degrees * kDegree;
  spec.heat.air = air * kDegree;
  set_option(spec.config, "drying", 0);
  return spec;
}

std::int32_t temperature(const World& world, Vec3 at) {
  return sim::temperature_at(world.core().heat, world.grid(), at);
}

void run(World& world, int ticks) {
  sim::SerialExecutor serial;
  for (int t = 0; t < ticks; ++t) (void)world.tick({}, serial);
}

sim::CommandOutcome give(World& world, const sim::Command& command) {
  sim::SerialExecutor serial;
  return world.tick(std::span(&command, 1), serial).outcomes.front();
}

TEST(Heat, TemperatureFollowsFromEnergyAndBack) {
  for (const bool latent : {true, false}) {
    const sim::HeatCurve curve(latent);
    for (std::int32_t t = sim::kColdest; t <= sim::kHottest; t += 37) {
      for (const std::int32_t units : {2, 14, 512, 4096, 4138, 1 << 20}) {
        EXPECT_EQ(curve.temperature(curve.energy_at(t, units), units), t) << units;
      }
    }
    EXPECT_EQ(curve.temperature(curve.energy_at(-2, 1) + 1, 1), 0);
  }
  EXPECT_EQ(sim::HeatCurve(true).temperature(sim::HeatCurve(true).melted() - 1, 1), 0);
  EXPECT_EQ(sim::HeatCurve(true).frozen_units(
                sim::HeatCurve(true).frozen() * 8 + 4 * sim::kHeatOfMelting, 8, false),
            4);
}

TEST(Heat, WorldsWithoutItHaveNone) {
  auto world = make_world(drawn_spec(sim::WaterModel::kHydro, {{"#~#", "#~#", "###"}}));
  EXPECT_EQ(world->heat(), nullptr);
  EXPECT_THAT(give(*world, {sim::SetAir{0}}).reason, testing::HasSubstr("has no heat"));
  EXPECT_THAT(give(*world, {sim::AddHeater{{1, 1, 0}, 1}}).reason,
              testing::HasSubstr("has no heat"));
  EXPECT_THAT(give(*world, {sim::WarmPour{{1, 1, 0}, 1, 0}}).reason,
              testing::HasSubstr("has no heat"));
  EXPECT_EQ(world->layer_digests()[static_cast<std::size_t>(sim::Layer::kHeat)], 0U);
}

TEST(Heat, AHeaterWarmsItsCellByWhatItGives) {
  for (const sim::WaterModel model : every_water()) {
    WorldSpec spec = heated(model, {"#~#", "###"}, 10, 10);
    spec.heaters = {{{1, 1, 0}, 4096}};
    auto world = make_world(spec);
    run(*world, 100);
    EXPECT_EQ(temperature(*world, {1, 1, 0}), 10 * kDegree + 100);
    EXPECT_EQ(world->core().heat.totals.in, 409600);
  }
}

TEST(Heat, AHeaterInRockWarmsTheWaterThatTouchesIt) {
  WorldSpec spec = heated(sim::WaterModel::kHydro, {"#####", "#~#~#", "#####"}, 10, 10);
  spec.heaters = {{{2, 1, 0}, 8192}};
  auto world = make_world(spec);
  run(*world, 50);
  EXPECT_EQ(temperature(*world, {1, 1, 0}), 10 * kDegree + 50);
  EXPECT_EQ(temperature(*world, {3, 1, 0}), 10 * kDegree + 50);
}

TEST(Heat, NobodyIsCooledBelowOrHeatedBeyondTheLimits) {
  WorldSpec spec = heated(sim::WaterModel::kHydro, {"#~#", "###"}, 10, 10);
  spec.heaters = {{{1, 1, 0}, -sim::kMostHeaterRate}};
  auto world = make_world(spec);
  run(*world, 5);
  EXPECT_EQ(temperature(*world, {1, 1, 0}), sim::kColdest);
  EXPECT_EQ(world->core().heat.totals.now, 0);
}

// The worked example of heat.md.
TEST(Heat, TwoCellsExchangeAsTheDocumentSays) {
  auto world = make_world(heated(sim::WaterModel::kHydro, {"####", "#~~#", "####"}, 10, 10));
  EXPECT_TRUE(give(*world, {sim::AddHeater{{1, 1, 0}, 4096 * 256}}).applied());
  EXPECT_TRUE(give(*world, {sim::RemoveHeater{{1, 1, 0}}}).applied());
  const std::int64_t unit = sim::HeatCurve(true).energy_at(10 * kDegree, 1);
  const auto over = [&](std::int32_t x) {
    const sim::AmountPage& page = world->core().heat.pages.at({0, 0, 0});
    return page.at(static_cast<std::size_t>(world->grid().shape().index_of({x, 1, 0}))) -
           4096 * unit;
  };
  // One degree is 65536 parts; of one less, 48 parts in 4096 a tick pass, rounded down.
  const std::int64_t first = 48LL * 4096 * 65535 >> 20;
  EXPECT_EQ(first, 12287);
  const std::int64_t a = 4096 * 256 - first;
  const std::int64_t second = 48LL * 4096 * ((a >> 4) - (first >> 4) - 1) >> 20;
  EXPECT_EQ(second, 12000);
  EXPECT_EQ(over(1), a - second);
  EXPECT_EQ(over(2), first + second);
}

TEST(Heat, SidewaysIsFasterThanDownAndUpFasterThanBoth) {
  const auto warmed = [](const Drawing& drawing, Vec3 heater, Vec3 at) {
    auto world = make_world(heated(sim::WaterModel::kHydro, drawing, 10, 10));
    (void)give(*world, {sim::AddHeater{heater, 4096 * 256 * 10}});
    (void)give(*world, {sim::RemoveHeater{heater}});
    return temperature(*world, at) - 10 * kDegree;
  };
  const std::int32_t beside = warmed({"####", "#~~#", "####"}, {1, 1, 0}, {2, 1, 0});
  const std::int32_t below = warmed({"###", "#~#", "#~#", "###"}, {1, 2, 0}, {1, 1, 0});
  const std::int32_t above = warmed({"###", "#~#", "#~#", "###"}, {1, 1, 0}, {1, 2, 0});
  EXPECT_GT(beside, 3 * below);
  EXPECT_GT(above, 50 * below);
  EXPECT_LT(above, 100 * below);
}

// Below 4 degrees the colder water is the lighter, so it stays on top.
TEST(Heat, WaterIsDensestAtFourDegrees) {
  auto world = make_world(heated(sim::WaterModel::kHydro, {"###", "#~#", "#~#", "###"}, 4, 10));
  (void)give(*world, {sim::AddHeater{{1, 2, 0}, -4096 * 256 * 3}});
  (void)give(*world, {sim::RemoveHeater{{1, 2, 0}}});
  run(*world, 20);
  EXPECT_LT(temperature(*world, {1, 2, 0}), 2 * kDegree);
  EXPECT_GT(temperature(*world, {1, 1, 0}), 3 * kDegree);
}

TEST(Heat, TheAirReachesWaterOverAGapAlone) {
  auto covered = make_world(heated(sim::WaterModel::kHydro, {"###", "#~#", "###"}, 10, 50));
  run(*covered, 100);
  EXPECT_EQ(covered->core().heat.totals.in, 0);
  const auto taken = [](const Drawing& drawing) {
    auto world = make_world(heated(sim::WaterModel::kHydro, drawing, 10, 50));
    run(*world, 10);
    return world->core().heat.totals.in;
  };
  const std::int64_t one = taken({"###", "#.#", "#~#", "###"});
  const std::int64_t three = taken({"###", "#.#", "#.#", "#.#", "#~#", "###"});
  const std::int64_t four = taken({"###", "#.#", "#.#", "#.#", "#.#", "#~#", "###"});
  const std::int64_t six = taken({"###", "#.#", "#.#", "#.#", "#.#", "#.#", "#.#", "#~#", "###"});
  EXPECT_GT(one, 0);
  EXPECT_GT(three, 2 * one);
  EXPECT_GT(four, three);
  EXPECT_EQ(six, four);
}

TEST(Heat, TheDayWarmsAndCoolsTheAirInSteps) {
  sim::HeatState state;
  state.air = 10 * kDegree;
  state.options.day = 240;
  state.options.day_swing = 8 * kDegree;
  EXPECT_EQ(sim::air_at(state, 0), 10 * kDegree);
  EXPECT_EQ(sim::air_at(state, 9), 10 * kDegree);
  EXPECT_GT(sim::air_at(state, 10), 12 * kDegree);
  EXPECT_EQ(sim::air_at(state, 60), 18 * kDegree);
  EXPECT_EQ(sim::air_at(state, 180), 2 * kDegree);
  EXPECT_EQ(sim::air_at(state, 240 + 60), 18 * kDegree);
}

TEST(Heat, ALakeFreezesFromAboveAndMeltsAgain) {
  for (const sim::WaterModel model : every_water()) {
    WorldSpec spec =
        heated(model, {"#...#", "#...#", "#...#", "#~~~#", "#~~~#", "#~~~#", "#####"}, 1, -40);
    auto world = make_world(spec);
    const std::int64_t water = world->totals().water;
    run(*world, 400);
    EXPECT_TRUE(is_ice(world->cell({2, 3, 0}))) << static_cast<int>(model);
    EXPECT_GE(world->cell({2, 1, 0}), kFull);
    EXPECT_EQ(world->totals().water, water);
    EXPECT_TRUE(give(*world, {sim::SetAir{80 * kDegree}}).applied());
    run(*world, 4000);
    EXPECT_GT(world->cell({2, 3, 0}), kFull / 2);
    EXPECT_EQ(sim::ice_in(world->core().heat, world->grid()), 0);
    EXPECT_EQ(world->totals().water, water);
  }
}

// sqrt(2 k dT t / L): k parts of 4096 a tick through a cell, in cells.
TEST(Heat, IceThickensByStefansLaw) {
  const Drawing drawing = [] {
    Drawing rows(6, "#.#");
    rows.insert(rows.end(), 20, "#~#");
    rows.push_back("###");
    return rows;
  }();
  auto world = make_world(heated(sim::WaterModel::kHydro, drawing, 0, -10));
  for (const int ticks : {4000, 8000, 16000, 32000}) {
    run(*world, ticks - static_cast<int>(world->tick_number()));
    const double thickness = double(sim::ice_in(world->core().heat, world->grid())) / kFull;
    const double law = std::sqrt(2.0 * (48.0 / 4096.0) * 10.0 / 80.0 * ticks);
    RecordProperty("ticks " + std::to_string(ticks), std::to_string(thickness / law));
    EXPECT_NEAR(thickness / law, 1.0, 0.05) << ticks;
  }
}

TEST(Heat, WaterBoilsAwayAtAHundredDegrees) {
  for (const sim::WaterModel model : every_water()) {
    WorldSpec spec = heated(model, {"#.#", "#~#", "#~#", "###"}, 95, 95);
    spec.heaters = {{{1, 1, 0}, 40'000'000}};
    auto world = make_world(spec);
    for (int t = 0; t < 200; ++t) {
      run(*world, 1);
      for (std::int32_t y = 1; y < 4; ++y) {
        EXPECT_LE(temperature(*world, {1, y, 0}), 100 * kDegree);
      }
    }
    EXPECT_GT(world->totals().evaporated, 0);
    EXPECT_TRUE(world->conserved());
  }
}

TEST(Heat, WithoutLatentHeatWaterFreezesAndBoilsAsWell) {
  WorldSpec spec = heated(sim::WaterModel::kHydro, {"#.#", "#~#", "#~#", "###"}, 1, -20);
  spec.heat.options.latent = false;
  auto world = make_world(spec);
  run(*world, 200);
  EXPECT_TRUE(is_ice(world->cell({1, 2, 0})));
  EXPECT_TRUE(give(*world, {sim::SetAir{150 * kDegree}}).applied());
  run(*world, 5000);
  EXPECT_GT(world->totals().evaporated, 0);
}

// A hot spring at one end of a full canal and a drain at the other.
TEST(Heat, ARiverCarriesTheHeatOfItsSpring) {
  for (const sim::WaterModel model : every_water()) {
    if (model == sim::WaterModel::kBlock) continue;  // blocks go from the top row to their place
    WorldSpec spec = heated(model, {"#..........#", "#~~~~~~~~~~#", "############"}, 10, 10);
    spec.heat.options.surface = 0;
    spec.heat.options.sideways = 0;
    spec.heat.options.ice = 0;
    spec.sources = {{{1, 2, 0}, 1024, -1, 60 * kDegree}};
    spec.drains = {{{10, 1, 0}, 1024, -1, {}}};
    auto world = make_world(spec);
    run(*world, 600);
    EXPECT_GT(temperature(*world, {8, 1, 0}), 45 * kDegree) << static_cast<int>(model);
    EXPECT_EQ(world->carried()->unexplained_units(), 0);
  }
}

TEST(Heat, PouredWaterBringsItsTemperature) {
  WorldSpec spec = heated(sim::WaterModel::kHydro, {"#.#", "#4#", "###"}, 10, 10);
  spec.heat.options.surface = 0;
  auto world = make_world(spec);
  EXPECT_TRUE(give(*world, {sim::WarmPour{{1, 1, 0}, 2048, 30 * kDegree}}).applied());
  EXPECT_EQ(temperature(*world, {1, 1, 0}), 20 * kDegree);
  EXPECT_THAT(give(*world, {sim::WarmPour{{1, 1, 0}, 1, 201 * kDegree}}).reason,
              testing::HasSubstr("temperature: 51456 is out of range; allowed: -25600 to 51200"));
}

TEST(Heat, IceIsSolidToWater) {
  for (const sim::WaterModel model : every_water()) {
    auto world = make_world(heated(model, {"#~..#", "#~..#", "#~..#", "#####"}, 0, -90));
    EXPECT_TRUE(give(*world, {sim::AddHeater{{1, 1, 0}, -sim::kMostHeaterRate}}).applied());
    const bool held = is_ice(world->cell({1, 1, 0}));
    EXPECT_TRUE(held) << static_cast<int>(model);
    EXPECT_EQ(held_in(world->cell({1, 1, 0})), kFull);
    EXPECT_EQ(give(*world, {sim::Pour{{1, 1, 0}, kFull}}).reason, "the cell [1, 1, 0] is ice");
    run(*world, 200);
    EXPECT_TRUE(world->conserved());
  }
}

// 4096 units are 4464 as ice: 368 more than the cell holds, and so much goes up.
TEST(Heat, IceGrowsWhereItHasRoom) {
  WorldSpec spec = heated(sim::WaterModel::kHydro, {"#.#", "#~#", "###"}, 0, 0);
  spec.heat.options.growth = 92;
  auto world = make_world(spec);
  EXPECT_TRUE(give(*world, {sim::AddHeater{{1, 1, 0}, -4096 * sim::kHeatOfMelting}}).applied());
  EXPECT_TRUE(is_ice(world->cell({1, 1, 0})));
  EXPECT_EQ(held_in(world->cell({1, 1, 0})), 4096 * 1024 / 1116);
  EXPECT_EQ(world->cell({1, 2, 0}), 4096 - 4096 * 1024 / 1116);
  EXPECT_EQ(world->totals().water, kFull);
  spec.cells.push_back({{1, 2, 0}, kRock});
  world = make_world(spec);
  EXPECT_TRUE(give(*world, {sim::AddHeater{{1, 1, 0}, -4096 * sim::kHeatOfMelting}}).applied());
  EXPECT_EQ(held_in(world->cell({1, 1, 0})), kFull);
}

TEST(Heat, WaterThatSimmersKicksTheWaves) {
  const auto moving = [](std::int32_t degrees) {
    WorldSpec spec = heated(sim::WaterModel::kHydro, {"#...#", "#~~~#", "#####"}, degrees, degrees);
    spec.waves.on = true;
    auto world = make_world(spec);
    std::int64_t energy = 0;
    sim::SerialExecutor serial;
    sim::TickReport report;
    for (int t = 0; t < 200; ++t) {
      report = world->tick({}, serial);
      energy += world->wave_energy();
    }
    EXPECT_EQ(report.at_rest, degrees < 90);
    return energy;
  };
  EXPECT_EQ(moving(89), 0);
  EXPECT_GT(moving(93), 0);
  EXPECT_GT(moving(99), 4 * moving(93));
}

TEST(Heat, AQuietLakeSleeps) {
  auto world =
      make_world(heated(sim::WaterModel::kHydro, {"#...#", "#~~~#", "#~~~#", "#####"}, 10, 10));
  sim::SerialExecutor serial;
  sim::TickReport report;
  for (int t = 0; t < 10; ++t) report = world->tick({}, serial);
  EXPECT_TRUE(report.at_rest);
  const std::int64_t cells = world->heat()->cells_stepped();
  run(*world, 1000);
  EXPECT_EQ(world->heat()->cells_stepped(), cells);
  EXPECT_TRUE(give(*world, {sim::SetAir{11 * kDegree}}).applied());
  EXPECT_GT(world->heat()->cells_stepped(), cells);
}

TEST(Heat, HeatersAndTheirMistakes) {
  auto world = make_world(heated(sim::WaterModel::kHydro, {"#~#", "###"}, 10, 10));
  EXPECT_THAT(give(*world, {sim::AddHeater{{9, 1, 0}, 1}}).reason, testing::HasSubstr("outside"));
  EXPECT_THAT(give(*world, {sim::AddHeater{{1, 1, 0}, 0}}).reason, testing::HasSubstr("rate 0"));
  EXPECT_TRUE(give(*world, {sim::AddHeater{{1, 1, 0}, -7}}).applied());
  EXPECT_THAT(give(*world, {sim::AddHeater{{1, 1, 0}, 7}}).reason, testing::HasSubstr("already"));
  EXPECT_TRUE(give(*world, {sim::RemoveHeater{{1, 1, 0}}}).applied());
  EXPECT_THAT(give(*world, {sim::RemoveHeater{{1, 1, 0}}}).reason, testing::HasSubstr("no heater"));
}

}  // namespace
}  // namespace sluice::tests::heat_test
