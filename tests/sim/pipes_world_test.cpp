// Goal: pipes as part of a world: commands, totals, ports, snapshots.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/sim/world.h"
#include "server/workers/thread_pool.h"
#include "tests/support/effort.h"
#include "tests/support/every_water.h"
#include "tests/support/random_network.h"
#include "tests/support/random_world.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::pipes_world_test {
namespace {

using sim::World;
using testing::HasSubstr;

std::unique_ptr<World> empty_world() {
  sim::WorldSpec spec;
  spec.config.size = {8, 8, 1};
  spec.fills.push_back({{{0, 0, 0}, {8, 1, 1}}, kRock});
  return std::move(World::create(spec)).value();
}

std::string refusal(World& world, const sim::CommandBody& body) {
  sim::SerialExecutor serial;
  const sim::Command command{body};
  const auto report = world.tick({&command, 1}, serial);
  EXPECT_TRUE(world.conserved());
  return report.outcomes.front().reason;
}

sim::AddPipe pipe(const std::string& name, std::int32_t amount, Vec3 at = kNowhere) {
  sim::AddPipe command;
  command.name = name;
  command.amount = amount;
  command.at = at;
  return command;
}

TEST(PipesInWorld, what_a_new_pipe_holds_is_sourced_and_what_a_removed_one_held_spills) {
  const auto world = empty_world();
  EXPECT_EQ(refusal(*world, pipe("placed", 5000, {3, 4, 0})), "");
  EXPECT_EQ(refusal(*world, pipe("nowhere", 700)), "");
  EXPECT_EQ(refusal(*world, pipe("buried", 90, {2, 0, 0})), "");
  EXPECT_EQ(world->totals().sourced, 5790);
  EXPECT_EQ(world->totals().pipes, 5790);
  EXPECT_EQ(refusal(*world, sim::RemovePipe{"placed"}), "");
  EXPECT_EQ(world->totals().water, 5000);
  EXPECT_EQ(world->totals().drained, 0);
  EXPECT_EQ(refusal(*world, sim::RemovePipe{"nowhere"}), "");
  EXPECT_EQ(refusal(*world, sim::RemovePipe{"buried"}), "");
  EXPECT_EQ(world->totals().drained, 790);
  EXPECT_EQ(world->totals().pipes, 0);
}

TEST(PipesInWorld, oil_does_not_spill_as_water) {
  const auto world = empty_world();
  sim::AddPipe oil = pipe("oil", 5000, {3, 4, 0});
  oil.fluid = "oil";
  EXPECT_EQ(refusal(*world, oil), "");
  EXPECT_EQ(refusal(*world, sim::RemovePipe{"oil"}), "");
  EXPECT_EQ(world->totals().water, 0);
  EXPECT_EQ(world->totals().drained, 5000);
}

TEST(PipesInWorld, a_refused_command_changes_nothing) {
  const auto world = empty_world();
  EXPECT_EQ(refusal(*world, pipe("a", 10)), "");
  const sim::Digest before = world->layer_digests()[static_cast<std::size_t>(sim::Layer::kPipes)];
  EXPECT_THAT(refusal(*world, pipe("a", 10)), HasSubstr("'a' already"));
  EXPECT_THAT(refusal(*world, pipe("b", 10, {8, 0, 0})), HasSubstr("outside the world"));
  EXPECT_THAT(refusal(*world, sim::LinkPipes{"a", "b", false}), HasSubstr("'b'"));
  EXPECT_THAT(refusal(*world, sim::RemovePipe{"b"}), HasSubstr("'b'"));
  EXPECT_EQ(world->layer_digests()[static_cast<std::size_t>(sim::Layer::kPipes)], before);
}

TEST(PipesInWorld, a_port_in_rock_or_outside_says_so_and_moves_nothing) {
  const auto world = empty_world();
  sim::AddPipe high = pipe("a", 10000);
  high.base = 4 * kFull;
  EXPECT_EQ(refusal(*world, high), "");
  EXPECT_EQ(refusal(*world, sim::AddPort{"a", {1, 0, 0}, PortKind::kOutlet, 100}), "");
  EXPECT_EQ(refusal(*world, sim::AddPort{"a", {-1, 3, 0}, PortKind::kOutlet, 100}), "");
  EXPECT_EQ(refusal(*world, sim::AddPort{"a", {5, 3, 0}, PortKind::kOutlet, 100}), "");
  std::map<Vec3, sim::Port> ports;
  world->pipes().for_each_port([&](sim::Slot, Vec3 at, const sim::Port& p) { ports[at] = p; });
  EXPECT_EQ((ports[{1, 0, 0}].state), PortState::kBlocked);
  EXPECT_EQ((ports[{-1, 3, 0}].state), PortState::kBeyond);
  EXPECT_EQ((ports[{5, 3, 0}].state), PortState::kRunning);
  EXPECT_EQ((ports[{5, 3, 0}].moved), -100);
  EXPECT_EQ(world->totals().water, 100);
}

TEST(PipesInWorld, an_open_port_levels_a_tank_and_a_pool) {
  const auto world = empty_world();
  sim::AddPipe tank = pipe("tank", 8000);
  tank.capacity = 10000;
  tank.height = 10000;
  tank.base = 4096;  // on the floor
  EXPECT_EQ(refusal(*world, tank), "");
  EXPECT_EQ(refusal(*world, sim::AddPort{"tank", {0, 1, 0}, PortKind::kOpen, 1000}), "");
  sim::SerialExecutor serial;
  bool at_rest = false;
  for (int i = 0; i < 5000 && !at_rest; ++i) at_rest = world->tick({}, serial).at_rest;
  EXPECT_TRUE(at_rest);
  const auto held = amount_of(world->pipes(), "tank");
  EXPECT_NEAR(held, water_of(world->cell({0, 1, 0})), 45);  // the pool's own steps
  EXPECT_EQ(world->totals().water + world->totals().pipes, 8000);
}

/// The same world, whose file lists everything in another order.
sim::WorldSpec listed_otherwise(sim::WorldSpec spec, std::uint64_t seed) {
  Dice dice(seed);
  shuffle(spec.pipes, dice);
  shuffle(spec.pipe_links, dice);
  shuffle(spec.ports, dice);
  return spec;
}

TEST(PipesInWorld, no_order_sleep_thread_block_or_restore_makes_a_difference) {
  workers::ThreadPool pool(3);
  for (std::uint64_t seed = 1; seed <= cases(90); ++seed) {
    // Ports give and take in the parts that each model moves water in.
    const sim::WaterModel water = any_water(seed);
    sim::WorldSpec spec =
        random_world_of(water, seed, {.solid = seed % 5 == 0, .side = 40, .pipes = Pipes::kNone});
    for (std::uint64_t i = seed; spec.pipes.empty(); i += 1000) {
      add_random_pipes(i, Pipes::kJoined, spec);
    }
    auto one = std::move(World::create(spec)).value();
    auto other = std::move(World::create(listed_otherwise(spec, seed))).value();
    other->set_run_options({.sleep = false, .pipe_block_nodes = 4});
    sim::SerialExecutor serial;
    workers::ShuffledExecutor shuffled(pool, seed);
    Dice dice(seed);
    const Script script =
        fitted(random_script(seed, spec.config.size, 120), sim::measure_of(spec.config));
    for (const std::vector<sim::Command>& commands : script) {
      const sim::TickReport a = one->tick(commands, serial);
      const sim::TickReport b = other->tick(commands, shuffled);
      ASSERT_EQ(a.digest, b.digest) << "seed " << seed << " tick " << a.tick;
      ASSERT_EQ(a.at_rest, b.at_rest) << "seed " << seed << " tick " << a.tick;
      ASSERT_TRUE(one->conserved()) << "seed " << seed << " tick " << a.tick;
      for (std::size_t i = 0; i < commands.size(); ++i) {
        ASSERT_EQ(a.outcomes[i].reason, b.outcomes[i].reason) << "seed " << seed;
      }
      if (!dice.chance(8)) continue;
      ASSERT_EQ(one->recompute_digest(), one->digest()) << "seed " << seed << " tick " << a.tick;
      one = through_a_snapshot(*one);
      if (dice.chance(50)) one->set_run_options({.pipe_block_nodes = 2});
    }
  }
}

TEST(PipesInWorld, a_snapshot_of_other_rules_is_refused_where_it_has_pipes) {
  const auto world = empty_world();
  const auto with_version = [&](std::uint16_t version) {
    std::vector<std::byte> core = world->snapshot_core();
    core[8] = static_cast<std::byte>(version);  // magic, version, model version, pipes version
    std::span<const std::byte> rest(core.data(), core.size() - sizeof(sim::Digest));
    std::uint64_t digest = sim::digest_bytes(rest);
    for (std::size_t i = rest.size(); i < core.size(); ++i, digest >>= 8) {
      core[i] = static_cast<std::byte>(digest & 0xff);
    }
    return core;
  };
  std::vector<std::byte> cells;
  std::vector<World::ChunkImage> images;
  world->grid().for_each([&](const sim::Chunk& chunk) {
    cells = World::chunk_bytes(chunk);
    images.push_back({chunk.coord, chunk.wake, cells});
  });
  EXPECT_TRUE(World::restore(with_version(sim::kPipesVersion), images));
  EXPECT_TRUE(World::restore(with_version(sim::kPipesVersion + 1), images)) << "without pipes";
  EXPECT_EQ(refusal(*world, pipe("a", 10)), "");
  cells = World::chunk_bytes(*world->grid().find({0, 0, 0}));
  images.front().bytes = cells;
  EXPECT_TRUE(World::restore(with_version(sim::kPipesVersion), images));
  EXPECT_THAT(World::restore(with_version(sim::kPipesVersion + 1), images).error(),
              HasSubstr("made by version 4 of the rules of pipes"));
}

TEST(PipesInWorld, a_world_whose_last_pipe_is_removed_rests) {
  const auto world = empty_world();
  EXPECT_EQ(refusal(*world, pipe("a", 5000)), "");
  EXPECT_EQ(refusal(*world, pipe("b", 0)), "");
  EXPECT_EQ(refusal(*world, sim::LinkPipes{"a", "b", false}), "");
  EXPECT_EQ(refusal(*world, sim::RemovePipe{"a"}), "");
  EXPECT_EQ(refusal(*world, sim::RemovePipe{"b"}), "");
  sim::SerialExecutor serial;
  EXPECT_TRUE(world->tick({}, serial).at_rest);
  EXPECT_TRUE(through_a_snapshot(*world)->tick({}, serial).at_rest);
}

}  // namespace
}  // namespace sluice::tests::pipes_world_test
