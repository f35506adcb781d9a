// Goal: heat keeps its laws over any water, however it moves.
// Method: worlds and scripts of every model drawn by rapidcheck (which prints the seed of a
// failure), with heaters, air and water of any temperature, run in ways that must agree.
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/heat/field.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/histories.h"
#include "tests/support/mirror.h"
#include "tests/support/random_heat.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::heat_property_test {
namespace {

using sim::World;
using sim::WorldSpec;

constexpr std::size_t kTicks = 60;

/// The books say what the cells say; cells without water hold nothing, and none is hotter than
/// water can be.
bool adds_up(const World& world) {
  const sim::HeatState& heat = world.core().heat;
  const sim::HeatCurve curve(heat.options.latent);
  auto energy = static_cast<std::uint64_t>(heat.steam.energy());
  if (heat.steam.units() > world.totals().evaporated) return false;
  for (const auto& [coord, page] : heat.pages) {
    const sim::Chunk* const chunk = world.grid().find(coord);
    if (chunk == nullptr) return false;
    for (std::size_t i = 0; i < kChunkCells; ++i) {
      if (page.at(i) < 0 || page.at(i) > held_in(chunk->cells[i]) * curve.most()) return false;
      energy += static_cast<std::uint64_t>(page.at(i));
    }
  }
  return heat.totals.balanced() && static_cast<std::uint64_t>(heat.totals.now) == energy;
}

RC_GTEST_PROP(HeatProperty, NothingIsLostAndModelsTellAllTheirMoves,
              (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_heat(seed, solid, true);
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  Script script = random_heat_script(seed, spec, kTicks, true);
  script.resize(2 * kTicks);
  RC_ASSERT(adds_up(*world));
  for (const auto& commands : script) {
    (void)world->tick(commands, serial);
    RC_ASSERT(world->conserved());
    RC_ASSERT(adds_up(*world));
    RC_ASSERT(world->carried()->unexplained_units() == 0);
    RC_ASSERT(world->digest() == world->recompute_digest());
  }
}

// Of water at the limit, mixed with a little that is just below it, each share is rounded down and
// the rest up.
RC_GTEST_PROP(HeatProperty, WaterThatIsSharedOutIsNoHotterThanWaterCanBe,
              (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  WorldSpec spec = random_heat(seed, solid, true);
  spec.heat.options.water = sim::kHottest;
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  Script script = random_heat_script(seed, spec, kTicks, true);
  for (auto& commands : script) {
    for (int pours = dice.roll(0, 3); pours > 0; --pours) {
      const Vec3 at = random_place(dice, spec.config.size);
      const std::int32_t units = fitted(dice.roll(1, 2 * kFull), sim::measure_of(spec.config));
      commands.push_back({sim::WarmPour{at, units, sim::kHottest - dice.roll(0, 1)}});
    }
    (void)world->tick(commands, serial);
    RC_ASSERT(adds_up(*world));
  }
}

RC_GTEST_PROP(HeatProperty, WorkersOrderAndSleepChangeNothing, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_heat(seed, solid, true);
  expect_workers_order_and_sleep_change_nothing(spec, random_heat_script(seed, spec, kTicks, true),
                                                2 * kTicks, seed);
}

/// Water of full cells, warm and cold, with ice, air, rock and cells that are not full in it.
WorldSpec mixed_lake(std::uint64_t seed, bool solid) {
  Dice dice(seed ^ 0x1a4eU);
  WorldSpec spec;
  spec.config.name = "mixed";
  spec.config.water = any_water(dice);
  const std::int32_t side = solid ? 36 : 140;
  spec.config.size = {dice.roll(1, side), dice.roll(2, side), solid ? dice.roll(2, 36) : 1};
  const Vec3 size = spec.config.size;
  add_random_heat(seed, spec);
  if (dice.chance(40)) {
    // The extremes of what is allowed.
    sim::HeatOptions& options = spec.heat.options;
    options.sideways = dice.chance(50) ? 256 : 0;
    options.ice = options.sideways == 0 ? dice.roll(0, 128) : 0;
    options.up = 512;
    options.down = dice.chance(50) ? 0 : 512;
    options.surface = 512;
    if (options.ice > 0) options.surface = options.up = 256;
    options.down = std::min(options.down, options.up);
  }
  spec.fills = {{{{0, 0, 0}, {size.x, dice.roll(1, size.y), size.z}}, kFull}};
  if (dice.chance(50)) {
    // Whole chunks of water that is nothing but water, or of ice, but for some.
    spec.config.size = {dice.roll(64, side + 40), dice.roll(64, side + 40),
                        solid ? dice.roll(20, 40) : 1};
    if (solid) spec.config.size.x = spec.config.size.y = dice.roll(20, 40);
    // Under pressure, too: what is not full all over.
    const bool pressed = spec.config.water == sim::WaterModel::kCellular && dice.chance(70);
    spec.fills = {{{{0, 0, 0}, spec.config.size}, kFull, pressed}};
    spec.heat.options.water = dice.roll(-2, 96) * sim::kDegree;
    spec.heaters.clear();
    for (int i = dice.roll(1, 90); i > 0; --i) {
      const Vec3 at = {i % 11 * 6 % spec.config.size.x, i * 7 % spec.config.size.y,
                       i % 3 % spec.config.size.z};
      const bool taken =
          std::any_of(spec.heaters.begin(), spec.heaters.end(),
                      [&](const sim::PlacedHeater& heater) { return heater.at == at; });
      if (!taken) spec.heaters.push_back({at, dice.roll(-400, 400) * 1000 + 1});
    }
    return spec;
  }
  const std::int32_t quantum = spec.config.water == sim::WaterModel::kBlock    ? kFull
                               : spec.config.water == sim::WaterModel::kStream ? kFull / 8
                                                                               : 1;
  for (int i = dice.roll(0, 8); i > 0; --i) {
    const Cell some = dice.roll(1, kFull / quantum) * quantum;
    const Vec3 at = random_place(dice, size);
    const Vec3 box = {dice.roll(1, size.x - at.x), dice.roll(1, size.y - at.y),
                      dice.roll(1, size.z - at.z)};
    const Cell cell = dice.chance(40) ? kRock : dice.chance(50) ? kAir : some;
    spec.fills.push_back({{at, box}, cell});
  }
  for (int i = dice.roll(0, 60); i > 0; --i) {
    const Vec3 at = random_place(dice, size);
    const std::int32_t rate = dice.roll(1, 60) * 10'000'000 * (dice.chance(50) ? 1 : -1);
    const bool taken =
        std::any_of(spec.heaters.begin(), spec.heaters.end(),
                    [&](const sim::PlacedHeater& heater) { return heater.at == at; });
    if (!taken) spec.heaters.push_back({at, rate});
  }
  return spec;
}

RC_GTEST_PROP(HeatProperty, VectorsFindTheFluxesThatTheRuleFindsCellByCell,
              (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = mixed_lake(seed, solid);
  RC_PRE(validate(spec.heat.options).ok());
  auto world = make_world(spec);
  auto by_cell = make_world(spec);
  by_cell->set_run_options({.heat_by_cell = true});
  sim::SerialExecutor serial;
  for (std::size_t t = 0; t < kTicks; ++t) {
    const sim::TickReport report = world->tick({}, serial);
    const sim::TickReport expected = by_cell->tick({}, serial);
    RC_ASSERT(report.digest == expected.digest);
    RC_ASSERT(report.at_rest == expected.at_rest);
    RC_ASSERT(world->heat()->awake_chunks() == by_cell->heat()->awake_chunks());
    RC_ASSERT(world->heat()->simmers() == by_cell->heat()->simmers());
  }
}

TEST(Heat, SurfacesThatSimmerAreFoundInWholeRowsToo) {
  WorldSpec spec;
  spec.config.size = {64, 64, 1};  // a chunk, all of whose surfaces are one row
  spec.config.water = sim::WaterModel::kHydro;
  spec.fills = {{{{0, 0, 0}, {64, 32, 1}}, kFull}};
  spec.heat.on = true;
  spec.heat.options.water = 95 * sim::kDegree;
  auto world = make_world(spec);
  auto by_cell = make_world(spec);
  by_cell->set_run_options({.heat_by_cell = true});
  sim::SerialExecutor serial;
  (void)world->tick({}, serial);
  (void)by_cell->tick({}, serial);
  EXPECT_TRUE(world->heat()->simmers());
  EXPECT_TRUE(by_cell->heat()->simmers());
}

// Which part of block water went where was told in the order in which chunks had come: another one
// without sleep, and after a restore.
TEST(Heat, BlockWaterOfSeveralChunksCarriesTheSameAfterARestore) {
  constexpr std::uint64_t kSeed = 3121972883779316474;
  const WorldSpec spec = random_heat(kSeed, false, true);
  ASSERT_EQ(spec.config.water, sim::WaterModel::kBlock);
  auto world = make_world(spec);
  auto awake = make_world(spec);
  awake->set_run_options({.sleep = false});
  auto restored = through_a_snapshot(*world);
  sim::SerialExecutor serial;
  int tick = 0;
  for (const auto& commands : random_heat_script(kSeed, spec, kTicks, true)) {
    ++tick;
    const sim::Digest expected = world->tick(commands, serial).digest;
    ASSERT_EQ(awake->tick(commands, serial).digest, expected) << tick;
    restored = through_a_snapshot(*restored);
    ASSERT_EQ(restored->tick(commands, serial).digest, expected) << tick;
  }
}

RC_GTEST_PROP(HeatProperty, GoingOnFromASnapshotIsGoingOn, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_heat(seed, solid, true);
  auto world = make_world(spec);
  auto restored = through_a_snapshot(*world);
  sim::SerialExecutor serial;
  Dice dice(seed);
  Script script = random_heat_script(seed, spec, kTicks, true);
  script.resize(2 * kTicks);
  for (const auto& commands : script) {
    if (dice.chance(40)) restored = through_a_snapshot(*restored);
    RC_ASSERT(restored->digest() == world->digest());
    const sim::TickReport expected = world->tick(commands, serial);
    const sim::TickReport report = restored->tick(commands, serial);
    RC_ASSERT(report.digest == expected.digest);
    RC_ASSERT(report.at_rest == expected.at_rest);
  }
}

void expect_mirrored(std::uint64_t seed, bool solid) {
  WorldSpec spec = random_heat(seed, solid, false);
  // Stream water draws by place.
  if (spec.config.water == sim::WaterModel::kStream ||
      spec.config.water == sim::WaterModel::kBlock) {
    spec =
        fitted(spec, Dice(seed).chance(50) ? sim::WaterModel::kCellular : sim::WaterModel::kHydro);
  }
  spec.pipes.clear();
  spec.pipe_links.clear();
  spec.ports.clear();
  spec.sources.clear();
  spec.drains.clear();
  spec.config.size.x = solid ? std::max(2, spec.config.size.x) : spec.config.size.x;
  const Mirror mirror = {solid ? Dice(seed).roll(1, 7) : 1, spec.config.size};
  auto world = make_world(spec);
  WorldSpec reflected = mirror(spec);
  for (sim::PlacedHeater& heater : reflected.heaters) heater.at = mirror(heater.at);
  auto image = make_world(reflected);
  const Script script = random_heat_script(seed, spec, kTicks, false);
  const Script mirrored = mirror(script);
  sim::SerialExecutor serial;
  for (std::size_t t = 0; t < script.size(); ++t) {
    (void)world->tick(script[t], serial);
    (void)image->tick(mirrored[t], serial);
    RC_ASSERT(world->core().heat.totals.in == image->core().heat.totals.in);
    RC_ASSERT(world->core().heat.totals.out == image->core().heat.totals.out);
  }
  std::map<Vec3, sim::Steam> steam;
  for (const auto& [at, held] : world->core().heat.steam.cells) steam[mirror(at)] = held;
  RC_ASSERT(steam == image->core().heat.steam.by_place());
  const Vec3 size = spec.config.size;
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

RC_GTEST_PROP(HeatProperty, TheMirrorImageOfAWorldHasTheMirroredHeat,
              (std::uint64_t seed, bool solid)) {
  expect_mirrored(seed, solid);
}

// A flow too small for its sweep waited for the next tick in the chunk that it left, but not in the
// one that it went to and that was made later in the same tick.
TEST(Heat, WhatWaitsForAChunkThatIsMadeMeanwhileIsNotForgotten) {
  EXPECT_NO_THROW(expect_mirrored(51615, true));
}

// A cooler and a heater in rock reach one cell: in which order they are listed decided what it
// could not give, and so what was left.
TEST(Heat, TheOrderOfHeatersDoesNotMatter) {
  EXPECT_NO_THROW(expect_mirrored(1142190442252790507U, true));
}

// Without heaters and air, over still water of any temperatures.
RC_GTEST_PROP(HeatProperty, NothingBecomesWarmerOrColderThanAllWas,
              (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  WorldSpec spec;
  spec.config.name = "still";
  spec.config.water = any_water(dice);
  const std::int32_t side = solid ? 20 : 70;
  spec.config.size = {dice.roll(1, side), dice.roll(2, side), solid ? dice.roll(2, 20) : 1};
  const Vec3 size = spec.config.size;
  add_random_heat(seed, spec);
  spec.heaters.clear();
  spec.fills = {{{{0, 0, 0}, size}, kFull}};
  spec.heat.options.surface = 0;
  auto world = make_world(spec);
  // Heaters of one tick make it uneven.
  std::vector<sim::Command> on;
  std::vector<sim::Command> off;
  for (int i = 0; i < 40; ++i) {
    const Vec3 at = random_place(dice, size);
    on.push_back({sim::AddHeater{at, dice.roll(1, 40) * 1'000'000 * (dice.chance(50) ? 1 : -1)}});
    off.push_back({sim::RemoveHeater{at}});
  }
  sim::SerialExecutor serial;
  (void)world->tick(on, serial);
  (void)world->tick(off, serial);
  const auto extremes = [&] {
    std::pair<std::int32_t, std::int32_t> found{INT32_MAX, INT32_MIN};
    for (std::int32_t y = 0; y < size.y; ++y) {
      for (std::int32_t z = 0; z < size.z; ++z) {
        for (std::int32_t x = 0; x < size.x; ++x) {
          const std::int32_t t = sim::temperature_at(world->core().heat, world->grid(), {x, y, z});
          if (t == sim::kNoTemperature) continue;
          found = {std::min(found.first, t), std::max(found.second, t)};
        }
      }
    }
    return found;
  };
  auto [coldest, warmest] = extremes();
  const std::int64_t energy = world->core().heat.totals.now;
  for (int t = 0; t < 50; ++t) {
    (void)world->tick({}, serial);
    if (world->totals().evaporated > 0) break;  // what boils away takes some along
    const auto [low, high] = extremes();
    RC_ASSERT(low >= coldest);
    RC_ASSERT(high <= warmest);
    coldest = low;
    warmest = high;
    // Crumbs of what flowed on its way to rest.
    RC_ASSERT(energy - world->core().heat.totals.now >= 0);
    RC_ASSERT(energy - world->core().heat.totals.now < kFull);
  }
}

/// Whether a film of water lies on ice: it takes little heat a tick, so that what lies below cools
/// for millions of ticks.
bool has_film_on_ice(const World& world, Vec3 size) {
  bool found = false;
  for (std::int32_t y = 1; y < size.y; ++y) {
    for (std::int32_t x = 0; x < size.x; ++x) {
      const Cell cell = world.grid().cell({x, y, 0});
      const bool film = cell > 0 && cell < kFull / 16;
      found = found || (film && is_ice(world.grid().cell({x, y - 1, 0})));
    }
  }
  return found;
}

// At rest means that nothing changes any more, whether it is looked at or not.
RC_GTEST_PROP(HeatProperty, RestIsAFixedPoint, (std::uint64_t seed)) {
  Dice dice(seed);
  WorldSpec spec;
  spec.config.name = "pond";
  spec.config.water = any_water(dice);
  spec.config.size = {dice.roll(1, 6), dice.roll(2, 7), 1};
  add_random_heat(seed, spec);
  spec.heat.options.down = std::max(spec.heat.options.down, 4);
  spec.heat.options.up = std::max(spec.heat.options.up, 400);
  spec.heat.options.surface = std::max(spec.heat.options.surface, 60);
  spec.heat.options.ice = std::max(spec.heat.options.ice, 40);
  spec.heat.air = std::min(spec.heat.air, 90 * sim::kDegree);
  // What freezes under a film of cold water gives its latent heat off for a million ticks.
  if (spec.heat.air < 0) spec.heat.options.latent = false;
  spec.heaters.clear();
  spec.waves.on = false;  // what simmers never rests
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  sim::TickReport report;
  for (int t = 0; t < 400'000 && !report.at_rest; ++t) report = world->tick({}, serial);
  if (!report.at_rest && has_film_on_ice(*world, spec.config.size)) return;
  RC_ASSERT(report.at_rest);
  const auto energies = world->core().heat.totals;
  world->set_run_options({.sleep = false});
  for (int t = 0; t < 20; ++t) {
    report = world->tick({}, serial);
    RC_ASSERT(world->core().heat.totals.in == energies.in);
    RC_ASSERT(world->core().heat.totals.out == energies.out);
  }
  RC_ASSERT(report.at_rest);
}

}  // namespace
}  // namespace sluice::tests::heat_property_test
