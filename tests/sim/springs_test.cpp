// Goal: springs and drains that can do nothing cost nothing and miss nothing.
// Method: many of them at rest, counted; each way in which one can be woken; and random worlds full
// of them, with sleep and without, through snapshots and in every model.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/drawn_world.h"
#include "tests/support/effort.h"
#include "tests/support/every_water.h"
#include "tests/support/random_world.h"
#include "tests/support/through_a_snapshot.h"
#include "tests/support/world_access.h"

namespace sluice::tests::springs_test {
namespace {

using sim::World;
using sim::WorldSpec;

std::size_t awake_sources(const World& world) {
  return sim::WorldTestAccess::sources(world).awake_count();
}

/// A closed box, full to its roof, with a spring in each cell of its bottom rows.
WorldSpec full_box(sim::WaterModel water, std::int32_t side) {
  WorldSpec spec;
  spec.config.water = water;
  spec.config.size = {side, side, 1};
  spec.fills.push_back({spec.config.box(), kFull});
  for (std::int32_t y = 0; y < 4; ++y) {
    for (std::int32_t x = 0; x < side; ++x) spec.sources.push_back({{x, y, 0}, kFull, -1});
  }
  return spec;
}

// 65,536 of them took 0.55 s a tick for ever.
TEST(Springs, ThoseUnderAFullBoxSleep) {
  for (const sim::WaterModel water : {sim::WaterModel::kBlock, sim::WaterModel::kStream}) {
    auto world = make_world(full_box(water, 30));
    sim::SerialExecutor serial;
    bool at_rest = false;
    for (int tick = 0; tick < 2000 && !at_rest; ++tick) at_rest = world->tick({}, serial).at_rest;
    EXPECT_TRUE(at_rest) << static_cast<int>(water);
    EXPECT_EQ(awake_sources(*world), 0U) << static_cast<int>(water);
    if (water != sim::WaterModel::kBlock) continue;  // elsewhere they do not rise
    // Room anywhere in their column wakes them, and they give.
    const std::int64_t sourced = world->totals().sourced;
    const std::vector<sim::Command> dig = {{sim::RemoveWater{{15, 29, 0}, {1, 1, 1}}}};
    (void)world->tick(dig, serial);
    for (int tick = 0; tick < 10; ++tick) (void)world->tick({}, serial);
    EXPECT_EQ(world->totals().sourced, sourced + kFull);
  }
}

// It pressed 40,960,000 units into nine cells.
TEST(Springs, NonePressesBeyondItsHead) {
  for (const bool told : {false, true}) {
    WorldSpec spec;
    spec.config.size = {5, 12, 1};
    spec.fills.push_back({spec.config.box(), kRock});
    spec.fills.push_back({{{1, 1, 0}, {3, 3, 1}}, kAir});
    spec.sources = {{{2, 1, 0}, 40960, told ? 6 * kFull : -1}};
    auto world = make_world(spec);
    sim::SerialExecutor serial;
    for (int tick = 0; tick < 1000; ++tick) (void)world->tick({}, serial);
    EXPECT_GE(world->totals().water, 9 * kFull);
    EXPECT_LE(world->totals().water, 9 * (kFull + (told ? 6 : 12) * 41));
    EXPECT_LE(world->head({2, 1, 0}), (told ? 6 : 12) * kFull + 100);
  }
}

TEST(Springs, EachModelsStopAtTheHeadThatTheyWereTold) {
  for (const sim::WaterModel model : every_water()) {
    WorldSpec spec = drawn_spec(model, {Drawing(12, "#...#")});
    spec.sources = {{{2, 0, 0}, kFull, 5 * kFull}};
    auto world = make_world(spec);
    sim::SerialExecutor serial;
    bool at_rest = false;
    for (int tick = 0; tick < 3000 && !at_rest; ++tick) at_rest = world->tick({}, serial).at_rest;
    EXPECT_TRUE(at_rest);
    EXPECT_NEAR(static_cast<double>(world->totals().sourced), 15 * kFull, 2500)
        << static_cast<int>(model);
    auto restored = through_a_snapshot(*world);
    EXPECT_EQ(restored->digest(), world->digest());
    EXPECT_EQ(restored->core().source_heads, world->core().source_heads);
  }
}

TEST(Springs, ADrainInAPlaceWhereNothingIsStoredHearsOfTheFirstWater) {
  WorldSpec spec;
  spec.config.size = {64, 64 * 4, 1};
  spec.drains.push_back({{5, 0, 0}, 7, -1});
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int tick = 0; tick < 10; ++tick) ASSERT_TRUE(world->tick({}, serial).at_rest);
  EXPECT_EQ(world->grid().chunk_count(), 0);
  const std::vector<sim::Command> pour = {{sim::Pour{{5, 250, 0}, 700}}};
  (void)world->tick(pour, serial);
  for (int tick = 0; tick < 2000; ++tick) (void)world->tick({}, serial);
  EXPECT_GE(world->totals().drained, 500);  // a film may lie beside it
}

TEST(Springs, RockOverASpringIsHeardOfWhenItGoes) {
  WorldSpec spec;
  spec.config.size = {64, 64, 1};
  spec.fills.push_back({{{5, 5, 0}, {1, 1, 1}}, kRock});
  spec.sources.push_back({{5, 5, 0}, 100});
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  (void)world->tick({}, serial);
  (void)world->tick({}, serial);
  EXPECT_EQ(awake_sources(*world), 0U);
  EXPECT_EQ(world->sources().at({5, 5, 0}).missed, 100);
  const std::vector<sim::Command> dig = {{sim::SetCells{{5, 5, 0}, {1, 1, 1}, kAir}}};
  (void)world->tick(dig, serial);
  EXPECT_EQ(world->totals().sourced, 100);
}

// A drain slept through the tick in which the spring of its own cell gave.
TEST(Springs, ADrainTakesWhatTheSpringOfItsCellGivesInTheSameTick) {
  WorldSpec spec;
  spec.config.water = sim::WaterModel::kBlock;
  spec.config.size = {1, 1, 1};
  spec.sources.push_back({{0, 0, 0}, 578});  // a block in every eighth tick or so
  spec.drains.push_back({{0, 0, 0}, kFull});
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int tick = 1; tick <= 100; ++tick) {
    (void)world->tick({}, serial);
    ASSERT_EQ(world->totals().drained, world->totals().sourced) << tick;
  }
  EXPECT_GT(world->totals().drained, 0);
}

// A column of a million cells took 80 ms to climb; chunks are climbed as a whole, and springs of
// one column climb it once.
TEST(Springs, RiseThroughTallColumns) {
  WorldSpec spec;
  spec.config.water = sim::WaterModel::kBlock;
  spec.config.size = {1, 64 * 40, 1};
  spec.fills.push_back({{{0, 0, 0}, {1, 64 * 30 + 7, 1}}, kFull});
  for (const std::int32_t y : {0, 1, 70, 64 * 30}) spec.sources.push_back({{0, y, 0}, kFull});
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int tick = 1; tick <= 20; ++tick) {
    (void)world->tick({}, serial);
    ASSERT_EQ(world->totals().sourced, std::int64_t{4} * tick * kFull);
    ASSERT_EQ(world->cell({0, 64 * 30 + 7 + 4 * tick - 1, 0}), kFull);
    ASSERT_EQ(world->cell({0, 64 * 30 + 7 + 4 * tick, 0}), kAir);
  }
}

constexpr std::int32_t kLong = 64 * 7;

/// Full to its roof, as the shaft at its right end is.
WorldSpec flooded_tunnel() {
  WorldSpec spec;
  spec.config.water = sim::WaterModel::kHydro;
  spec.config.size = {kLong, 6, 1};
  spec.fills.push_back({spec.config.box(), kRock});
  spec.fills.push_back({{{1, 1, 0}, {kLong - 2, 1, 1}}, kFull});
  spec.fills.push_back({{{kLong - 2, 1, 0}, {1, 3, 1}}, kFull});
  return spec;
}

// What it gives comes to lie in a shaft seven chunks away, where nothing of its own chunk changes.
// The left shaft got all, a cell at a time: a mirror image of the world had another history.
TEST(Springs, OneUnderARoofRaisesShaftsThatAreAlikeTogether) {
  for (const std::int32_t rate : {1, 3, 700, 5000}) {
    Drawing rows(20, "#.#####.#");
    rows.insert(rows.end(), {"#~~~~~~~#", "#########"});
    WorldSpec spec = drawn_spec(sim::WaterModel::kHydro, {rows});
    spec.sources = {{{4, 1, 0}, rate}};
    auto world = make_world(spec);
    sim::SerialExecutor serial;
    for (int tick = 0; tick < 24; ++tick) {
      (void)world->tick({}, serial);
      ASSERT_EQ(water_in_column(*world, 1), water_in_column(*world, 7)) << rate << ' ' << tick;
      ASSERT_GE(world->sources().begin()->second.missed, 0);
    }
    EXPECT_GE(world->totals().sourced, std::int64_t{24} * (rate - 1)) << rate;
    EXPECT_GT(world->totals().sourced, 0) << rate;
  }
}

TEST(Springs, OneUnderARoofHearsOfASurfaceFarAway) {
  for (const bool sleep : {true, false}) {
    WorldSpec spec = flooded_tunnel();
    spec.sources = {{{1, 1, 0}, 500}};
    auto world = make_world(spec);
    world->set_run_options({.sleep = sleep});
    sim::SerialExecutor serial;
    for (int tick = 0; tick < 50; ++tick) (void)world->tick({}, serial);
    EXPECT_EQ(world->totals().sourced, 0);
    if (sleep) {
      EXPECT_EQ(awake_sources(*world), 0U);
    }
    const std::vector<sim::Command> dig = {{sim::SetCells{{kLong - 2, 4, 0}, {1, 1, 1}, kAir}}};
    (void)world->tick(dig, serial);
    (void)world->tick({}, serial);
    EXPECT_GE(world->totals().sourced, 500) << sleep;
    for (int tick = 0; tick < 50; ++tick) (void)world->tick({}, serial);
    EXPECT_EQ(world->totals().sourced, kFull) << sleep;
  }
}

// The same for a port: its tank gives as soon as the far shaft has room.
TEST(Springs, APortUnderARoofHearsOfASurfaceFarAway) {
  for (const bool sleep : {true, false}) {
    WorldSpec spec = flooded_tunnel();
    sim::PipeNode tank;
    tank.fields.name = "tank";
    tank.fields.base = 10 * kFull;
    tank.fields.amount = tank.fields.capacity;
    spec.pipes = {tank};
    spec.ports = {{"tank", {1, 1, 0}, PortKind::kOutlet, 500}};
    auto world = make_world(spec);
    world->set_run_options({.sleep = sleep});
    sim::SerialExecutor serial;
    for (int tick = 0; tick < 50; ++tick) (void)world->tick({}, serial);
    EXPECT_EQ(world->totals().pipes, tank.fields.amount);
    const std::vector<sim::Command> dig = {{sim::SetCells{{kLong - 2, 4, 0}, {1, 1, 1}, kAir}}};
    (void)world->tick(dig, serial);
    for (int tick = 0; tick < 50; ++tick) (void)world->tick({}, serial);
    EXPECT_LT(world->totals().pipes, tank.fields.amount) << sleep;
    EXPECT_TRUE(world->conserved());
  }
}

RC_GTEST_PROP(Springs, SleepAndRestoresChangeNothing,
              (std::uint64_t seed, bool solid, std::uint8_t model)) {
  const auto water = any_water(model);
  WorldSpec spec = random_world_of(water, seed, {.solid = solid, .side = 100});
  Dice dice(seed);
  for (int i = 0; i < 40; ++i) {
    auto& springs = dice.chance(50) ? spec.sources : spec.drains;
    const Vec3 at = random_place(dice, spec.config.size);
    const bool taken = std::any_of(springs.begin(), springs.end(),
                                   [&](const sim::Spring& s) { return s.at == at; });
    const bool source = &springs == &spec.sources;
    const std::int32_t head =
        source && dice.chance(50) ? dice.roll(0, spec.config.size.y * kFull) : -1;
    if (!taken) springs.push_back({at, dice.roll(1, 2 * kFull), head});
  }
  const Script script =
      fitted(random_script(seed, spec.config.size, 90), sim::measure_of(spec.config));
  auto sleeping = make_world(spec);
  auto wakeful = make_world(spec);
  auto restored = make_world(spec);
  wakeful->set_run_options({.sleep = false});
  sim::SerialExecutor serial;
  for (const auto& commands : script) {
    if (dice.chance(20)) restored = through_a_snapshot(*restored);
    const sim::TickReport report = sleeping->tick(commands, serial);
    RC_ASSERT(wakeful->tick(commands, serial).digest == report.digest);
    RC_ASSERT(restored->tick(commands, serial).digest == report.digest);
    RC_ASSERT(sleeping->digest() == sleeping->recompute_digest());
  }
}

/// A small hollow rock: its bodies of water are at rest but for springs that seldom give.
WorldSpec hollow(std::uint64_t seed, sim::WaterModel water) {
  Dice dice(seed);
  WorldSpec spec;
  spec.config.water = water;
  spec.config.size = {dice.roll(3, 7), dice.roll(3, 6), dice.chance(50) ? 1 : dice.roll(2, 4)};
  const Box box = spec.config.box();
  for (std::int64_t i = 0; i < box.volume() / 2; ++i) {
    const Vec3 at = random_place(dice, spec.config.size);
    spec.fills.push_back({{at, {1, 1, 1}}, dice.chance(40) ? kFull : kRock});
  }
  const auto put = [&](std::vector<sim::Spring>& springs, std::int32_t rate, std::int32_t head) {
    const Vec3 at = random_place(dice, spec.config.size);
    const auto is_there = [&](const sim::Spring& spring) { return spring.at == at; };
    if (std::none_of(springs.begin(), springs.end(), is_there)) springs.push_back({at, rate, head});
  };
  for (int i = dice.roll(2, 5); i > 0; --i) {
    const std::int32_t rate = dice.chance(50) ? kFull : dice.roll(1, kFull / 8);
    put(spec.sources, rate, dice.chance(70) ? dice.roll(0, spec.config.size.y) * kFull : -1);
  }
  for (int i = dice.roll(0, 2); i > 0; --i) put(spec.drains, dice.roll(1, kFull / 8), -1);
  return spec;
}

// One gave, and made room for another one that slept until the next tick.
TEST(Springs, OneThatGivesWakesThoseThatItMakesRoomFor) {
  sim::SerialExecutor serial;
  for (std::uint64_t seed = 1; seed <= cases(1000); ++seed) {
    const WorldSpec spec = hollow(seed, any_water(seed));
    auto sleeping = make_world(spec);
    auto wakeful = make_world(spec);
    wakeful->set_run_options({.sleep = false});
    for (int tick = 1; tick <= 150; ++tick) {
      ASSERT_EQ(sleeping->tick({}, serial).digest, wakeful->tick({}, serial).digest)
          << "seed " << seed << " tick " << tick;
    }
  }
}

}  // namespace
}  // namespace sluice::tests::springs_test
