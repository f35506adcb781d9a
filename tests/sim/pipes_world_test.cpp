// Goal: pipes as part of a world: commands, totals, ports, snapshots.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/sim/models/registry.h"
#include "server/sim/world.h"
#include "server/workers/thread_pool.h"
#include "tests/support/random_network.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests {
namespace {

using sim::World;
using testing::HasSubstr;

std::unique_ptr<World> empty_world() {
  sim::WorldSpec spec;
  spec.config.size = {8, 8, 1};
  spec.fills.push_back({{{0, 0, 0}, {8, 1, 1}}, sim::kRock});
  return std::move(World::create(spec)).value();
}

std::string refusal(World& world, const sim::CommandBody& body) {
  sim::SerialExecutor serial;
  const sim::Command command{body};
  const auto report = world.tick({&command, 1}, serial);
  EXPECT_TRUE(world.conserved());
  return report.outcomes.front().reason;
}

sim::AddPipe pipe(const std::string& name, std::int32_t amount, sim::Vec3 at = sim::kNowhere) {
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
  EXPECT_EQ(refusal(*world, pipe("a", 10000)), "");
  EXPECT_EQ(refusal(*world, sim::AddPort{"a", {1, 0, 0}, sim::PortKind::kOutlet, 100}), "");
  EXPECT_EQ(refusal(*world, sim::AddPort{"a", {-1, 3, 0}, sim::PortKind::kOutlet, 100}), "");
  EXPECT_EQ(refusal(*world, sim::AddPort{"a", {5, 3, 0}, sim::PortKind::kOutlet, 100}), "");
  std::map<sim::Vec3, sim::Port> ports;
  world->pipes().for_each_port([&](sim::Slot, sim::Vec3 at, const sim::Port& p) { ports[at] = p; });
  EXPECT_EQ(sim::port_state_name((ports[{1, 0, 0}].state)), "blocked");
  EXPECT_EQ(sim::port_state_name((ports[{-1, 3, 0}].state)), "outside");
  EXPECT_EQ(sim::port_state_name((ports[{5, 3, 0}].state)), "running");
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
  EXPECT_EQ(refusal(*world, sim::AddPort{"tank", {0, 1, 0}, sim::PortKind::kOpen, 1000}), "");
  sim::SerialExecutor serial;
  bool at_rest = false;
  for (int i = 0; i < 5000 && !at_rest; ++i) at_rest = world->tick({}, serial).at_rest;
  EXPECT_TRUE(at_rest);
  const auto held = amount_of(world->pipes(), "tank");
  EXPECT_NEAR(held, sim::water_of(world->cell({0, 1, 0})), 45);  // the pool's own steps
  EXPECT_EQ(world->totals().water + world->totals().pipes, 8000);
}

/// A random world with pipes, and commands for both.
sim::WorldSpec world_with_pipes(sim::WaterModel water, std::uint64_t seed) {
  sim::WorldSpec spec = random_world_of(water, seed, {.side = 40});
  const NetworkPlan plan = random_network(seed, {.ports = true});
  spec.pipes = plan.nodes;
  spec.pipe_links = plan.links;
  spec.ports = plan.ports;
  return spec;
}

std::vector<sim::Command> pipe_commands(Dice& dice) {
  std::vector<sim::Command> commands;
  const auto name = [&] { return "n" + std::to_string(dice.roll(0, 30)); };
  while (dice.chance(40)) {
    switch (dice.roll(0, 7)) {
      case 0:
        commands.push_back({pipe(name(), dice.roll(0, 20000))});
        break;
      case 1:
        commands.push_back({sim::RemovePipe{name()}});
        break;
      case 2: {
        const std::string from = name();
        commands.push_back({sim::LinkPipes{from, name(), dice.chance(20)}});
        break;
      }
      case 3: {
        const std::string from = name();
        commands.push_back({sim::UnlinkPipes{from, name()}});
        break;
      }
      case 4:
        commands.push_back({sim::SetValve{name(), dice.chance(50)}});
        break;
      case 5:
        commands.push_back({sim::SetPump{name(), dice.roll(0, 500)}});
        break;
      case 6:
        commands.push_back({sim::UpgradePipe{name(), dice.roll(0, 30000), dice.roll(0, 9999), 0}});
        break;
      default:
        commands.push_back({sim::AddPort{name(),
                                         {dice.roll(0, 9), dice.roll(0, 9), 0},
                                         static_cast<sim::PortKind>(dice.roll(0, 2)),
                                         dice.roll(1, 999)}});
    }
  }
  return commands;
}

TEST(PipesInWorld, threads_shuffling_sleep_and_restoring_make_no_difference) {
  workers::ThreadPool pool(3);
  for (std::uint64_t seed = 1; seed <= 90; ++seed) {
    // Ports give and take in the parts that each model moves water in.
    const sim::WaterModel water = sim::water_models()[seed % sim::water_models().size()].id;
    const sim::WorldSpec spec = world_with_pipes(water, seed);
    auto one = std::move(World::create(spec)).value();
    auto other = std::move(World::create(spec)).value();
    other->set_run_options({.sleep = false});
    sim::SerialExecutor serial;
    workers::ShuffledExecutor shuffled(pool, seed);
    Dice dice(seed);
    for (int tick = 1; tick <= 120; ++tick) {
      const std::vector<sim::Command> commands = pipe_commands(dice);
      (void)one->tick(commands, serial);
      (void)other->tick(commands, shuffled);
      ASSERT_EQ(one->digest(), other->digest()) << "seed " << seed << " tick " << tick;
      ASSERT_TRUE(one->conserved()) << "seed " << seed << " tick " << tick;
      if (!dice.chance(5)) continue;
      ASSERT_EQ(one->recompute_digest(), one->digest()) << "seed " << seed << " tick " << tick;
      one = through_a_snapshot(*one);
    }
  }
}

}  // namespace
}  // namespace sluice::tests
