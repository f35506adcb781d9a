// Goal: ice floats, or holds to what is solid, as heat.md says.
// Method: drawn worlds in which one rule is seen at a time, in every water model; the search for
// floes with limits of a few cells.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/sim/heat/field.h"
#include "server/sim/heat/floes.h"
#include "tests/support/frozen_scene.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::floating_test {
namespace {

using sim::World;

/// Runs until nothing moves; the number of ticks, or -1.
int rest(World& world, int most = 4000) {
  sim::SerialExecutor serial;
  for (int t = 1; t <= most; ++t) {
    if (world.tick({}, serial).at_rest) return t;
  }
  return -1;
}

void give(World& world, const std::vector<sim::Command>& commands) {
  sim::SerialExecutor serial;
  for (const sim::CommandOutcome& outcome : world.tick(commands, serial).outcomes) {
    EXPECT_EQ(outcome.reason, "");
  }
}

/// Lowest and highest cell of ice.
struct Extent {
  std::int32_t low = INT32_MAX;
  std::int32_t high = INT32_MIN;
};
Extent ice_of_world(const World& world) {
  Extent extent;
  const Vec3 size = world.config().size;
  for (std::int32_t z = 0; z < size.z; ++z) {
    for (std::int32_t y = 0; y < size.y; ++y) {
      for (std::int32_t x = 0; x < size.x; ++x) {
        if (!is_ice(world.cell({x, y, z}))) continue;
        extent.low = std::min(extent.low, y);
        extent.high = std::max(extent.high, y);
      }
    }
  }
  return extent;
}

/// The first cell of a column of a side view that is less than half full.
std::int32_t level_at(const World& world, std::int32_t x) {
  std::int32_t y = 1;
  while (world.cell({x, y, 0}) >= kFull / 2) ++y;
  return y;
}

TEST(Floating, WithoutTheOptionIceHoldsInTheAir) {
  FrozenScene scene = frozen_scene(sim::WaterModel::kHydro, {{"#.I.#", "#...#", "#####"}});
  scene.spec.heat.options.floating = false;
  auto world = make_frozen(scene);
  EXPECT_GE(rest(*world), 0);
  EXPECT_EQ(frozen_drawing(*world), (Drawing{"#.i.#", "#...#", "#####"}));
}

TEST(Floating, AFloeFallsThroughAirACellATickAndHoldsToTheGround) {
  for (const sim::WaterModel model : every_water()) {
    auto world =
        make_frozen(frozen_scene(model, {{"#....#", "#.II.#", "#....#", "#....#", "######"}}));
    EXPECT_EQ(frozen_drawing(*world), (Drawing{"#....#", "#....#", "#.ii.#", "#....#", "######"}));
    EXPECT_GE(rest(*world), 0);
    EXPECT_EQ(frozen_drawing(*world), (Drawing{"#....#", "#....#", "#....#", "#.ii.#", "######"}));
  }
}

TEST(Floating, WhatTouchesRockHolds) {
  const std::vector<Drawing> held = {{"#....#", "#II..#", "#....#", "######"},
                                     {"######", "#.II.#", "#....#", "######"},
                                     {"#....#", "#.II.#", "#.#..#", "######"},
                                     {"#....#", "#..II#", "#..I.#", "######"}};
  for (const Drawing& drawing : held) {
    auto world = make_frozen(frozen_scene(sim::WaterModel::kHydro, {drawing}));
    EXPECT_GE(rest(*world), 0);
    Drawing expected = drawing;
    for (std::string& row : expected) std::replace(row.begin(), row.end(), 'I', 'i');
    EXPECT_EQ(frozen_drawing(*world), expected);
  }
}

TEST(Floating, ClosedEdgesHoldAndOpenOnesDoNot) {
  for (const bool open : {false, true}) {
    FrozenScene scene = frozen_scene(sim::WaterModel::kHydro, {{"II..", "....", "...."}});
    if (open) scene.spec.config.edges.left = sim::Edge::kOpen;
    if (open) scene.spec.config.edges.top = sim::Edge::kOpen;
    auto world = make_frozen(scene);
    EXPECT_GE(rest(*world), 0);
    EXPECT_EQ(ice_of_world(*world).low, open ? 0 : 2);
  }
  // It does not leave, and the open floor does not hold it.
  FrozenScene scene = frozen_scene(sim::WaterModel::kHydro, {{".II.", "....", "...."}});
  scene.spec.config.edges.bottom = sim::Edge::kOpen;
  scene.spec.config.edges.top = sim::Edge::kOpen;
  auto world = make_frozen(scene);
  EXPECT_GE(rest(*world), 0);
  EXPECT_EQ(ice_of_world(*world).low, 0);
  EXPECT_EQ(world->totals().drained, 0);
}

// Of a floe of four layers that weigh seven eighths of water each, 3.5 are under water: three or
// four whole ones.
TEST(Floating, AFloeThatFallsOnWaterSinksToItsDraughtAndRests) {
  const Drawing drawing = {"#............#", "#...iiii.....#", "#...iiii.....#", "#...iiii.....#",
                           "#...iiii.....#", "#............#", "#............#", "#~~~~~~~~~~~~#",
                           "#~~~~~~~~~~~~#", "#~~~~~~~~~~~~#", "#~~~~~~~~~~~~#", "#~~~~~~~~~~~~#",
                           "#~~~~~~~~~~~~#", "##############"};
  for (const sim::WaterModel model : every_water()) {
    SCOPED_TRACE(sim::find_water_model(model)->name);
    Drawing drawn = drawing;
    if (model == sim::WaterModel::kBlock) {
      for (std::string& row : drawn) std::replace(row.begin(), row.end(), 'i', 'I');
    }
    auto world = make_frozen(frozen_scene(model, {drawn}));
    const std::int64_t water = world->totals().water;
    EXPECT_GE(rest(*world, 20000), 0);
    // 72 cells of water and what the floe displaces stand 7 to 8 high.
    EXPECT_THAT(ice_of_world(*world).low, testing::AnyOf(4, 5));
    EXPECT_THAT(level_at(*world, 1) - ice_of_world(*world).low, testing::AnyOf(3, 4));
    EXPECT_EQ(world->totals().water, water);
    EXPECT_TRUE(world->core().heat.totals.balanced());
  }
}

/// Melts one cell, and makes it warm.
void melt(World& world, Vec3 at) {
  give(world, {{sim::AddHeater{at, 1 << 27}}});
  give(world, {{sim::RemoveHeater{at}}});
}

// What it moved sways for longer than it waits: it went down by water that had yet to come, and up
// again by water that had come back, for ever.
TEST(Floating, ALightFloeInATankDoesNotSwayWithItsWaterForEver) {
  Drawing drawing(18, "............");
  for (std::size_t row = 3; row < 6; ++row) drawing[row] = "......IIIII.";
  for (std::size_t row = 12; row < 18; ++row) drawing[row] = "~~~~~~~~~~~~";
  FrozenScene scene = frozen_scene(sim::WaterModel::kHydro, {drawing});
  scene.spec.config.edges.top = sim::Edge::kOpen;
  for (sim::PlacedCell& placed : scene.spec.cells) placed.cell = 1180;
  auto world = make_frozen(scene);
  EXPECT_GE(rest(*world, 16'500), 0);
  EXPECT_EQ(ice_of_world(*world).low, 5);
}

TEST(Floating, AFloeRisesWithTheWaterThatIsPouredIn) {
  for (const sim::WaterModel model : every_water()) {
    SCOPED_TRACE(sim::find_water_model(model)->name);
    auto world =
        make_frozen(frozen_scene(model, {{"#........#", "#........#", "#........#", "#........#",
                                          "#~~~II~~~#", "#~~~~~~~~#", "##########"}}));
    EXPECT_GE(rest(*world), 0);
    EXPECT_EQ(ice_of_world(*world).low, 2);
    for (int i = 0; i < 16; ++i) {
      const Vec3 at = {i % 2 == 0 ? 1 : 8, 5, 0};
      give(*world, {{sim::WarmPour{at, kFull, 10 * sim::kDegree}}});
      EXPECT_GE(rest(*world), 0);
    }
    EXPECT_EQ(ice_of_world(*world).low, 4);
  }
}

TEST(Floating, IceAcrossABasinFloatsOffWhenItsLastSideHasMelted) {
  for (const sim::WaterModel model : every_water()) {
    SCOPED_TRACE(sim::find_water_model(model)->name);
    auto world = make_frozen(
        frozen_scene(model, {{"#........#", "#........#", "#~~~~~~~~#", "#~~~~~~~~#", "#IIIIIIII#",
                              "#~~~~~~~~#", "#~~~~~~~~#", "##########"}}));
    EXPECT_GE(rest(*world), 0);
    for (const std::int32_t x : {1, 2, 7}) {
      melt(*world, {x, 3, 0});
      EXPECT_GE(rest(*world), 0);
      EXPECT_EQ(ice_of_world(*world).low, 3);
    }
    melt(*world, {8, 3, 0});
    EXPECT_GE(rest(*world), 0);
    // Cellular water is pressed together: its level lies lower.
    EXPECT_THAT(ice_of_world(*world).low, testing::AnyOf(4, 5));
  }
}

// Of heat.md: a floe of a layer of seven eighths on a wide lake.
TEST(Floating, TheWorkedExample) {
  auto world = make_frozen(frozen_scene(
      sim::WaterModel::kHydro, {{"#............................#", "#............iiii............#",
                                 "#~~~~~~~~~~~~~~~~~~~~~~~~~~~~#", "#~~~~~~~~~~~~~~~~~~~~~~~~~~~~#",
                                 "##############################"}}));
  sim::SerialExecutor serial;
  for (int t = 2; t <= 15; ++t) (void)world->tick({}, serial);
  EXPECT_EQ(ice_of_world(*world).low, 3);
  (void)world->tick({}, serial);
  EXPECT_EQ(ice_of_world(*world).low, 2);
  EXPECT_GE(rest(*world), 0);
  EXPECT_EQ(ice_of_world(*world).low, 2);
}

// At the water's level floes move in every 16th tick. Here both could move into the layer between
// them, which is half full.
TEST(Floating, OfTwoFloesTheOneThatFallsGoesFirst) {
  FrozenScene scene =
      frozen_scene(sim::WaterModel::kHydro,
                   {{"#............#", "#....II......#", "#~~~~~~~~~~~~#", "#~~~~1111~~~~#",
                     "#~~~~~~~~~~~~#", "#~~~~~~~~~~~~#", "##############"}});
  for (sim::Command& command : scene.first) {
    auto& pour = std::get<sim::WarmPour>(command.body);
    if (pour.at.y == 4) pour.units = kFull / 2;
  }
  const auto after_16_ticks = [&scene](bool alone) {
    FrozenScene one = scene;
    if (alone) std::erase_if(one.spec.cells, [](const auto& cell) { return cell.at.y == 5; });
    auto world = make_frozen(one);
    sim::SerialExecutor serial;
    for (int t = 2; t <= 15; ++t) (void)world->tick({}, serial);
    EXPECT_TRUE(is_ice(world->cell({5, 3, 0})));
    (void)world->tick({}, serial);
    return frozen_drawing(*world);
  };
  EXPECT_EQ(after_16_ticks(true)[2].substr(5, 4), "iiii");
  const Drawing both = after_16_ticks(false);
  EXPECT_EQ(both[2].substr(5, 2), "ii");
  EXPECT_NE(both[2][7], 'i');
  EXPECT_EQ(both[3].substr(5, 4), "iiii");
}

TEST(Floating, FloesOfThreeDimensionsFloatAsWell) {
  for (const sim::WaterModel model : every_water()) {
    SCOPED_TRACE(sim::find_water_model(model)->name);
    const Drawing rock = {"######", "######", "######", "######", "######", "######", "######"};
    const Drawing lake = {"######", "#....#", "#....#", "#~~~~#", "#~~~~#", "######"};
    const Drawing floe = {"######", "#....#", "#.II.#", "#....#", "#~~~~#", "#~~~~#", "######"};
    auto world = make_frozen(frozen_scene(model, {rock, lake, lake, floe, floe, lake, lake, rock}));
    EXPECT_GE(rest(*world), 0);
    const Extent ice = ice_of_world(*world);
    EXPECT_EQ(ice.high, ice.low);
    EXPECT_EQ(ice.low, 2);
  }
}

TEST(Floating, WaterEnergyAndTracersChangePlacesAndNothingElse) {
  FrozenScene scene = frozen_scene(sim::WaterModel::kCellular,
                                   {{"#....#", "#.Ii.#", "#....#", "#.~..#", "#.~..#", "######"}});
  sim::TracerOptions dye;
  dye.name = "red";
  scene.spec.tracers = {dye};
  auto world = make_world(scene.spec);
  scene.first.push_back({sim::DyedPour{{2, 3, 0}, 1024, {{"red", 512}}}});
  sim::SerialExecutor serial;
  (void)world->tick(scene.first, serial);
  const std::int64_t energy = world->core().heat.totals.now;
  const std::int64_t ice = sim::ice_in(world->core().heat, world->grid());
  EXPECT_GE(rest(*world), 0);
  EXPECT_EQ(world->core().heat.totals.now, energy);
  EXPECT_EQ(sim::ice_in(world->core().heat, world->grid()), ice);
  EXPECT_EQ(world->core().tracers.tracers[0].totals.now, 512);
  EXPECT_EQ(world->carried()->unexplained_units(), 0);
}

// One is found on a grid of its own, so that the limit can be any.
TEST(Floating, AFloeOfMoreCellsThanTheLimitHolds) {
  sim::WorldConfig config;
  config.name = "floe";
  config.size = {200, 80, 1};
  for (const std::int32_t limit : {1, 2, 4, 70, sim::kMostFloeCells}) {
    for (const std::int32_t cells : {limit, limit + 1}) {
      sim::Grid grid(config);
      sim::FloeField floes(config, limit);
      for (std::int32_t i = 0; i < cells; ++i) {
        put(grid, {40 + i % 100, 20 + i / 100, 0}, ice_of(kFull));
      }
      const std::vector<sim::FloeMove> moves = floes.look(1, grid, {});
      EXPECT_EQ(moves.empty(), cells > limit) << cells << " of " << limit;
      EXPECT_LE(floes.cells_searched(), 3 * limit + 3);
    }
  }
}

TEST(Floating, LongBentFloesHoldToo) {
  sim::WorldConfig config;
  config.name = "bent";
  config.size = {40, 200, 40};
  const auto falls = [&](std::int32_t tall) {
    sim::Grid grid(config);
    sim::FloeField floes(config, 100);
    for (std::int32_t i = 0; i < 30; ++i) put(grid, {5 + i, 10, 20}, ice_of(kFull));
    for (std::int32_t i = 1; i < tall; ++i) put(grid, {5, 10 + i, 20}, ice_of(kFull));
    return !floes.look(1, grid, {}).empty();
  };
  // 62 columns beside it, and 1,600 cells of those at the most: 25 layers, and one below and above.
  EXPECT_TRUE(falls(23));
  EXPECT_FALSE(falls(24));
}

// Of a lake's ice only what is near a change is looked at, and no more than the limit.
TEST(Floating, IceThatNothingChangesCostsNothing) {
  FrozenScene scene = frozen_scene(sim::WaterModel::kHydro, {{"#.#", "#.#", "###"}});
  scene.spec.config.size = {1000, 8, 1};
  scene.spec.cells.clear();
  scene.spec.fills = {{{{0, 0, 0}, {1000, 4, 1}}, kFull}};
  auto world = make_frozen(scene);
  EXPECT_GE(rest(*world), 0);
  const std::int64_t searched = world->heat()->floes().cells_searched();
  EXPECT_LE(searched, 4000);
  sim::SerialExecutor serial;
  for (int t = 0; t < 100; ++t) (void)world->tick({}, serial);
  EXPECT_EQ(world->heat()->floes().cells_searched(), searched);
  melt(*world, {500, 3, 0});
  EXPECT_GE(rest(*world), 0);
  EXPECT_GT(world->heat()->floes().cells_searched(), searched);
  EXPECT_LE(world->heat()->floes().cells_searched(), searched + 2 * sim::kMostFloeCells);
}

// A floe moves, and before it is looked at again one end of it melts and the other one grows: its
// cells are those of the look before, and yet it is another one.
TEST(Floating, IceThatIsWhatItWasBeforeItMovedIsLookedAt) {
  sim::WorldConfig config;
  config.name = "back";
  config.size = {9, 12, 1};
  sim::Grid grid(config);
  sim::FloeField floes(config);
  put(grid, {4, 8, 0}, ice_of(kFull));
  put(grid, {4, 7, 0}, ice_of(kFull));
  const std::vector<sim::FloeMove> moves = floes.look(1, grid, {});
  ASSERT_EQ(moves.size(), 1U);
  floes.moved(moves);
  const ChunkCoord chunk = {0, 0, 0};
  EXPECT_EQ(floes.look(2, grid, {&chunk, 1}).size(), 1U);
}

TEST(Floating, SteamIsMovedOutOfTheWay) {
  FrozenScene scene =
      frozen_scene(sim::WaterModel::kHydro, {{"#....#", "#.II.#", "#....#", "#....#", "######"}});
  scene.spec.heat.options.steam = true;
  auto world = make_frozen(scene);
  auto restored = through_a_snapshot(*world);
  EXPECT_EQ(restored->core().heat.options.steam, true);
  EXPECT_EQ(restored->core().heat.options.floating, true);
  give(*world, {{sim::WarmPour{{2, 1, 0}, kFull, 200 * sim::kDegree}}});
  EXPECT_GT(world->core().heat.steam.units(), 0);
  const std::int64_t evaporated = world->totals().evaporated;
  const std::int64_t energy = world->core().heat.totals.now;
  EXPECT_GE(rest(*world), 0);
  EXPECT_EQ(world->totals().evaporated, evaporated);
  EXPECT_EQ(world->core().heat.totals.now, energy);
  EXPECT_EQ(ice_of_world(*world).low, 1);
}

}  // namespace
}  // namespace sluice::tests::floating_test
