// Goal: marks fill what water reaches, as it stands at rest, and pockets of air hold until they are
// opened; the commands of levels do the same to a running world.
// Method: drawn worlds; random caves against a plain flood of single cells; sleep, restores and
// threads; the bounds of what one command may do.
#include <deque>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/marks/levels.h"
#include "server/sim/marks/trapped_air.h"
#include "server/workers/thread_pool.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/random_world.h"
#include "tests/support/through_a_snapshot.h"
#include "tests/support/water_options.h"
#include "tests/support/world_access.h"

namespace sluice::tests::marks_test {
namespace {

using sim::Mark;
using sim::MarkKind;
using sim::WaterModel;
using sim::World;
using sim::WorldSpec;

WorldSpec marked(WaterModel water, const Drawing& drawing, std::vector<Mark> marks) {
  WorldSpec spec = drawn_spec(water, {drawing});
  set_option(spec.config, "drying", 0);
  spec.marks = std::move(marks);
  return spec;
}

const Drawing kCave = {
    "############",  //
    "#..........#",  //
    "#..##......#",  //
    "#..##.######",  //
    "#..##.#....#",  //
    "#.....#....#",  //
    "####.......#",  //
    "#..#....####",  //
    "############",
};

std::string after_ticks(World& world, int ticks) {
  sim::SerialExecutor serial;
  for (int i = 0; i < ticks; ++i) (void)world.tick({}, serial);
  std::string text;
  for (const std::string& row : drawing_of(world)) text += row + "\n";
  return text;
}

TEST(Marks, FillWhatTheWaterReachesAtRest) {
  for (const WaterModel water : every_water()) {
    auto world = make_world(marked(water, kCave,
                                   {{{9, 3, 0}, MarkKind::kLevel, 6 * kFull},
                                    {{5, 2, 0}, MarkKind::kLevel, -1},
                                    {{3, 4, 0}, MarkKind::kLevel, -1}}));
    sim::SerialExecutor serial;
    EXPECT_TRUE(world->tick({}, serial).at_rest) << static_cast<int>(water);
    EXPECT_EQ(after_ticks(*world, 20),
              "############\n"
              "#..........#\n"
              "#..##......#\n"
              "#~~##~######\n"
              "#~~##~#~~~~#\n"
              "#~~~~~#~~~~#\n"
              "####~~~~~~~#\n"
              "#..#~~~~####\n"
              "############\n")
        << static_cast<int>(water);
    // The lower mark lies in water already, the last one in rock.
    EXPECT_GT(world->units_of_marks()[0], 24 * kFull - 1);
    EXPECT_EQ(world->units_of_marks()[1], 0);
    EXPECT_EQ(world->units_of_marks()[2], 0);
    EXPECT_EQ(world->totals().initial, world->totals().water);
  }
}

TEST(Marks, OneLevelOverThePartOfACellOfEachModel) {
  for (const WaterModel water : {WaterModel::kCellular, WaterModel::kHydro}) {
    auto world =
        make_world(marked(water, kCave, {{{9, 3, 0}, MarkKind::kLevel, 5 * kFull + 1234}}));
    sim::SerialExecutor serial;
    EXPECT_TRUE(world->tick({}, serial).at_rest);
    for (const std::int32_t x : {1, 2, 5}) EXPECT_EQ(world->head({x, 5, 0}), 5 * kFull + 1234);
  }
  for (const WaterModel water : {WaterModel::kBlock, WaterModel::kStream}) {
    const WorldSpec spec = marked(water, kCave, {{{9, 3, 0}, MarkKind::kLevel, 5 * kFull + 1234}});
    const auto world = World::create(spec);
    ASSERT_FALSE(world.ok());
    EXPECT_NE(world.error().find("mark[0]: 1234 units: this world's water moves in parts"),
              std::string::npos)
        << world.error();
  }
}

TEST(Marks, ABubbleKeepsAPocketUntilItIsOpened) {
  for (const WaterModel water : every_water()) {
    const WorldSpec spec = marked(
        water, kCave,
        {{{9, 3, 0}, MarkKind::kLevel, 7 * kFull}, {{9, 4, 0}, MarkKind::kBubble, 4 * kFull - 5}});
    auto world = make_world(spec);
    auto wakeful = make_world(spec);
    auto restored = make_world(spec);
    wakeful->set_run_options({.sleep = false});
    sim::SerialExecutor serial;
    EXPECT_TRUE(world->tick({}, serial).at_rest) << static_cast<int>(water);
    (void)wakeful->tick({}, serial);
    (void)restored->tick({}, serial);
    EXPECT_LE(world->units_of_marks()[1], 4 * -kFull);
    for (std::int32_t x = 7; x < 11; ++x) {
      EXPECT_EQ(world->cell({x, 4, 0}), kTrappedAir);
      EXPECT_GE(world->cell({x, 3, 0}), kFull);  // a cell in part would be pressed full
    }
    const std::vector<sim::Command> dig = {{sim::SetCells{{10, 5, 0}, {1, 1, 1}, kAir}}};
    std::vector<sim::Command> commands = dig;
    for (int tick = 0; tick < 60; ++tick) {
      restored = through_a_snapshot(*restored);
      const sim::TickReport report = world->tick(commands, serial);
      ASSERT_EQ(wakeful->tick(commands, serial).digest, report.digest);
      const sim::TickReport other = restored->tick(commands, serial);
      ASSERT_EQ(other.digest, report.digest);
      ASSERT_EQ(other.at_rest, report.at_rest);
      commands.clear();
    }
    EXPECT_EQ(world->cell({8, 4, 0}) == kTrappedAir, false);
    EXPECT_GT(water_of(world->cell({8, 4, 0})), 0) << static_cast<int>(water);
    EXPECT_TRUE(world->conserved());
  }
}

// Its water sinks until air comes to lie beside the pocket: then it is one with that air.
TEST(Marks, APocketOpensWhenAirReachesIt) {
  WorldSpec spec =
      marked(WaterModel::kHydro, kCave,
             {{{9, 3, 0}, MarkKind::kLevel, 7 * kFull}, {{9, 4, 0}, MarkKind::kBubble, 3 * kFull}});
  spec.drains.push_back({{4, 1, 0}, 4 * kFull});
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  bool opened = false;
  for (int tick = 0; tick < 400 && !opened; ++tick) {
    const sim::TickReport report = world->tick({}, serial);
    opened = world->cell({9, 4, 0}) != kTrappedAir;
    if (!opened) {
      EXPECT_FALSE(report.at_rest);
    }
  }
  EXPECT_TRUE(opened);
}

TEST(Marks, ABubbleThatReachesAFreeSurfaceIsRefusedWithThePlace) {
  const auto world = World::create(marked(
      WaterModel::kHydro, kCave,
      {{{9, 3, 0}, MarkKind::kLevel, 7 * kFull}, {{9, 3, 0}, MarkKind::kBubble, 2 * kFull}}));
  ASSERT_FALSE(world.ok());
  EXPECT_NE(world.error().find("mark[1]: its pocket reaches the free surface at ["),
            std::string::npos)
      << world.error();
}

TEST(Marks, WrongOnesAreNamed) {
  const auto problem = [](Mark mark) {
    const auto world = World::create(marked(WaterModel::kHydro, kCave, {mark}));
    return world ? "" : world.error();
  };
  EXPECT_NE(problem({{99, 1, 0}, MarkKind::kLevel, -1}).find("mark[0]: [99, 1, 0] lies outside"),
            std::string::npos);
  EXPECT_NE(problem({{1, 1, 0}, MarkKind::kLevel, 9 * kFull + 1})
                .find("level 36865 is out of range; allowed: 0 to 36864"),
            std::string::npos);
}

/// Cell by cell: the highest mark first, each over every open cell that it reaches below its level.
std::map<Vec3, std::int64_t> plain_levels(const WorldSpec& spec, const World& dry) {
  std::vector<Mark> marks = spec.marks;
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.level > b.level; });
  std::map<Vec3, std::int64_t> level;
  for (const Mark& mark : marks) {
    // From every cell of its run below the level.
    std::deque<Vec3> pending;
    const auto reach = [&](Vec3 at) {
      if (!is_open(dry.cell(at)) || std::int64_t{at.y} * kFull >= mark.level) return;
      if (level.emplace(at, mark.level).second) pending.push_back(at);
    };
    if (!is_open(dry.cell(mark.at))) continue;
    Vec3 at = mark.at;
    while (std::int64_t{at.y} * kFull >= mark.level && is_open(dry.cell({at.x, at.y - 1, at.z}))) {
      --at.y;
    }
    reach(at);
    while (!pending.empty()) {
      const Vec3 p = pending.front();
      pending.pop_front();
      for (const Vec3 step :
           {Vec3{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}) {
        reach(p + step);
      }
    }
  }
  return level;
}

RC_GTEST_PROP(MarksProperty, EqualAPlainFloodAndAreAtRest,
              (std::uint64_t seed, bool solid, std::uint8_t model)) {
  const WaterModel water = any_water(model);
  WorldSpec spec = random_world_of(
      water, seed,
      {.solid = solid, .edges = false, .springs = false, .side = 100, .pipes = Pipes::kNone});
  set_option(spec.config, "drying", 0);
  for (sim::Fill& fill : spec.fills) fill.cell = fill.cell > 0 ? kRock : fill.cell;
  const auto dry = make_world(spec);
  Dice dice(seed);
  const std::int32_t quantum = sim::measure_of(spec.config).quantum;
  for (std::int32_t i = dice.roll(1, 5); i > 0; --i) {
    const std::int64_t level = dice.roll(0, spec.config.size.y * kFull);
    spec.marks.push_back(
        {random_place(dice, spec.config.size), MarkKind::kLevel, level - level % quantum});
  }
  auto world = make_world(spec);
  const std::map<Vec3, std::int64_t> levels = plain_levels(spec, *dry);
  const auto expect_cell = [&](Vec3 at) {
    const auto found = levels.find(at);
    const Cell cell = world->cell(at);
    if (found == levels.end()) {
      RC_ASSERT(cell == dry->cell(at));
      return;
    }
    const std::int64_t over = found->second - std::int64_t{at.y} * kFull;
    if (over < kFull) {
      RC_ASSERT(cell == sim::surface_units(sim::measure_of(spec.config), at.y, found->second));
    } else {
      RC_ASSERT(cell >= sim::measure_of(spec.config).full);
    }
  };
  const Vec3 size = spec.config.size;
  for (std::int32_t z = 0; z < size.z; ++z) {
    for (std::int32_t y = 0; y < size.y; ++y) {
      for (std::int32_t x = 0; x < size.x; ++x) expect_cell({x, y, z});
    }
  }
  std::int64_t units = 0;
  for (const std::int64_t one : world->units_of_marks()) units += one;
  RC_ASSERT(units == world->totals().initial);
  sim::SerialExecutor serial;
  const sim::Digest cells = world->layer_digests()[static_cast<std::size_t>(sim::Layer::kCells)];
  (void)world->tick({}, serial);
  RC_ASSERT(world->layer_digests()[static_cast<std::size_t>(sim::Layer::kCells)] == cells);
}

// ---- Commands

std::string refused(World& world, const sim::CommandBody& body) {
  sim::SerialExecutor serial;
  const std::vector<sim::Command> commands = {{body}};
  return world.tick(commands, serial).outcomes.front().reason;
}

TEST(LevelCommands, FillAndEvaporateWhatIsJoined) {
  for (const WaterModel water : every_water()) {
    auto world = make_world(marked(water, kCave, {}));
    EXPECT_EQ(refused(*world, sim::FillLevel{{9, 3, 0}, 6 * kFull}), "");
    const std::int64_t filled = world->totals().sourced;
    EXPECT_EQ(filled, world->totals().water);
    auto marks = make_world(marked(water, kCave, {{{9, 3, 0}, MarkKind::kLevel, 6 * kFull}}));
    EXPECT_EQ(filled, marks->totals().initial);
    EXPECT_EQ(after_ticks(*world, 3), after_ticks(*marks, 3)) << static_cast<int>(water);
    EXPECT_EQ(refused(*world, sim::EvaporateLevel{{1, 5, 0}, 4 * kFull}), "");
    EXPECT_EQ(world->totals().evaporated + world->totals().water, filled);
    EXPECT_EQ(after_ticks(*world, 20),
              "############\n"
              "#..........#\n"
              "#..##......#\n"
              "#..##.######\n"
              "#..##.#....#\n"
              "#~~~~~#~~~~#\n"
              "####~~~~~~~#\n"
              "#..#~~~~####\n"
              "############\n")
        << static_cast<int>(water);
    EXPECT_TRUE(world->conserved());
  }
}

TEST(LevelCommands, AreRefusedWithTheReason) {
  auto world = make_world(marked(WaterModel::kBlock, kCave, {}));
  EXPECT_EQ(refused(*world, sim::FillLevel{{3, 5, 0}, kFull}), "the cell [3, 5, 0] is rock");
  EXPECT_NE(refused(*world, sim::FillLevel{{9, 3, 0}, -1}).find("level -1 is out of range"),
            std::string::npos);
  EXPECT_NE(refused(*world, sim::FillLevel{{9, 3, 0}, 5}).find("moves in parts"),
            std::string::npos);
  EXPECT_NE(refused(*world, sim::FillLevel{{9, 33, 0}, 5}).find("lies outside"), std::string::npos);
  EXPECT_EQ(refused(*world, sim::EvaporateLevel{{9, 3, 0}, 0}), "there is no water at [9, 3, 0]");
  EXPECT_EQ(world->totals().water, 0);
}

TEST(LevelCommands, ReachTheirBoundAndNoFarther) {
  WorldSpec spec;
  spec.config.water = WaterModel::kHydro;
  spec.config.size = {1 << 10, 1 << 10, 1};
  auto world = make_world(spec);
  constexpr std::int32_t kRows = sim::kMostLevelCells >> 10;
  EXPECT_NE(refused(*world, sim::FillLevel{{0, 0, 0}, (kRows + 1) * kFull})
                .find("the region has more than 262144 cells"),
            std::string::npos);
  EXPECT_EQ(world->totals().water, 0);
  EXPECT_EQ(refused(*world, sim::FillLevel{{0, 0, 0}, kRows * kFull}), "");
  EXPECT_EQ(world->totals().water, sim::kMostLevelCells * kFull);
  EXPECT_EQ(refused(*world, sim::FillLevel{{0, kRows, 0}, (kRows + 1) * kFull})
                .find("the region has more"),
            0U);
  EXPECT_EQ(refused(*world, sim::EvaporateLevel{{0, 0, 0}, 0}), "");
  EXPECT_EQ(world->totals().water, 0);
}

// Looking for a region costs what the region is, not what the world is around it.
TEST(LevelCommands, SearchNoFartherThanTheyFill) {
  const auto steps = [](Vec3 size, std::int32_t floor) {
    WorldSpec spec;
    spec.config.water = WaterModel::kHydro;
    spec.config.size = size;
    spec.fills.push_back({{{0, floor, 0}, {102, 2, 1}}, kRock});
    spec.fills.push_back({{{1, floor + 1, 0}, {100, 1, 1}}, kAir});
    const auto world = make_world(spec);
    sim::Grid& grid = sim::WorldTestAccess::grid(*world);
    sim::Filling filling(spec.config, grid, {});
    const std::int64_t level = std::int64_t{floor + 2} * kFull;
    EXPECT_TRUE(*filling.fill({50, floor + 1, 0}, level, 0));
    EXPECT_EQ(filling.sums(1)->came, 100 * kFull);
    return filling.steps();
  };
  const std::int64_t here = steps({200, 64, 1}, 10);
  EXPECT_LT(here, 100 * 20);
  EXPECT_EQ(steps({1 << 20, 1 << 20, 1}, 10), here);
  EXPECT_EQ(steps({1 << 20, 1 << 20, 1}, 64 * 5000 + 10), here);
}

TEST(LevelCommands, AreBoundInRunsAndChunksToo) {
  WorldSpec spec;
  spec.config.water = WaterModel::kHydro;
  spec.config.size = {1 << 14, 64, 1};
  auto world = make_world(spec);
  EXPECT_EQ(
      refused(*world, sim::FillLevel{{0, 0, 0}, 1}),
      "the region has more than 4096 runs of cells; fill it in parts, or by marks of its world "
      "file");
  // So many columns in the dry, and one more.
  for (const std::int64_t wide : {sim::kMostLevelRuns, sim::kMostLevelRuns + 1}) {
    spec.config.size.x = static_cast<std::int32_t>(wide);
    world = make_world(spec);
    EXPECT_EQ(refused(*world, sim::FillLevel{{0, 0, 0}, 1}).empty(), wide == sim::kMostLevelRuns);
    EXPECT_EQ(refused(*world, sim::EvaporateLevel{{0, 0, 0}, 0}).empty(),
              wide == sim::kMostLevelRuns);
  }
  // A shaft of so many chunks, and one more.
  for (const std::int64_t high : {sim::kMostLevelChunks, sim::kMostLevelChunks + 1}) {
    spec.config.size = {3, static_cast<std::int32_t>(high * 64), 1};
    const auto top = static_cast<std::int32_t>(high * 64) * kFull;
    world = make_world(spec);
    const std::string reason = refused(*world, sim::FillLevel{{0, 0, 0}, top});
    EXPECT_EQ(reason.empty(), high == sim::kMostLevelChunks) << reason;
    if (!reason.empty()) {
      EXPECT_EQ(reason.find("the region has more than 128 chunks; fill it in parts"), 0U);
    }
  }
}

// It fills from where its mark floats down to the ground, however high that is.
TEST(Marks, FloatOverWhatTheyFill) {
  WorldSpec spec;
  spec.config.water = WaterModel::kHydro;
  spec.config.size = {3, 1 << 20, 1};
  spec.marks = {{{1, (1 << 20) - 1, 0}, MarkKind::kLevel, 5}};
  EXPECT_EQ(make_world(spec)->totals().water, 15);
  spec.fills.push_back({{{0, 100, 0}, {3, 1, 1}}, kRock});
  EXPECT_EQ(make_world(spec)->totals().water, 0);  // its run begins above its level
}

// A tick opens no more than it may, and the next one goes on: the same with any bound but for when.
TEST(TrappedAir, LargePocketsOpenInPieces) {
  for (const std::int64_t most : {1, 7, 1 << 16}) {
    sim::WorldConfig config;
    config.size = {200, 3, 1};
    sim::Grid grid(config);
    for (std::int32_t x = 0; x < 200; ++x) {
      grid.add_to_cell({x, 1, 0}, kTrappedAir);
      grid.add_to_cell({x, 0, 0}, kRock);
      grid.add_to_cell({x, 2, 0}, x == 70 ? kAir : kRock);
    }
    sim::TrappedAir pockets(most);
    for (std::int32_t x = 0; x < 4; ++x) pockets.note({x, 0, 0});
    int ticks = 0;
    for (bool opens = true; opens; ++ticks) {
      pockets.open(grid);
      std::vector<ChunkCoord> changed;
      for (const sim::Chunk* chunk : grid.take_changed()) changed.push_back(chunk->coord);
      opens = pockets.look(grid, changed);
    }
    EXPECT_EQ(ticks, (200 + most - 1) / most);
    for (std::int32_t x = 0; x < 200; ++x) EXPECT_EQ(grid.cell({x, 1, 0}), kAir);
  }
}

}  // namespace
}  // namespace sluice::tests::marks_test
