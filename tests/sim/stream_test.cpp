// Goal: stream water keeps each of the rules of stream.md.
// Method: small drawn worlds, each about one rule, and what becomes of them. S is a spring, D a
// drain (tests/support/stream_scene.h has the alphabet). Rates are in units a tick: 512 are a
// level.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stream_scene.h"

namespace sluice::tests::stream_test {
namespace {

using testing::ElementsAre;

TEST(StreamMarks, ComeBackFromTheirBits) {
  const sim::StreamMark mark{6, true, true, true, true, 4, 7, 63, 3};
  EXPECT_EQ(sim::unpack(sim::pack(mark)), mark);
  EXPECT_EQ(sim::pack(mark), (1 << 21) - 1 - 1 - (3 << 5));
  EXPECT_EQ(sim::unpack(7).direction, 0) << "there is no seventh face";
}

// Falling.

TEST(Stream, FallsOneCellATickAndAllOfIt) {
  StreamScene scene(drawn({"~", ".", ".", "#"}));
  scene.start().run(1);
  EXPECT_THAT(drawing_of(*scene.world), ElementsAre(".", "~", ".", "#"));
  scene.run(1);
  EXPECT_THAT(drawing_of(*scene.world), ElementsAre(".", ".", "~", "#"));
  scene.run(3);
  EXPECT_THAT(drawing_of(*scene.world), ElementsAre(".", ".", "~", "#"));
}

TEST(Stream, AStackFallsAsOneBecauseTheLowestCellActsFirst) {
  StreamScene scene(drawn({"~", "~", ".", "#"}));
  scene.start().run(1);
  EXPECT_THAT(drawing_of(*scene.world), ElementsAre(".", "~", "~", "#"));
}

TEST(Stream, FallsAsFarAsThereIsRoom) {
  StreamScene scene(drawn({"5", "6", "#"}));
  scene.start().run(1);
  EXPECT_THAT(drawing_of(*scene.world), ElementsAre("3", "~", "#"));
}

TEST(Stream, FallsThroughAnOpenBottom) {
  StreamScene scene(drawn({"~", "."}));
  scene.open(&sim::Edges::bottom).start().run(2);
  EXPECT_EQ(scene.levels(), 0);
  EXPECT_EQ(scene.world->totals().drained, kFull);
}

// Ponds: water without a spring.

TEST(Stream, LevelsOutToWithinOneLevel) {
  StreamScene scene(drawn({"#~....#", "#######"}));
  scene.start();
  EXPECT_GT(scene.ticks_to_rest(500), 0);
  EXPECT_EQ(scene.levels(), 8);
  for (std::int32_t x = 1; x < 5; ++x) {
    EXPECT_LE(std::abs(scene.level({x, 1, 0}) - scene.level({x + 1, 1, 0})), 1);
  }
}

TEST(Stream, ADifferenceOfOneLevelStays) {
  StreamScene scene(drawn({"#.2123.#", "########"}));
  scene.start().run(1);
  StreamScene pond(drawn({"#12321#", "#######"}));
  pond.start();
  EXPECT_GT(pond.ticks_to_rest(100), 0);
  EXPECT_THAT(drawing_of(*pond.world), ElementsAre("#12321#", "#######"));
}

TEST(Stream, DeepWaterLevelsOutOverItsWholeLength) {
  StreamScene scene(
      drawn({"#~~~...................#", "#~~~...................#", "#~~~...................#",
             "#~~~~~~~~~~~~~~~~~~~~~~#", "########################"}));
  scene.start();
  EXPECT_GT(scene.ticks_to_rest(2000), 0);
  EXPECT_EQ(scene.levels(), (22 + 9) * 8);
  EXPECT_THAT(drawing_of(*scene.world)[3], "#~~~~~~~~~~~~~~~~~~~~~~#");
  const std::string surface = drawing_of(*scene.world)[2];
  for (std::size_t x = 1; x < 23; ++x) EXPECT_THAT(surface[x], testing::AnyOf('3', '4')) << surface;
}

TEST(Stream, LeavesALedgeToTheLastLevel) {
  StreamScene scene(drawn({"#1....#", "###...#", "###...#", "#######"}));
  scene.start();
  EXPECT_GT(scene.ticks_to_rest(200), 0);
  EXPECT_EQ(scene.level({1, 3, 0}), 1) << "nothing drives it to the ledge";
  StreamScene edge(drawn({"#.1...#", "###...#", "###...#", "#######"}));
  edge.start();
  EXPECT_GT(edge.ticks_to_rest(200), 0);
  EXPECT_EQ(edge.level({2, 3, 0}), 0);
  EXPECT_EQ(edge.levels(), 1);
}

TEST(Stream, AnArmOfAPondFillsFromTheHigherArm) {
  StreamScene scene(drawn({"#~#.#", "#~#.#", "#~#.#", "#~#.#", "#~~~#", "#####"}));
  scene.start();
  EXPECT_GT(scene.ticks_to_rest(500), 0);
  EXPECT_THAT(drawing_of(*scene.world),
              ElementsAre("#.#.#", "#.#.#", "#~#~#", "#~#~#", "#~~~#", "#####"));
}

TEST(Stream, APondDrainsThroughAHoleUntilNothingAboveTheHoleIsLeft) {
  StreamScene scene(
      drawn({"#~~~~~~~~~~#", "#~~~~~~~~~~#", "#~~~~~~~~~~#", "######.#####", "............"}));
  scene.open(&sim::Edges::bottom).start();
  EXPECT_GT(scene.ticks_to_rest(2000), 0);
  const Drawing rows = drawing_of(*scene.world);
  EXPECT_EQ(rows[0], "#..........#");
  EXPECT_EQ(rows[1], "#..........#");
  EXPECT_EQ(rows[2].substr(5, 3), "...");
  EXPECT_THAT(rows[2], testing::MatchesRegex("#[.1-4]*#")) << "a film, a level higher a cell";
  EXPECT_EQ(scene.world->totals().initial - scene.world->totals().drained,
            scene.world->totals().water);
}

TEST(Stream, WhatLiesAboveAndNearDrainsFirst) {
  StreamScene scene(drawn({"#~~~~~~~~~~~~~~~~~~~#", "#~~~~~~~~~~~~~~~~~~~#",
                           "##########.##########", "....................."}));
  scene.open(&sim::Edges::bottom).start().run(1);
  EXPECT_EQ(drawing_of(*scene.world)[1], "#~~~~~~~~~~~~~~~~~~~#") << "refilled from above";
  EXPECT_EQ(drawing_of(*scene.world)[0].substr(0, 6), "#~~~~~");
  EXPECT_EQ(drawing_of(*scene.world)[0].substr(15, 6), "~~~~~#") << "nothing came from afar";
}

TEST(Stream, ADrainAtTheBottomEmptiesAPond) {
  StreamScene scene(drawn({"#~~~~~#", "#~~~~~#", "#~~D~~#", "#######"}, 2 * kLevel));
  scene.start();
  EXPECT_GT(scene.ticks_to_rest(1000), 0);
  EXPECT_EQ(drawing_of(*scene.world)[1], "#.....#");
  EXPECT_EQ(drawing_of(*scene.world)[2], "#21.12#");
}

TEST(Stream, APondDriesUnlessItIsToldNotTo) {
  StreamScene scene(drawn({"#~~~~#", "######"}), 8);
  scene.start();
  const int ticks = scene.ticks_to_rest(1000);
  EXPECT_GT(ticks, 0);
  EXPECT_LE(ticks, 8 * (sim::kMostActive + 8 + 2)) << "once in eight ticks for each level";
  EXPECT_EQ(scene.levels(), 0);
  EXPECT_EQ(scene.world->totals().evaporated, 4 * kFull);
  StreamScene kept(drawn({"#~~~~#", "######"}), 0);
  kept.start();
  EXPECT_GT(kept.ticks_to_rest(100), 0);
  EXPECT_EQ(kept.levels(), 32);
}

// Rivers: water with a spring.

const Drawing kSlope = {"S...................",  //
                        "#...................",  //
                        "#####...............",  //
                        "##########..........",  //
                        "###############.....",  //
                        "####################"};

TEST(Stream, ARiverRunsDownASlopeAndOffTheOpenEdge) {
  StreamScene scene(drawn(kSlope), 8);
  scene.open(&sim::Edges::right).start().run(400);
  EXPECT_NEAR(static_cast<double>(scene.levels_drained_in(200)), 200, 8) << "what the spring gives";
  EXPECT_TRUE(scene.mark({0, 5, 0}).is_source);
  for (const Vec3 at : {Vec3{3, 4, 0}, Vec3{7, 3, 0}, Vec3{12, 2, 0}, Vec3{19, 1, 0}}) {
    const sim::StreamMark mark = scene.mark(at);
    EXPECT_TRUE(mark.has_source && mark.flow_out) << to_string(at);
    EXPECT_EQ(mark.active, sim::kMostActive);
    EXPECT_GE(mark.largest, 1);
  }
  EXPECT_EQ(scene.mark({19, 1, 0}).direction, sim::kRight + 1);
}

TEST(Stream, WithoutItsSpringARiverIsGoneInBoundedTime) {
  StreamScene scene(drawn(kSlope, 4 * kLevel), 8);
  scene.open(&sim::Edges::right).start().run(400);
  EXPECT_GT(scene.levels(), 20);
  scene.run(1, {{sim::RemoveSource{{0, 5, 0}}}});
  EXPECT_FALSE(scene.mark({0, 5, 0}).is_source);
  EXPECT_FALSE(scene.mark({12, 2, 0}).has_source);
  EXPECT_GT(scene.ticks_to_rest(8 * (sim::kMostActive + 8 + 2) + 100), 0);
  EXPECT_EQ(scene.levels(), 0);
  const sim::Totals& totals = scene.world->totals();
  EXPECT_GT(totals.evaporated, 0);
  EXPECT_EQ(totals.sourced, totals.drained + totals.evaporated);
}

TEST(Stream, ARiverKeepsItsDirection) {
  // A plain of rock that is open on all sides, 21 cells wide, the spring in its middle.
  std::vector<Drawing> layers(2, Drawing(21, std::string(21, '.')));
  layers[0] = Drawing(21, std::string(21, '#'));
  layers[1][10][10] = 'S';
  StreamScene scene(drawn_plans(layers), 8);
  scene.open(&sim::Edges::left).open(&sim::Edges::right);
  scene.open(&sim::Edges::front).open(&sim::Edges::back).start().run(300);
  EXPECT_LE(scene.wet_cells(1), 11) << "straight to the nearest edge, no puddle";
  EXPECT_NEAR(static_cast<double>(scene.levels_drained_in(100)), 100, 4);
}

TEST(Stream, ARockInItsWayTurnsARiver) {
  StreamScene scene(
      drawn_plans(
          {Drawing(9, std::string(24, '#')),
           {"........................", "........................", "........................",
            "........#...............", "S.......#...............", "........#...............",
            "........................", "........................", "........................"}}),
      8);
  scene.open(&sim::Edges::right).start().run(500);
  EXPECT_NEAR(static_cast<double>(scene.levels_drained_in(100)), 100, 6);
}

TEST(Stream, TwoRiversJoinInACellWithTwoParents) {
  StreamScene scene(
      drawn_plans({Drawing(7, "################"),
                   {"S....#..........", "####.#..........", "####.###########", "####............",
                    "####.###########", "####.#..........", "S....#.........."}}),
      8);
  scene.open(&sim::Edges::right).start().run(300);
  const Vec3 meeting = {4, 1, 3};
  EXPECT_EQ(scene.mark(meeting).parents, 1 << sim::kFront | 1 << sim::kBack);
  EXPECT_NEAR(static_cast<double>(scene.levels_drained_in(200)), 400, 10) << "both springs' water";
}

TEST(Stream, AStrongSpringFeedsRiversOnBothSides) {
  StreamScene scene(drawn({"......S......", ".............", "......#......", "....#####....",
                           "..#########..", "#############"},
                          8 * kLevel),
                    8);
  scene.open(&sim::Edges::left).open(&sim::Edges::right).start().run(300);
  EXPECT_GT(scene.level({0, 1, 0}), 0);
  EXPECT_GT(scene.level({12, 1, 0}), 0);
}

TEST(Stream, WaterPrefersThePathToTheEdge) {
  // Left a long blind channel, right the edge of the world, the spring between them.
  StreamScene scene(drawn({"#................S....", "######################"}), 8);
  scene.open(&sim::Edges::right).start().run(300);
  EXPECT_NEAR(static_cast<double>(scene.levels_drained_in(100)), 100, 3);
  int blind = 0;
  for (std::int32_t x = 1; x < 10; ++x) blind += scene.level({x, 1, 0});
  EXPECT_LE(blind, 4);
}

std::int64_t throughput_of_gap(std::size_t width) {
  // A basin full of springs, a wall with a gap, and six cells of level ground to the edge.
  Drawing plan(8, "SSSS#......");
  for (std::size_t z = 0; z < width; ++z) plan[2 + z][4] = '.';
  std::vector<Drawing> layers(3, Drawing(8, "....#......"));
  layers[0] = Drawing(8, std::string(11, '#'));
  layers[1] = plan;
  StreamScene scene(drawn_plans(layers, 8 * kLevel), 8);
  scene.open(&sim::Edges::right).start().run(600);
  return scene.levels_drained_in(400);
}

TEST(Stream, AGapTwiceAsWidePassesMore) {
  const std::int64_t one = throughput_of_gap(1);
  const std::int64_t two = throughput_of_gap(2);
  const std::int64_t three = throughput_of_gap(3);
  const std::int64_t four = throughput_of_gap(4);
  EXPECT_GT(one, 400);
  EXPECT_GT(two, one * 5 / 4);
  EXPECT_GT(three, two * 9 / 8);
  EXPECT_GT(four, three * 17 / 16);
}

TEST(Stream, LargestTellsOfTheNarrowestPlaceBehind) {
  // All water comes down the channel one level high; the basin behind it is deep.
  StreamScene scene(drawn({"S.........#", "#.........#", "#########.#", "#.........#",
                           "#.........#", "###########"}),
                    0);
  scene.start().run(120);
  ASSERT_TRUE(scene.mark({5, 1, 0}).has_source);
  EXPECT_EQ(scene.mark({0, 5, 0}).largest, 4);
  EXPECT_LE(scene.mark({5, 1, 0}).largest, scene.mark({2, 4, 0}).largest);
}

TEST(Stream, ATunnelFillsToBelowTheHeightOfItsSpring) {
  StreamScene scene(drawn({"#.#.....#", "#.#.....#", "#S#.....#", "#.#.....#", "#.#.#####",
                           "#.#.#####", "#...#####", "#########"},
                          2 * kLevel));
  scene.start();
  EXPECT_GT(scene.ticks_to_rest(1000), 0);
  EXPECT_THAT(drawing_of(*scene.world),
              ElementsAre("#.#.....#", "#.#.....#", "#~#.....#", "#~#~~~~~#", "#~#~#####",
                          "#~#~#####", "#~~~#####", "#########"));
}

TEST(Stream, AValleyFillsToTheBrimAndOverflowsAtTheLowestPointOfTheDam) {
  StreamScene scene(drawn({"..S...................#......", "......................#......",
                           "......................#......", "#.....................#......",
                           "##..................#.#......", "###.......#.........###......",
                           "####..#...#..##.....###......", "####..#..##..##..#..###......",
                           "#####....##......#..###......", "#############################"},
                          2 * kLevel),
                    8);
  scene.spec.cells.push_back({{22, 6, 0}, kAir});  // the notch
  scene.spec.cells.push_back({{22, 7, 0}, kAir});
  scene.open(&sim::Edges::right).start().run(1500);
  const Drawing rows = drawing_of(*scene.world);
  EXPECT_EQ(rows[4].substr(0, 20), "##~~~~~~~~~~~~~~~~~~");
  EXPECT_EQ(rows[5].substr(0, 20), "###~~~~~~~#~~~~~~~~~");
  EXPECT_EQ(rows[6].substr(0, 20), "####~~#~~~#~~##~~~~~");
  EXPECT_EQ(rows[7].substr(0, 20), "####~~#~~##~~##~~#~~");
  EXPECT_EQ(rows[8].substr(0, 20), "#####~~~~##~~~~~~#~~");
  EXPECT_NEAR(static_cast<double>(scene.levels_drained_in(200)), 400, 30);
}

TEST(Stream, ALakeOverflowsThroughTheNotchOfItsDamOnly) {
  constexpr std::size_t kNotch = 8;
  std::vector<Drawing> layers(6, Drawing(12, "............#........"));
  layers[0] = Drawing(12, std::string(21, '#'));
  layers[3][kNotch][12] = '.';
  layers[4] = layers[5] = Drawing(12, std::string(21, '.'));
  layers[5][2][2] = 'S';
  for (const std::size_t z : {4U, 5U, 6U}) {
    for (std::size_t y = 1; y < 3; ++y) layers[y][z].replace(4, 3, "###");
  }
  StreamScene scene(drawn_plans(layers, 2 * kLevel), 8);
  scene.open(&sim::Edges::right).start().run(2500);
  for (std::int32_t y = 1; y <= 2; ++y) {
    for (const std::string& row : plan_of(*scene.world, y)) {
      EXPECT_EQ(row.substr(0, 12).find_first_not_of("~#"), std::string::npos) << row;
    }
  }
  for (std::int32_t z = 0; z < 12; ++z) {
    EXPECT_EQ(scene.level({12, 4, z}), 0) << "over the crest, z " << z;
  }
  EXPECT_NEAR(static_cast<double>(scene.levels_drained_in(200)), 400, 20);
  // Without its spring the lake dries up to the last level, and all of it is accounted for.
  scene.run(1, {{sim::RemoveSource{{2, 5, 2}}}});
  EXPECT_GT(scene.ticks_to_rest(1000), 0);
  EXPECT_EQ(scene.levels(), 0);
  const sim::Totals& totals = scene.world->totals();
  EXPECT_EQ(totals.sourced, totals.drained + totals.evaporated);
}

// Commands in midstream.

TEST(Stream, ARockDroppedIntoARiverDamsIt) {
  StreamScene scene(drawn({"S...........", "############"}), 8);
  scene.open(&sim::Edges::right).start().run(100);
  scene.run(1, {{sim::SetCells{{8, 1, 0}, {1, 1, 1}, kRock}}});
  EXPECT_FALSE(scene.mark({4, 1, 0}).flow_out);
  EXPECT_FALSE(scene.mark({10, 1, 0}).has_source) << "cut off";
  EXPECT_EQ(sim::pack(scene.mark({8, 1, 0})), 0);
  scene.run(400);
  EXPECT_EQ(drawing_of(*scene.world)[0], "~~~~~~~~#...");
  EXPECT_EQ(scene.levels_drained_in(50), 0);
}

TEST(Stream, AnOpenedDamLetsItsLakeGo) {
  StreamScene scene(drawn({"#~~~~~~#.....", "#~~~~~~#.....", "#~~~~~~#.....", "#############"}), 0);
  scene.open(&sim::Edges::right).start();
  EXPECT_GT(scene.ticks_to_rest(100), 0);
  scene.run(1, {{sim::SetCells{{7, 1, 0}, {1, 1, 1}, kAir}}});
  EXPECT_GT(scene.ticks_to_rest(3000), 0);
  EXPECT_EQ(drawing_of(*scene.world)[1], "#......#.....");
  for (std::int32_t x = 1; x < 7; ++x) EXPECT_LE(scene.level({x, 1, 0}), 8);
}

TEST(Stream, ASpringThatComesToARestingPoolIsMarkedAtOnce) {
  StreamScene scene(drawn({"#~~~#", "#####"}), 0);
  scene.start();
  EXPECT_GT(scene.ticks_to_rest(100), 0);
  scene.run(1, {{sim::AddSource{{1, 1, 0}, kLevel}}});
  EXPECT_TRUE(scene.mark({1, 1, 0}).is_source);
  EXPECT_TRUE(scene.mark({3, 1, 0}).has_source);
  EXPECT_GT(scene.ticks_to_rest(10), 0);
  scene.run(1, {{sim::RemoveSource{{1, 1, 0}}}});
  EXPECT_FALSE(scene.mark({3, 1, 0}).has_source);
}

// Corners of the rules.

TEST(Stream, AWorldOfOneCell) {
  StreamScene closed(drawn({"S"}), 8);
  closed.start();
  EXPECT_GT(closed.ticks_to_rest(100), 0);
  EXPECT_EQ(closed.levels(), 8);
  StreamScene scene(drawn({"S"}), 8);
  for (const auto edge :
       {&sim::Edges::left, &sim::Edges::right, &sim::Edges::bottom, &sim::Edges::top}) {
    scene.open(edge);
  }
  scene.start().run(50);
  EXPECT_EQ(scene.world->totals().drained, 50 * kLevel);
}

TEST(Stream, ASpringInRockGivesNothing) {
  StreamScene scene(drawn({"..S..", "#####"}), 8);
  scene.spec.cells.push_back({{2, 1, 0}, kRock});
  scene.start();
  EXPECT_GT(scene.ticks_to_rest(10), 0);
  EXPECT_EQ(scene.levels(), 0);
  scene.run(20, {{sim::SetCells{{2, 1, 0}, {1, 1, 1}, kAir}}});
  EXPECT_EQ(scene.levels(), 20);
}

TEST(Stream, ASpringOfLessThanALevelATickAddsUp) {
  StreamScene scene(drawn({"S.....", "######"}, kLevel / 5), 8);
  scene.open(&sim::Edges::right).start().run(1000);
  EXPECT_EQ(scene.world->totals().sourced, 199 * kLevel);
  EXPECT_NEAR(static_cast<double>(scene.levels_drained_in(500)), 100, 5);
}

TEST(Stream, ASpringUnderALakeRaisesItNoHigherThanItself) {
  StreamScene scene(drawn({"#.....#", "#.....#", "#..S..#", "#######"}, 4 * kLevel), 8);
  scene.start();
  EXPECT_GT(scene.ticks_to_rest(200), 0);
  EXPECT_THAT(drawing_of(*scene.world), ElementsAre("#.....#", "#.....#", "#~~~~~#", "#######"));
}

}  // namespace
}  // namespace sluice::tests::stream_test
