// Goal: each rule of block.md, by a small drawn map with its expected result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "server/sim/world.h"
#include "tests/support/drawn_world.h"

namespace sluice::tests::block_test {
namespace {

using sim::World;
using sim::WorldSpec;
using ::testing::HasSubstr;

WorldSpec block_world(const Drawing& rows) {
  WorldSpec spec = drawn_spec(sim::WaterModel::kBlock, {rows});
  spec.config.options["walk_steps"] = 0;
  return spec;
}

WorldSpec in_eighths(const Drawing& rows) {
  WorldSpec spec = block_world(rows);
  spec.config.options["parts"] = 8;
  return spec;
}

std::unique_ptr<World> after(std::uint64_t ticks, const WorldSpec& spec) {
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (std::uint64_t tick = 0; tick < ticks; ++tick) (void)world->tick({}, serial);
  EXPECT_TRUE(world->conserved());
  return world;
}

Drawing map_after(std::uint64_t ticks, const WorldSpec& spec) {
  return drawing_of(*after(ticks, spec));
}

Drawing map_at_rest(const WorldSpec& spec) {
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int tick = 0; tick < 10000; ++tick) {
    if (world->tick({}, serial).at_rest) return drawing_of(*world);
  }
  ADD_FAILURE() << "not at rest";
  return drawing_of(*world);
}

TEST(Block, FallsOneRowATick) {
  const WorldSpec spec = block_world({".~.",  //
                                      "...",  //
                                      "..."});
  EXPECT_EQ(map_after(1, spec), (Drawing{"...", ".~.", "..."}));
  EXPECT_EQ(map_after(2, spec), (Drawing{"...", "...", ".~."}));
  EXPECT_EQ(map_after(9, spec), (Drawing{"...", "...", ".~."}));
}

TEST(Block, AGroupFallsAsOne) {
  EXPECT_EQ(map_after(2, block_world({"~~~.",  //
                                      "~~..",  //
                                      "....",  //
                                      "...."})),
            (Drawing{"....",  //
                     "....",  //
                     "~~~.",  //
                     "~~.."}));
}

// The foot of a column has places on both sides, but passes one block a tick: left in odd ticks.
TEST(Block, AColumnPassesABlockATickThroughItsFoot) {
  const WorldSpec spec = block_world({"..~..",  //
                                      "..~..",  //
                                      "..~..",  //
                                      "..~.."});
  EXPECT_EQ(map_after(1, spec), (Drawing{".....",  //
                                         ".....",  //
                                         ".~~..",  //
                                         ".~~.."}));
  EXPECT_EQ(map_after(2, spec), (Drawing{".....",  //
                                         ".....",  //
                                         ".....",  //
                                         "~~~~."}));
}

// Water on both sides of one place: it is filled once, from the right, so that the place at the
// left has a way, too.
TEST(Block, APlaceIsFilledOnceHoweverMuchWaterTouchesIt) {
  EXPECT_EQ(map_after(1, block_world({".~~~.",  //
                                      ".~#~.",  //
                                      "#~.~#",  //
                                      "#####"})),
            (Drawing{"..~..",  //
                     "~~#~.",  //
                     "#~~~#",  //
                     "#####"}));
}

TEST(Block, ADifferenceOfOneRowNeverMoves) {
  const Drawing level = {"#~#.#",  //
                         "#~#~#",  //
                         "#~~~#",  //
                         "#####"};
  EXPECT_EQ(map_after(20, block_world(level)), level);
}

TEST(Block, ATubesArmsEndAtMostOneRowApart) {
  EXPECT_EQ(map_at_rest(block_world({"#~#.#",  //
                                     "#~#.#",  //
                                     "#~#.#",  //
                                     "#~#.#",  //
                                     "#~~~#",  //
                                     "#####"})),
            (Drawing{"#.#.#",  //
                     "#.#.#",  //
                     "#~#~#",  //
                     "#~#~#",  //
                     "#~~~#",  //
                     "#####"}));
}

// The group drags its own surface along: what fills the place below the ledge comes from the far
// end of the top row, not from right above.
TEST(Block, ALedgeIsLeftByTheGroupAsAWhole) {
  const WorldSpec spec = block_world({"#~~~~.",  //
                                      "####..",  //
                                      "####..",  //
                                      "####.."});
  EXPECT_EQ(map_after(1, spec), (Drawing{"#.~~~.",  //
                                         "####~.",  //
                                         "####..",  //
                                         "####.."}));
  EXPECT_EQ(map_after(3, spec), (Drawing{"#...~.",  //
                                         "####~.",  //
                                         "####~.",  //
                                         "####~."}));
  EXPECT_EQ(map_at_rest(spec), (Drawing{"#.....",  //
                                        "####..",  //
                                        "####~~",  //
                                        "####~~"}));
}

TEST(Block, TheBlockComesFromTheEndThatIsFarther) {
  // Left of the middle: from the right. On it, and right of it: from the left.
  EXPECT_EQ(map_after(1, block_world({"~~~~~", "#.###"})), (Drawing{"~~~~.", "#~###"}));
  EXPECT_EQ(map_after(1, block_world({"~~~~~", "##.##"})), (Drawing{".~~~~", "##~##"}));
  EXPECT_EQ(map_after(1, block_world({"~~~~~", "###.#"})), (Drawing{".~~~~", "###~#"}));
}

TEST(Block, WhatGoesBothWaysComesFromBothEnds) {
  EXPECT_EQ(map_after(1, block_world({"~~~~~~~", ".###..#"})), (Drawing{"..~~~~.", "~###~~#"}));
}

// Where less stands above the places than they are, those nearest to the middle get it, of two
// alike the left one.
TEST(Block, TooLittleGoesToTheNearestPlaces) {
  EXPECT_EQ(map_after(1, block_world({"..~..",  //
                                      ".~~~."})),
            (Drawing{".....",  //
                     "~~~~."}));
}

// By default what can fall falls first; with `downward = "head"` the pressure under a tall column
// is the greater one, and where water is short the high places get none.
TEST(Block, ATallColumnMayHoldBackWhatFallsFromHigh) {
  WorldSpec spec = block_world({"~~~~.",  //
                                "~##..",  //
                                "~##..",  //
                                "~...."});
  const Drawing both = {".~~..",  //
                        "~##~.",  //
                        "~##..",  //
                        "~~..."};
  EXPECT_EQ(map_after(1, spec), both);
  WorldSpec one = block_world({"#~~.", "~~#.", "~.#."});
  EXPECT_EQ(map_after(1, one), (Drawing{"#...", "~~#~", "~~#."}));
  spec.config.options["downward"] = 1;
  EXPECT_EQ(map_after(1, spec), both);
}

TEST(Block, APlaceBetweenTwoGroupsGoesToTheGreaterPressure) {
  EXPECT_EQ(map_after(1, block_world({"....~",  //
                                      "~...~",  //
                                      "~#.#~",  //
                                      "~~.~~"})),
            (Drawing{".....",  //
                     "~..~.",  //
                     "~#.#~",  //
                     "~~~~~"}));
}

// Equal pressure: the larger group. Nothing tells them apart: the one on the left.
TEST(Block, OfTwoLikesTheLargerThenTheLeftGroupGetsThePlace) {
  EXPECT_EQ(map_after(1, block_world({"~...~",  //
                                      "~#.#~",  //
                                      "~~.~~"})),
            (Drawing{"....~",  //
                     "~#.#~",  //
                     "~~~~~"}));
  EXPECT_EQ(map_after(1, block_world({"~...~~",  //
                                      "~#.#~~",  //
                                      "~~.~~~"})),
            (Drawing{"~...~.",  //
                     "~#.#~~",  //
                     "~~~~~~"}));
}

TEST(Block, EighthsSpreadLikeBlocks) {
  EXPECT_EQ(map_at_rest(in_eighths({"#.~.#", "#####"})), (Drawing{"#233#", "#####"}));
  EXPECT_EQ(map_at_rest(in_eighths({"#54#", "####"})), (Drawing{"#54#", "####"}));
  EXPECT_EQ(map_at_rest(in_eighths({"#53#", "####"})), (Drawing{"#44#", "####"}));
  EXPECT_EQ(map_at_rest(in_eighths({"#~#.#",  //
                                    "#~#.#",  //
                                    "#~~~#",  //
                                    "#####"})),
            (Drawing{"#.#.#",  //
                     "#~#~#",  //
                     "#~~~#",  //
                     "#####"}));
}

TEST(Block, AnEighthFallsACellATick) {
  const WorldSpec spec = in_eighths({"1", ".", ".", "."});
  EXPECT_EQ(map_after(1, spec), (Drawing{".", "1", ".", "."}));
  EXPECT_EQ(map_after(3, spec), (Drawing{".", ".", ".", "1"}));
}

TEST(Block, WhatFallsFallsWhole) {
  const WorldSpec spec = in_eighths({"~", "5", ".", ".", "."});
  EXPECT_EQ(map_after(1, spec), (Drawing{".", "5", "~", ".", "."}));
  EXPECT_EQ(map_at_rest(spec), (Drawing{".", ".", ".", "5", "~"}));
}

WorldSpec lone_block_on_a_ledge(std::int32_t steps) {
  WorldSpec spec = block_world({"....~....",  //
                                "#########"});
  spec.config.options["walk_steps"] = steps;
  return spec;
}

TEST(Block, ABlockLeftAloneWalksABoundedNumberOfSteps) {
  auto world = make_world(lone_block_on_a_ledge(5));
  sim::SerialExecutor serial;
  int moved = 0;
  for (int tick = 0; tick < 30; ++tick) {
    const Drawing before = drawing_of(*world);
    const bool at_rest = world->tick({}, serial).at_rest;
    moved += drawing_of(*world) != before ? 1 : 0;
    EXPECT_EQ(at_rest, moved == 5 && drawing_of(*world) == before);
  }
  EXPECT_EQ(moved, 5);
  EXPECT_EQ(map_after(30, lone_block_on_a_ledge(0)),
            drawing_of(*make_world(lone_block_on_a_ledge(0))));
}

TEST(Block, AWalkEndsInTheDepthsBesideTheLedge) {
  WorldSpec spec = block_world({"#.~.#",  //
                                "#.#.#",  //
                                "#.#.#"});
  spec.config.options["walk_steps"] = 1;
  const Drawing fallen = map_at_rest(spec);
  EXPECT_EQ(fallen[0], "#...#");
  EXPECT_TRUE(fallen[2] == "#~#.#" || fallen[2] == "#.#~#") << fallen[2];
}

TEST(Block, WaterOverAnOpenEdgeIsDrained) {
  WorldSpec spec = block_world({"~~~", "~~~"});
  spec.config.edges.right = sim::Edge::kOpen;
  const auto world = after(40, spec);
  EXPECT_EQ(drawing_of(*world), (Drawing{"...", "~~~"}));
  EXPECT_EQ(world->totals().drained, 3 * kFull);
  spec.config.edges.bottom = sim::Edge::kOpen;
  EXPECT_EQ(after(40, spec)->totals().drained, 6 * kFull);
}

TEST(Block, SpringsAndDrainsMoveWholeBlocksWhenTheirRateAddsUpToOne) {
  WorldSpec spec = block_world({"....", "####"});
  spec.sources = {{{0, 1, 0}, 512}};
  EXPECT_EQ(after(7, spec)->totals().sourced, 0);
  EXPECT_EQ(after(8, spec)->totals().sourced, kFull);
  EXPECT_FALSE(after(7, spec)->sources().empty());
  spec = block_world({"~~~~", "####"});
  spec.drains = {{{3, 1, 0}, 1024}};
  const auto world = after(4, spec);
  EXPECT_EQ(world->totals().drained, kFull);
  EXPECT_EQ(drawing_of(*world), (Drawing{"~~~.", "####"}));
}

// A port whose rate is a fraction of a block waits until it adds up to one, and is not at rest.
TEST(Block, PortsMoveWholeBlocksWhenTheirRateAddsUpToOne) {
  auto world = make_world(block_world({"....", "####"}));
  sim::AddPipe tank;
  tank.name = "tank";
  tank.amount = 10000;
  tank.base = 4 * kFull;
  sim::SerialExecutor serial;
  const std::vector<sim::Command> build = {
      {tank}, {sim::AddPort{"tank", {0, 1, 0}, PortKind::kOutlet, 1000}}};
  for (const auto& outcome : world->tick(build, serial).outcomes) EXPECT_EQ(outcome.reason, "");
  for (int tick = 2; tick <= 4; ++tick) EXPECT_FALSE(world->tick({}, serial).at_rest);
  EXPECT_EQ(world->totals().water, 0);
  while (!world->tick({}, serial).at_rest) EXPECT_LT(world->tick_number(), 100U);
  // A block that lies in front of the outlet gives way to the next one.
  EXPECT_EQ(world->totals().water, 2 * kFull);
  EXPECT_EQ(world->totals().pipes, 10000 - 2 * kFull);
  EXPECT_TRUE(world->conserved());
}

TEST(Block, ASpringUnderWaterRaisesItUntilThereIsNoRoom) {
  WorldSpec spec = block_world({"#.#", "#~#", "#~#", "###"});
  spec.sources = {{{1, 1, 0}, 512}};
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  while (!world->tick({}, serial).at_rest) EXPECT_LT(world->tick_number(), 100U);
  EXPECT_EQ(world->totals().sourced, kFull);
  EXPECT_EQ(drawing_of(*world), (Drawing{"#~#", "#~#", "#~#", "###"}));
  EXPECT_EQ(world->sources().begin()->second.missed, 0);
  for (int tick = 0; tick < 8; ++tick) (void)world->tick({}, serial);
  EXPECT_EQ(world->totals().sourced, kFull) << "it is full to the roof";
}

// On level ground a block lies where it came out, and the next one comes out on top of it.
TEST(Block, ASpringOnLevelGroundSpreads) {
  WorldSpec spec = block_world({"#.....#", "#.....#", "#######"});
  spec.sources = {{{3, 1, 0}, kFull}};
  EXPECT_EQ(map_after(5, spec), (Drawing{"#.....#", "#~~~~~#", "#######"}));
}

TEST(Block, BrokenBlocksAreRefused) {
  auto world = make_world(block_world({"...", "###"}));
  sim::SerialExecutor serial;
  const std::vector<sim::Command> commands = {
      {sim::Pour{{0, 1, 0}, 100}},
      {sim::Pour{{0, 1, 0}, kFull}},
      {sim::Pour{{0, 1, 0}, kFull}},
      {sim::SetCells{{1, 1, 0}, {1, 1, 1}, 2 * kFull}},
      {sim::SetCells{{1, 1, 0}, {1, 1, 1}, 512}},
  };
  const auto outcomes = world->tick(commands, serial).outcomes;
  EXPECT_THAT(outcomes[0].reason, HasSubstr("moves in parts of 4096 units"));
  EXPECT_TRUE(outcomes[1].applied());
  EXPECT_THAT(outcomes[2].reason, HasSubstr("has room for 0 units"));
  EXPECT_THAT(outcomes[3].reason, HasSubstr("holds 4096 units at the most"));
  EXPECT_THAT(outcomes[4].reason, HasSubstr("moves in parts of 4096 units"));
}

TEST(Block, AWorldWithBrokenBlocksNamesTheirCell) {
  const auto world = World::create(block_world({".3.", "###"}));
  ASSERT_FALSE(world.ok());
  EXPECT_THAT(world.error(), HasSubstr("map: the cell [1, 1, 0]: cell value 1536 units"));
}

TEST(Block, ASnapshotWithBrokenBlocksOrStrangeMarksIsRefused) {
  auto world = make_world(block_world({".~.", "###"}));
  const sim::Chunk& chunk = *world->grid().find({0, 0, 0});
  const std::vector<std::byte> core = world->snapshot_core();
  std::vector<std::byte> cells = World::chunk_bytes(chunk);
  std::vector<std::byte> marks(cells.size());
  const auto error = [&] {
    const World::ChunkImage image{{0, 0, 0}, 0, cells, marks};
    const auto restored = World::restore(core, std::span(&image, 1));
    return restored ? std::string() : restored.error();
  };
  const std::size_t at = std::size_t{4} * 65;  // the block's bytes: [1, 1, 0] of 64 a row
  EXPECT_EQ(error(), "");
  marks[at + 1] = std::byte{0x0f};  // as many steps as can be
  EXPECT_EQ(error(), "");
  marks[at + 1] = std::byte{0x10};
  EXPECT_THAT(error(), HasSubstr("cell [1, 1, 0]: 4096 is not a mark of this world's water"));
  marks.resize(8);
  EXPECT_THAT(error(), HasSubstr("its marks has 8 bytes"));
  marks.clear();
  cells[at] = std::byte{1};
  EXPECT_THAT(error(), HasSubstr("cell [1, 1, 0]: 4097 is not a cell's value"));
}

// A rock dropped into the passage makes two groups of one; each keeps its own level from then on.
TEST(Block, ARockDividesAGroupAndItsRemovalJoinsItAgain) {
  auto world = make_world(block_world({"#~~~#.#",  //
                                       "#~~~#.#",  //
                                       "#~~~~~#",  //
                                       "#######"}));
  sim::SerialExecutor serial;
  (void)world->tick({{{sim::SetCells{{4, 1, 0}, {1, 1, 1}, kRock}}}}, serial);
  for (int tick = 0; tick < 9; ++tick) (void)world->tick({}, serial);
  EXPECT_EQ(drawing_of(*world), (Drawing{"#~~~#.#",  //
                                         "#~~~#.#",  //
                                         "#~~~#~#",  //
                                         "#######"}));
  EXPECT_EQ(world->totals().drained, kFull);
  (void)world->tick({{{sim::SetCells{{4, 1, 0}, {1, 1, 1}, kAir}}}}, serial);
  for (int tick = 0; tick < 9; ++tick) (void)world->tick({}, serial);
  EXPECT_EQ(drawing_of(*world), (Drawing{"#..~#.#",  //
                                         "#~~~#~#",  //
                                         "#~~~~~#",  //
                                         "#######"}));
}

// What a drop has passed is forgotten, by the engine too.
TEST(Block, ALongFallTakesNoMoreMemoryThanAShortOne) {
  WorldSpec spec;
  spec.config.water = sim::WaterModel::kBlock;
  spec.config.size = {1, 1 << 17, 1};
  spec.cells = {{{0, (1 << 17) - 1, 0}, kFull}};
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (int tick = 0; tick < 1000; ++tick) (void)world->tick({}, serial);
  const std::size_t early = mallinfo2().uordblks;
  while (!world->tick({}, serial).at_rest) {
  }
  EXPECT_EQ(world->cell({0, 0, 0}), kFull);
  EXPECT_EQ(world->grid().chunk_count(), 1);
  EXPECT_LT(mallinfo2().uordblks, early + (32U << 20));
}

TEST(Block, InThreeDimensionsAColumnSpreadsToAllSides) {
  const Drawing empty = {"...", "..."};
  WorldSpec spec = drawn_spec(sim::WaterModel::kBlock, {empty, {".~.", ".~."}, empty});
  spec.config.options["walk_steps"] = 0;
  // One block for four places, all as near: the leftmost.
  const auto world = after(5, spec);
  EXPECT_EQ(drawing_of(*world, 0), empty);
  EXPECT_EQ(drawing_of(*world, 1), (Drawing{"...", "~~."}));
  EXPECT_EQ(drawing_of(*world, 2), empty);
}

// x first, then z: the far column, and in it the far end.
TEST(Block, InThreeDimensionsTheBlockComesFromTheFarCorner) {
  const Drawing full = {"~~~~", "####"};
  WorldSpec spec = drawn_spec(sim::WaterModel::kBlock, {{"~~~~", "#.##"}, full, full});
  const auto world = after(1, spec);
  EXPECT_EQ(drawing_of(*world, 0), (Drawing{"~~~~", "#~##"}));
  EXPECT_EQ(drawing_of(*world, 1), full);
  EXPECT_EQ(drawing_of(*world, 2), (Drawing{"~~~.", "####"}));
}

}  // namespace
}  // namespace sluice::tests::block_test
