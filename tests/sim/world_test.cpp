// Goal: commands, springs, edges, counters and sparse storage do what the interface says; a command
// that cannot apply changes nothing and says why.
#include "server/sim/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::tests::world_test {
namespace {

class WorldTest : public ::testing::Test {
 protected:
  /// A box of rock with open space inside, 20 x 20.
  static sim::WorldSpec basin() {
    sim::WorldSpec spec;
    spec.config.size = {20, 20, 1};
    spec.fills = {{{{0, 0, 0}, {20, 20, 1}}, kRock}, {{{1, 1, 0}, {18, 18, 1}}, kAir}};
    return spec;
  }
  void start(const sim::WorldSpec& spec) {
    auto made = sim::World::create(spec);
    ASSERT_TRUE(made.ok()) << made.error();
    world = std::move(made).value();
  }
  sim::TickReport tick(std::vector<sim::Command> commands = {}) {
    return world->tick(commands, serial);
  }
  std::string refusal(const sim::CommandBody& body) {
    const sim::Digest cells = world->layer_digests()[static_cast<std::size_t>(sim::Layer::kCells)];
    const sim::TickReport report = tick({{body}});
    EXPECT_EQ(world->layer_digests()[static_cast<std::size_t>(sim::Layer::kCells)], cells);
    return report.outcomes.at(0).reason;
  }

  std::unique_ptr<sim::World> world;
  sim::SerialExecutor serial;
};

TEST_F(WorldTest, PourAddsToOneCellAndCountsAsSourced) {
  start(basin());
  const sim::TickReport report = tick({{sim::Pour{{5, 1, 0}, 100}}});
  EXPECT_TRUE(report.outcomes.at(0).applied());
  EXPECT_EQ(world->totals().sourced, 100);
  EXPECT_EQ(world->totals().water, 100);
}

TEST_F(WorldTest, RockSetOverWaterDrainsIt) {
  sim::WorldSpec spec = basin();
  spec.fills.push_back({{{1, 1, 0}, {18, 3, 1}}, kFull});
  start(spec);
  tick();
  const std::int64_t before = world->totals().water;
  std::int64_t covered = 0;
  for (int x = 4; x < 8; ++x) covered += world->cell({x, 1, 0});
  tick({{sim::SetCells{{4, 1, 0}, {4, 1, 1}, kRock}}});
  EXPECT_EQ(world->totals().drained, covered);
  EXPECT_EQ(world->totals().water, before - covered);
  EXPECT_EQ(world->cell({5, 1, 0}), kRock);
}

TEST_F(WorldTest, RemoveWaterLeavesRock) {
  sim::WorldSpec spec = basin();
  spec.fills.push_back({{{1, 1, 0}, {18, 3, 1}}, kFull});
  start(spec);
  tick({{sim::RemoveWater{{0, 0, 0}, {20, 20, 1}}}});
  EXPECT_EQ(world->totals().water, 0);
  EXPECT_EQ(world->totals().drained, 18 * 3 * kFull);
  EXPECT_EQ(world->cell({0, 0, 0}), kRock);
}

TEST_F(WorldTest, ASpringPoursAndADrainTakesEveryTick) {
  start(basin());
  tick({{sim::AddSource{{5, 10, 0}, 300}}, {sim::AddDrain{{12, 1, 0}, 50}}});
  for (int i = 0; i < 200; ++i) tick();
  EXPECT_EQ(world->totals().sourced, 201 * 300);
  EXPECT_GT(world->totals().drained, 0);
  EXPECT_LE(world->totals().drained, 201 * 50);
  tick({{sim::RemoveSource{{5, 10, 0}}}, {sim::RemoveDrain{{12, 1, 0}}}});
  const std::int64_t sourced = world->totals().sourced;
  tick();
  EXPECT_EQ(world->totals().sourced, sourced);
}

TEST_F(WorldTest, ASpringInRockDoesNothingAndSaysSo) {
  sim::WorldSpec spec = basin();
  spec.sources.push_back({{0, 5, 0}, 300});
  start(spec);
  const sim::TickReport report = tick();
  EXPECT_EQ(world->totals().sourced, 0);
  EXPECT_EQ(world->sources().at({0, 5, 0}).missed, 300);
  EXPECT_TRUE(report.at_rest);
}

TEST_F(WorldTest, AWorldWithALiveSpringIsNotAtRest) {
  sim::WorldSpec spec;
  spec.config.size = {8, 8, 1};
  spec.config.edges.bottom = sim::Edge::kOpen;
  spec.sources.push_back({{3, 0, 0}, 41});
  start(spec);
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(tick().at_rest);
}

TEST_F(WorldTest, WaterThatCrossesAnOpenEdgeIsDrained) {
  sim::WorldSpec spec;
  spec.config.size = {70, 10, 1};
  spec.config.edges.right = sim::Edge::kOpen;
  spec.fills.push_back({{{0, 0, 0}, {70, 4, 1}}, kFull});
  start(spec);
  for (int i = 0; i < 100000 && !tick().at_rest; ++i) {
  }
  EXPECT_GT(world->totals().drained, 69 * 4 * kFull - 70 * 70);
  EXPECT_TRUE(world->conserved());
}

TEST_F(WorldTest, RefusedCommandsChangeNothingAndNameTheReason) {
  start(basin());
  EXPECT_THAT(refusal(sim::Pour{{0, 0, 0}, 5}), ::testing::HasSubstr("rock"));
  EXPECT_THAT(refusal(sim::Pour{{20, 0, 0}, 5}), ::testing::HasSubstr("outside the world"));
  EXPECT_THAT(refusal(sim::Pour{{5, 5, 0}, 0}), ::testing::HasSubstr("out of range"));
  EXPECT_THAT(refusal(sim::Pour{{5, 5, 0}, INT32_MAX}), ::testing::HasSubstr("out of range"));
  EXPECT_THAT(refusal(sim::SetCells{{0, 0, 0}, {0, 1, 1}, kRock}), ::testing::HasSubstr("no cell"));
  EXPECT_THAT(refusal(sim::SetCells{{1, 1, 0}, {INT32_MAX, 1, 1}, 0}),
              ::testing::HasSubstr("leaves the world"));
  EXPECT_THAT(refusal(sim::SetCells{{INT32_MIN, 1, 0}, {1, 1, 1}, 0}),
              ::testing::HasSubstr("leaves the world"));
  EXPECT_THAT(refusal(sim::SetCells{{1, 1, 0}, {1, 1, 1}, -5}),
              ::testing::HasSubstr("neither rock"));
  EXPECT_THAT(refusal(sim::RemoveWater{{1, 1, 0}, {1, 1, 2}}),
              ::testing::HasSubstr("leaves the world"));
  EXPECT_THAT(refusal(sim::AddSource{{1, 1, 0}, -1}), ::testing::HasSubstr("out of range"));
  EXPECT_THAT(refusal(sim::RemoveSource{{1, 1, 0}}), ::testing::HasSubstr("no source"));
  EXPECT_THAT(refusal(sim::RemoveDrain{{1, 1, 0}}), ::testing::HasSubstr("no drain"));
  tick({{sim::AddSource{{1, 1, 0}, 1}}});
  EXPECT_FALSE(tick({{sim::AddSource{{1, 1, 0}, 2}}}).outcomes.at(0).applied());
}

TEST_F(WorldTest, AKilometreOfAirCostsNothing) {
  sim::WorldSpec spec;
  spec.config.size = {kMaxSide, kMaxSide, 1};
  start(spec);
  EXPECT_EQ(world->grid().chunk_count(), 0);
  EXPECT_TRUE(tick({{sim::SetCells{{0, 0, 0}, spec.config.size, kAir}}}).at_rest);
  EXPECT_EQ(world->grid().chunk_count(), 0);
  // A drop in the middle of it lives in a chunk or two, and they go when it has gone.
  tick({{sim::Pour{{500000, 500000, 0}, 4096}}});
  EXPECT_LE(world->grid().chunk_count(), 2);
  tick({{sim::RemoveWater{{0, 0, 0}, spec.config.size}}});
  // When it is seen that nothing rests there either.
  for (int i = 0; i < 16; ++i) tick();
  EXPECT_EQ(world->grid().chunk_count(), 0);
  EXPECT_EQ(world->totals().drained, 4096);
}

TEST_F(WorldTest, AWorldThatCannotBeHeldIsRefused) {
  sim::WorldSpec spec;
  spec.config.size = {kMaxSide, kMaxSide, 1};
  spec.fills.push_back({{{0, 0, 0}, spec.config.size}, kRock});
  const auto made = sim::World::create(spec);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().find("fill[0]"), std::string::npos) << made.error();
  EXPECT_NE(made.error().find("at most"), std::string::npos) << made.error();
}

TEST_F(WorldTest, AWideOpenEdgeCostsOnlyWhereWaterComes) {
  sim::WorldSpec spec;
  spec.config.size = {kMaxSide, 64, 1};
  spec.config.edges.bottom = sim::Edge::kOpen;
  spec.fills.push_back({{{1000, 0, 0}, {10, 10, 1}}, kFull});
  start(spec);
  for (int i = 0; i < 200 && !tick().at_rest; ++i) {
  }
  EXPECT_LE(world->grid().chunk_count(), 6);
  EXPECT_EQ(world->totals().water, 0);
}

// A cell filled to its limit must not overflow the kernels' sums, and stays conserved.
TEST_F(WorldTest, ExtremeAmountsStayExact) {
  for (const std::int32_t compression : {0, 1}) {
    sim::WorldSpec spec;
    spec.config.size = {3, 40, 1};
    spec.config.options["compression"] = compression;
    start(spec);
    std::vector<sim::Command> flood;
    for (int i = 0; i < 63; ++i) flood.push_back({sim::Pour{{1, 0, 0}, sim::kMaxPourUnits}});
    for (int t = 0; t < 40; ++t) {
      tick(flood);
      std::int64_t sum = 0;
      for (int y = 0; y < 40; ++y) {
        for (int x = 0; x < 3; ++x) {
          const Cell cell = world->cell({x, y, 0});
          ASSERT_GE(cell, 0);
          ASSERT_LE(cell, sim::kMaxCellUnits);
          sum += cell;
        }
      }
      ASSERT_EQ(sum, world->totals().water);
    }
  }
}

}  // namespace
}  // namespace sluice::tests::world_test
