// Goal: a pour that may rise gives each cell what it has room for, the lowest first, and nothing
// where not all of it finds room; it is the pours of which it consists. Method: drawn worlds;
// random worlds of every model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/commands/cost.h"
#include "server/sim/commands/reach.h"
#include "server/sim/world.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/random_world.h"

namespace sluice::tests::pour_test {
namespace {

using ::testing::HasSubstr;

sim::CommandOutcome give(sim::World& world, const sim::CommandBody& body) {
  sim::SerialExecutor serial;
  return world.tick({{{body}}}, serial).outcomes.at(0);
}

/// Hands out one command, and keeps the cells of a column as it left them.
class ColumnAfter final : public sim::CommandSource {
 public:
  ColumnAfter(const sim::Command& command, std::int32_t x) : command_(command), x_(x) {}
  const sim::Command* next(const sim::World& world) override {
    if (!given_) {
      given_ = true;
      return &command_;
    }
    for (std::int32_t y = 0; y < world.config().size.y; ++y)
      cells.push_back(world.cell({x_, y, 0}));
    return nullptr;
  }
  std::vector<Cell> cells;

 private:
  const sim::Command& command_;
  std::int32_t x_;
  bool given_ = false;
};

TEST(MixedPour, WhatACellHasNoRoomForGoesAboveIt) {
  for (const sim::WaterModel water : {sim::WaterModel::kCellular, sim::WaterModel::kHydro}) {
    auto world = make_world(drawn_spec(water, {{
                                                  "#.#",
                                                  "#.#",
                                                  "#~#",
                                                  "#.#",
                                                  "###",
                                              }}));
    const sim::Command pour = {sim::MixedPour{{1, 1, 0}, 2 * kFull + 96, 3}};
    ColumnAfter column(pour, 1);
    sim::SerialExecutor serial;
    EXPECT_TRUE(world->tick(column, serial).outcomes.at(0).applied());
    EXPECT_EQ(column.cells, (std::vector<Cell>{kRock, kFull, kFull, kFull, 96}));
    EXPECT_EQ(world->totals().sourced, 2 * kFull + 96);
    EXPECT_TRUE(world->conserved());
  }
}

TEST(MixedPour, NothingIsPouredWhereNotAllOfItFindsRoom) {
  auto world = make_world(drawn_spec(sim::WaterModel::kHydro, {{
                                                                  "#.#",
                                                                  "###",
                                                                  "#.#",
                                                                  "#~#",
                                                                  "###",
                                                              }}));
  const auto reason = [&](Vec3 at, std::int32_t units, std::int32_t above) {
    return give(*world, sim::MixedPour{at, units, above}).reason;
  };
  EXPECT_THAT(reason({1, 1, 0}, kFull + 1, 64), HasSubstr("have room for 4096 units only"));
  EXPECT_THAT(reason({1, 1, 0}, 1, 0), HasSubstr("from [1, 1, 0] up to y 1 have room for 0"));
  EXPECT_EQ(reason({0, 1, 0}, 1, 9), "the cell [0, 1, 0] is rock");
  EXPECT_THAT(reason({1, 4, 0}, kFull + 1, 64), HasSubstr("up to y 4 have room for 4096"));
  EXPECT_THAT(reason({1, 9, 0}, 1, 0), HasSubstr("outside the world"));
  EXPECT_THAT(reason({1, 2, 0}, 0, 0), HasSubstr("units"));
  EXPECT_THAT(reason({1, 2, 0}, 1, -1), HasSubstr("above"));
  EXPECT_THAT(reason({1, 2, 0}, 1, kMostPourAbove + 1), HasSubstr("above"));
  EXPECT_EQ(world->totals().sourced, 0);
  EXPECT_EQ(reason({1, 1, 0}, kFull, kMostPourAbove), "");
  EXPECT_EQ(world->totals().sourced, kFull);
}

TEST(MixedPour, CountsTheChunksThatItWouldMake) {
  for (const std::int64_t most : {1, 2}) {
    sim::WorldSpec spec;
    spec.config.size = {4, 200, 1};
    spec.fills = {{{{1, 60, 0}, {1, 2, 1}}, kFull}};
    spec.limits.chunks = most;
    auto world = make_world(spec);
    const auto outcome = give(*world, sim::MixedPour{{1, 62, 0}, 3 * kFull, 9});
    EXPECT_EQ(outcome.applied(), most == 2) << outcome.reason;
    EXPECT_EQ(world->totals().sourced, most == 2 ? 3 * kFull : 0);
  }
}

// Recordings of older builds have it.
TEST(MixedPour, IsWhatOlderOnesWere) {
  const sim::WorldSpec spec =
      drawn_spec(sim::WaterModel::kHydro, {{"#..#", "#..#", "#~.#", "####"}});
  auto old = make_world(spec);
  auto now = make_world(spec);
  EXPECT_TRUE(give(*old, sim::RisingPour{{1, 1, 0}, 5000, 2}).applied());
  EXPECT_TRUE(give(*now, sim::MixedPour{{1, 1, 0}, 5000, 2}).applied());
  EXPECT_EQ(old->digest(), now->digest());
  EXPECT_THAT(give(*now, sim::MixedPour{{1, 1, 0}, 1, 9, {{{"red", 1}}}}).reason,
              HasSubstr("no tracers"));
  EXPECT_THAT(give(*now, sim::MixedPour{{1, 1, 0}, 1, 9, {}, 256}).reason, HasSubstr("no heat"));
}

RC_GTEST_PROP(MixedPour, IsThePoursOfWhichItConsists, (std::uint64_t seed, bool solid)) {
  const sim::WorldSpec spec = random_world_of(any_water(seed), seed, {.solid = solid, .side = 40});
  auto one = sim::World::create(spec);
  auto other = sim::World::create(spec);
  RC_PRE(one.ok() && other.ok());
  sim::SerialExecutor serial;
  Dice dice(seed ^ 0x9011U);
  const std::int32_t quantum = sim::measure_of(spec.config).quantum;
  for (int t = 0; t < 12; ++t) {
    const Vec3 at = random_place(dice, spec.config.size);
    const sim::MixedPour rising = {at, dice.roll(1, 5 * kFull / quantum) * quantum,
                                   dice.roll(0, 6)};
    std::vector<sim::Command> pours;
    std::int32_t left = rising.units;
    for (Vec3 to = at; to.y <= at.y + rising.above && to.y < spec.config.size.y && left > 0;
         ++to.y) {
      const Cell held = (*other)->cell(to);
      if (held < 0) break;
      const std::int32_t room = std::max(kFull - held, 0) / quantum * quantum;
      if (const std::int32_t units = std::min(room, left); units > 0) {
        pours.push_back({sim::Pour{to, units}});
        left -= units;
      }
    }
    if (left > 0) pours.clear();
    const sim::TickReport report = (*one)->tick({{{rising}}}, serial);
    RC_ASSERT(report.outcomes.at(0).applied() == (left == 0));
    for (const sim::CommandOutcome& each : (*other)->tick(pours, serial).outcomes) {
      RC_ASSERT(each.applied());
    }
    RC_ASSERT((*one)->digest() == (*other)->digest());
    RC_ASSERT((*one)->conserved());
  }
}

RC_GTEST_PROP(MixedPour, ReachesOnlyWhatItSays, (std::uint64_t seed)) {
  const sim::WorldSpec spec = random_world_of(sim::WaterModel::kHydro, seed, {.side = 40});
  auto world = sim::World::create(spec);
  RC_PRE(world.ok());
  Dice dice(seed);
  const Vec3 at = random_place(dice, spec.config.size);
  const sim::Command pour = {sim::MixedPour{at, dice.roll(1, 9 * kFull), dice.roll(0, 70)}};
  const sim::CommandReach reach = sim::reach_of(pour, **world);
  RC_ASSERT(reach.boxes.size() == 1U);
  const Box box = reach.boxes.front();
  ColumnAfter column(pour, at.x);
  std::vector<Cell> before;
  for (std::int32_t y = 0; y < spec.config.size.y; ++y)
    before.push_back((*world)->cell({at.x, y, 0}));
  sim::SerialExecutor serial;
  (void)(*world)->tick(column, serial);
  for (std::int32_t y = 0; y < spec.config.size.y; ++y) {
    const auto index = static_cast<std::size_t>(y);
    RC_ASSERT(before[index] == column.cells[index] || box.contains({at.x, y, 0}));
  }
  // Nonsense costs no more.
  const auto cost = [&](std::int32_t above) {
    return sim::cost_of({sim::MixedPour{at, 1, above}}, **world).work;
  };
  RC_ASSERT(cost(INT32_MAX) == cost(kMostPourAbove));
  RC_ASSERT(cost(INT32_MIN) == cost(0));
  RC_ASSERT(cost(0) < cost(kMostPourAbove));
}

}  // namespace
}  // namespace sluice::tests::pour_test
