// Goal: the oracle of rest says what floats, what is not flat and what does not rest, and nothing
// of what lies as it should. Method: drawn worlds.
#include "tests/hunt/rest.h"

#include <gtest/gtest.h>

#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"

namespace sluice::hunt::rest_test {
namespace {

using sim::WaterModel;
using tests::drawn_spec;
using tests::make_world;

TEST(Rest, WaterOverAirFloats) {
  for (const WaterModel model : tests::every_water()) {
    EXPECT_NE(floating(*make_world(drawn_spec(model, {{"#~#", "#.#", "###"}}))), "");
    EXPECT_EQ(floating(*make_world(drawn_spec(model, {{"#.#", "#~#", "###"}}))), "");
    EXPECT_EQ(floating(*make_world(drawn_spec(model, {{"#~#", "###", "#.#"}}))), "");
  }
  // Over a cell that has room, too.
  const WaterModel hydro = WaterModel::kHydro;
  EXPECT_NE(floating(*make_world(drawn_spec(hydro, {{"#~#", "#4#", "###"}}))), "");
  EXPECT_EQ(floating(*make_world(drawn_spec(hydro, {{"#4#", "#~#", "###"}}))), "");
}

TEST(Rest, WaterOverAnOpenFloorFloats) {
  sim::WorldSpec spec = drawn_spec(WaterModel::kHydro, {{"~"}});
  EXPECT_EQ(floating(*make_world(spec)), "");
  spec.config.edges.bottom = sim::Edge::kOpen;
  EXPECT_NE(floating(*make_world(spec)), "");
}

TEST(Rest, CellularWaterStandsAtOneHead) {
  const WaterModel cellular = WaterModel::kCellular;
  const auto apart = make_world(drawn_spec(cellular, {{"#~#.#", "#~#4#", "#~~~#", "#####"}}));
  EXPECT_NE(wrong_at_rest(*apart), "");
  sim::WorldSpec level = drawn_spec(cellular, {{"#4#4#", "#~#~#", "#~~~#", "#####"}});
  for (sim::PlacedCell& cell : level.cells) cell.at_rest = cell.cell > 0;
  EXPECT_EQ(wrong_at_rest(*make_world(level)), "");
}

TEST(Rest, AStepInHydroWaterIsNotFlat) {
  const auto step = make_world(drawn_spec(WaterModel::kHydro, {{"#4.#", "#~~#", "####"}}));
  EXPECT_NE(uneven(*step), "");
  const auto joined = make_world(drawn_spec(WaterModel::kHydro, {{"#~#.#", "#~~~#", "#####"}}));
  EXPECT_NE(uneven(*joined), "");
}

// Two pools, a fall's upper pool up to its sill, and a full passage under a higher head.
TEST(Rest, WaterThatNothingDrivesIsFlat) {
  for (const tests::Drawing& drawing : {tests::Drawing{"#~#.#", "#~#4#", "#####"},
                                        tests::Drawing{"#...#", "##..#", "##~~#", "#####"},
                                        tests::Drawing{"#~###", "#~~~#", "#####"}}) {
    EXPECT_EQ(uneven(*make_world(drawn_spec(WaterModel::kHydro, {drawing}))), "");
  }
}

TEST(Rest, WhatMovesComesToRestAndWhatIsFedIsClosed) {
  for (const WaterModel model : tests::every_water()) {
    sim::WorldSpec spec = drawn_spec(model, {{"#~..#", "#~..#", "#~..#", "#####"}});
    spec.sources.push_back({{3, 3, 0}, kFull, -1});
    const auto world = make_world(spec);
    EXPECT_EQ(bring_to_rest(*world, 5000).wrong, "");
    EXPECT_TRUE(world->sources().empty());
    EXPECT_NE(bring_to_rest(*make_world(spec), 1).wrong, "");
  }
}

// A deep pool under air that hardly conducts: it is on its way for millions of ticks. Where its
// water moves, too, or it gains heat as well as it loses some, that is no excuse.
TEST(Rest, WaterThatOnlyCoolsMayTakeLonger) {
  sim::WorldSpec spec =
      drawn_spec(WaterModel::kHydro, {{"#..#", "#..#", "#~~#", "#~~#", "#~~#", "####"}});
  spec.heat.on = true;
  spec.heat.options.water = 60 * sim::kDegree;
  EXPECT_EQ(bring_to_rest(*make_world(spec), 200).wrong, "");
  EXPECT_NE(bring_to_rest(*make_world(spec), 1).wrong, "");
  sim::WorldSpec falls = drawn_spec(WaterModel::kHydro, {{"#~.#", "#..#", "#..#", "####"}});
  falls.heat = spec.heat;
  EXPECT_NE(bring_to_rest(*make_world(falls), 4).wrong, "");
}

}  // namespace
}  // namespace sluice::hunt::rest_test
