// Goal: where water flows steadily, hydro water lies still to look at: springs fall as a strand
// that does not pulse and give all that they are to give, and rivers carry no surges. Method: the
// share of wet columns that change by more than a sixty-fourth of a cell from tick to tick, long
// after a spring began, over beds of steps and of bumps; cells of a strand, tick by tick.
#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/hydro_world.h"

namespace sluice::tests::hydro_river_test {
namespace {

using sim::World;
using sim::WorldSpec;

WorldSpec open_to_the_right(Vec3 size) {
  WorldSpec spec = hydro_box(size);
  spec.config.edges.right = sim::Edge::kOpen;
  return spec;
}

/// Cells of rock under each x.
using Bed = std::vector<std::int32_t>;

Bed slope(std::int32_t width, std::int32_t step) {
  Bed bed;
  for (std::int32_t x = 0; x < width; ++x) bed.push_back((width - 1 - x) / step + 1);
  return bed;
}

Bed bumps(std::int32_t width) {
  std::mt19937 random(7);
  Bed bed;
  for (std::int32_t x = 0; x < width; ++x) {
    bed.push_back((width - x) / 16 + static_cast<std::int32_t>(random() % 3) + 1);
  }
  return bed;
}

/// A spring eight cells over the head of the bed.
WorldSpec river(const Bed& bed, std::int32_t depth, std::int32_t rate) {
  const auto width = static_cast<std::int32_t>(bed.size());
  const std::int32_t highest = *std::max_element(bed.begin(), bed.end());
  WorldSpec spec = open_to_the_right({width, highest + 30, depth});
  for (std::int32_t x = 0; x < width; ++x) {
    spec.fills.push_back({{{x, 0, 0}, {1, bed[static_cast<std::size_t>(x)], depth}}, kRock});
  }
  spec.sources.push_back({{1, bed[1] + 8, depth / 2}, rate});
  return spec;
}

/// In a thousand, of the columns that are wet.
double restless(World& world, int ticks) {
  sim::SerialExecutor serial;
  const Vec3 size = world.config().size;
  const auto columns = [&] {
    std::vector<std::int64_t> units;
    for (std::int32_t z = 0; z < size.z; ++z) {
      for (std::int32_t x = 0; x < size.x; ++x) units.push_back(water_in_column(world, x, z));
    }
    return units;
  };
  std::vector<std::int64_t> before = columns();
  double wet = 0;
  double changed = 0;
  for (int t = 0; t < ticks; ++t) {
    (void)world.tick({}, serial);
    std::vector<std::int64_t> now = columns();
    for (std::size_t i = 0; i < now.size(); ++i) {
      wet += now[i] > 0 ? 1 : 0;
      changed += std::abs(now[i] - before[i]) > kFull / 64 ? 1 : 0;
    }
    before = std::move(now);
  }
  EXPECT_GT(wet, 0);
  return 1000 * changed / std::max(wet, 1.0);
}

double restless_after(const WorldSpec& spec, int ticks) {
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int t = 0; t < ticks; ++t) (void)world->tick({}, serial);
  return restless(*world, 50);
}

TEST(HydroRivers, OverStepsOfAnySlopeCarryNoSurges) {
  for (const std::int32_t step : {1, 2, 3, 4, 8, 24}) {
    for (const std::int32_t rate : {64, 512, 1024}) {
      EXPECT_LT(restless_after(river(slope(200, step), 1, rate), 3000), 10)
          << "a step in " << step << " columns, " << rate << " units a tick";
    }
  }
}

TEST(HydroRivers, OfACellATickMoveUnderTheirSpringAlone) {
  for (const std::int32_t step : {2, 4, 8}) {
    EXPECT_LT(restless_after(river(slope(400, step), 1, kFull), 5000), 15) << step;
  }
}

TEST(HydroRivers, OverABumpyBedCarryNoSurges) {
  for (const std::int32_t rate : {64, 256, 1024, 4096}) {
    EXPECT_LT(restless_after(river(bumps(256), 1, rate), 8000), 10) << rate;
  }
}

TEST(HydroRivers, InThreeDimensionsCarryNoSurges) {
  for (const std::int32_t step : {2, 6}) {
    EXPECT_LT(restless_after(river(slope(64, step), 5, 1500), 1500), 10) << step;
  }
}

// hydro.md gives these times.
TEST(HydroFilms, ACellOfWaterRunsOffALedge) {
  for (const std::int32_t width : {5, 20, 40, 100, 300}) {
    WorldSpec spec = hydro_box({width + 20, 40, 1});
    fill(spec, {10, 10, 0}, {width, 10, 1}, kRock);
    fill(spec, {10 + width / 2, 20, 0}, {1, 1, 1}, kFull);
    auto world = make_world(spec);
    const int most = std::min(35 * width + 50, 16 * width + 1200);
    EXPECT_LE(ticks_to_rest(*world, most), most) << width;
    for (std::int32_t x = 10; x < 10 + width; ++x) EXPECT_LE(world->cell({x, 20, 0}), 1) << x;
  }
}

TEST(HydroFilms, WhatLiesOnAllOfALedgeRunsOff) {
  for (const Vec3 ledge : {Vec3{10, 1, 1}, Vec3{50, 1, 1}, Vec3{200, 1, 1}, Vec3{12, 1, 12}}) {
    for (const Cell depth : {8, 64, kFull}) {
      WorldSpec spec = hydro_box({ledge.x + 20, 12, ledge.z});
      fill(spec, {0, 5, 0}, ledge, kRock);
      fill(spec, {0, 6, 0}, ledge, depth);
      auto world = make_world(spec);
      const int most = 45 * ledge.x + 1600;
      EXPECT_LE(ticks_to_rest(*world, most), most) << ledge.x << ' ' << depth;
      for (std::int32_t x = 0; x < ledge.x; ++x) EXPECT_LE(world->cell({x, 6, 0}), 1);
    }
  }
}

TEST(HydroSprings, FallInAStrandThatStaysAsItIs) {
  for (const std::int32_t rate : {100, 1024, 3000, kFull}) {
    WorldSpec spec = open_to_the_right({40, 60, 1});
    spec.config.edges.bottom = sim::Edge::kOpen;
    spec.sources.push_back({{20, 50, 0}, rate});
    auto world = make_world(spec);
    sim::SerialExecutor serial;
    for (int t = 0; t < 100; ++t) (void)world->tick({}, serial);
    std::vector<Cell> strand;
    for (std::int32_t y = 0; y <= 48; ++y) strand.push_back(world->cell({20, y, 0}));
    const std::int64_t drained = world->totals().drained;
    (void)world->tick({}, serial);
    EXPECT_EQ(world->totals().drained - drained, rate) << "all that it is to give falls through";
    for (std::int32_t y = 0; y <= 48; ++y) {
      const Cell before = strand[static_cast<std::size_t>(y)];
      EXPECT_GT(before, 0) << rate << " at " << y;
      EXPECT_NEAR(world->cell({20, y, 0}), before, kFull / 64) << rate << " at " << y;
    }
  }
}

TEST(HydroSprings, WhatIsPouredFromOutsideInEachTickDoesNotGatherSpeed) {
  // A pour is at rest: what falls in its cell already shares its momentum with it.
  WorldSpec spec = open_to_the_right({3, 20, 1});
  spec.config.edges.bottom = sim::Edge::kOpen;
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  const std::vector<sim::Command> pour = {{sim::Pour{{1, 15, 0}, 1000}}};
  std::vector<Cell> held;
  for (int t = 0; t < 60; ++t) {
    (void)world->tick(pour, serial);
    held.push_back(world->cell({1, 15, 0}));
  }
  // Half leaves the cell in each tick: (1 - v) v = v - 1/4.
  EXPECT_NEAR(held.back(), 1000, 10);
  EXPECT_EQ(held.back(), held[held.size() - 2]);
}

}  // namespace
}  // namespace sluice::tests::hydro_river_test
