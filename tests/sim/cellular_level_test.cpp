// Goal: cellular water at rest stands at one head, through whatever joins it, as cellular.md says.
// Method: drawn vessels; and worlds drawn by rapidcheck (which prints the seed of a failure), left
// to lie still by the sweeps alone and then levelled in two ways that must agree.
#include <functional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/heat/field.h"
#include "server/sim/models/cellular/level.h"
#include "server/sim/tracers/field.h"
#include "server/sim/world.h"
#include "server/workers/thread_pool.h"
#include "tests/support/drawn_world.h"
#include "tests/support/mirror.h"
#include "tests/support/one_head.h"
#include "tests/support/random_world.h"
#include "tests/support/reference_water.h"
#include "tests/support/through_a_snapshot.h"
#include "tests/support/world_access.h"

namespace sluice::tests::cellular_level_test {
namespace {

using sim::World;
using sim::WorldSpec;

constexpr auto kCellular = sim::WaterModel::kCellular;
constexpr auto kCellsLayer = static_cast<std::size_t>(sim::Layer::kCells);

template <class F>
void for_each_cell(Vec3 size, F&& f) {
  for (std::int32_t z = 0; z < size.z; ++z) {
    for (std::int32_t y = 0; y < size.y; ++y) {
      for (std::int32_t x = 0; x < size.x; ++x) f(Vec3{x, y, z});
    }
  }
}

/// Whether it came to rest.
bool rest(World& world, int most) {
  sim::SerialExecutor serial;
  for (int t = 0; t < most; ++t) {
    if (world.tick({}, serial).at_rest) return true;
  }
  return false;
}

std::int64_t water_in(const World& world) {
  std::int64_t sum = 0;
  for_each_cell(world.config().size, [&](Vec3 p) { sum += water_of(world.cell(p)); });
  return sum;
}

/// The level of the surface over a column, in units above the floor of the world.
std::int64_t surface(const World& world, std::int32_t x, std::int32_t z = 0) {
  for (std::int32_t y = world.config().size.y - 1; y >= 0; --y) {
    const Cell cell = world.cell({x, y, z});
    if (water_of(cell) > 0) return std::int64_t{y} * kFull + cell;
  }
  return 0;
}

WorldSpec quick(WorldSpec spec) {
  spec.config.options["max_sweeps"] = 64;
  spec.config.options["smallest_flow"] = 0;
  return spec;
}

/// Two shafts, three cells wide, whose feet a tunnel joins that is one cell high.
WorldSpec vessel(std::int32_t wide, std::int32_t left, std::int32_t right) {
  WorldSpec spec;
  const std::int32_t high = std::max(left, right) + 4;
  spec.config.size = {wide, high, 1};
  spec.fills.push_back({{{0, 0, 0}, spec.config.size}, kRock});
  spec.fills.push_back({{{1, 1, 0}, {wide - 2, 1, 1}}, kFull});
  for (const auto& [x, depth] : {std::pair{1, left}, std::pair{wide - 4, right}}) {
    spec.fills.push_back({{{x, 1, 0}, {3, high - 2, 1}}, kAir});
    spec.fills.push_back({{{x, 1, 0}, {3, depth, 1}}, kFull});
  }
  return quick(spec);
}

TEST(CellularLevel, TheArmsOfALongVesselEndAtOneHead) {
  const auto world = make_world(vessel(200, 30, 6));
  const std::int64_t units = water_in(*world);
  ASSERT_TRUE(rest(*world, 100'000));
  EXPECT_EQ(not_at_one_head(*world), "");
  EXPECT_LE(std::abs(surface(*world, 1) - surface(*world, 198)), 1);
  EXPECT_EQ(water_in(*world), units);
}

TEST(CellularLevel, ALongPondIsFlatToAUnit) {
  WorldSpec spec;
  spec.config.size = {600, 4, 1};
  for (std::int32_t x = 0; x < 600; ++x) spec.cells.push_back({{x, 0, 0}, 100 + x});
  const auto world = make_world(spec);
  ASSERT_TRUE(rest(*world, 50));
  // 600 times 399.5: those who had a unit more keep it.
  for (std::int32_t x = 0; x < 600; ++x) {
    ASSERT_EQ(world->cell({x, 0, 0}), x < 300 ? 399 : 400) << x;
  }
}

// A slope of a unit a cell, which no face passes on: 31 cells are levelled by who may look at 31.
TEST(CellularLevel, ABodyOfMoreThanTheMostCellsIsLeftAsItIs) {
  WorldSpec spec;
  spec.config.size = {31, 3, 1};
  for (std::int32_t x = 0; x < 31; ++x) spec.cells.push_back({{x, 0, 0}, 1000 + x});
  const sim::CellularRule rule = sim::prepare(spec.config);
  const auto slope_after = [&](std::int64_t most_cells) {
    auto world = make_world(spec);
    sim::Grid& grid = sim::WorldTestAccess::grid(*world);
    const sim::ChunkPart all = {{0, 0, 0}, sim::whole_chunk(grid.shape())};
    sim::Leveller(rule, most_cells).level({&all, 1}, grid, nullptr);
    return world->cell({30, 0, 0}) - world->cell({0, 0, 0});
  };
  EXPECT_EQ(slope_after(30), 30);
  EXPECT_EQ(slope_after(31), 0);
}

TEST(CellularLevel, ACombIsLevelInAllItsTeeth) {
  const Drawing comb = {"##########################", "#~#.#.#.#~#.#.#.#.#.#.#.#~",
                        "#~#.#.#.#~#.#.#.#.#.#.#.#~", "#~#.#.#.#~#.#.#.#.#.#.#.#~",
                        "#~#.#.#.#~#.#.#.#.#.#.#.#~", "#~#.#.#.#~#.#.#.#.#.#.#.#~",
                        "#~~~~~~~~~~~~~~~~~~~~~~~~~", "##########################"};
  const auto world = make_world(quick(drawn_spec(kCellular, {comb})));
  ASSERT_TRUE(rest(*world, 50'000));
  EXPECT_EQ(not_at_one_head(*world), "");
  for (std::int32_t x = 1; x < 26; x += 2) {
    EXPECT_LE(std::abs(surface(*world, x) - surface(*world, 1)), 1) << x;
  }
}

TEST(CellularLevel, APassageRoundACornerIn3DIsLevel) {
  WorldSpec spec;
  spec.config.size = {20, 12, 20};
  spec.fills.push_back({{{0, 0, 0}, spec.config.size}, kRock});
  for (const Box& part : {Box{{1, 1, 1}, {18, 1, 1}}, Box{{18, 1, 1}, {1, 1, 18}},
                          Box{{1, 1, 18}, {18, 1, 1}}, Box{{1, 1, 1}, {1, 1, 18}}}) {
    spec.fills.push_back({part, kFull});
  }
  spec.fills.push_back({{{1, 2, 1}, {1, 9, 1}}, kFull});
  spec.fills.push_back({{{18, 2, 18}, {1, 9, 1}}, kAir});
  spec.fills.push_back({{{1, 2, 18}, {1, 9, 1}}, kAir});
  const auto world = make_world(quick(spec));
  ASSERT_TRUE(rest(*world, 50'000));
  EXPECT_EQ(not_at_one_head(*world), "");
  EXPECT_LE(std::abs(surface(*world, 1, 1) - surface(*world, 18, 18)), 3);
  EXPECT_LE(std::abs(surface(*world, 1, 18) - surface(*world, 18, 18)), 3);
}

// It runs over into the basin beside it, and what is left stands at the sill on both sides.
TEST(CellularLevel, WhatRisesOverASillRunsOut) {
  WorldSpec spec = vessel(120, 20, 7);
  spec.fills.push_back({{{100, 8, 0}, {17, 1, 1}}, kAir});
  spec.fills.push_back({{{90, 3, 0}, {11, 6, 1}}, kAir});
  const auto world = make_world(spec);
  ASSERT_TRUE(rest(*world, 100'000));
  EXPECT_EQ(not_at_one_head(*world), "");
  EXPECT_GT(water_of(world->cell({95, 3, 0})), 0);
  const std::int64_t sill = 8 * kFull;
  EXPECT_NEAR(static_cast<double>(surface(*world, 1) - sill), 0, 110);
}

TEST(CellularLevel, ClosedChambersBearTheHeadOfTheShaft) {
  const Drawing chambers = {"###########", "#~#########", "#~##...####", "#~##...#T~#",
                            "#~##...#~~#", "#~~~~~~~~~#", "###########"};
  WorldSpec spec = drawn_spec(kCellular, {chambers});
  for (sim::PlacedCell& placed : spec.cells) {
    if (placed.cell > kFull) placed.cell = kTrappedAir;
  }
  const auto world = make_world(quick(spec));
  ASSERT_EQ(world->cell({8, 3, 0}), kTrappedAir);
  ASSERT_TRUE(rest(*world, 10'000));
  EXPECT_EQ(not_at_one_head(*world), "");
  // What is roofed at one height bears one pressure, whatever roofs it.
  EXPECT_EQ(world->cell({8, 2, 0}), world->cell({9, 2, 0}));
}

TEST(CellularLevel, UniformWaterKeepsWhatItsRuleKeeps) {
  WorldSpec spec = vessel(40, 12, 6);
  spec.config.options["compression"] = 1;
  const auto world = make_world(spec);
  ASSERT_TRUE(rest(*world, 20'000));
  EXPECT_GT(surface(*world, 1) - surface(*world, 38), kFull);
}

TEST(CellularLevel, DyeGoesWithTheWaterThatIsLevelled) {
  WorldSpec spec;
  spec.config.size = {300, 4, 1};
  for (std::int32_t x = 0; x < 300; ++x) spec.cells.push_back({{x, 0, 0}, 1000 + x});
  sim::TracerOptions dye;
  dye.name = "dye";
  dye.kind = sim::TracerKind::kDye;
  spec.tracers.push_back(dye);
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  sim::MixedPour pour;
  pour.at = {299, 0, 0};
  pour.units = 1;
  pour.tracer = sim::TracerAmounts{{"dye", 1 << 20}};
  (void)world->tick(std::vector<sim::Command>{{pour}}, serial);
  (void)rest(*world, 1000);
  const sim::Tracer& tracer = world->core().tracers.tracers[0];
  EXPECT_TRUE(tracer.totals.balanced());
  EXPECT_LT(tracer.totals.out, 1000);  // crumbs
  EXPECT_EQ(world->carried()->unexplained_units(), 0);
  EXPECT_EQ(not_at_one_head(*world), "");
  // The low end was given some of what the high one gave.
  EXPECT_GT(sim::amount_at(tracer.pages, world->config().shape(), {0, 0, 0}), 0);
}

// No warmth comes 300 cells far in a tick but with the water that is levelled.
TEST(CellularLevel, HeatGoesWithTheWaterThatIsLevelled) {
  WorldSpec spec;
  spec.config.size = {300, 4, 1};
  for (std::int32_t x = 0; x < 300; ++x) spec.cells.push_back({{x, 0, 0}, 1000 + x});
  spec.heat.on = true;
  spec.heat.options.water = spec.heat.air = 10 * sim::kDegree;
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  (void)world->tick(
      std::vector<sim::Command>{{sim::AddHeater{{299, 0, 0}, 5 * kFull * sim::kDegree}}}, serial);
  EXPECT_EQ(not_at_one_head(*world), "");
  EXPECT_TRUE(world->core().heat.totals.balanced());
  EXPECT_EQ(world->carried()->unexplained_units(), 0);
  const auto degrees = [&](std::int32_t x) {
    return sim::temperature_at(world->core().heat, world->grid(), {x, 0, 0});
  };
  EXPECT_GT(degrees(0), 10 * sim::kDegree);
  EXPECT_EQ(degrees(200), 10 * sim::kDegree) << "it gave, and got nothing";
}

/// A world that sweeps alone bring to rest before it is levelled in its first tick.
WorldSpec still_world(std::uint64_t seed, bool solid, bool edges = true) {
  WorldSpec spec = random_world(seed, {.solid = solid,
                                       .edges = edges,
                                       .springs = false,
                                       .side = solid ? 40 : 30,
                                       .pipes = Pipes::kNone});
  Dice dice(seed ^ 0x57111U);
  spec.config.options["compression"] = dice.chance(5) ? 1 : 0;
  // Small pressures keep much.
  spec.config.options["compressed_max"] = kFull + (dice.chance(50) ? 41 : dice.roll(0, 512));
  // As many sweeps as there can be until the next levelling.
  spec.config.options["smallest_flow"] = 0;
  spec.config.options["max_sweeps"] = 1024;
  const auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (std::uint64_t t = 1; t <= sim::kLevelEvery; ++t) (void)world->tick({}, serial);
  spec.fills.clear();
  for_each_cell(spec.config.size, [&](Vec3 p) {
    if (world->cell(p) != kAir) spec.cells.push_back({p, world->cell(p)});
  });
  spec.config.options["max_sweeps"] = dice.roll(1, 6);
  return spec;
}

RC_GTEST_PROP(CellularLevel, EqualsThePlainReference, (std::uint64_t seed, bool solid)) {
  const auto world = make_world(still_world(seed, solid));
  ReferenceWater reference(*world);
  sim::SerialExecutor serial;
  for (int t = 0; t < 34; ++t) {
    (void)world->tick({}, serial);
    (void)reference.advance();
    for_each_cell(world->config().size, [&](Vec3 p) {
      if (world->cell(p) == reference.cell(p)) return;
      RC_FAIL("tick " + std::to_string(t + 1) + ", cell " + to_string(p) + ": " +
              std::to_string(world->cell(p)) + ", not " + std::to_string(reference.cell(p)));
    });
  }
}

RC_GTEST_PROP(CellularLevel, AtRestEveryBodyStandsAtOneHead, (std::uint64_t seed, bool solid)) {
  WorldSpec spec = still_world(seed, solid);
  spec = quick(spec);
  const auto world = make_world(spec);
  const std::int64_t units = water_in(*world);
  RC_ASSERT(rest(*world, 60'000));
  RC_ASSERT(not_at_one_head(*world) == "");
  RC_ASSERT(water_in(*world) + world->totals().drained == units);
  RC_ASSERT(world->digest() == world->recompute_digest());
  // Nothing that rests is levelled again, even where all is looked at.
  const sim::Digest cells = world->layer_digests()[kCellsLayer];
  world->set_run_options({.sleep = false});
  sim::SerialExecutor serial;
  for (int t = 0; t < 17; ++t) {
    RC_ASSERT(world->tick({}, serial).at_rest);
    RC_ASSERT(world->layer_digests()[kCellsLayer] == cells);
  }
}

RC_GTEST_PROP(CellularLevel, AMirrorChangesNothing, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = still_world(seed, solid);
  Dice dice(seed);
  const bool turns = solid && spec.config.size.x > 1;  // else the image is a side view
  const Mirror mirror{solid ? dice.roll(1, turns ? 7 : 3) : 1, spec.config.size};
  const auto world = make_world(spec);
  const auto image = make_world(mirror(spec));
  sim::SerialExecutor serial;
  for (int t = 0; t < 20; ++t) {
    (void)world->tick({}, serial);
    (void)image->tick({}, serial);
    for_each_cell(spec.config.size,
                  [&](Vec3 p) { RC_ASSERT(world->cell(p) == image->cell(mirror(p))); });
  }
}

// What is symmetric stays so: units that fit nowhere else are not put on a side.
RC_GTEST_PROP(CellularLevel, ASymmetricWorldStaysSymmetric, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  WorldSpec spec;
  const std::int32_t wide = dice.roll(2, solid ? 7 : 60);
  spec.config.size = {wide, dice.roll(2, 12), solid ? wide : 1};
  spec = quick(spec);
  // Each box with all its images.
  for (std::int32_t i = dice.roll(1, 12); i > 0; --i) {
    const Box box = random_box(dice, spec.config.size, wide);
    const Cell cell = dice.chance(40) ? kRock : dice.roll(0, 3 * kFull);
    for (int bits = 0; bits < (solid ? 8 : 2); ++bits) {
      spec.fills.push_back({Mirror{bits, spec.config.size}(box), cell});
    }
  }
  const auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int t = 0; t < 300; ++t) {
    (void)world->tick({}, serial);
    if (t % 20 != 0) continue;
    for (int bits = 1; bits < (solid ? 8 : 2); ++bits) {
      const Mirror mirror{bits, spec.config.size};
      for_each_cell(spec.config.size,
                    [&](Vec3 p) { RC_ASSERT(world->cell(p) == world->cell(mirror(p))); });
    }
  }
}

RC_GTEST_PROP(CellularLevel, APlaceElsewhereChangesNothing, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = still_world(seed, solid, false);
  Dice dice(seed);
  const Vec3 size = spec.config.size;
  const std::int32_t x = dice.roll(1, 70);
  const std::int32_t y = dice.roll(1, 70);
  const Vec3 offset = {x, y, solid ? dice.roll(1, 20) : 0};
  const Vec3 shell = {1, 1, solid ? 1 : 0};
  WorldSpec shifted = spec;
  shifted.config.size = size + offset + shell;
  shifted.fills = {{{offset - shell, size + shell + shell}, kRock}, {{offset, size}, kAir}};
  for (sim::PlacedCell& placed : shifted.cells) placed.at = placed.at + offset;
  const auto world = make_world(spec);
  const auto elsewhere = make_world(shifted);
  sim::SerialExecutor serial;
  for (int t = 0; t < 20; ++t) {
    (void)world->tick({}, serial);
    (void)elsewhere->tick({}, serial);
    for_each_cell(size, [&](Vec3 p) { RC_ASSERT(world->cell(p) == elsewhere->cell(p + offset)); });
  }
}

// Each of four runs of one history: asleep where nothing moves, all awake, by many workers, and
// restored again and again.
RC_GTEST_PROP(CellularLevel, HowItIsRunChangesNothing, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = still_world(seed, solid);
  const Script script = random_script(seed, spec.config.size, 30, Pipes::kNone);
  auto world = make_world(spec);
  auto awake = make_world(spec);
  auto shuffled = make_world(spec);
  auto restored = make_world(spec);
  awake->set_run_options({.sleep = false});
  sim::SerialExecutor serial;
  workers::ThreadPool pool(3);
  workers::ShuffledExecutor any_order(pool, seed);
  Dice dice(seed);
  for (std::size_t t = 0; t < 2 * script.size(); ++t) {
    // Now and then somebody interferes.
    const bool calm = t % 2 == 1 || dice.chance(60);
    const std::vector<sim::Command> commands = calm ? std::vector<sim::Command>{} : script[t / 2];
    if (dice.chance(30)) restored = through_a_snapshot(*restored);
    const sim::TickReport report = world->tick(commands, serial);
    for (World* other : {awake.get(), restored.get()}) {
      const sim::TickReport same = other->tick(commands, serial);
      RC_ASSERT(same.digest == report.digest);
      RC_ASSERT(same.at_rest == report.at_rest);
    }
    RC_ASSERT(shuffled->tick(commands, any_order).digest == report.digest);
  }
}

}  // namespace
}  // namespace sluice::tests::cellular_level_test
