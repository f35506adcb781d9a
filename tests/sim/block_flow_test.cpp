// Goal: block water flows through every opening that it presses on, as much as the opening lets
// pass.
// Method: drawn worlds of which each showed that it did not.
#include <gtest/gtest.h>

#include "server/sim/world.h"
#include "tests/support/drawn_world.h"

namespace sluice::tests::block_flow_test {
namespace {

using sim::World;
using sim::WorldSpec;

WorldSpec blocks(const std::vector<Drawing>& layers) {
  WorldSpec spec = drawn_spec(sim::WaterModel::kBlock, layers);
  spec.config.options["walk_steps"] = 0;
  return spec;
}

/// Units in a box.
std::int64_t held_in(const World& world, Vec3 from, Vec3 size) {
  std::int64_t units = 0;
  for (std::int32_t y = from.y; y < from.y + size.y; ++y) {
    for (std::int32_t z = from.z; z < from.z + size.z; ++z) {
      for (std::int32_t x = from.x; x < from.x + size.x; ++x) {
        units += water_of(world.cell({x, y, z}));
      }
    }
  }
  return units;
}

bool run_to_rest(World& world, int ticks = 5000) {
  sim::SerialExecutor serial;
  for (int t = 0; t < ticks; ++t) {
    if (world.tick({}, serial).at_rest) return true;
  }
  return false;
}

// All blocks left through the hole; the gap under six rows of head passed nothing.
TEST(BlockFlow, AGapRunsWhileAHoleRuns) {
  Drawing rows(6, "#.....#~~~~~~~~#");
  rows.insert(rows.end(), {"#......~~~~~~~~#", "#############~##", "#############~##"});
  WorldSpec spec = blocks({rows});
  spec.config.edges.bottom = sim::Edge::kOpen;
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int t = 0; t < 10; ++t) {
    const std::int64_t drained = world->totals().drained;
    (void)world->tick({}, serial);
    EXPECT_EQ(world->totals().drained - drained, kFull) << "through a hole of one cell";
  }
  const std::int64_t through_the_gap = held_in(*world, {1, 2, 0}, {6, 7, 1});
  EXPECT_GE(through_the_gap, 7 * kFull);
  EXPECT_LE(through_the_gap, 10 * kFull) << "the gap is one cell high";
}

TEST(BlockFlow, TwoHolesAtDifferentDepthsBothRun) {
  WorldSpec spec = blocks({{"#~~~~~~~~#..", "#~~~~~~~~#..", "#~~~~~~~~...", "#~~~~~~~~#..",
                            "#~~~~~~~~#..", "#~~~~~~~~...", "############"}});
  spec.config.edges.right = sim::Edge::kOpen;
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  // Six blocks stand in the air beside the upper hole, or have gone over the edge.
  for (int t = 0; t < 2; ++t) (void)world->tick({}, serial);
  EXPECT_EQ(held_in(*world, {1, 1, 0}, {8, 6, 1}), (48 - 4) * kFull)
      << "a block a tick through each";
}

// Two blocks, for ever.
TEST(BlockFlow, ASpringUnderARoofGivesToTheLowestPlace) {
  WorldSpec spec = blocks({{"####.##", "####.##", "####.##", "#....##", "#######"}});
  spec.sources = {{{1, 1, 0}, kFull}};
  auto world = make_world(spec);
  ASSERT_TRUE(run_to_rest(*world));
  EXPECT_EQ(drawing_of(*world), (Drawing{"####~##", "####~##", "####~##", "#~~~~##", "#######"}));
}

TEST(BlockFlow, APairOnALedgeFallsOffIt) {
  auto world = make_world(blocks({{".~~....", ".##...."}}));
  ASSERT_TRUE(run_to_rest(*world));
  EXPECT_EQ(held_in(*world, {0, 1, 0}, {7, 1, 1}), 0);
  EXPECT_EQ(held_in(*world, {0, 0, 0}, {7, 1, 1}), 2 * kFull);
}

/// A lake of 16 x 16 x 6 over a floor with a hole of one cell, and an empty hall below.
WorldSpec lake_over_a_hole(std::int32_t x, std::int32_t z) {
  std::vector<Drawing> layers(16, Drawing(6, std::string(16, '~')));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    layers[i].push_back(std::string(16, '#'));
    layers[i].insert(layers[i].end(), 4, std::string(16, '.'));
  }
  layers[static_cast<std::size_t>(z)][6][static_cast<std::size_t>(x)] = '.';
  return blocks(layers);
}

// Eighty blocks in one tick.
TEST(BlockFlow, AHoleOfOneCellPassesABlockATick) {
  auto world = make_world(lake_over_a_hole(5, 9));
  sim::SerialExecutor serial;
  std::int64_t before = 0;
  for (int t = 0; t < 200; ++t) {
    (void)world->tick({}, serial);
    const std::int64_t passed = held_in(*world, {0, 0, 0}, {16, 4, 16});
    EXPECT_LE(passed - before, kFull) << "tick " << t + 1;
    before = passed;
  }
  EXPECT_GE(before, 190 * kFull);
}

// The surface receded as a strip along x.
TEST(BlockFlow, ASurfaceRecedesAlikeInXAndZ) {
  auto world = make_world(lake_over_a_hole(2, 2));
  sim::SerialExecutor serial;
  for (int t = 0; t < 100; ++t) (void)world->tick({}, serial);
  std::int64_t over = 0;   // missing where x > z
  std::int64_t under = 0;  // and where z > x
  for (std::int32_t z = 0; z < 16; ++z) {
    for (std::int32_t x = 0; x < 16; ++x) {
      const bool missing = world->cell({x, 10, z}) == 0;
      if (missing && x > z) ++over;
      if (missing && x < z) ++under;
    }
  }
  EXPECT_GE(over, 30);
  EXPECT_NEAR(static_cast<double>(over), static_cast<double>(under), 12);
}

int ticks_to_level(std::int32_t parts) {
  Drawing rows(8, "~~~~~~~~........");
  WorldSpec spec = blocks({rows});
  spec.config.options["parts"] = parts;
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  int ticks = 1;
  while (!world->tick({}, serial).at_rest) ++ticks;
  return ticks;
}

TEST(BlockFlow, EighthsLevelAboutAsFastAsBlocks) {
  const int whole = ticks_to_level(1);
  EXPECT_LE(ticks_to_level(8), 2 * whole + 4);
}

}  // namespace
}  // namespace sluice::tests::block_flow_test
