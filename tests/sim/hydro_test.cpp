// Goal: hydro water does what hydro.md promises, in worlds drawn for one promise each.
// Method: how many ticks a shape takes to rest, how flat it lies then, how it falls and flows out.
#include "server/sim/models/hydro/hydro.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/sim/models/hydro/columns.h"
#include "server/workers/thread_pool.h"
#include "tests/support/hydro_world.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::hydro_test {
namespace {

using sim::World;
using sim::WorldSpec;

// ---- Levelling

TEST(HydroLevels, ABasinInTicksThatGrowWithItsWidth) {
  for (const auto& [width, height, most] : {std::tuple{256, 64, 900}, {1024, 128, 3500}}) {
    WorldSpec spec = hydro_box({width, height, 1});
    fill(spec, {0, 0, 0}, {width / 4, height * 3 / 4, 1}, kFull);
    auto world = make_world(spec);
    EXPECT_LE(ticks_to_rest(*world, most), most) << width;
    const std::int64_t each = std::int64_t{height} * 3 / 4 / 4 * kFull;
    for (std::int32_t x = 0; x < width; ++x) EXPECT_EQ(water_in_column(*world, x), each);
    EXPECT_TRUE(world->core().water.as<sim::HydroState>().nothing());
  }
}

/// Shafts of one cell, `gap` apart, joined by a tunnel of one cell along the bottom; the first is
/// full up to `depth`.
WorldSpec shafts(int count, int gap, int depth, int height, bool tunnel_full) {
  const int length = (count - 1) * gap + 1;
  WorldSpec spec = hydro_box({length, height + 1, 1});
  fill(spec, {0, 0, 0}, {length, height + 1, 1}, kRock);
  for (int i = 0; i < count; ++i) fill(spec, {i * gap, 0, 0}, {1, height + 1, 1}, kAir);
  fill(spec, {0, 0, 0}, {length, 1, 1}, tunnel_full ? kFull : kAir);
  fill(spec, {0, 0, 0}, {1, depth, 1}, kFull);
  return spec;
}

struct Vessels {
  const char* name;
  int count, gap, depth;
  bool full;
  int most;
};

class HydroVessels : public ::testing::TestWithParam<Vessels> {};

TEST_P(HydroVessels, ComeToOneLevelAndRest) {
  const Vessels& p = GetParam();
  auto world = make_world(shafts(p.count, p.gap, p.depth, p.depth + 4, p.full));
  EXPECT_LE(ticks_to_rest(*world, p.most), p.most);
  std::int64_t least = INT64_MAX;
  std::int64_t most = 0;
  for (int i = 0; i < p.count; ++i) {
    least = std::min(least, water_in_column(*world, i * p.gap));
    most = std::max(most, water_in_column(*world, i * p.gap));
  }
  EXPECT_LE(most - least, 1);
  for (std::int32_t x = 0; x < world->config().size.x; ++x)
    EXPECT_EQ(world->cell({x, 0, 0}), kFull);
}

INSTANTIATE_TEST_SUITE_P(Shapes, HydroVessels,
                         ::testing::Values(Vessels{"full", 2, 501, 200, true, 400},
                                           Vessels{"dry", 2, 501, 600, false, 900},
                                           Vessels{"comb", 20, 25, 60, true, 1200}),
                         [](const auto& param) { return param.param.name; });

TEST(HydroLevels, ACornerOfASolidBasin) {
  WorldSpec spec = hydro_box({64, 32, 64});
  fill(spec, {0, 0, 0}, {32, 24, 32}, kFull);
  auto world = make_world(spec);
  EXPECT_LE(ticks_to_rest(*world, 400), 400);
  for (std::int32_t x = 0; x < 64; ++x) {
    for (std::int32_t z = 0; z < 64; ++z) EXPECT_EQ(water_in_column(*world, x, z), 6 * kFull);
  }
}

TEST(HydroLevels, WaterThatIsFlatRestsAtOnce) {
  WorldSpec spec = hydro_box({200, 100, 1});
  fill(spec, {0, 0, 0}, {200, 70, 1}, kFull);
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  (void)world->tick({}, serial);
  EXPECT_TRUE(world->tick({}, serial).at_rest);
  EXPECT_EQ(world->tick({}, serial).cell_updates, 0);
}

/// A pool on a floor of rock, and in the middle of it a shaft that is emptied once all is at rest,
/// but for some units.
std::unique_ptr<World> pool_over_a_shaft(std::int32_t wide, std::int32_t shaft, std::int32_t left,
                                         bool solid) {
  const Vec3 middle = {wide / 2, 0, solid ? wide / 2 : 0};
  WorldSpec spec = hydro_box({wide, shaft + 3, solid ? wide : 1});
  const Vec3 layer = {wide, 1, solid ? wide : 1};
  for (std::int32_t y = 0; y < shaft; ++y) fill(spec, {0, y, 0}, layer, kRock);
  fill(spec, middle, {1, shaft, 1}, kFull);
  fill(spec, {0, shaft, 0}, layer, 3000);
  auto world = make_world(spec);
  EXPECT_LE(ticks_to_rest(*world, 2000), 2000);
  sim::SerialExecutor serial;
  std::vector<sim::Command> emptied = {
      {sim::RemoveWater{.from = middle, .size = {1, shaft + 3, 1}}}};
  if (left > 0) emptied.push_back({sim::Pour{.at = middle, .units = left}});
  (void)world->tick(emptied, serial);
  EXPECT_LE(ticks_to_rest(*world, 4000), 4000);
  return world;
}

// Each of two or four ways into the shaft was given a share of its last units, and rounded to none:
// the pool stood beside it as a wall, for ever.
TEST(HydroLevels, TheLastUnitsOfAShaftAreFilledFromAllSidesAtOnce) {
  for (const bool solid : {false, true}) {
    for (const std::int32_t wide : {5, 9}) {
      for (std::int32_t shaft = 1; shaft <= 3; ++shaft) {
        for (std::int32_t left = 0; left < 4; ++left) {
          const auto world = pool_over_a_shaft(wide, shaft, left, solid);
          const std::int32_t z = solid ? wide / 2 : 0;
          const std::int64_t sill = std::int64_t{shaft} * kFull;
          const std::int64_t middle = water_in_column(*world, wide / 2, z);
          const std::int64_t beside = sill + water_in_column(*world, wide / 2 - 1, z);
          EXPECT_LE(std::abs(std::max(middle, sill) - beside), solid ? 3 : 1)
              << "a shaft of " << shaft << " in a pool of " << wide << ", " << left
              << (solid ? ", in 3D" : "");
        }
      }
    }
  }
}

TEST(HydroLevels, RisesThroughATunnelUpIntoARoom) {
  // The room lies above the tunnel's far end, lower than the pond.
  auto world = make_world(drawn_spec(
      sim::WaterModel::kHydro, {{"#~~#########", "#~~#########", "#~~#########", "#~~#########",
                                 "#~~#########", "#~~#########", "#~~#...#####", "#~~##.######",
                                 "#~~##.######", "#......#####", "############"}}));
  EXPECT_LE(ticks_to_rest(*world, 2000), 2000);
  for (const Vec3 at : {Vec3{5, 2, 0}, {5, 3, 0}, {4, 4, 0}, {6, 4, 0}}) {
    EXPECT_EQ(world->cell(at), kFull);
  }
}

// ---- Falling

TEST(HydroFalls, FasterByAQuarterOfACellEachTickUpToFourCells) {
  WorldSpec spec = hydro_box({1, 101, 1});
  fill(spec, {0, 100, 0}, {1, 1, 1}, kFull);
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  const auto middle = [&] {
    std::int64_t sum = 0;
    for (std::int32_t y = 0; y <= 100; ++y) sum += std::int64_t{world->cell({0, y, 0})} * y;
    return static_cast<double>(sum) / kFull;
  };
  double fallen = 0;
  double speed = 0;
  for (int t = 1; t <= 26; ++t) {
    (void)world->tick({}, serial);
    speed = std::min(speed + 0.25, 4.0);
    fallen += speed;
    EXPECT_NEAR(middle(), 100 - fallen, 1.0) << t;
  }
}

TEST(HydroFalls, OverALedgeInOneStrandWithoutAGap) {
  WorldSpec spec = hydro_box({40, 60, 1});
  fill(spec, {0, 0, 0}, {20, 50, 1}, kRock);
  spec.sources.push_back({{0, 50, 0}, 2048});
  spec.drains.push_back({{39, 0, 0}, 4096});
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int t = 0; t < 400; ++t) (void)world->tick({}, serial);
  for (int t = 0; t < 50; ++t) {
    (void)world->tick({}, serial);
    for (std::int32_t y = 0; y < 50; ++y) {
      EXPECT_GT(world->cell({20, y, 0}), 0)
          << "gap at " << y << " in tick " << world->tick_number();
    }
  }
}

TEST(HydroFalls, ThroughAnOpenBottomItIsGone) {
  WorldSpec spec = hydro_box({4, 20, 1});
  spec.config.edges.bottom = sim::Edge::kOpen;
  fill(spec, {0, 10, 0}, {4, 5, 1}, kFull);
  auto world = make_world(spec);
  EXPECT_LE(ticks_to_rest(*world, 100), 100);
  EXPECT_EQ(world->totals().drained, 20 * kFull);
}

// ---- Flowing

TEST(HydroFlows, OutOfAHoleByTheRootOfItsDepth) {
  std::vector<double> factors;
  for (const int depth : {4, 8, 16, 32, 64}) {
    // A reservoir of 300 columns; the hole, one cell high, 20 cells over the floor beside it.
    WorldSpec spec = hydro_box({362, 100, 1});
    fill(spec, {60, 0, 0}, {302, 20, 1}, kRock);
    fill(spec, {60, 21, 0}, {1, 79, 1}, kRock);
    fill(spec, {61, 20, 0}, {301, depth + 1, 1}, kFull);
    auto world = make_world(spec);
    sim::SerialExecutor serial;
    const auto held = [&] {
      std::int64_t units = 0;
      for (std::int32_t x = 61; x < 362; ++x) units += water_in_column(*world, x);
      return static_cast<double>(units) / kFull;
    };
    for (int t = 0; t < 300; ++t) (void)world->tick({}, serial);
    const double before = held();
    for (int t = 0; t < 100; ++t) (void)world->tick({}, serial);
    const double after = held();
    const double head = (before + after) / 2 / 301 - 0.5;
    factors.push_back((before - after) / 100 / std::sqrt(head));
  }
  for (const double factor : factors) EXPECT_NEAR(factor / factors[2], 1, 0.05);
}

TEST(HydroFlows, ABreachWakesItsOwnBodyAlone) {
  // Two lakes with rock between them, each over a cave.
  WorldSpec spec = hydro_box({200, 64, 1});
  fill(spec, {0, 0, 0}, {200, 30, 1}, kRock);
  fill(spec, {0, 30, 0}, {95, 20, 1}, kFull);
  fill(spec, {95, 30, 0}, {10, 34, 1}, kRock);
  fill(spec, {105, 30, 0}, {95, 20, 1}, kFull);
  fill(spec, {20, 10, 0}, {30, 10, 1}, kAir);
  auto world = make_world(spec);
  ASSERT_LE(ticks_to_rest(*world, 10), 10);
  sim::SerialExecutor serial;
  const std::vector<sim::Command> dig = {{sim::SetCells{{30, 20, 0}, {1, 10, 1}, kAir}}};
  std::int64_t most = world->tick(dig, serial).cell_updates;
  for (int t = 0; t < 300; ++t) most = std::max(most, world->tick({}, serial).cell_updates);
  EXPECT_LE(most, 95 + 30 + 2) << "runs of the lake on the left, of the cave, and the shaft";
  EXPECT_GT(world->cell({30, 10, 0}), 0);
}

// Also in the world's width and height: cells and runs looked at, not time.
TEST(HydroFlows, ADigCostsTheSameInASmallWorldAndInALargeOne) {
  std::vector<std::int64_t> updates;
  for (const std::int32_t side : {100, 1000}) {
    WorldSpec spec = hydro_box({side, side, 1});
    fill(spec, {0, 0, 0}, {side, side, 1}, kRock);
    fill(spec, {10, 10, 0}, {20, 20, 1}, kAir);
    fill(spec, {10, 10, 0}, {20, 10, 1}, kFull);
    fill(spec, {40, 0, 0}, {side - 40, side / 2, 1}, kFull);
    auto world = make_world(spec);
    ASSERT_LE(ticks_to_rest(*world, 10), 10);
    sim::SerialExecutor serial;
    const std::vector<sim::Command> dig = {{sim::SetCells{{30, 15, 0}, {1, 1, 1}, kAir}}};
    updates.push_back(world->tick(dig, serial).cell_updates);
  }
  EXPECT_EQ(updates[0], updates[1]);
}

// ---- Workers

/// Enough runs for several pieces: hills on a sea over an uneven bed, with a cave full of water
/// below and a fall into a pit.
WorldSpec wide_world(Vec3 size) {
  WorldSpec spec = hydro_box(size);
  const std::int32_t depth = size.z;
  fill(spec, {0, 0, 0}, {size.x, 8, depth}, kRock);
  fill(spec, {1, 2, 0}, {size.x - 2, 2, depth}, kFull);
  fill(spec, {size.x / 2, 2, 0}, {1, 30, std::min(2, depth)}, kFull);
  fill(spec, {0, 8, 0}, {size.x, 4, depth}, kFull);
  for (std::int32_t x = 3; x + 2 < size.x; x += 17) {
    fill(spec, {x, 8, 0}, {2, 1 + x % 5, depth}, kRock);
  }
  for (std::int32_t x = 0; x + 20 < size.x; x += 50) {
    fill(spec, {x, 12, 0}, {20, 5 + x % 7, depth}, kFull);
  }
  fill(spec, {size.x / 3, 0, 0}, {4, 8, depth}, kAir);
  return spec;
}

TEST(HydroWorkers, ShareLargeWorldsAndChangeNothing) {
  for (const Vec3 size : {Vec3{12'000, 40, 1}, Vec3{90, 40, 90}}) {
    auto plain = make_world(wide_world(size));
    auto shared = make_world(wide_world(size));
    sim::SerialExecutor serial;
    workers::ThreadPool pool(3);
    workers::ShuffledExecutor any_order(pool, 7);
    for (int t = 0; t < 25; ++t) {
      const sim::TickReport report = plain->tick({}, serial);
      ASSERT_GT(report.cell_updates, 8192);
      ASSERT_EQ(shared->tick({}, any_order).digest, report.digest) << t;
    }
    EXPECT_EQ(plain->digest(), plain->recompute_digest());
    EXPECT_EQ(through_a_snapshot(*shared)->digest(), plain->digest());
  }
}

// ---- State

// Once each changed column was read up to the top of the world, stored or not.
TEST(HydroColumns, WhatAChangeCostsDoesNotGrowWithTheHeightOfTheWorld) {
  const auto steps_in = [](std::int32_t height) {
    sim::WorldConfig config;
    config.size = {200, height, 1};
    config.water = sim::WaterModel::kHydro;
    sim::Grid grid(config);
    sim::HydroState state;
    sim::hydro::Columns columns(config);
    grid.add_to_cell({5, 0, 0}, kFull);
    columns.build(grid, state);
    (void)grid.take_changed();
    const std::int64_t before = columns.steps();
    // A pour as high as the lower world is, rock, and water that is seen again.
    grid.add_to_cell({5, 250, 0}, 1);
    grid.add_to_cell({9, 250, 0}, kRock);
    std::vector<std::int32_t> woken;
    columns.repair(woken);
    EXPECT_FALSE(woken.empty());
    for (const std::int32_t id : woken) columns.show(columns.run(id));
    EXPECT_EQ(grid.cell({5, 250, 0}), 1);
    return columns.steps() - before;
  };
  const std::int64_t low = steps_in(256);
  EXPECT_EQ(steps_in(kMaxSide), low);
  EXPECT_LT(low, 64 * 64 * 8);
}

// The same where the water stands high, over a floor that is far above the world's.
TEST(HydroColumns, WhatIsShownCostsDoesNotGrowWithTheHeightOfTheWorld) {
  const auto steps_at = [](std::int32_t y) {
    sim::WorldConfig config;
    config.size = {64, kMaxSide, 1};
    config.water = sim::WaterModel::kHydro;
    sim::Grid grid(config);
    sim::HydroState state;
    sim::hydro::Columns columns(config);
    grid.add_to_cell({5, y, 0}, 7);
    columns.build(grid, state);
    const std::int64_t before = columns.steps();
    grid.add_to_cell({5, y, 0}, 1);
    std::vector<std::int32_t> woken;
    columns.repair(woken);
    for (const std::int32_t id : woken) columns.show(columns.run(id));
    EXPECT_EQ(grid.cell({5, y, 0}), 8);
    return columns.steps() - before;
  };
  EXPECT_EQ(steps_at(kMaxSide - 10), steps_at(640 - 10));
}

// Beside falling water there were columns after a restore alone: the wall was an event only there.
TEST(HydroState, AWallBesideFallingWaterIsTheSameAfterARestore) {
  for (const bool solid : {false, true}) {
    const std::int32_t border = solid ? 16 : 64;  // a chunk's side
    const std::int32_t z = solid ? 3 : 0;
    auto world = make_world(hydro_box({2 * border, 60, solid ? 2 * border : 1}));
    sim::SerialExecutor serial;
    (void)world->tick(std::vector<sim::Command>{{sim::Pour{{border - 1, 50, z}, 3000}}}, serial);
    for (int t = 0; t < 3; ++t) (void)world->tick({}, serial);
    auto restored = through_a_snapshot(*world);
    const std::vector<sim::Command> wall = {{sim::SetCells{{border, 10, z}, {1, 3, 1}, kRock}}};
    for (int t = 0; t < 60; ++t) {
      (void)world->tick(t == 0 ? wall : std::vector<sim::Command>{}, serial);
      (void)restored->tick(t == 0 ? wall : std::vector<sim::Command>{}, serial);
      ASSERT_EQ(world->digest(), restored->digest()) << t;
    }
  }
}

TEST(HydroState, MotionThatNoWorldCanHoldIsRefused) {
  WorldSpec spec = hydro_box({8, 8, 1});
  fill(spec, {0, 0, 0}, {2, 6, 1}, kFull);
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int t = 0; t < 5; ++t) (void)world->tick({}, serial);
  EXPECT_FALSE(world->core().water.as<sim::HydroState>().links_x.empty());
  auto restored = through_a_snapshot(*world);
  EXPECT_EQ(restored->digest(), world->digest());

  const auto accepts = [&](const auto& change) {
    sim::HydroState state = world->core().water.as<sim::HydroState>();
    change(state);
    return sim::validate(state, world->config()).ok();
  };
  using sim::HydroState;
  EXPECT_TRUE(accepts([](HydroState&) {}));
  for (const sim::HydroRunState run : {sim::HydroRunState{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}) {
    EXPECT_FALSE(accepts([&](HydroState& state) { state.runs.add({0, 0, 0}, 0, -1, run); }));
  }
  EXPECT_FALSE(accepts([](HydroState& state) { state.runs.add({8, 0, 0}, 0, -1, {1, 0, 0}); }));
  for (const std::int32_t speed : {0, -1, sim::hydro::kFallFastest + 1}) {
    EXPECT_FALSE(accepts([&](HydroState& state) { state.falls.add({0, 7, 0}, 0, -1, {speed}); }));
  }
  for (const std::int64_t flow : {sim::hydro::kMostFlow + 1, -sim::hydro::kMostFlow - 1}) {
    EXPECT_FALSE(accepts([&](HydroState& state) {
      state.links_x.add({0, 0, 0}, 0, -1, {flow, 0});
    }));
  }
  EXPECT_FALSE(accepts([](HydroState& state) {
    state.links_z.add({0, 0, 0}, 0, -1, {0, 1 << 16});
  }));
}

}  // namespace
}  // namespace sluice::tests::hydro_test
