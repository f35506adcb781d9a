// Goal: without pumps and springs, no world gains energy by its pipes and ports; a port that sleeps
// misses nothing that it could move.
// Method: worlds of every model drawn by rapidcheck, with ports of all kinds; the potential energy
// of grid and pipes together is added up after every tick.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/drawn_world.h"
#include "tests/support/random_world.h"
#include "tests/support/water_options.h"

namespace sluice::tests::ports_property_test {
namespace {

using sim::WaterModel;
using sim::World;
using sim::WorldSpec;

WorldSpec world_with_ports(WaterModel model, std::uint64_t seed, bool solid, std::int32_t side) {
  WorldSpec spec = random_world_of(
      model, seed, {.solid = solid, .springs = false, .side = side, .pipes = Pipes::kNone});
  set_option(spec.config, "drying", 0);
  Dice dice(seed ^ 0x9027U);
  std::vector<NetworkPlan> each;
  NetworkPlan plan = random_networks(dice.next(), {.nodes = 6, .pumps = false}, each);
  spec.pipes = std::move(plan.nodes);
  spec.pipe_links = std::move(plan.links);
  const std::int32_t top = spec.config.size.y * kFull;
  for (sim::PipeNode& node : spec.pipes) {
    node.fields.base = dice.roll(-top / 4, top);
    node.fields.fluid = "water";
    if (!dice.chance(60)) continue;
    for (std::int32_t i = dice.roll(1, 3); i > 0; --i) {
      const auto kind = static_cast<PortKind>(dice.roll(0, 2));
      const Vec3 at = random_place(dice, spec.config.size);
      const bool taken = std::any_of(spec.ports.begin(), spec.ports.end(), [&](const auto& port) {
        return port.node == node.fields.name && port.cell == at;
      });
      if (!taken) spec.ports.push_back({node.fields.name, at, kind, dice.roll(1, 6000)});
    }
  }
  return spec;
}

/// Twice the energy, in units times level units.
long double energy(const World& world) {
  long double sum = 0;
  world.grid().for_each([&](const sim::Chunk& chunk) {
    for (std::int32_t i = 0; i < kChunkCells; ++i) {
      const auto water =
          static_cast<long double>(water_of(chunk.cells[static_cast<std::size_t>(i)]));
      if (water == 0) continue;
      const std::int32_t y = world.grid().shape().cell_at(chunk.coord, i).y;
      sum += water * (2.0L * y * kFull + water);
    }
  });
  for (sim::Slot slot = 0; slot < world.pipes().slot_limit(); ++slot) {
    if (!world.pipes().used(slot)) continue;
    const sim::NodeView node = world.pipes().node(slot);
    const auto amount = static_cast<long double>(node.amount);
    sum += amount * (2.0L * node.base + amount * node.height / node.capacity);
  }
  return sum;
}

void never_gains_energy(WaterModel model, std::uint64_t seed, bool solid) {
  auto world = make_world(world_with_ports(model, seed, solid, solid ? 40 : 24));
  sim::SerialExecutor serial;
  long double before = energy(*world);
  for (int tick = 0; tick < 150; ++tick) {
    const bool at_rest = world->tick({}, serial).at_rest;
    const long double after = energy(*world);
    RC_ASSERT(after <= before + 1e-9L * std::abs(before));
    before = after;
    if (at_rest) break;
  }
  RC_ASSERT(world->conserved());
}

RC_GTEST_PROP(PortsProperty, BlockWaterAndPipesNeverGainEnergy, (std::uint64_t seed, bool solid)) {
  never_gains_energy(WaterModel::kBlock, seed, solid);
}

RC_GTEST_PROP(PortsProperty, StreamWaterAndPipesNeverGainEnergy, (std::uint64_t seed, bool solid)) {
  never_gains_energy(WaterModel::kStream, seed, solid);
}

// Cellular water springs back from where it was pressed, so its energy is compared with the first
// alone. (To wait for rest would take long: a thin pipe may drain a tank by a unit in some ticks.)
RC_GTEST_PROP(PortsProperty, CellularWaterAndPipesEndBelowTheirFirstEnergy,
              (std::uint64_t seed, bool solid)) {
  WorldSpec spec = world_with_ports(WaterModel::kCellular, seed, solid, solid ? 40 : 24);
  for (sim::Fill& fill : spec.fills) fill.cell = std::min(fill.cell, kFull);
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  const long double before = energy(*world);
  bool at_rest = false;
  for (int tick = 0; tick < 2000 && !at_rest; ++tick) at_rest = world->tick({}, serial).at_rest;
  RC_ASSERT(energy(*world) <= before + 1e-9L * std::abs(before));
}

// Water that sloshes stands higher at times than it did, but never higher than where it began.
RC_GTEST_PROP(PortsProperty, HydroWaterAndPipesNeverStandHigherThanTheyBegan,
              (std::uint64_t seed, bool solid)) {
  auto world = make_world(world_with_ports(WaterModel::kHydro, seed, solid, solid ? 40 : 24));
  sim::SerialExecutor serial;
  const long double first = energy(*world);  // less than 0 where nodes lie below the world
  const long double most = first + 1e-9L * std::abs(first);
  for (int tick = 0; tick < 300; ++tick) {
    const bool at_rest = world->tick({}, serial).at_rest;
    RC_ASSERT(energy(*world) <= most);
    if (at_rest) break;
  }
  RC_ASSERT(world->conserved());
}

// Small worlds, that come to rest: there a port sees heads that differ by a unit, and pressures
// that are forgotten with the last motion.
void sleep_misses_nothing(WaterModel model, std::uint64_t seed) {
  const WorldSpec spec = world_with_ports(model, seed, false, 10);
  auto sleepy = make_world(spec);
  auto wakeful = make_world(spec);
  wakeful->set_run_options({.sleep = false});
  sim::SerialExecutor serial;
  // A while beyond: what comes to rest in one of them is to be at rest in the other.
  for (int tick = 0, rest = 0; tick < 600 && rest < 3; ++tick) {
    const sim::TickReport report = sleepy->tick({}, serial);
    RC_ASSERT(report.digest == wakeful->tick({}, serial).digest);
    rest = report.at_rest ? rest + 1 : 0;
  }
}

RC_GTEST_PROP(PortsProperty, AsleepInHydroWaterTheyMissNothing, (std::uint64_t seed)) {
  sleep_misses_nothing(WaterModel::kHydro, seed);
}

RC_GTEST_PROP(PortsProperty, AsleepInBlockWaterTheyMissNothing, (std::uint64_t seed)) {
  sleep_misses_nothing(WaterModel::kBlock, seed);
}

RC_GTEST_PROP(PortsProperty, AsleepInStreamWaterTheyMissNothing, (std::uint64_t seed)) {
  sleep_misses_nothing(WaterModel::kStream, seed);
}

RC_GTEST_PROP(PortsProperty, AsleepInCellularWaterTheyMissNothing, (std::uint64_t seed)) {
  sleep_misses_nothing(WaterModel::kCellular, seed);
}

}  // namespace
}  // namespace sluice::tests::ports_property_test
