// Goal: what a command costs is known before it runs, grows with what it touches, and is never
// less. Method: costs of boxes against what is stored; the cells that a command really rewrites,
// counted.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/commands/cost.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/random_world.h"

namespace sluice::tests::command_cost_test {
namespace {

using sim::CommandCost;
using sim::cost_of;

CommandCost cost(const sim::World& world, sim::CommandBody body) {
  return cost_of({std::move(body)}, world);
}

std::unique_ptr<sim::World> empty_world(Vec3 size) {
  sim::WorldSpec spec;
  spec.config.size = size;
  return make_world(spec);
}

TEST(CommandCost, OneCellCostsLittleHoweverLargeTheWorld) {
  const auto world = empty_world({kMaxSide, kMaxSide, 1});
  EXPECT_LT(cost(*world, sim::Pour{{5, 1 << 19, 0}, 1}).work,
            2 * (sim::kWorkOfNewChunk + sim::kWorkOfWaking));
  EXPECT_TRUE(cost(*world, sim::Pour{{5, 1 << 19, 0}, 1}).sets_in_motion);
}

// What a spring gives falls for ever: its strand has yet to grow, through every empty chunk below
// it.
TEST(CommandCost, ASpringCostsWhatItWillKeepInMotion) {
  const auto world = empty_world({640, 64 * 1024, 1});
  const Vec3 high = {5, 64 * 10 + 3, 0};
  const std::int64_t low = cost(*world, sim::AddSource{{5, 3, 0}, 1}).work;
  EXPECT_EQ(cost(*world, sim::AddSource{{5, 3, 0}, 1}).to_fall, 0);
  EXPECT_EQ(cost(*world, sim::AddSource{high, 1}).to_fall, 640);
  EXPECT_EQ(cost(*world, sim::AddSourceUpTo{high, 1, 9}).to_fall, 640);
  EXPECT_EQ(cost(*world, sim::RemoveSource{high}).to_fall, -640);
  EXPECT_EQ(cost(*world, sim::AddPort{"p", high, PortKind::kOutlet, 1}).to_fall, 640);
  EXPECT_EQ(cost(*world, sim::AddSource{high, 1}).work - low, 10);  // chunks looked at
  // However far down the ground is, so many are counted, and no host takes more.
  EXPECT_EQ(cost(*world, sim::AddSource{{5, 64 * 1000, 0}, 1}).work, sim::kTooMuchWork);
  sim::SerialExecutor serial;
  const std::vector<sim::Command> rock = {{sim::SetCells{{5, 64 * 8, 0}, {1, 1, 1}, kRock}}};
  (void)world->tick(rock, serial);
  EXPECT_EQ(cost(*world, sim::AddSource{high, 1}).to_fall, 64);
}

// Its bounds are those of one tick: a client that asks for it gets its turn.
TEST(CommandCost, ALevelCostsTheLargestRegion) {
  const auto world = empty_world({4096, 4096, 1});
  const CommandCost fill = cost(*world, sim::FillLevel{{5, 5, 0}, 1});
  EXPECT_GE(fill.work, sim::kMostLevelCells + sim::kMostLevelChunks * sim::kWorkOfNewChunk);
  EXPECT_LT(fill.work, 4'000'000);  // a host's default budget of a tick
  EXPECT_TRUE(fill.sets_in_motion);
  EXPECT_EQ(cost(*world, sim::EvaporateLevel{{5, 5, 0}, 1}).work, fill.work);
  EXPECT_EQ(cost(*world, sim::TrapAir{{5, 5, 0}, 1}).work, fill.work);
  EXPECT_LT(cost(*world, sim::FillLevel{{-5, 5, 0}, 1}).work, sim::kWorkOfAnyCommand + 100);
}

TEST(CommandCost, ASplashCostsItsColumnsAndTheClimb) {
  sim::WorldSpec spec;
  spec.config.size = {640, 640, 640};
  const auto calm = make_world(spec);
  EXPECT_LT(cost(*calm, sim::Splash{{5, 5, 5}, 32, 1, 0}).work, sim::kWorkOfAnyCommand + 100);
  spec.waves.on = true;
  const auto world = make_world(spec);
  const CommandCost least = cost(*world, sim::Splash{{5, 5, 5}, 0, 1, 0});
  EXPECT_EQ(cost(*world, sim::Splash{{5, 5, 5}, 3, 1, 0}).work - least.work,
            48 * sim::kWorkOfSplashedColumn);
  EXPECT_TRUE(least.sets_in_motion);
  EXPECT_LT(cost(*world, sim::Splash{{5, 5, 5}, INT32_MAX, 1, 0}).work,
            4'000'000);  // a host's default budget of a tick
  const auto ripple = static_cast<std::int32_t>(sim::most_ripple({}, 3, false));
  EXPECT_EQ(cost(*world, sim::Splash{{5, 5, 5}, 3, ripple, 0}).work,
            cost(*world, sim::Splash{{5, 5, 5}, 3, 1, 0}).work);
  EXPECT_GT(cost(*world, sim::Splash{{5, 5, 5}, 3, ripple + 1, 0}).work,
            2 * cost(*world, sim::Splash{{5, 5, 5}, 3, ripple, 0}).work);
  EXPECT_LT(cost(*world, sim::Splash{{5, 5, 5}, 32, INT32_MAX, 0}).work, 4'000'000);
  EXPECT_LT(cost(*world, sim::SetWind{0}).work, sim::kWorkOfAnyCommand + 100);
  EXPECT_EQ(cost(*world, sim::Explode{{5, 5, 5}, 3, 1}).work,
            cost(*world, sim::Splash{{5, 5, 5}, 3, 1, 0}).work);
  EXPECT_EQ(cost(*world, sim::MoveBody{{5, 5, 5}, {9, 9, 9}, 3}).work - sim::kWorkOfAnyCommand,
            2 * (cost(*world, sim::Splash{{5, 5, 5}, 3, 1, 0}).work - sim::kWorkOfAnyCommand));
}

TEST(CommandCost, ABoxCostsItsCellsAndChunks) {
  const auto world = empty_world({4096, 4096, 1});
  const std::int64_t one = cost(*world, sim::SetCells{{0, 0, 0}, {64, 64, 1}, kRock}).work;
  const std::int64_t four = cost(*world, sim::SetCells{{0, 0, 0}, {128, 128, 1}, kRock}).work;
  EXPECT_GE(one, kChunkCells);
  EXPECT_EQ(four - sim::cost_of({sim::RemoveSource{}}, *world).work,
            4 * (one - sim::cost_of({sim::RemoveSource{}}, *world).work));
}

// Where every cell that moves costs something, more water in a chunk that is awake is more motion.
TEST(CommandCost, WaterInAChunkThatIsAwakeIsPaidForByWhatMovesIt) {
  const auto added = [](sim::WaterModel water) {
    sim::WorldSpec spec;
    spec.config.size = {640, 640, 1};
    spec.config.water = water;
    const auto world = make_world(spec);
    sim::SerialExecutor serial;
    (void)world->tick({{{sim::Pour{{5, 60, 0}, kFull}}}}, serial);
    return std::pair(cost(*world, sim::SetCells{{0, 0, 0}, {8, 8, 1}, kFull}),
                     cost(*world, sim::Pour{{9, 9, 0}, 100 * kFull}));
  };
  const auto [swept_box, swept_pour] = added(sim::WaterModel::kCellular);
  EXPECT_FALSE(swept_box.sets_in_motion);
  EXPECT_FALSE(swept_pour.sets_in_motion);
  const auto [box, pour] = added(sim::WaterModel::kHydro);
  EXPECT_TRUE(box.sets_in_motion);
  EXPECT_TRUE(pour.sets_in_motion);
  EXPECT_GT(box.work, swept_box.work + 64 * 8);
  EXPECT_GT(pour.work, swept_pour.work + 100 * 8);
}

// In hydro water each cell that falls has a speed of its own.
TEST(CommandCost, ABoxOfWaterCostsMoreWhereItFalls) {
  const auto box_at = [](sim::WaterModel water, std::int32_t y, std::int32_t width) {
    sim::WorldSpec spec;
    spec.config.size = {1280, 640, 1};
    spec.config.water = water;
    spec.fills.push_back({{{0, 0, 0}, {20, 100, 1}}, kRock});
    return cost(*make_world(spec), sim::SetCells{{0, y, 0}, {width, 10, 1}, kFull}).work;
  };
  const std::int64_t standing = box_at(sim::WaterModel::kHydro, 100, 20);
  const std::int64_t falling = box_at(sim::WaterModel::kHydro, 102, 20);
  EXPECT_GT(falling, standing + 200 * 100);
  const std::int64_t half = box_at(sim::WaterModel::kHydro, 100, 40);
  EXPECT_GT(half, standing + 200 * 100);
  EXPECT_LT(half, 2 * falling);
  EXPECT_EQ(box_at(sim::WaterModel::kCellular, 102, 20),
            box_at(sim::WaterModel::kCellular, 100, 20));
  // Of one that is wide nothing is looked up: all of it is taken to fall.
  EXPECT_GT(box_at(sim::WaterModel::kHydro, 100, 513), 25 * falling);
}

TEST(CommandCost, ABoxOfWaterCostsWhatItsCellsFlow) {
  sim::WorldSpec spec;
  const auto flowing = [&](const Vec3& world_size) {
    spec.config.size = world_size;
    const auto world = make_world(spec);
    const Vec3 size = {64, 64, 1};
    const std::int64_t rock = cost(*world, sim::SetCells{{0, 0, 0}, size, kRock}).work;
    const std::int64_t water = cost(*world, sim::SetCells{{0, 0, 0}, size, kFull}).work;
    EXPECT_EQ(water - rock, 64 * 64 * sim::work_of_flowing_cell(*world));
    // However large it is, nothing wraps.
    const sim::SetCells all{{0, 0, 0}, world_size, kFull};
    EXPECT_GT(cost(*world, all).work, water);
    EXPECT_LE(cost(*world, all).work, sim::kTooMuchWork);
    return water - rock;
  };
  std::int64_t least = INT64_MAX;
  for (const sim::WaterModel water : every_water()) {
    spec.config.water = water;
    spec.waves.on = spec.heat.on = false;
    const std::int64_t calm = flowing({kMaxSide, 4096, 1});
    EXPECT_GT(flowing({4096, 4096, 512}), calm);
    least = std::min(least, calm);
    spec.waves.on = true;
    const std::int64_t waves = flowing({kMaxSide, 4096, 1});
    EXPECT_GT(waves, calm);
    spec.heat.on = true;
    EXPECT_GT(flowing({kMaxSide, 4096, 1}), waves);
  }
  EXPECT_GT(least, 0);
}

// A command of 110 bytes that covers the largest world: nothing may be counted cell by cell, and
// nothing may wrap.
TEST(CommandCost, TheLargestBoxIsTooMuchAndQuicklyToldSo) {
  for (const std::int32_t depth : {1, kMaxSide}) {
    const auto world = empty_world({kMaxSide, kMaxSide, depth});
    const Vec3 all = world->config().size;
    EXPECT_EQ(cost(*world, sim::SetCells{{0, 0, 0}, all, kRock}).work, sim::kTooMuchWork);
    // Where nothing is stored, taking water away costs next to nothing.
    EXPECT_LT(cost(*world, sim::RemoveWater{{0, 0, 0}, all}).work, 1000);
    EXPECT_LT(cost(*world, sim::SetCells{{0, 0, 0}, all, kAir}).work, 1000);
  }
}

TEST(CommandCost, BoxesThatWillBeRefusedCostLittle) {
  const auto world = empty_world({64, 64, 1});
  const std::int32_t most = INT32_MAX;
  EXPECT_LT(cost(*world, sim::SetCells{{-5, -5, 0}, {0, 3, 1}, kRock}).work, 1000);
  EXPECT_LT(cost(*world, sim::SetCells{{most, most, most}, {most, most, most}, 0}).work, 1000);
  EXPECT_LT(cost(*world, sim::Pour{{most, 0, 0}, 1}).work, 1000);
}

TEST(CommandCost, WhatIsAwakeAlreadyIsNotWokenOnceMore) {
  auto world = empty_world({64, 64, 1});
  sim::SerialExecutor serial;
  const std::vector<sim::Command> pour = {{sim::Pour{{5, 60, 0}, 1000}}};
  const CommandCost asleep = cost_of(pour.front(), *world);
  (void)world->tick(pour, serial);
  const CommandCost awake = cost_of(pour.front(), *world);
  EXPECT_TRUE(asleep.sets_in_motion);
  EXPECT_FALSE(awake.sets_in_motion);
  EXPECT_GE(asleep.work, awake.work + sim::kWorkOfWaking);
}

RC_GTEST_PROP(CommandCost, IsNeverLessThanTheCellsThatChange, (std::uint64_t seed, bool solid)) {
  const sim::WorldSpec spec = random_world(seed, {.solid = solid});
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (const auto& commands : random_script(seed, spec.config.size, 12)) {
    for (const sim::Command& command : commands) {
      const std::int64_t bound = cost_of(command, *world).work;
      if (const auto* set = std::get_if<sim::SetCells>(&command.body)) {
        const std::int64_t volume = intersect({set->from, set->size}, spec.config.box()).volume();
        const bool inside = volume == Box{set->from, set->size}.volume();
        RC_ASSERT(set->cell == kAir || !inside || bound >= volume);
      }
      RC_ASSERT(bound > 0);
      RC_ASSERT(bound <= sim::kTooMuchWork);
    }
    (void)world->tick(commands, serial);
  }
}

}  // namespace
}  // namespace sluice::tests::command_cost_test
