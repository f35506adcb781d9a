// Goal: the command trap_air makes a pocket of all that is open above a level around a cell, counts
// the water in it as drained, and says why where the air would not stay.
// Method: a drawn bell in every water; random worlds against a plain flood of single cells; sleep
// and restores.
#include <deque>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/marks/levels.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/random_world.h"
#include "tests/support/through_a_snapshot.h"
#include "tests/support/water_options.h"
#include "tests/support/world_access.h"

namespace sluice::tests::trap_air_test {
namespace {

using sim::TrapAir;
using sim::WaterModel;
using sim::World;
using sim::WorldSpec;

const Drawing kBell = {
    "............",  //
    ".~~~~~~~~~~.",  //
    ".~~#####~~~.",  //
    ".~~#...#~~~.",  //
    ".~~#~~~#~~~.",  //
    "#~~~~~~~~~~#",  //
    "#~~~~~~~~~~#",  //
    "############",
};

WorldSpec bell(WaterModel water) {
  WorldSpec spec = drawn_spec(water, {kBell});
  set_option(spec.config, "drying", 0);
  return spec;
}

std::string refused(World& world, const sim::CommandBody& body) {
  sim::SerialExecutor serial;
  const std::vector<sim::Command> commands = {{body}};
  return world.tick(commands, serial).outcomes.front().reason;
}

void run(World& world, int ticks) {
  sim::SerialExecutor serial;
  for (int i = 0; i < ticks; ++i) (void)world.tick({}, serial);
}

std::set<Vec3> trapped_in(const World& world) {
  std::set<Vec3> found;
  const Vec3 size = world.config().size;
  for (std::int32_t z = 0; z < size.z; ++z) {
    for (std::int32_t y = 0; y < size.y; ++y) {
      for (std::int32_t x = 0; x < size.x; ++x) {
        if (world.cell({x, y, z}) == kTrappedAir) found.insert({x, y, z});
      }
    }
  }
  return found;
}

TEST(TrapAir, MakesABellThatHoldsUntilItIsDug) {
  for (const WaterModel water : every_water()) {
    auto world = make_world(bell(water));
    EXPECT_EQ(refused(*world, TrapAir{{5, 4, 0}, 3 * kFull}), "") << static_cast<int>(water);
    const std::set<Vec3> pocket = {{4, 3, 0}, {5, 3, 0}, {6, 3, 0},
                                   {4, 4, 0}, {5, 4, 0}, {6, 4, 0}};
    EXPECT_EQ(trapped_in(*world), pocket) << static_cast<int>(water);
    EXPECT_EQ(world->totals().drained, 3 * kFull);
    run(*world, 300);
    EXPECT_EQ(trapped_in(*world), pocket) << static_cast<int>(water);
    EXPECT_EQ(refused(*world, sim::SetCells{{5, 4, 0}, {1, 1, 1}, kAir}), "");
    run(*world, 1);
    EXPECT_TRUE(trapped_in(*world).empty()) << static_cast<int>(water);
    EXPECT_TRUE(world->conserved());
  }
}

TEST(TrapAir, TakesNoWaterWhereItBeginsAboveIt) {
  auto world = make_world(bell(WaterModel::kHydro));
  EXPECT_EQ(refused(*world, TrapAir{{5, 4, 0}, 4 * kFull - 7}), "") << "rounded up to whole cells";
  EXPECT_EQ(trapped_in(*world).size(), 3U);
  EXPECT_EQ(world->totals().drained, 0);
}

TEST(TrapAir, IsRefusedWhereTheAirWouldNotStay) {
  WorldSpec spec = bell(WaterModel::kHydro);
  spec.cells.push_back({{5, 3, 0}, kAir});
  auto world = make_world(spec);
  EXPECT_EQ(refused(*world, TrapAir{{5, 4, 0}, 4 * kFull}),
            "there is air below the level at [5, 3, 0]");
  EXPECT_EQ(refused(*world, TrapAir{{3, 4, 0}, 0}), "the cell [3, 4, 0] is rock");
  EXPECT_EQ(refused(*world, TrapAir{{5, 4, 0}, 4 * kFull + 1}),
            "the cell [5, 4, 0] lies below the level");
  EXPECT_NE(refused(*world, TrapAir{{5, 44, 0}, 0}).find("lies outside the world"),
            std::string::npos);
  EXPECT_NE(refused(*world, TrapAir{{5, 4, 0}, -1}).find("level -1 is out of range"),
            std::string::npos);
  EXPECT_TRUE(trapped_in(*world).empty());
  EXPECT_EQ(world->totals().drained, 0);
}

TEST(TrapAir, IsRefusedAtEachOpenEdge) {
  for (sim::Edge sim::Edges::*edge : {&sim::Edges::left, &sim::Edges::right, &sim::Edges::bottom,
                                      &sim::Edges::top, &sim::Edges::front, &sim::Edges::back}) {
    WorldSpec spec;
    spec.config.size = {5, 4, 3};
    auto closed = make_world(spec);
    EXPECT_EQ(refused(*closed, TrapAir{{2, 2, 1}, 0}), "");
    EXPECT_EQ(trapped_in(*closed).size(), 60U);
    spec.config.edges.*edge = sim::Edge::kOpen;
    auto open = make_world(spec);
    EXPECT_NE(refused(*open, TrapAir{{2, 2, 1}, 0})
                  .find("its pocket reaches an open edge of the world at ["),
              std::string::npos);
    EXPECT_TRUE(trapped_in(*open).empty());
  }
}

TEST(TrapAir, GoesToItsBoundsAndNoFarther) {
  WorldSpec spec;
  spec.config.size = {6, 4, 1};
  const auto world = make_world(spec);
  sim::Grid& grid = sim::WorldTestAccess::grid(*world);
  const auto problem = [&](const sim::LevelBounds& bounds) {
    sim::Filling filling(world->config(), grid, bounds);
    if (const auto kept = filling.enclose({2, 2, 0}, 0); !kept) return kept.error();
    const auto sums = filling.sums(1);
    return sums ? std::string() : sums.error();
  };
  EXPECT_EQ(problem({24, 6, 1}), "");
  EXPECT_EQ(problem({23, 6, 1}), "the region has more than 23 cells");
  EXPECT_EQ(problem({24, 5, 1}), "the region has more than 5 runs of cells");
  EXPECT_EQ(problem({24, 6, 0}), "the region has more than 0 chunks");
}

/// Cell by cell: all that is open at or above the level and hangs together with `at`; empty where
/// the air would not stay.
std::set<Vec3> plain_pocket(const World& world, Vec3 at, std::int64_t level) {
  const auto is_of_it = [&](Vec3 p) {
    return is_open(world.cell(p)) && std::int64_t{p.y} * kFull >= level;
  };
  std::set<Vec3> pocket;
  std::deque<Vec3> pending;
  const auto reach = [&](Vec3 p) {
    if (is_of_it(p) && pocket.insert(p).second) pending.push_back(p);
  };
  reach(at);
  const Vec3 size = world.config().size;
  const sim::Edges& edges = world.config().edges;
  const auto open = [](sim::Edge edge) { return edge == sim::Edge::kOpen; };
  while (!pending.empty()) {
    const Vec3 p = pending.front();
    pending.pop_front();
    const bool leaks = (p.x == 0 && open(edges.left)) || (p.x == size.x - 1 && open(edges.right)) ||
                       (p.y == 0 && open(edges.bottom)) || (p.y == size.y - 1 && open(edges.top)) ||
                       (p.z == 0 && open(edges.front)) || (p.z == size.z - 1 && open(edges.back));
    const Vec3 below = p - Vec3{0, 1, 0};
    if (leaks || (world.cell(below) == kAir && !is_of_it(below))) return {};
    for (const Vec3 step :
         {Vec3{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}) {
      reach(p + step);
    }
  }
  return pocket;
}

RC_GTEST_PROP(TrapAirProperty, TrapsWhatAPlainFloodReaches,
              (std::uint64_t seed, bool solid, std::uint8_t model)) {
  const WaterModel water = any_water(model);
  WorldSpec spec = random_world_of(
      water, seed, {.solid = solid, .springs = false, .side = 40, .pipes = Pipes::kNone});
  Dice dice(seed);
  if (dice.chance(50)) spec.config.edges = {};
  auto world = make_world(spec);
  run(*world, dice.roll(0, 10));
  const std::set<Vec3> before = trapped_in(*world);
  const Vec3 at = random_place(dice, spec.config.size);
  const std::int32_t level = dice.chance(30) ? 0 : dice.roll(0, at.y * kFull);
  // Commands come first in a tick: what they meet is the world as it is now.
  const std::set<Vec3> pocket = plain_pocket(*world, at, level);
  const std::int64_t drained = world->totals().drained;
  std::int64_t water_in_it = 0;
  for (const Vec3 p : pocket) water_in_it += water_of(world->cell(p));
  auto asleep_never = through_a_snapshot(*world);
  asleep_never->set_run_options({.sleep = false});
  const std::string reason = refused(*world, TrapAir{at, level});
  RC_ASSERT(refused(*asleep_never, TrapAir{at, level}) == reason);
  RC_ASSERT(reason.empty() == !pocket.empty());
  RC_ASSERT(world->conserved());
  RC_ASSERT(world->totals().drained >= drained + water_in_it);
  if (before.empty()) RC_ASSERT(trapped_in(*world) == pocket);
  sim::SerialExecutor serial;
  for (int t = 0; t < 20; ++t) {
    RC_ASSERT(world->tick({}, serial).digest == asleep_never->tick({}, serial).digest);
    if (t % 7 == 0) world = through_a_snapshot(*world);
  }
}

}  // namespace
}  // namespace sluice::tests::trap_air_test
