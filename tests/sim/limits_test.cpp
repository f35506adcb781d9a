// Goal: what a world may grow to (WorldLimits, limits.h) holds whatever flows and whoever commands,
// and is the same in every run and replay.
// Method: worlds with tiny limits, run by every model in ways that must agree; the arithmetic at a
// cell's maximum, against 64 bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/kernels.h"
#include "server/sim/models/cellular/rule.h"
#include "server/sim/world.h"
#include "server/workers/thread_pool.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/random_world.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::limits_test {
namespace {

using sim::World;
using sim::WorldSpec;
using testing::HasSubstr;

std::vector<ChunkCoord> chunks_within(ChunkCoord first, ChunkCoord last) {
  std::vector<ChunkCoord> chunks;
  for (std::int32_t y = first.y; y <= last.y; ++y) {
    for (std::int32_t z = first.z; z <= last.z; ++z) {
      for (std::int32_t x = first.x; x <= last.x; ++x) chunks.push_back({x, y, z});
    }
  }
  return chunks;
}

std::string reason_of(World& world, sim::CommandBody body) {
  sim::SerialExecutor serial;
  const std::vector<sim::Command> commands = {{std::move(body)}};
  return world.tick(commands, serial).outcomes.front().reason;
}

WorldSpec empty_world(Vec3 size, sim::WorldLimits limits) {
  WorldSpec spec;
  spec.config.size = size;
  spec.limits = limits;
  return spec;
}

std::int64_t holding(const World& world) {
  std::int64_t count = 0;
  world.grid().for_each([&](const sim::Chunk& chunk) {
    const auto holds = [](Cell cell) { return cell == kRock || cell > 0; };
    count += std::any_of(chunk.cells.begin(), chunk.cells.end(), holds) ? 1 : 0;
  });
  return count;
}

// ---- Pipes

TEST(LimitOfPipes, HoldsAndIsAPartOfTheWorld) {
  sim::WorldLimits limits;
  limits.pipes = 2;
  auto world = make_world(empty_world({8, 8, 1}, limits));
  const auto add = [](const char* name) {
    sim::AddPipe pipe;
    pipe.name = name;
    return pipe;
  };
  EXPECT_EQ(reason_of(*world, add("a")), "");
  EXPECT_EQ(reason_of(*world, add("b")), "");
  auto restored = through_a_snapshot(*world);
  for (World* one : {world.get(), restored.get()}) {
    EXPECT_THAT(reason_of(*one, add("c")), HasSubstr("a world holds at most 2 "));
  }
  EXPECT_EQ(world->digest(), restored->digest());
  // It is told from others by its digest, and those without a limit of their own have theirs still.
  limits.pipes = 3;
  EXPECT_NE(make_world(empty_world({8, 8, 1}, limits))->digest(),
            make_world(empty_world({8, 8, 1}, {}))->digest());
}

// ---- A cell's maximum

// In 32 bits the sum of two cells at their maximum overflowed.
TEST(CellMaximum, SharesOfTwoFullestCellsAreThoseOf64Bits) {
  for (const std::int32_t full : {64, kFull, sim::kMaxFullOption}) {
    sim::WorldConfig config;
    config.options = {{"full", full}, {"compressed_max", full + full / 8}};
    const sim::CellularRule rule = sim::prepare(config);
    for (std::int32_t less = 0; less < 3 * full; ++less) {
      const std::int32_t sum = 2 * sim::kMaxCellUnits - less;
      const std::int64_t both_full = (std::int64_t{sum} + rule.extra) / 2;
      const std::int64_t expected =
          std::min(std::max<std::int64_t>(both_full, std::int64_t{sum} - sim::kMaxCellUnits),
                   std::int64_t{sim::kMaxCellUnits});
      ASSERT_EQ(sim::lower_share(rule, sum), expected) << "full " << full << ", sum " << sum;
    }
  }
}

TEST(CellMaximum, AClosedShaftAtItsMaximumStaysThere) {
  const std::string best = sim::kernels().name;
  for (const sim::Kernels& kernels : sim::all_kernels()) {
    ASSERT_TRUE(sim::select_kernels(kernels.name));
    auto world = make_world(drawn_spec(sim::WaterModel::kCellular, {{"#", ".", ".", "#"}}));
    sim::SerialExecutor serial;
    std::vector<sim::Command> pours;  // of one tick: the first must not rise before all is there
    for (const std::int32_t y : {1, 2}) {
      std::int32_t left = sim::kMaxCellUnits;
      for (; left > sim::kMaxPourUnits; left -= sim::kMaxPourUnits) {
        pours.push_back({sim::Pour{{0, y, 0}, sim::kMaxPourUnits}});
      }
      pours.push_back({sim::Pour{{0, y, 0}, left}});
    }
    for (const sim::CommandOutcome& outcome : world->tick(pours, serial).outcomes) {
      ASSERT_EQ(outcome.reason, "");
    }
    for (int tick = 0; tick < 4; ++tick) (void)world->tick({}, serial);
    EXPECT_EQ(world->cell({0, 1, 0}), sim::kMaxCellUnits) << kernels.name;
    EXPECT_EQ(world->cell({0, 2, 0}), sim::kMaxCellUnits) << kernels.name;
  }
  ASSERT_TRUE(sim::select_kernels(best));
}

// ---- Units

TEST(LimitOfUnits, CommandsBeyondItAreRefusedWithTheReason) {
  auto world = make_world(empty_world({8, 8, 1}, {.units = 3 * kFull}));
  EXPECT_EQ(reason_of(*world, sim::Pour{{0, 0, 0}, 2 * kFull}), "");
  EXPECT_THAT(reason_of(*world, sim::Pour{{0, 0, 0}, kFull + 1}),
              HasSubstr("has taken in 8192 units and takes 12288 over its whole life"));
  EXPECT_THAT(reason_of(*world, sim::SetCells{{0, 0, 0}, {2, 1, 1}, kFull}),
              HasSubstr("not 8192 more"));
  sim::AddPipe tank;
  tank.name = "tank";
  tank.capacity = 4 * kFull;
  tank.amount = kFull + 1;
  EXPECT_THAT(reason_of(*world, tank), HasSubstr("over its whole life"));
  tank.amount = kFull;
  EXPECT_EQ(reason_of(*world, tank), "");
  EXPECT_THAT(reason_of(*world, sim::Pour{{0, 0, 0}, 1}), HasSubstr("not 1 more"));
  EXPECT_EQ(world->totals().taken_in(), 3 * kFull);
}

// Filling and emptying a box over and over overflowed the totals.
TEST(LimitOfUnits, WhatLeavesDoesNotMakeRoom) {
  auto world = make_world(empty_world({8, 8, 1}, {.units = 2 * kFull}));
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(reason_of(*world, sim::SetCells{{0, 0, 0}, {1, 1, 1}, kFull}), "");
    EXPECT_EQ(reason_of(*world, sim::RemoveWater{{0, 0, 0}, {8, 8, 1}}), "");
  }
  EXPECT_NE(reason_of(*world, sim::SetCells{{0, 0, 0}, {1, 1, 1}, kFull}), "");
}

TEST(LimitOfUnits, ASpringStopsAtItAndTheWorldComesToRest) {
  WorldSpec spec = empty_world({8, 8, 1}, {.units = 1000});
  spec.sources.push_back({{3, 3, 0}, 300});
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  bool at_rest = false;
  for (int tick = 0; tick < 400 && !at_rest; ++tick) at_rest = world->tick({}, serial).at_rest;
  EXPECT_EQ(world->totals().sourced, 1000);
  EXPECT_TRUE(at_rest);
}

TEST(LimitOfUnits, TheGreatestOneIsTheDefaultAndKeepsDigests) {
  const WorldSpec spec = random_world(7, {});
  WorldSpec limited = spec;
  limited.limits.units = sim::kMaxTakenIn - 1;
  const auto one = make_world(spec);
  const auto other = make_world(limited);
  const auto config = static_cast<std::size_t>(sim::Layer::kConfig);
  EXPECT_NE(one->layer_digests()[config], other->layer_digests()[config]);
  EXPECT_EQ(through_a_snapshot(*other)->core().limits, limited.limits);
}

// ---- Chunks

TEST(LimitOfChunks, CommandsBeyondItAreRefusedWithTheReason) {
  auto world = make_world(empty_world({64 * 8, 64, 1}, {.chunks = 2}));
  EXPECT_EQ(reason_of(*world, sim::Pour{{0, 0, 0}, 5}), "");
  EXPECT_EQ(reason_of(*world, sim::SetCells{{64 * 3, 0, 0}, {64, 1, 1}, kRock}), "");
  EXPECT_THAT(reason_of(*world, sim::Pour{{64 * 5, 0, 0}, 5}),
              HasSubstr("2 chunks of 4096 cells hold something and 1 more would; this world holds "
                        "at most 2"));
  EXPECT_NE(reason_of(*world, sim::SetCells{{64 * 5, 0, 0}, {1, 1, 1}, kRock}), "");
  // Where something is already, more may come.
  EXPECT_EQ(reason_of(*world, sim::Pour{{1, 0, 0}, 5}), "");
  EXPECT_EQ(reason_of(*world, sim::SetCells{{64 * 3, 5, 0}, {1, 1, 1}, kRock}), "");
  // What is emptied makes room from the next tick on.
  EXPECT_EQ(reason_of(*world, sim::SetCells{{0, 0, 0}, {64, 64, 1}, kAir}), "");
  EXPECT_EQ(reason_of(*world, sim::Pour{{64 * 5, 0, 0}, 5}), "");
}

TEST(LimitOfChunks, CommandsOfOneTickCountTogether) {
  auto world = make_world(empty_world({64 * 8, 64, 1}, {.chunks = 2}));
  sim::SerialExecutor serial;
  const std::vector<sim::Command> pours = {{sim::Pour{{0, 0, 0}, 5}},
                                           {sim::Pour{{64, 0, 0}, 5}},
                                           {sim::Pour{{128, 0, 0}, 5}},
                                           {sim::Pour{{1, 0, 0}, 5}}};
  const sim::TickReport report = world->tick(pours, serial);
  EXPECT_TRUE(report.outcomes[0].applied());
  EXPECT_TRUE(report.outcomes[1].applied());
  EXPECT_FALSE(report.outcomes[2].applied());
  EXPECT_TRUE(report.outcomes[3].applied());
}

// Flow made 270,000 chunks in a world of 262,144.
TEST(LimitOfChunks, WaterThatFlowsIntoTooManyIsDrained) {
  auto world = make_world(empty_world({64 * 4, 8, 1}, {.chunks = 2}));
  ASSERT_EQ(reason_of(*world, sim::SetCells{{0, 0, 0}, {40, 8, 1}, kFull}), "");
  sim::SerialExecutor serial;
  for (int tick = 0; tick < 3000; ++tick) {
    (void)world->tick({}, serial);
    ASSERT_LE(holding(*world), 2);
    ASSERT_TRUE(world->conserved());
  }
  EXPECT_GT(world->totals().drained, 0);
}

/// The digests of a run, and the most chunks that held anything.
struct Run {
  std::vector<sim::Digest> digests;
  std::int64_t most = 0;
  std::int64_t drained = 0;
};

Run run(const WorldSpec& spec, const Script& script, sim::RunOptions options,
        sim::Executor& executor, std::uint64_t restores) {
  auto world = make_world(spec);
  Dice dice(restores);
  Run result;
  for (const auto& commands : script) {
    if (restores != 0 && dice.chance(30)) world = through_a_snapshot(*world);
    world->set_run_options(options);
    result.digests.push_back(world->tick(commands, executor).digest);
    result.most = std::max(result.most, holding(*world));
    RC_ASSERT(world->conserved());
    RC_ASSERT(world->digest() == world->recompute_digest());
  }
  result.drained = world->totals().drained;
  return result;
}

// Trapped air was left in a chunk that was drained, and then taken for empty.
TEST(LimitOfChunks, WhatIsDrainedIsNotAChunkWithTrappedAir) {
  WorldSpec spec = empty_world({64 * 3, 8, 1}, {.chunks = 2});
  spec.config.water = sim::WaterModel::kCellular;
  spec.fills.push_back({{{0, 0, 0}, {4, 1, 1}}, kFull});
  spec.sources.push_back({{64, 0, 0}, kFull});
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  const std::vector<sim::Command> commands = {{sim::SetCells{{130, 0, 0}, {3, 3, 1}, kFull}},
                                              {sim::SetCells{{131, 1, 0}, {1, 1, 1}, kTrappedAir}}};
  const sim::TickReport report = world->tick(commands, serial);
  for (const sim::CommandOutcome& outcome : report.outcomes) EXPECT_EQ(outcome.reason, "");
  EXPECT_EQ(world->cell({131, 1, 0}), kTrappedAir);
  EXPECT_EQ(world->cell({64, 0, 0}), kAir) << "what the source gave is drained";
  EXPECT_EQ(world->digest(), world->recompute_digest());
  EXPECT_EQ(through_a_snapshot(*world)->digest(), world->digest());
  EXPECT_TRUE(world->conserved());
}

// Ice was taken for something that only commands bring: a chunk into which a source gave water that
// froze at once was kept beyond the limit, and no checkpoint of the world could be restored.
TEST(LimitOfChunks, HoldsWhereWhatASourceGivesFreezesAsItComes) {
  WorldSpec spec = empty_world({64, 128, 1}, {.chunks = 2});
  spec.heat.on = true;
  spec.heat.options.ice = 100;
  spec.fills.push_back({{{0, 0, 0}, {4, 1, 1}}, kFull});
  spec.sources.push_back({{10, 100, 0}, kFull, -1, -90 * sim::kDegree});
  const auto freezes = [](const World& world) { return is_ice(world.cell({10, 100, 0})); };
  sim::SerialExecutor serial;
  const auto free = World::create(spec);
  ASSERT_TRUE(free.ok()) << free.error();
  (void)(*free)->tick({}, serial);
  ASSERT_TRUE(freezes(**free));

  spec.limits.chunks = 1;
  const auto world = World::create(spec);
  ASSERT_TRUE(world.ok()) << world.error();
  for (int tick = 0; tick < 20; ++tick) {
    (void)(*world)->tick({}, serial);
    EXPECT_FALSE(freezes(**world));
    EXPECT_EQ((*world)->grid().holding_count(), 1);
    EXPECT_TRUE((*world)->conserved());
    EXPECT_EQ((*world)->digest(), (*world)->recompute_digest());
    EXPECT_EQ(through_a_snapshot(**world)->digest(), (*world)->digest());
  }
}

RC_GTEST_PROP(LimitOfChunks, HoldsAndIsTheSameInEveryRun,
              (std::uint64_t seed, bool solid, std::uint8_t model)) {
  const auto water = any_water(model);
  WorldSpec spec = random_world_of(water, seed, {.solid = solid, .side = 300});
  Dice dice(seed);
  // Hardly more than it begins with.
  spec.limits.chunks = 1;
  while (!World::create(spec).ok()) ++spec.limits.chunks;
  spec.limits.chunks += dice.roll(0, 2);
  const Script script =
      fitted(random_script(seed, spec.config.size, 24), sim::measure_of(spec.config));
  sim::SerialExecutor serial;
  const Run plain = run(spec, script, {}, serial, 0);
  RC_ASSERT(plain.most <= spec.limits.chunks);
  RC_ASSERT(run(spec, script, {.sleep = false}, serial, 0).digests == plain.digests);
  RC_ASSERT(run(spec, script, {}, serial, seed | 1).digests == plain.digests);
  workers::ThreadPool pool(3);
  workers::ShuffledExecutor shuffled(pool, seed);
  RC_ASSERT(run(spec, script, {}, shuffled, 0).digests == plain.digests);
}

// Sides that end at a chunk's border, one cell before it and one beyond, with open edges and
// without.
TEST(Grid, ReachesTheChunksThatTouchTheWorldOrItsGutters) {
  for (const bool solid : {false, true}) {
    for (std::uint32_t i = 0; i < 9 * 64; ++i) {
      sim::WorldConfig config;
      const auto edge = [i](std::uint32_t bit) {
        return (i / 9 >> bit & 1U) != 0 ? sim::Edge::kOpen : sim::Edge::kWall;
      };
      config.edges = {edge(0), edge(1), edge(2), edge(3), edge(4), edge(5)};
      const std::int32_t chunk = solid ? 16 : 64;
      const auto around = [&](std::uint32_t digit) {
        return 2 * chunk - 1 + static_cast<std::int32_t>(digit);
      };
      config.size = {around(i % 3), around(i / 3 % 3), solid ? around((i + i / 3) % 3) : 1};
      if (!solid) config.edges.front = config.edges.back = sim::Edge::kWall;
      const sim::Grid grid(config);
      for (const ChunkCoord c : chunks_within({-2, -2, -2}, {5, 5, 5})) {
        const Box there = intersect(grid.shape().box(c), grid.open_box());
        ASSERT_EQ(grid.reaches(c), !there.empty()) << i << ": " << c.x << ' ' << c.y << ' ' << c.z;
      }
    }
  }
}

}  // namespace
}  // namespace sluice::tests::limits_test
