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

TEST(HydroRivers, OfACellATickAndMoreCarryNoSurges) {
  for (const std::int32_t step : {2, 4, 8}) {
    EXPECT_LT(restless_after(river(slope(256, step), 1, kFull), 5000), 2) << step;
    EXPECT_LT(restless_after(river(slope(256, step), 1, 2 * kFull), 5000), 2) << step;
  }
}

// Shelves whose water stands as high as the one above them, or nearly: what comes over a step that
// is drowned must not be more than what comes over a free one.
TEST(HydroRivers, DownHighStepsCarryNoSurges) {
  for (const std::int32_t height : {3, 5, 6}) {
    for (const std::int32_t length : {6, 10, 18}) {
      Bed bed;
      for (std::int32_t x = 0; x < 100; ++x) bed.push_back((99 - x) / length * height + 1);
      for (const std::int32_t rate : {1024, 2048, 3000}) {
        EXPECT_LT(restless_after(river(bed, 1, rate), 6000), 10)
            << height << " cells each " << length << " columns, " << rate << " units a tick";
      }
    }
  }
}

/// Of steps, bumps, pits, high steps or obstacles.
Bed random_bed(std::mt19937& random) {
  const auto pick = [&random](std::int32_t from, std::int32_t to) {
    return from + static_cast<std::int32_t>(random() % static_cast<unsigned>(to - from + 1));
  };
  const std::int32_t kind = pick(0, 4);
  const std::int32_t width = pick(40, 200);
  const std::int32_t length = pick(1, 24);
  const std::int32_t height = pick(1, 6);
  const std::int32_t bump = pick(1, 3);
  Bed bed;
  for (std::int32_t x = 0; x < width; ++x) {
    const std::int32_t left = width - 1 - x;
    const std::int32_t drawn = pick(0, 39);
    const std::int32_t kinds[] = {left / length, left / 16 + drawn % (bump + 1),
                                  left / length + 3 - (drawn < 5 ? bump : 0),
                                  left / (length + 4) * height, drawn < 4 ? bump : 0};
    bed.push_back(kinds[kind] + 1);
  }
  return bed;
}

// hydro.md says of how many.
TEST(HydroRivers, OverAnyBedMostLieStill) {
  std::mt19937 random(3);
  double sum = 0;
  int surging = 0;
  constexpr int kBeds = 60;
  for (int i = 0; i < kBeds; ++i) {
    const std::int32_t depth = i % 4 == 0 ? 5 : 1;
    const auto rate = static_cast<std::int32_t>(10 + random() % (2 * kFull));
    const double found = restless_after(river(random_bed(random), depth, rate), 6000);
    sum += found;
    surging += found > 10 ? 1 : 0;
    EXPECT_LT(found, 60) << i;
  }
  EXPECT_LE(surging, 1);
  EXPECT_LT(sum / kBeds, 1);
}

// Whatever the surface's place within its cell: a strand gave a cell of itself at once where a
// surface came into another cell, and the surface rose and sank for ever.
TEST(HydroFalls, LandSteadilyWhereverTheSurfaceIs) {
  for (std::int32_t up : {2, 4, 6, 8, 12, 20}) {
    for (std::int32_t rate = 200; rate < 4000; rate += 190) {
      WorldSpec spec = open_to_the_right({60, 40, 1});
      fill(spec, {0, 0, 0}, {60, 1, 1}, kRock);
      spec.sources.push_back({{1, 1 + up, 0}, rate});
      EXPECT_LT(restless_after(spec, 1500), 5) << rate << " units a tick, " << up << " cells over";
    }
  }
}

/// Units that come over a wall ten cells high in forty ticks, from water that stands 14 cells high
/// behind it.
std::int64_t comes_over_a_wall(std::int32_t stands_before_it) {
  WorldSpec spec = hydro_box({401, 30, 1});
  fill(spec, {200, 0, 0}, {1, 10, 1}, kRock);
  fill(spec, {0, 0, 0}, {200, 14, 1}, kFull);
  fill(spec, {201, 0, 0}, {200, stands_before_it, 1}, kFull);
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int t = 0; t < 40; ++t) (void)world->tick({}, serial);
  std::int64_t units = -std::int64_t{200} * stands_before_it * kFull;
  for (std::int32_t x = 201; x < 401; ++x) units += water_in_column(*world, x);
  return units;
}

TEST(HydroWeirs, PassNoMoreWhereTheyAreDrowned) {
  const std::int64_t free = comes_over_a_wall(5);
  std::int64_t before = free;
  for (const std::int32_t level : {8, 9, 10, 11, 12, 13}) {
    const std::int64_t now = comes_over_a_wall(level);
    EXPECT_LE(now, before + before / 50) << level;
    before = now;
  }
  EXPECT_GT(before, free / 4) << "drowned, and yet something comes";
}

TEST(HydroRivers, OverABumpyBedCarryNoSurges) {
  for (const std::int32_t rate : {64, 256, 1024, 4096}) {
    EXPECT_LT(restless_after(river(bumps(256), 1, rate), 8000), 10) << rate;
  }
}

TEST(HydroRivers, InThreeDimensionsCarryNoSurges) {
  for (const std::int32_t step : {2, 6}) {
    for (const std::int32_t rate : {1500, kFull, 2 * kFull}) {
      EXPECT_LT(restless_after(river(slope(96, step), 7, rate), 2000), 10) << step << ' ' << rate;
    }
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
