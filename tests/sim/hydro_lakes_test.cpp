// Goal: what moves in a lake at rest ends in it, costs what it is, and leaves the lake flat.
// Method: lakes drawn as boxes, touched in one place; how many runs a tick looks at is what it
// tells.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/sim/models/hydro/hydro.h"
#include "tests/support/hydro_world.h"
#include "tests/support/lakes.h"
#include "tests/support/random_world.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::hydro_lakes_test {
namespace {

using sim::Command;
using sim::Pour;
using sim::World;
using sim::WorldSpec;

WorldSpec lake(Vec3 size, std::int32_t depth) {
  WorldSpec spec = hydro_box(size);
  fill(spec, {0, 0, 0}, {size.x, depth, size.z}, kFull);
  return spec;
}

Command pour(Vec3 at, std::int32_t units) {
  return {.body = Pour{at, units}};
}

/// Units above so many full cells, of each column.
std::vector<std::int64_t> above(const World& world, std::int32_t depth) {
  std::vector<std::int64_t> units;
  for (std::int32_t z = 0; z < world.config().size.z; ++z) {
    for (std::int32_t x = 0; x < world.config().size.x; ++x) {
      units.push_back(water_in_column(world, x, z) - std::int64_t{depth} * kFull);
    }
  }
  return units;
}

std::int64_t steepest(const World& world) {
  const std::vector<std::int64_t> units = above(world, 0);
  const auto [least, most] = std::ranges::minmax(units);
  return most - least;
}

struct Touched {
  int ticks = 0;             // until it rests
  std::int64_t at_most = 0;  // runs in a tick
  std::int64_t all = 0;
};

Touched touch(World& world, const Command& command) {
  sim::SerialExecutor serial;
  while (!world.tick({}, serial).at_rest) continue;
  Touched touched;
  std::vector<Command> commands = {command};
  for (bool rests = false; !rests; ++touched.ticks) {
    const sim::TickReport report = world.tick(std::exchange(commands, {}), serial);
    touched.at_most = std::max(touched.at_most, report.cell_updates);
    touched.all += report.cell_updates;
    rests = report.at_rest || touched.ticks > 1000;
  }
  return touched;
}

/// Runs that so many ticks look at, after others.
std::int64_t looks(World& world, int before, int ticks) {
  sim::SerialExecutor serial;
  for (int t = 0; t < before; ++t) (void)world.tick({}, serial);
  std::int64_t looks = 0;
  for (int t = 0; t < ticks; ++t) looks += world.tick({}, serial).cell_updates;
  return looks;
}

TEST(HydroLakes, TheWorkedExampleOfTheDocument) {
  auto world = make_world(lake({1000, 40, 1}, 32));
  sim::SerialExecutor serial;
  while (!world->tick({}, serial).at_rest) continue;
  std::vector<Command> commands = {pour({500, 32, 0}, kFull)};
  std::vector<std::vector<std::int64_t>> ticks;
  for (int t = 1; t <= 32; ++t) {
    (void)world->tick(std::exchange(commands, {}), serial);
    ticks.push_back(above(*world, 32));
  }
  const auto middle = [&](std::size_t tick, std::size_t to_each_side) {
    const std::vector<std::int64_t>& all = ticks[tick - 1];
    const auto from = all.begin() + 500 - static_cast<std::ptrdiff_t>(to_each_side);
    return std::vector<std::int64_t>(from,
                                     from + 2 * static_cast<std::ptrdiff_t>(to_each_side) + 1);
  };
  using Row = std::vector<std::int64_t>;
  EXPECT_EQ(middle(1, 2), (Row{0, 2792, -1488, 2792, 0}));
  EXPECT_EQ(middle(2, 3), (Row{0, 2142, -444, 700, -444, 2142, 0}));
  EXPECT_EQ(middle(3, 4), (Row{0, 1643, 225, 77, 206, 77, 225, 1643, 0}));
  EXPECT_EQ(std::ranges::count(ticks[27], 72), 49);
  EXPECT_EQ(std::ranges::count(ticks[27], 71), 8);
  EXPECT_EQ(std::ranges::count(ticks[28], 16), 103);
  EXPECT_EQ(std::ranges::count(ticks[28], 17), 144);
  EXPECT_EQ(std::ranges::count(ticks[31], 5), 96);
  EXPECT_EQ(std::ranges::count(ticks[31], 4), 904);
}

TEST(HydroLakes, APourCostsTheSameInASmallLakeAndInALargeOne) {
  const auto poured = [](std::int32_t side, std::int32_t units) {
    auto world = make_world(lake({side, 12, side}, 8));
    const Touched touched = touch(*world, pour({side / 2, 8, side / 2 + 5}, units));
    EXPECT_LE(steepest(*world), 1) << side << ": " << units;
    return touched;
  };
  for (const auto& [units, most] : {std::pair{64, 600}, {1000, 3500}, {kFull, 13'500}}) {
    const Touched small = poured(120, units);
    const Touched large = poured(240, units);
    EXPECT_LE(small.at_most, most) << units;
    EXPECT_LE(small.ticks, 20) << units;
    EXPECT_LE(large.at_most, small.at_most + 10) << units;
    EXPECT_LE(large.all, small.all + small.all / 100) << units;
  }
}

// Each pour lies partly on those before it, which stand a unit above the rest of the lake.
TEST(HydroLakes, PoursAlongALineFindTheirWayOffThePlateauThatTheyMake) {
  auto world = make_world(lake({400, 12, 200}, 8));
  for (std::int32_t i = 0; i < 8; ++i) {
    const Touched touched = touch(*world, pour({109 + 29 * i, 8, 100}, kFull));
    EXPECT_LE(touched.at_most, 60'000) << i;
    EXPECT_LE(steepest(*world), 1) << i;
  }
}

// Each pour looks for the edge of the plateau that those before it made, and leaves that as it is.
TEST(HydroLakes, PoursIntoOnePlaceLeaveThePlateauThatTheyMake) {
  auto world = make_world(lake({200, 12, 200}, 8));
  sim::SerialExecutor serial;
  std::int64_t all = 0;
  for (int t = 0; t < 20 * 20; ++t) {
    const std::vector<Command> commands = {pour({100, 9, 100}, kFull)};
    const std::int64_t looked_at =
        world->tick(t % 20 == 0 ? commands : std::vector<Command>(), serial).cell_updates;
    EXPECT_LE(looked_at, 80'000) << t;
    all += looked_at;
  }
  EXPECT_LE(all, 2'000'000);
  EXPECT_LE(ticks_to_rest(*world, 100), 100);
  EXPECT_LE(steepest(*world), 1);
}

// Many parts come to rest in the same ticks, on plateaus over each other, most of them far from
// anything lower, which blocks of columns tell; and many heaps are left when the last of them has.
TEST(HydroLakes, PoursAllOverALakeHaveHalfOfItsColumnsLookedAtATick) {
  constexpr std::int64_t kColumns = 200 * 200;
  auto world = make_world(lake({200, 12, 200}, 8));
  sim::SerialExecutor serial;
  Dice dice(7);
  std::int64_t all = 0;
  for (int t = 0; t < 300; ++t) {
    const Vec3 at{dice.roll(0, 199), 9, dice.roll(0, 199)};
    const std::vector<Command> commands = {pour(at, 1000)};
    const std::int64_t looked_at =
        world->tick(t % 3 == 0 ? commands : std::vector<Command>(), serial).cell_updates;
    EXPECT_LE(looked_at, 4 * kColumns) << t;
    all += looked_at;
  }
  EXPECT_LE(all, 300 * kColumns / 2);
  EXPECT_LE(looks(*world, 0, 100), 20 * kColumns);
  EXPECT_EQ(looks(*world, 0, 1), 0);
  EXPECT_LE(steepest(*world), 1);
}

// What is known of a lake stays known while somebody digs behind a wall, or builds in it.
TEST(HydroLakes, ShapesThatChangeMakeNothingElseBeLookedAtAnew) {
  constexpr std::int32_t kSide = 160;
  const auto looked_at_in_a_storm = [](const std::vector<Command>& builds) {
    WorldSpec spec = lake({kSide, 12, kSide}, 8);
    fill(spec, {0, 0, 0}, {2, 12, kSide}, kRock);
    auto world = make_world(spec);
    sim::SerialExecutor serial;
    Dice dice(3);
    std::int64_t all = 0;
    for (std::size_t t = 0; t < 100; ++t) {
      const Vec3 at{dice.roll(2, kSide - 1), 9, dice.roll(0, kSide - 1)};
      std::vector<Command> commands = {pour(at, 500)};
      if (!builds.empty()) commands.push_back(builds[t % builds.size()]);
      all += world->tick(commands, serial).cell_updates;
    }
    return all;
  };
  const auto build = [](std::int32_t x, Cell cell) -> Command {
    return {.body = sim::SetCells{{x, 0, 80}, {1, 1, 1}, cell}};
  };
  const std::int64_t most = looked_at_in_a_storm({}) / 100 * 105;
  EXPECT_LE(looked_at_in_a_storm({build(0, kAir), build(0, kRock)}), most);
  EXPECT_LE(looked_at_in_a_storm({build(80, kFull), build(80, kRock)}), most);
}

// What was filled as one body with what lies elsewhere goes on moving, and that rests: whether the
// lake is flat is to be known as it would be after a restore.
TEST(HydroLakes, WhatWasFilledTogetherIsKnownToWhatRests) {
  constexpr std::uint64_t kSeed = 15;
  WorldKind kind;
  kind.side = 30;
  auto world = make_world(random_world_of(sim::WaterModel::kHydro, kSeed, kind));
  auto restored = through_a_snapshot(*world);
  Script script =
      fitted(random_script(kSeed, world->config().size, 60), sim::measure_of(world->config()));
  script.resize(1000);
  sim::SerialExecutor serial;
  for (const auto& commands : script) {
    restored = through_a_snapshot(*restored);
    const auto digest = world->tick(commands, serial).digest;
    ASSERT_EQ(restored->tick(commands, serial).digest, digest) << world->tick_number();
  }
}

// All of it moved when the world began; what nothing reaches comes to rest though the spring goes
// on.
TEST(HydroLakes, ASpringMovesWhatItsWavesReach) {
  WorldSpec spec = lake({16'000, 12, 1}, 8);
  spec.sources.push_back({{0, 9, 0}, 40});
  auto world = make_world(spec);
  const std::int64_t first = looks(*world, 3, 50);
  EXPECT_LE(first, 50 * 1200);
  EXPECT_EQ(above(*world, 8).back(), 0);
  // What comes to rest looks for lower water around it.
  EXPECT_LE(first + looks(*world, 0, 1000), 1050 * 5500);
  EXPECT_LE(steepest(*world), 40);
}

// Heads that followed whole units would shake all of the lake by some ten units, for ever.
TEST(HydroLakes, WhatFallsInMovesWhatItsWavesReach) {
  WorldSpec spec = lake({128, 20, 128}, 8);
  spec.sources.push_back({{64, 14, 64}, 8});
  auto world = make_world(spec);
  EXPECT_LE(looks(*world, 500, 100), 100 * 128 * 128 / 3);
  std::vector<std::int64_t> units = above(*world, 8);
  units.erase(units.begin() + 64 * 128 + 64);  // in which it falls
  const auto [least, most] = std::ranges::minmax(units);
  EXPECT_LE(most - least, 8);
}

// A ditch on the rock at the right leads it there: nothing touches the lake itself.
TEST(HydroLakes, WhatSpillsInLetsTheRestOfTheLakeSettle) {
  WorldSpec spec = lake({72, 20, 64}, 8);
  fill(spec, {64, 0, 0}, {8, 16, 64}, kRock);
  fill(spec, {64, 12, 32}, {8, 4, 1}, kAir);
  spec.sources.push_back({{70, 14, 32}, 2});
  auto world = make_world(spec);
  EXPECT_LE(looks(*world, 1000, 500), 500 * 1600);
}

// The first heap comes to rest while the second still moves: nobody may fill the lake then, and
// nobody would look at the first one again, if what is known did not tell of it.
TEST(HydroLakes, WhatCameToRestBesideMovingWaterIsFilledWhenThatRests) {
  auto world = make_world(lake({60, 12, 1}, 8));
  sim::SerialExecutor serial;
  while (!world->tick({}, serial).at_rest) continue;
  for (std::int32_t i = 0; i < 12; ++i) {
    const Command near = pour({5, 8, 0}, 5);
    const Command far = pour({54, 8, 0}, i % 2 == 0 ? 70 : 1);
    (void)world->tick({{near, far}}, serial);
    for (int t = 0; t < i; ++t) (void)world->tick({}, serial);
  }
  EXPECT_LT(ticks_to_rest(*world, 3000), 3000);
  EXPECT_LE(steepest(*world), 1);
}

// Two units more than an orbit of four can take: which way they go is asked of where the heap lies.
TEST(HydroLakes, UnitsThatNoShapeCanShareOutGoByThePlaceInTheWorld) {
  for (const std::int32_t units : {2, 3, 6, 7, 1002, 1003}) {
    auto aside = make_world(lake({41, 12, 41}, 8));
    (void)touch(*aside, pour({18, 8, 19}, units));
    EXPECT_LE(steepest(*aside), 1) << units;
    auto middle = make_world(lake({41, 12, 41}, 8));
    (void)touch(*middle, pour({20, 8, 20}, units));
    EXPECT_LE(steepest(*middle), 3) << units;
    const std::vector<std::int64_t> all = above(*middle, 8);
    EXPECT_TRUE(std::ranges::equal(all, std::vector<std::int64_t>(all.rbegin(), all.rend())));
  }
}

// The unit that is taken leaves a dry place between two ends of a film, and room in it.
TEST(HydroLakes, RoomThatComesToBeBesideALakeIsSeen) {
  WorldSpec spec = hydro_box({20, 6, 1});
  fill(spec, {0, 0, 0}, {20, 2, 1}, kRock);
  for (std::int32_t x = 0; x < 20; ++x) fill(spec, {x, 2, 0}, {1, 1, 1}, x < 10 ? 1 : 2);
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  while (!world->tick({}, serial).at_rest) continue;
  ASSERT_LE(steepest(*world), 1);
  (void)touch(*world, {.body = sim::RemoveWater{{3, 2, 0}, {1, 1, 1}}});
  EXPECT_LE(steepest(*world), 1);
}

// It is old at once where its last column dries, since it is shorter then, and lies still.
TEST(HydroLakes, AFilmThatGrowsOldAsItsEdgeDriesRestsWhenItSaysSo) {
  sim::SerialExecutor serial;
  for (Cell units = 3300; units < 3400; units += 3) {
    WorldSpec spec = hydro_box({9, 4, 1});
    spec.config.edges.right = sim::Edge::kOpen;
    fill(spec, {0, 0, 0}, {9, 1, 1}, units);
    auto world = make_world(spec);
    ASSERT_LT(ticks_to_rest(*world, 2000), 2000);
    world->set_run_options({.sleep = false});
    for (int t = 0; t < 5; ++t) EXPECT_TRUE(world->tick({}, serial).at_rest) << units;
  }
}

// A pour on a plateau that reaches beyond what is looked at: all of the lake is looked at instead,
// and is as flat.
TEST(HydroLakes, BeyondWhatIsLookedAtAllOfTheLakeIs) {
  for (const auto& [rings, looks] : {std::pair<std::int64_t, std::int64_t>{0, 16384}, {64, 0}}) {
    auto world = make_world(lake({100, 12, 100}, 8));
    world->set_run_options({.water = {.rings = rings, .looks = looks}});
    std::int64_t at_most = 0;
    for (int i = 0; i < 4; ++i) {
      at_most = std::max(at_most, touch(*world, pour({50, 9, 50}, kFull)).at_most);
      EXPECT_LE(steepest(*world), 1) << rings << " " << looks;
    }
    EXPECT_GT(at_most, 2 * 100 * 100) << rings << " " << looks;
  }
}

// Far more comes to rest than is kept of lakes before all of it is forgotten (some 1,100 here).
TEST(HydroLakes, WhatIsForgottenIsFoundAgain) {
  WorldSpec spec = lake({40, 12, 1}, 8);
  spec.sources.push_back({{3, 9, 0}, 3});
  auto world = make_world(spec);
  auto restored = through_a_snapshot(*world);
  sim::SerialExecutor serial;
  for (int t = 0; t < 3000; ++t) {
    if (t % 8 == 0) restored = through_a_snapshot(*restored);
    const auto digest = world->tick({}, serial).digest;
    ASSERT_EQ(restored->tick({}, serial).digest, digest) << t;
  }
}

// Lakes that were told apart by a restore: water lies on both sides of dry ground, and what is on
// the other side comes or goes; or two of its ends move, each of which lies within a unit of what
// rests between them.
TEST(HydroLakes, WhatIsKnownOfThemIsTheSameAfterARestore) {
  struct Drawn {
    std::uint64_t seed;
    bool solid;
  };
  sim::SerialExecutor serial;
  for (const auto& [seed, solid] :
       {Drawn{614, true}, {1454, true}, {10077, false}, {11093, false}}) {
    auto world = make_world(random_lakes(seed, solid));
    auto restored = through_a_snapshot(*world);
    Script script = random_touches(seed, world->config().size, 60, true);
    script.resize(120);
    for (const auto& commands : script) {
      restored = through_a_snapshot(*restored);
      const auto digest = world->tick(commands, serial).digest;
      ASSERT_EQ(restored->tick(commands, serial).digest, digest)
          << seed << ": " << world->tick_number();
    }
  }
}

}  // namespace
}  // namespace sluice::tests::hydro_lakes_test
