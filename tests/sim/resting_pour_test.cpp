// Goal: a pour at rest lies still from the start, brings what it says and what is pressed into full
// cells besides, counts both, and changes nothing where it is refused. Method: drawn worlds; basins
// and random worlds of every model.
#include "server/sim/commands/resting_pour.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/commands/cost.h"
#include "server/sim/commands/reach.h"
#include "server/sim/world.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/random_world.h"

namespace sluice::tests::resting_pour_test {
namespace {

using ::testing::HasSubstr;

constexpr std::int32_t kLoad = 41;  // that a cell of depth adds in cellular water

sim::CommandOutcome give(sim::World& world, const sim::CommandBody& body) {
  sim::SerialExecutor serial;
  return world.tick({{{body}}}, serial).outcomes.at(0);
}

sim::RestingPour column(Vec3 at, std::int32_t units, std::optional<std::int32_t> above = {}) {
  sim::RestingPour pour = {at, units};
  pour.above = above;
  return pour;
}

sim::RestingPour box(Vec3 at, std::int32_t units, Vec3 size) {
  sim::RestingPour pour = {at, units};
  pour.size = size;
  return pour;
}

std::vector<Cell> cells_of(const sim::World& world) {
  std::vector<Cell> cells;
  const Vec3 size = world.config().size;
  for (std::int32_t y = 0; y < size.y; ++y) {
    for (std::int32_t z = 0; z < size.z; ++z) {
      for (std::int32_t x = 0; x < size.x; ++x) cells.push_back(world.cell({x, y, z}));
    }
  }
  return cells;
}

TEST(RestingPour, EachCellHoldsWhatIsPressedIntoIt) {
  auto world = make_world(drawn_spec(sim::WaterModel::kCellular, {{
                                                                     "#.#",
                                                                     "#.#",
                                                                     "#.#",
                                                                     "#.#",
                                                                     "###",
                                                                 }}));
  EXPECT_TRUE(give(*world, column({1, 1, 0}, 3 * kFull + 1000)).applied());
  EXPECT_EQ(world->cell({1, 4, 0}), 1000);
  const Cell pressed = kFull + 1000 * kLoad / kFull;
  EXPECT_EQ(world->cell({1, 3, 0}), pressed);
  EXPECT_EQ(world->cell({1, 2, 0}), pressed + kLoad);
  EXPECT_EQ(world->cell({1, 1, 0}), pressed + 2 * kLoad);
  EXPECT_EQ(world->totals().sourced, world->totals().water);
  EXPECT_EQ(world->totals().sourced, 1000 + 3 * pressed + 3 * kLoad);
  EXPECT_TRUE(world->conserved());
}

// A lake poured without the key sinks at once, as a lake drawn of full cells does.
TEST(RestingPour, WhatAPlainPourLetsSinkStands) {
  const sim::WorldSpec spec = drawn_spec(sim::WaterModel::kCellular, {{
                                                                         "#..#",
                                                                         "#..#",
                                                                         "#..#",
                                                                         "#..#",
                                                                         "####",
                                                                     }});
  auto plain = make_world(spec);
  auto still = make_world(spec);
  sim::SerialExecutor serial;
  (void)plain->tick({{{sim::SetCells{{1, 1, 0}, {2, 4, 1}, kFull}}}}, serial);
  EXPECT_LT(plain->cell({1, 4, 0}), kFull);
  EXPECT_TRUE(give(*still, box({1, 1, 0}, 8 * kFull, {2, 4, 1})).applied());
  EXPECT_EQ(still->cell({1, 4, 0}), kFull);
  EXPECT_EQ(still->cell({2, 1, 0}), kFull + 3 * kLoad);
}

// Cell by cell, from the bottom or from the top, it comes to the same: what is over a pour and what
// is under it belong to its body.
TEST(RestingPour, PoursOneOnTheOtherAreOne) {
  const sim::WorldSpec spec =
      drawn_spec(sim::WaterModel::kCellular, {{"#.#", "#.#", "#.#", "#.#", "###"}});
  auto whole = make_world(spec);
  EXPECT_TRUE(give(*whole, column({1, 1, 0}, 4 * kFull)).applied());
  for (const bool up : {false, true}) {
    auto parts = make_world(spec);
    std::vector<sim::Command> pours;
    for (std::int32_t i = 1; i <= 4; ++i) {
      pours.push_back({column({1, up ? i : 5 - i, 0}, kFull, 0)});
    }
    sim::SerialExecutor serial;
    for (const auto& each : parts->tick(pours, serial).outcomes) EXPECT_EQ(each.reason, "");
    EXPECT_EQ(cells_of(*parts), cells_of(*whole));
    EXPECT_EQ(parts->totals().sourced, whole->totals().sourced);
  }
}

TEST(RestingPour, IsRefusedAsPoursAre) {
  auto world = make_world(drawn_spec(sim::WaterModel::kCellular, {{
                                                                     "#.#",
                                                                     "###",
                                                                     "#.#",
                                                                     "#~#",
                                                                     "###",
                                                                 }}));
  const auto reason = [&](const sim::RestingPour& pour) { return give(*world, pour).reason; };
  EXPECT_EQ(reason(column({0, 1, 0}, 1)), "the cell [0, 1, 0] is rock");
  EXPECT_THAT(reason(column({1, 9, 0}, 1)), HasSubstr("outside the world"));
  EXPECT_THAT(reason(column({1, 2, 0}, 0)), HasSubstr("units"));
  EXPECT_THAT(reason(column({1, 2, 0}, 1, -1)), HasSubstr("above"));
  EXPECT_THAT(reason(column({1, 2, 0}, 1, kMostPourAbove + 1)), HasSubstr("above"));
  EXPECT_THAT(reason(column({1, 1, 0}, kFull + 1)),
              HasSubstr("from [1, 1, 0] to [1, 2, 0] have room for 4096 units only"));
  EXPECT_THAT(reason(box({0, 0, 0}, 2 * kFull + 1, {3, 5, 1})),
              HasSubstr("from [0, 0, 0] to [2, 4, 0] have room for 8192 units only"));
  EXPECT_THAT(reason(box({0, 0, 0}, 1, {4, 5, 1})), HasSubstr("leaves the world"));
  EXPECT_THAT(reason(box({0, 0, 0}, 1, {0, 5, 1})), HasSubstr("holds no cell"));
  sim::RestingPour both = box({1, 1, 0}, 1, {1, 1, 1});
  both.above = 1;
  EXPECT_THAT(reason(both), HasSubstr("not both"));
  sim::RestingPour dyed = column({1, 2, 0}, 1);
  dyed.tracer = {{"red", 1}};
  EXPECT_THAT(reason(dyed), HasSubstr("no tracers"));
  sim::RestingPour warm = column({1, 2, 0}, 1);
  warm.temperature = 256;
  EXPECT_THAT(reason(warm), HasSubstr("no heat"));
  EXPECT_EQ(world->totals().sourced, 0);
  sim::WorldSpec wide;
  wide.config.size = {300, 300, 1};
  EXPECT_THAT(give(*make_world(wide), box({0, 0, 0}, 1, {300, 300, 1})).reason,
              HasSubstr("more cells than one pour lays at rest"));
  wide.limits.units = 5 * kFull;
  EXPECT_THAT(give(*make_world(wide), column({9, 0, 0}, 5 * kFull)).reason,
              HasSubstr("whole life"));
}

TEST(RestingPour, WithoutRestIsThePourWithoutTheKey) {
  auto world = make_world(drawn_spec(sim::WaterModel::kCellular, {{"#.#", "#.#", "###"}}));
  auto other = make_world(drawn_spec(sim::WaterModel::kCellular, {{"#.#", "#.#", "###"}}));
  sim::RestingPour pour = {{1, 1, 0}, kFull + 50, false};
  EXPECT_TRUE(give(*world, pour).applied());
  EXPECT_TRUE(give(*other, sim::Pour{{1, 1, 0}, kFull + 50}).applied());
  pour.above = 3;
  pour.units = 700;
  EXPECT_TRUE(give(*world, pour).applied());
  EXPECT_TRUE(give(*other, sim::MixedPour{{1, 1, 0}, 700, 3}).applied());
  EXPECT_EQ(world->digest(), other->digest());
  pour.above.reset();
  pour.size = Vec3{1, 1, 1};
  EXPECT_THAT(give(*world, pour).reason, HasSubstr("'size' is of a pour with 'at_rest': true"));
}

// Of any basin, with any options of cellular water: the ticks after the pour change nothing.
// (Stream water dries, and a block that lies alone walks.)
RC_GTEST_PROP(RestingPour, ABasinIsAtRestAtOnce, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  sim::WorldSpec spec;
  spec.config.water = seed % 2 == 0 ? sim::WaterModel::kCellular : sim::WaterModel::kHydro;
  const std::int32_t side = solid ? 18 : 70;
  spec.config.size = {side, side, solid ? side : 1};
  const bool pressed = spec.config.water == sim::WaterModel::kCellular;
  if (pressed) {
    spec.config.options["full"] = dice.roll(64, 8192);
    spec.config.options["compressed_max"] =
        spec.config.option("full") + dice.roll(0, spec.config.option("full") / 8);
    if (dice.chance(30)) spec.config.options["compression"] = 1;
  }
  for (int i = dice.roll(0, 5); i > 0; --i) {  // an uneven floor, open to the top everywhere
    const Vec3 from = {dice.roll(0, side - 1), 0, solid ? dice.roll(0, side - 1) : 0};
    const std::int32_t wide = std::min(dice.roll(1, 6), side - from.x);
    const std::int32_t deep = solid ? std::min(dice.roll(1, 6), side - from.z) : 1;
    spec.fills.push_back({{from, {wide, dice.roll(1, side / 2), deep}}, kRock});
  }
  auto made = sim::World::create(spec);
  RC_PRE(made.ok());
  sim::World& world = **made;
  const std::int32_t units = dice.roll(1, 40) * kFull + dice.roll(0, kFull);
  sim::SerialExecutor serial;
  const sim::Command pour = {box({0, 0, 0}, units, spec.config.size)};
  RC_ASSERT(world.tick({{pour}}, serial).outcomes.at(0).reason == "");
  RC_ASSERT(pressed || world.totals().sourced == units);
  RC_ASSERT(world.totals().sourced >= units);
  RC_ASSERT(world.totals().sourced == world.totals().water);
  const std::vector<Cell> before = cells_of(world);
  bool rests = false;
  for (int t = 0; t < 18; ++t) rests = world.tick({}, serial).at_rest;
  const bool same = cells_of(world) == before;
  RC_ASSERT(same);
  RC_ASSERT(rests);
  RC_ASSERT(world.conserved());
}

// A column of any world gets what a pour with `above` gives it, and where water cannot be pressed
// that is all.
RC_GTEST_PROP(RestingPour, IsAPourUpwardsAndWhatItPresses, (std::uint64_t seed, bool solid)) {
  const sim::WorldSpec spec = random_world_of(any_water(seed), seed, {.solid = solid, .side = 40});
  auto one = sim::World::create(spec);
  auto other = sim::World::create(spec);
  RC_PRE(one.ok() && other.ok());
  sim::SerialExecutor serial;
  Dice dice(seed ^ 0x9011U);
  const sim::WaterMeasure measure = sim::measure_of(spec.config);
  for (int t = 0; t < 12; ++t) {
    const Vec3 at = random_place(dice, spec.config.size);
    const std::int32_t units = dice.roll(1, 5 * kFull / measure.quantum) * measure.quantum;
    const std::int32_t above = dice.roll(0, 6);
    const bool applied = give(**one, column(at, units, above)).applied();
    RC_ASSERT((*one)->conserved());
    if (measure.load > 0) continue;
    RC_ASSERT(give(**other, sim::MixedPour{at, units, above}).applied() == applied);
    RC_ASSERT((*one)->digest() == (*other)->digest());
  }
}

RC_GTEST_PROP(RestingPour, ReachesOnlyWhatItSays, (std::uint64_t seed, bool solid)) {
  const sim::WorldSpec spec = random_world_of(any_water(seed), seed, {.solid = solid, .side = 40});
  auto world = sim::World::create(spec);
  RC_PRE(world.ok());
  Dice dice(seed);
  const Box wanted = random_box(dice, spec.config.size, 9);
  const std::int32_t quantum = sim::measure_of(spec.config).quantum;
  const sim::Command pour = {
      box(wanted.from, dice.roll(1, 9 * kFull / quantum) * quantum, wanted.size)};
  const sim::CommandReach reach = sim::reach_of(pour, **world);
  RC_ASSERT(reach.boxes.size() == 1U);
  const auto water = sim::lay_at_rest(sim::measure_of(spec.config), (*world)->grid(), wanted,
                                      9 * kFull / quantum * quantum);
  RC_ASSERT(water.ok());
  std::int64_t units = 0;
  for (const auto& [at, gained] : water->poured) {
    RC_ASSERT(reach.boxes.front().contains(at));
    RC_ASSERT(gained > 0);
    units += gained;
  }
  RC_ASSERT(units == water->units);
  // Nonsense costs no more.
  const auto cost = [&](Vec3 size) {
    return sim::cost_of({box(wanted.from, 1, size)}, **world).work;
  };
  RC_ASSERT(cost({INT32_MAX, 1, 1}) <= cost(wanted.size));
  RC_ASSERT(cost({INT32_MIN, 1, 1}) <= cost(wanted.size));
}

}  // namespace
}  // namespace sluice::tests::resting_pour_test
