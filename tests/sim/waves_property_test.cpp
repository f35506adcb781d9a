// Goal: waves keep their laws over any water, however it moves.
// Method: worlds and scripts of every model drawn by rapidcheck (which prints the seed of a
// failure), with splashes and wind, run in ways that must agree.
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/events.h"
#include "server/sim/waves/field.h"
#include "server/workers/thread_pool.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/histories.h"
#include "tests/support/mirror.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::waves_property_test {
namespace {

using sim::World;
using sim::WorldSpec;

constexpr std::size_t kTicks = 60;

WorldSpec random_waves(std::uint64_t seed, bool solid, bool springs) {
  Dice dice(seed ^ 0xa7e5U);
  const auto water = any_water(dice);
  WorldSpec spec = random_world_of(
      water, seed,
      {.solid = solid, .springs = springs, .side = solid ? 80 : 150, .pipes = Pipes::kNone});
  spec.waves.on = true;
  spec.waves.options.tension = dice.roll(4, sim::kMaxWaveTension);
  spec.waves.options.dampening = dice.roll(2, sim::kMaxWaveDampening);
  spec.waves.options.spread = dice.roll(0, sim::kMaxWaveSpread);
  spec.waves.options.steps = dice.roll(1, sim::kMaxWaveSteps);
  // Something to wave on.
  const Vec3 size = spec.config.size;
  if (size.y > 3 && dice.chance(70)) {
    spec.fills.insert(spec.fills.begin(),
                      {{{0, 0, 0}, {size.x, size.y / 2, size.z}}, kFull, false});
  }
  if (dice.chance(50)) {
    sim::TracerOptions foam = sim::usual_options(sim::TracerKind::kWhitecaps);
    foam.name = "foam";
    foam.crest = dice.roll(0, 2000);
    foam.whip = dice.roll(0, sim::kMostWhip);
    spec.tracers = {foam};
  }
  return spec;
}

/// `bounded`: without what has more energy than it says, wind and bodies.
Script random_orders(std::uint64_t seed, const WorldSpec& spec, bool springs, bool wind,
                     bool bounded = false) {
  Dice dice(seed ^ 0x1d5eU);
  const Vec3 size = spec.config.size;
  Script script =
      fitted(random_script(seed, size, kTicks, Pipes::kNone), sim::measure_of(spec.config));
  for (auto& commands : script) {
    std::erase_if(commands, [springs](const sim::Command& command) {
      return !springs && (std::holds_alternative<sim::AddSource>(command.body) ||
                          std::holds_alternative<sim::AddSourceUpTo>(command.body) ||
                          std::holds_alternative<sim::AddDrain>(command.body));
    });
    while (dice.chance(20)) {
      const Vec3 at = random_place(dice, size);
      const std::int32_t radius = dice.roll(0, sim::kMaxSplashRadius);
      const std::int32_t energy = dice.chance(20) ? INT32_MAX : dice.roll(1, 10'000'000);
      commands.push_back({sim::Splash{at, radius, energy, wind ? dice.roll(-1, 1) : 0}});
    }
    if (dice.chance(10)) {
      const Vec3 at = random_place(dice, size);
      commands.push_back({sim::Explode{at, dice.roll(0, 12), dice.roll(1, 10'000'000)}});
    }
    if (!bounded && dice.chance(15)) {
      const Vec3 from = random_place(dice, size);
      commands.push_back({sim::MoveBody{from, random_place(dice, size), dice.roll(0, 6)}});
    }
    if (wind && dice.chance(5)) {
      commands.push_back({sim::SetWind{dice.chance(50) ? 0 : dice.roll(-1000, 1000)}});
    }
  }
  return script;
}

RC_GTEST_PROP(WavesProperty, WorkersOrderAndSleepChangeNothing, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_waves(seed, solid, true);
  expect_workers_order_and_sleep_change_nothing(
      spec, random_orders(seed, spec, true, true), 2 * kTicks, seed,
      [](const World& plain, const World& other) {
        RC_ASSERT(plain.digest() == plain.recompute_digest());
        RC_ASSERT(plain.conserved());
        RC_ASSERT(sim::events_of(other) == sim::events_of(plain));
      });
}

RC_GTEST_PROP(WavesProperty, GoingOnFromASnapshotIsGoingOn, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_waves(seed, solid, true);
  auto world = make_world(spec);
  auto restored = through_a_snapshot(*world);
  sim::SerialExecutor serial;
  Dice dice(seed);
  Script script = random_orders(seed, spec, true, true);
  script.resize(2 * kTicks);
  for (const auto& commands : script) {
    if (dice.chance(40)) restored = through_a_snapshot(*restored);
    RC_ASSERT(restored->digest() == world->digest());
    RC_ASSERT(restored->wave_energy() == world->wave_energy());
    const sim::TickReport expected = world->tick(commands, serial);
    const sim::TickReport report = restored->tick(commands, serial);
    RC_ASSERT(report.digest == expected.digest);
    RC_ASSERT(report.at_rest == expected.at_rest);
    RC_ASSERT(sim::events_of(*restored) == sim::events_of(*world));
  }
}

bool anything_lands(const World& world) {
  for (const sim::Surface& surface : world.waves()->sheet().surfaces) {
    if (surface.landing > 0) return true;
  }
  return false;
}

// However the water moves: columns that appear, merge and vanish bring nothing.
RC_GTEST_PROP(WavesProperty, EnergyRisesByPushesAlone, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_waves(seed, solid, true);
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  Script script = random_orders(seed, spec, true, false, true);
  script.resize(2 * kTicks);
  std::int64_t before = 0;
  for (const auto& commands : script) {
    const sim::TickReport report = world->tick(commands, serial);
    std::int64_t given = 0;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      if (!report.outcomes[i].applied()) continue;
      const auto* splash = std::get_if<sim::Splash>(&commands[i].body);
      if (splash != nullptr) given += splash->energy;
      const auto* explode = std::get_if<sim::Explode>(&commands[i].body);
      if (explode != nullptr) given += explode->energy;
    }
    const std::int64_t now = world->wave_energy();
    if (!anything_lands(*world)) RC_ASSERT(now <= before + given);
    RC_ASSERT(now >= 0);
    before = now;
  }
}

RC_GTEST_PROP(WavesProperty, TheMirrorImageOfAWorldHasTheMirroredWaves,
              (std::uint64_t seed, bool solid)) {
  WorldSpec spec = random_waves(seed, solid, false);
  // Stream water draws by place.
  if (spec.config.water == sim::WaterModel::kStream ||
      spec.config.water == sim::WaterModel::kBlock) {
    spec = fitted(spec, sim::WaterModel::kCellular);
  }
  spec.config.size.x = solid ? std::max(2, spec.config.size.x) : spec.config.size.x;
  const Mirror mirror = {solid ? Dice(seed).roll(1, 7) : 1, spec.config.size};
  auto world = make_world(spec);
  auto image = make_world(mirror(spec));
  Script script = random_orders(seed, spec, false, false);
  if ((mirror.bits & 4) == 0) {
    // A direction is one of x.
    for (auto& commands : script) {
      for (sim::Command& command : commands) {
        if (auto* splash = std::get_if<sim::Splash>(&command.body)) {
          splash->direction = splash->radius % 3 - 1;
        }
      }
    }
  }
  const Script mirrored = mirror(script);
  sim::SerialExecutor serial;
  for (std::size_t t = 0; t < script.size(); ++t) {
    (void)world->tick(script[t], serial);
    (void)image->tick(mirrored[t], serial);
    std::map<Vec3, sim::WaveColumn> expected;
    for (const auto& [place, column] : world->core().waves.columns.by_place()) {
      expected[mirror(place)] = column;
    }
    const auto found = image->core().waves.columns.by_place();
    RC_ASSERT(found.size() == expected.size());
    for (const auto& [place, column] : found) {
      RC_ASSERT(expected.contains(place));
      RC_ASSERT(expected[place].height == column.height);
      RC_ASSERT(expected[place].speed == column.speed);
    }
  }
}

// The water of a wide basin may take its time; once it rests, its waves die.
RC_GTEST_PROP(WavesProperty, OverStillWaterEveryWaveDies, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_waves(seed, solid, false);
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  sim::TickReport report;
  for (const auto& commands : random_orders(seed, spec, false, false)) {
    report = world->tick(commands, serial);
  }
  int still = 0;
  for (int i = 0; i < 12000 && !report.at_rest; ++i) {
    report = world->tick({}, serial);
    still = report.active_chunks == 0 ? still + 1 : 0;
  }
  RC_ASSERT(report.at_rest || still < 10000);
  if (!report.at_rest) return;
  RC_ASSERT(world->core().waves.columns.by_place().empty());
  RC_ASSERT(world->wave_energy() == 0);
  RC_ASSERT(world->waves()->columns() == 0);
}

}  // namespace
}  // namespace sluice::tests::waves_property_test
