// Goal: floes keep heat's laws and the simulation's over any water.
// Method: worlds of rock, ice, water and air of every model drawn by rapidcheck, in which heaters
// melt some and coolers freeze some, run in ways that must agree.
#include <set>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/heat/field.h"
#include "tests/support/frozen_scene.h"
#include "tests/support/histories.h"
#include "tests/support/mirror.h"
#include "tests/support/random_heat.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::floating_property_test {
namespace {

using sim::World;

constexpr std::size_t kTicks = 60;

struct RandomFloes {
  sim::WorldSpec spec;
  Script script;
};

Box random_box(Dice& dice, Vec3 size) {
  const Vec3 at = random_place(dice, size);
  const auto side = [&](std::int32_t from, std::int32_t end) {
    return dice.roll(1, std::min(end - from, 9));
  };
  return {at, {side(at.x, size.x), side(at.y, size.y), side(at.z, size.z)}};
}

/// Boxes of ice and rock, into which warm water is poured; then pours, digging, heaters.
RandomFloes random_floes(std::uint64_t seed, bool solid, sim::WaterModel water) {
  Dice dice(seed ^ 0xf10eU);
  RandomFloes made;
  sim::WorldSpec& spec = made.spec;
  spec.config.name = "floes";
  spec.config.water = water;
  spec.config.size = {dice.roll(3, solid ? 20 : 80), dice.roll(3, solid ? 20 : 70),
                      solid ? dice.roll(2, 20) : 1};
  const Vec3 size = spec.config.size;
  for (sim::Edge* edge : {&spec.config.edges.left, &spec.config.edges.right,
                          &spec.config.edges.bottom, &spec.config.edges.top}) {
    if (dice.chance(20)) *edge = sim::Edge::kOpen;
  }
  spec.heat.on = true;
  sim::HeatOptions& options = spec.heat.options;
  options.floating = true;
  options.steam = dice.chance(30);
  options.water = -5 * sim::kDegree;
  options.growth = dice.chance(50) ? dice.roll(1, sim::kMostGrowth) : 0;
  if (dice.chance(60)) {
    options.down = options.sideways = options.up = options.ice = options.surface = 0;
  }
  spec.heat.air = dice.roll(-20, 20) * sim::kDegree;
  const sim::WaterMeasure measure = sim::measure_of(spec.config);
  for (int i = dice.roll(1, 8); i > 0; --i) {
    const Cell cell = dice.chance(25) ? kRock : fitted(dice.roll(512, kFull), measure);
    if (cell != 0) spec.fills.push_back({random_box(dice, size), cell});
  }
  made.script.resize(kTicks);
  for (auto& commands : made.script) {
    const bool first = &commands == &made.script.front();
    for (int i = first ? dice.roll(0, 60) : dice.chance(15) ? dice.roll(1, 9) : 0; i > 0; --i) {
      const std::int32_t units = fitted(dice.roll(1, 4) * kFull, measure);
      commands.push_back(
          {sim::WarmPour{random_place(dice, size), units, dice.roll(1, 20) * sim::kDegree}});
    }
    if (dice.chance(10)) {
      const Cell cell = dice.chance(50) ? kRock : dice.chance(50) ? kAir : kFull;
      const Box box = random_box(dice, size);
      commands.push_back({sim::SetCells{box.from, box.size, cell}});
    }
    if (dice.chance(15)) {
      const Vec3 at = random_place(dice, size);
      commands.push_back({sim::AddHeater{at, dice.chance(50) ? 1 << 27 : -(1 << 26)}});
    }
  }
  return made;
}

void let_no_heat_flow(RandomFloes& made) {
  sim::HeatOptions& options = made.spec.heat.options;
  options.down = options.sideways = options.up = options.ice = options.surface = 0;
  for (auto& commands : made.script) {
    std::erase_if(commands, [](const sim::Command& command) {
      return std::holds_alternative<sim::AddHeater>(command.body);
    });
  }
}

RC_GTEST_PROP(FloatingProperty, WaterEnergyAndTracersAreKept, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  RandomFloes made = random_floes(seed, solid, any_water(dice));
  sim::TracerOptions dye;
  dye.name = "red";
  dye.spread = 0;
  made.spec.tracers = {dye};
  auto world = make_world(made.spec);
  sim::SerialExecutor serial;
  for (const auto& commands : made.script) {
    (void)world->tick(commands, serial);
    RC_ASSERT(world->conserved());
    RC_ASSERT(world->core().heat.totals.balanced());
    RC_ASSERT(world->core().tracers.tracers[0].totals.balanced());
    RC_ASSERT(world->carried()->unexplained_units() == 0);
    RC_ASSERT(world->digest() == world->recompute_digest());
    world->recheck();
  }
}

// Where no heat flows ice is what it was, and only its place is another one.
RC_GTEST_PROP(FloatingProperty, AMoveIsAPermutationOfCells, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  RandomFloes made = random_floes(seed, solid, any_water(dice));
  let_no_heat_flow(made);
  made.spec.heat.options.growth = 0;
  for (auto& commands : made.script) {
    std::erase_if(commands, [](const sim::Command& command) {
      return !std::holds_alternative<sim::WarmPour>(command.body);
    });
  }
  auto world = make_world(made.spec);
  const auto ice = [&] {
    std::multiset<std::pair<std::int32_t, std::int64_t>> cells;  // amounts, energies
    world->grid().for_each([&](const sim::Chunk& chunk) {
      for (std::int32_t i = 0; i < kChunkCells; ++i) {
        const Cell cell = chunk.cells[static_cast<std::size_t>(i)];
        if (!is_ice(cell)) continue;
        const Vec3 at = world->grid().shape().cell_at(chunk.coord, i);
        const sim::HeatState& heat = world->core().heat;
        cells.emplace(held_in(cell), sim::amount_at(heat.pages, heat.shape(), at));
      }
    });
    return cells;
  };
  sim::SerialExecutor serial;
  (void)world->tick(made.script.front(), serial);
  const auto before = ice();
  for (std::size_t t = 1; t < made.script.size(); ++t) {
    (void)world->tick(made.script[t], serial);
    RC_ASSERT(ice() == before);
  }
}

RC_GTEST_PROP(FloatingProperty, WorkersOrderAndSleepChangeNothing,
              (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  const RandomFloes made = random_floes(seed, solid, any_water(dice));
  expect_workers_order_and_sleep_change_nothing(made.spec, made.script, 2 * kTicks, seed);
}

RC_GTEST_PROP(FloatingProperty, GoingOnFromASnapshotIsGoingOn, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  const RandomFloes made = random_floes(seed, solid, any_water(dice));
  auto world = make_world(made.spec);
  auto restored = through_a_snapshot(*world);
  sim::SerialExecutor serial;
  Script script = made.script;
  script.resize(2 * kTicks);
  for (const auto& commands : script) {
    if (dice.chance(40)) restored = through_a_snapshot(*restored);
    const sim::TickReport report = world->tick(commands, serial);
    const sim::TickReport later = restored->tick(commands, serial);
    RC_ASSERT(later.digest == report.digest);
    RC_ASSERT(later.at_rest == report.at_rest);
  }
}

RC_GTEST_PROP(FloatingProperty, TheMirrorImageFloatsAlike, (std::uint64_t seed, bool solid)) {
  // Block and stream water draw by place.
  const RandomFloes made = random_floes(
      seed, solid, seed % 2 == 0 ? sim::WaterModel::kCellular : sim::WaterModel::kHydro);
  const Mirror mirror = {solid ? Dice(seed).roll(1, 7) : 1, made.spec.config.size};
  auto world = make_world(made.spec);
  auto image = make_world(mirror(made.spec));
  const Script mirrored = mirror(made.script);
  sim::SerialExecutor serial;
  const Vec3 size = made.spec.config.size;
  for (std::size_t t = 0; t < made.script.size(); ++t) {
    (void)world->tick(made.script[t], serial);
    (void)image->tick(mirrored[t], serial);
  }
  for (std::int32_t y = 0; y < size.y; ++y) {
    for (std::int32_t z = 0; z < size.z; ++z) {
      for (std::int32_t x = 0; x < size.x; ++x) {
        const Vec3 at = {x, y, z};
        RC_ASSERT(world->cell(at) == image->cell(mirror(at)));
        RC_ASSERT(sim::temperature_at(world->core().heat, world->grid(), at) ==
                  sim::temperature_at(image->core().heat, image->grid(), mirror(at)));
      }
    }
  }
}

std::vector<Vec3> ice_of(const World& world) {
  std::vector<Vec3> ice;
  world.grid().for_each([&](const sim::Chunk& chunk) {
    for (std::int32_t i = 0; i < kChunkCells; ++i) {
      if (!is_ice(chunk.cells[static_cast<std::size_t>(i)])) continue;
      ice.push_back(world.grid().shape().cell_at(chunk.coord, i));
    }
  });
  return ice;
}

// Cellular water may level its last units for a million ticks; floes do not wait for it.
RC_GTEST_PROP(FloatingProperty, FloesComeToRest, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  RandomFloes made = random_floes(seed, solid, any_water(dice));
  let_no_heat_flow(made);
  auto world = make_world(made.spec);
  sim::SerialExecutor serial;
  for (const auto& commands : made.script) (void)world->tick(commands, serial);
  sim::TickReport report;
  for (int t = 0; t < 4'000 && !report.at_rest; ++t) report = world->tick({}, serial);
  const std::vector<Vec3> ice = ice_of(*world);
  for (int t = 0; t < 200 && !report.at_rest; ++t) {
    report = world->tick({}, serial);
    RC_ASSERT(ice_of(*world) == ice);
  }
  if (!report.at_rest) return;
  world->set_run_options({.sleep = false});
  for (int t = 0; t < 5; ++t) {
    RC_ASSERT(world->tick({}, serial).at_rest);
    RC_ASSERT(ice_of(*world) == ice);
  }
}

// However narrow it is: what a floe displaces may lift the water by many times what it sank.
RC_GTEST_PROP(FloatingProperty, AFloeInATankComesToRest, (std::uint64_t seed, bool solid)) {
  Dice dice(seed ^ 0x7a4cU);
  RandomFloes made;
  sim::WorldSpec& spec = made.spec;
  spec.config.name = "tank";
  spec.config.water = any_water(dice);
  const Vec3 floe = {dice.roll(1, 9), dice.roll(1, 5), solid ? dice.roll(1, 9) : 1};
  const Vec3 gap = {dice.roll(2, 9), dice.roll(2, 30), solid ? dice.roll(2, 9) : 0};
  const Vec3 size = floe + gap;
  spec.config.size = size;
  spec.config.edges.top = sim::Edge::kOpen;
  spec.heat.on = true;
  spec.heat.options.floating = true;
  spec.heat.options.water = -5 * sim::kDegree;
  let_no_heat_flow(made);
  const sim::WaterMeasure measure = sim::measure_of(spec.config);
  const Vec3 at = {dice.roll(1, gap.x - 1), dice.roll(1, gap.y - 1),
                   solid ? dice.roll(1, gap.z - 1) : 0};
  const Cell thick = std::max(fitted(dice.roll(512, kFull), measure), measure.quantum);
  spec.fills.push_back({{at, floe}, thick});
  std::vector<sim::Command> pours;
  const std::int32_t depth = dice.roll(0, size.y);
  for (std::int32_t y = 0; y < depth; ++y) {
    for (std::int32_t z = 0; z < size.z; ++z) {
      for (std::int32_t x = 0; x < size.x; ++x) {
        if (Box{at, floe}.contains({x, y, z})) continue;
        pours.push_back({sim::WarmPour{{x, y, z}, kFull, 10 * sim::kDegree}});
      }
    }
  }
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  sim::TickReport report = world->tick(pours, serial);
  // Twice the time after which all floes keep still for a while.
  constexpr int kAtMost = 16'500;
  std::vector<Vec3> ice = ice_of(*world);
  int moved = 0;
  for (int t = 1; t < kAtMost && !report.at_rest; ++t) {
    report = world->tick({}, serial);
    std::vector<Vec3> now = ice_of(*world);
    if (now == ice) continue;
    ice = std::move(now);
    moved = t;
  }
  RC_ASSERT(report.at_rest || moved < kAtMost / 2);
}

}  // namespace
}  // namespace sluice::tests::floating_property_test
