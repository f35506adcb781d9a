// Goal: what is drawn at rest is at rest, in every model that does not dry, whatever its shape;
// what is not keeps its amounts. Method: drawn worlds, ticked.
#include "server/sim/at_rest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/models/cellular/rule.h"
#include "tests/support/dice.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/water_options.h"

namespace sluice::tests::at_rest_test {
namespace {

/// Its wet cells at rest.
std::unique_ptr<sim::World> make_at_rest(sim::WorldSpec spec) {
  for (sim::PlacedCell& cell : spec.cells) cell.at_rest = cell.cell > 0;
  return make_world(spec);
}

sim::Digest cells_of(const sim::World& world) {
  return world.layer_digests()[static_cast<std::size_t>(sim::Layer::kCells)];
}

void expect_still(sim::World& world) {
  const sim::Digest cells = cells_of(world);
  EXPECT_EQ(world.totals().initial, world.totals().water);
  EXPECT_EQ(world.totals().sourced, 0);
  sim::SerialExecutor serial;
  bool at_rest = false;
  for (int t = 0; t < 4 && !at_rest; ++t) {
    at_rest = world.tick({}, serial).at_rest;
    EXPECT_EQ(cells_of(world), cells);
  }
  EXPECT_TRUE(at_rest);
  EXPECT_EQ(world.digest(), world.recompute_digest());
}

// A lake of full cells, 100 deep, sank to 73 rows in the first ticks.
TEST(AtRest, ADeepLakeStandsWhereItWasDrawn) {
  for (const std::int32_t compression : {0, 1}) {
    sim::WorldSpec spec;
    spec.config.size = {70, 120, 1};
    spec.config.options["compression"] = compression;
    spec.fills.push_back({{{0, 0, 0}, {70, 100, 1}}, kFull, true});
    auto world = make_world(spec);
    expect_still(*world);
    EXPECT_EQ(world->cell({3, 99, 0}), kFull);
    EXPECT_EQ(world->cell({3, 98, 0}), kFull + 41);
    EXPECT_EQ(world->cell({3, 0, 0}), kFull + (compression == 0 ? 99 * 41 : 41));
  }
}

TEST(AtRest, WithoutItAFullCellHoldsWhatItSays) {
  sim::WorldSpec spec;
  spec.config.size = {70, 120, 1};
  spec.fills.push_back({{{0, 0, 0}, {70, 100, 1}}, kFull});
  EXPECT_EQ(make_world(spec)->cell({3, 0, 0}), kFull);
}

// Depth is that below the body's surface, also under a roof and along a passage; two bodies have
// their own.
TEST(AtRest, ABodyHasOneSurface) {
  for (const sim::WaterModel water : every_water()) {
    sim::WorldSpec spec = drawn_spec(water, {{
                                                "#......#..#",
                                                "#~####~#..#",
                                                "#~####~#~~#",
                                                "#~~~~~~#~~#",
                                                "###########",
                                            }});
    set_option(spec.config, "drying", 0);
    auto world = make_at_rest(spec);
    expect_still(*world);
    if (water != sim::WaterModel::kCellular) continue;
    EXPECT_EQ(world->cell({3, 1, 0}), kFull + 2 * 41);
    EXPECT_EQ(world->cell({8, 1, 0}), kFull + 41);
  }
}

// Rock that is drawn into it later parts a box into bodies and leaves no water behind.
TEST(AtRest, WhatIsDrawnOverItCounts) {
  sim::WorldSpec spec;
  spec.config.size = {12, 12, 12};
  spec.fills.push_back({{{0, 0, 0}, {12, 8, 12}}, kFull, true});
  spec.fills.push_back({{{5, 0, 0}, {1, 8, 12}}, kRock});
  spec.fills.push_back({{{6, 6, 0}, {6, 2, 12}}, kAir});
  auto world = make_world(spec);
  expect_still(*world);
  EXPECT_EQ(world->cell({4, 0, 3}), kFull + 7 * 41);
  EXPECT_EQ(world->cell({6, 0, 3}), kFull + 5 * 41);
}

// Of any level bodies between rocks, with any options: nothing moves by more than a rounding.
RC_GTEST_PROP(AtRest, LevelWaterStays, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  sim::WorldSpec spec;
  const std::int32_t side = solid ? 20 : 80;
  spec.config.size = {side, side, solid ? side : 1};
  spec.config.options["full"] = dice.roll(64, sim::kMaxFullOption);
  spec.config.options["compressed_max"] =
      spec.config.option("full") + dice.roll(0, spec.config.option("full") / 8);
  if (dice.chance(30)) spec.config.options["compression"] = 1;
  const std::int32_t level = dice.roll(1, side - 1);
  spec.fills.push_back({{{0, 0, 0}, {side, level, spec.config.size.z}}, sim::kMaxFullOption, true});
  for (int i = dice.roll(0, 6); i > 0; --i) {
    const Vec3 from = {dice.roll(0, side - 1), 0, solid ? dice.roll(0, side - 1) : 0};
    const std::int32_t wide = std::min(dice.roll(1, 6), side - from.x);
    const std::int32_t deep = solid ? std::min(dice.roll(1, 6), side - from.z) : 1;
    spec.fills.push_back({{from, {wide, dice.roll(1, side), deep}}, kRock});
  }
  auto world = make_world(spec);
  std::vector<Cell> before;
  const auto look = [&](auto&& f) {
    for (std::int32_t y = 0; y < side; ++y) {
      for (std::int32_t z = 0; z < spec.config.size.z; ++z) {
        for (std::int32_t x = 0; x < side; ++x) f(world->cell({x, y, z}));
      }
    }
  };
  look([&](Cell cell) { before.push_back(cell); });
  sim::SerialExecutor serial;
  for (int t = 0; t < 20; ++t) (void)world->tick({}, serial);
  std::size_t at = 0;
  look([&](Cell cell) { RC_ASSERT(std::abs(cell - before[at++]) <= 1); });
}

}  // namespace
}  // namespace sluice::tests::at_rest_test
