// Goal: stream water keeps its laws in any world.
// Method: worlds and scripts drawn by rapidcheck (which prints the seed of a failure), run in two
// ways that must agree: one worker and many; with sleep and without; with restores and without.
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/models/stream/cells.h"
#include "tests/support/drawn_world.h"
#include "tests/support/histories.h"
#include "tests/support/random_world.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::stream_property_test {
namespace {

using sim::World;
using sim::WorldSpec;

constexpr std::size_t kTicks = 40;

/// As random_world, with amounts in levels and springs that matter in so small a world.
WorldSpec random_streams(std::uint64_t seed, bool solid, Pipes pipes = Pipes::kJoined) {
  const WorldKind kind = {.solid = solid, .side = solid ? 80 : 100, .pipes = pipes};
  WorldSpec spec = fitted(random_world(seed, kind), sim::WaterModel::kStream);
  Dice dice(seed ^ 0x57eaU);
  spec.config.options["drying"] = dice.chance(30) ? 0 : dice.roll(1, 12);
  for (std::int32_t i = dice.roll(0, 3); i > 0; --i) {
    const Vec3 at = random_place(dice, spec.config.size);
    const bool taken = std::any_of(spec.sources.begin(), spec.sources.end(),
                                   [&](const sim::Spring& s) { return s.at == at; });
    if (!taken) spec.sources.push_back({at, dice.roll(1, kFull), -1});
  }
  return spec;
}

Script random_orders(std::uint64_t seed, const WorldSpec& spec) {
  Script script =
      fitted(random_script(seed, spec.config.size, kTicks), sim::measure_of(spec.config));
  Dice dice(seed ^ 0x0d3U);
  for (auto& commands : script) {
    // Random cells would hardly ever hit a spring.
    if (!dice.chance(10) || spec.sources.empty()) continue;
    const auto last = static_cast<std::int32_t>(spec.sources.size()) - 1;
    const auto which = static_cast<std::size_t>(dice.roll(0, last));
    commands.push_back({sim::RemoveSource{spec.sources[which].at}});
  }
  return script;
}

RC_GTEST_PROP(StreamProperty, ConservesEveryLevelAndNeverHoldsMoreThanEight,
              (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_streams(seed, solid);
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (const auto& commands : random_orders(seed, spec)) {
    (void)world->tick(commands, serial);
    std::int64_t water = 0;
    world->grid().for_each([&](const sim::Chunk& chunk) {
      for (std::size_t i = 0; i < kChunkCells; ++i) {
        const Cell cell = chunk.cells[i];
        water += water_of(cell);
        RC_ASSERT(cell <= kFull && water_of(cell) % sim::kUnitsPerLevel == 0);
        if (chunk.marks == nullptr) continue;
        const Cell mark = chunk.marks->cells[i];
        RC_ASSERT(mark == 0 || is_open(cell));
        RC_ASSERT(sim::pack(sim::unpack(mark)) == mark);
      }
    });
    RC_ASSERT(water == world->totals().water);
    RC_ASSERT(world->conserved());
    RC_ASSERT(world->digest() == world->recompute_digest());
  }
}

// A spring that had nothing left gave a level to its stream all the same.
TEST(StreamProperty, NoCellGivesMoreThanItHolds) {
  const WorldSpec spec = random_streams(2457, true);
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (const auto& commands : random_orders(2457, spec)) {
    (void)world->tick(commands, serial);
    world->grid().for_each([&](const sim::Chunk& chunk) {
      for (const Cell cell : chunk.cells) EXPECT_GE(cell, kTrappedAir);
    });
  }
}

RC_GTEST_PROP(StreamProperty, WorkersOrderAndSleepChangeNothing, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_streams(seed, solid);
  expect_workers_order_and_sleep_change_nothing(spec, random_orders(seed, spec), 4 * kTicks, seed);
}

RC_GTEST_PROP(StreamProperty, GoingOnFromASnapshotIsGoingOn, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_streams(seed, solid);
  auto world = make_world(spec);
  auto restored = through_a_snapshot(*world);
  sim::SerialExecutor serial;
  Dice dice(seed);
  Script script = random_orders(seed, spec);
  script.resize(2 * kTicks);
  for (const auto& commands : script) {
    if (dice.chance(40)) restored = through_a_snapshot(*restored);
    RC_ASSERT(restored->digest() == world->digest());
    const sim::TickReport expected = world->tick(commands, serial);
    const sim::TickReport report = restored->tick(commands, serial);
    RC_ASSERT(report.digest == expected.digest);
    RC_ASSERT(report.at_rest == expected.at_rest);
    RC_ASSERT(report.active_chunks == expected.active_chunks);
  }
}

// What is kept from tick to tick must say what is made anew: here an engine that forgets everything
// before each tick.
RC_GTEST_PROP(StreamKept, AnEngineThatForgetsEverythingGoesOnWithTheSameBits,
              (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_streams(seed, solid);
  auto world = make_world(spec);
  auto forgetful = make_world(spec);
  sim::SerialExecutor serial;
  Script script = random_orders(seed, spec);
  script.resize(2 * kTicks);
  for (const auto& commands : script) {
    forgetful = through_a_snapshot(*forgetful);
    const sim::TickReport expected = world->tick(commands, serial);
    const sim::TickReport report = forgetful->tick(commands, serial);
    RC_ASSERT(report.digest == expected.digest);
    RC_ASSERT(report.at_rest == expected.at_rest);
    RC_ASSERT(report.active_chunks == expected.active_chunks);
  }
}

/// A slope down to the open right edge, with bumps and pits, and some springs at its top.
WorldSpec random_slope(Dice& dice) {
  WorldSpec spec;
  spec.config.name = "slope";
  spec.config.water = sim::WaterModel::kStream;
  spec.config.size = {dice.roll(12, 28), 14, dice.roll(1, 10)};
  spec.config.edges.right = sim::Edge::kOpen;
  if (dice.chance(50)) spec.config.edges.bottom = sim::Edge::kOpen;
  spec.config.seed = static_cast<std::uint64_t>(dice.roll(0, 1 << 20));
  const Vec3 size = spec.config.size;
  const std::int32_t fall = dice.roll(0, 8);
  const std::int32_t rough = dice.roll(0, 30);
  const auto ground = [&](std::int32_t x) { return 2 + fall * (size.x - 1 - x) / size.x; };
  for (std::int32_t x = 0; x < size.x; ++x) {
    for (std::int32_t z = 0; z < size.z; ++z) {
      const std::int32_t height = ground(x) + (dice.chance(rough) ? dice.roll(-1, 2) : 0);
      if (height > 0) spec.fills.push_back({{{x, 0, z}, {1, height, 1}}, kRock});
    }
  }
  for (std::int32_t z = 0; z < size.z; ++z) {
    if (dice.chance(50)) spec.sources.push_back({{0, ground(0) + 1, z}, dice.roll(1, 8) * 512, -1});
  }
  return spec;
}

// A wide river that reaches the edge, in which somebody digs and builds. Whether it goes on as one
// does that has just been read.
bool is_kept_as_it_is(std::uint64_t seed) {
  Dice dice(seed);
  const WorldSpec spec = random_slope(dice);
  auto world = make_world(spec);
  auto forgetful = make_world(spec);
  sim::SerialExecutor serial;
  for (int t = 0; t < 160; ++t) {
    std::vector<sim::Command> commands;
    if (t > 60 && dice.chance(15)) {
      Vec3 at = random_place(dice, spec.config.size);
      at.y = dice.roll(1, 11);
      commands.push_back({sim::SetCells{at, {1, 1, 1}, dice.chance(60) ? kRock : kAir}});
      // A shaft to the bottom, if that is open: another way to an edge.
      if (dice.chance(30)) commands.push_back({sim::SetCells{{at.x, 0, at.z}, {1, 12, 1}, kAir}});
    }
    if (t % 5 == 0) forgetful = through_a_snapshot(*forgetful);
    const sim::TickReport expected = world->tick(commands, serial);
    if (forgetful->tick(commands, serial).digest != expected.digest) return false;
  }
  return true;
}

RC_GTEST_PROP(StreamKept, ARiverThatSomebodyBuildsInIsKeptAsItIs, (std::uint64_t seed)) {
  RC_ASSERT(is_kept_as_it_is(seed));
}

// A new way to the edge opened beside a cell whose own ways stayed: its turn was repeated, and the
// dry cell that the new way leads to was not taken.
TEST(StreamKept, AWayThatOpensBesideACellMakesItsTurnDoubted) {
  for (const std::uint64_t seed : {115958ULL, 2782685120134955ULL}) {
    EXPECT_TRUE(is_kept_as_it_is(seed)) << seed;
  }
}

/// Ticks to rest, or -1. Checks that rest is rest.
int ticks_to_rest(World& world, int most) {
  sim::SerialExecutor serial;
  for (int t = 1; t <= most; ++t) {
    if (!world.tick({}, serial).at_rest) continue;
    const auto layers = world.layer_digests();
    world.set_run_options({.sleep = false});
    (void)world.tick({}, serial);
    for (const sim::Layer layer : {sim::Layer::kCells, sim::Layer::kMarks}) {
      const auto i = static_cast<std::size_t>(layer);
      if (world.layer_digests()[i] != layers[i]) return -1;
    }
    return t;
  }
  return -1;
}

RC_GTEST_PROP(StreamProperty, WithoutSpringsEveryWorldDriesUpInBoundedTime,
              (std::uint64_t seed, bool solid)) {
  WorldSpec spec = random_streams(seed, solid, Pipes::kNone);
  spec.config.options["drying"] = 8;
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (std::size_t t = 0; t < 2 * kTicks; ++t) (void)world->tick({}, serial);
  std::vector<sim::Command> commands;
  for (const auto& [at, spring] : world->sources()) commands.push_back({sim::RemoveSource{at}});
  for (const auto& [at, spring] : world->drains()) commands.push_back({sim::RemoveDrain{at}});
  (void)world->tick(commands, serial);
  RC_ASSERT(ticks_to_rest(*world, 3000) > 0);
  RC_ASSERT(world->totals().water == 0);
  RC_ASSERT(world->conserved());
}

bool comes_to_rest(std::uint64_t seed, bool solid) {
  WorldSpec spec = random_streams(seed, solid, Pipes::kNone);
  spec.config.options["drying"] = 0;
  spec.sources.clear();
  spec.drains.clear();
  return ticks_to_rest(*make_world(spec), 20000) > 0;
}

RC_GTEST_PROP(StreamProperty, WithoutSpringsAndDryingEveryWorldComesToRest,
              (std::uint64_t seed, bool solid)) {
  RC_ASSERT(comes_to_rest(seed, solid));
}

// The dry bed that joined a pond to the edge faded; the pond slept behind a border between chunks,
// and went on believing in it.
TEST(StreamProperty, AFadedBedIsNoticedBehindABorder) {
  EXPECT_TRUE(comes_to_rest(442212777780408444U, true));
}

}  // namespace
}  // namespace sluice::tests::stream_property_test
