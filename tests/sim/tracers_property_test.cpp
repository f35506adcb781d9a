// Goal: tracers keep their laws over any water, however it moves.
// Method: worlds and scripts of every model drawn by rapidcheck (which prints the seed of a
// failure), with tracers of every kind, some with heat, run in ways that must agree.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/tracers/field.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/histories.h"
#include "tests/support/mirror.h"
#include "tests/support/random_tracers.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::tracers_property_test {
namespace {

using sim::World;
using sim::WorldSpec;

constexpr std::size_t kTicks = 40;

/// The books say what the cells say; nothing is below zero, and cells without water hold nothing.
bool adds_up(const World& world) {
  const sim::TracerState& state = world.core().tracers;
  for (std::size_t t = 0; t < static_cast<std::size_t>(state.count); ++t) {
    std::int64_t sum = 0;
    for (const auto& [coord, page] : state.tracers[t].pages) {
      const sim::Chunk* const chunk = world.grid().find(coord);
      if (chunk == nullptr) return false;
      for (std::size_t i = 0; i < kChunkCells; ++i) {
        if (page.at(i) < 0) return false;
        if (page.at(i) > 0 && held_in(chunk->cells[i]) == 0) return false;
        sum += page.at(i);
      }
    }
    const sim::AmountTotals& totals = state.tracers[t].totals;
    if (!totals.balanced() || totals.now != sum || totals.in < 0 || totals.out < 0) return false;
  }
  return true;
}

RC_GTEST_PROP(TracerProperty, NothingIsLost, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_tracers(seed, solid, true);
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  Script script = random_tracer_script(seed, spec, kTicks, true);
  script.resize(2 * kTicks);
  RC_ASSERT(adds_up(*world));
  for (const auto& commands : script) {
    (void)world->tick(commands, serial);
    RC_ASSERT(world->conserved());
    RC_ASSERT(adds_up(*world));
    RC_ASSERT(world->digest() == world->recompute_digest());
  }
}

// What each cell is to get follows from the water that was poured before it.
RC_GTEST_PROP(TracerProperty, AMixedPourIsThePoursOfWhichItConsists,
              (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_tracers(seed, solid, false);
  auto one = make_world(spec);
  auto other = make_world(spec);
  sim::SerialExecutor serial;
  Dice dice(seed ^ 0x9012U);
  const std::int32_t quantum = sim::measure_of(spec.config).quantum;
  for (int t = 0; t < 12; ++t) {
    const Vec3 at = random_place(dice, spec.config.size);
    const std::int32_t units = dice.roll(1, 5 * kFull / quantum) * quantum;
    sim::MixedPour mixed{at, units, dice.roll(0, 6)};
    mixed.tracer = random_amounts(dice, spec.tracers.size(), 1 << 20);
    if (spec.heat.on && dice.chance(50)) mixed.temperature = dice.roll(0, 100) * sim::kDegree;
    std::vector<sim::Command> pours;
    std::int32_t gone = 0;
    for (Vec3 to = at; to.y <= at.y + mixed.above && to.y < spec.config.size.y; ++to.y) {
      const Cell held = other->cell(to);
      if (held < 0) break;
      const std::int32_t room = std::max(kFull - held, 0) / quantum * quantum;
      const std::int32_t part = std::min(room, units - gone);
      if (part == 0) continue;
      sim::DyedPour pour{to, part, {}, mixed.temperature};
      for (const auto& [name, amount] : *mixed.tracer) {
        pour.tracer[name] = static_cast<std::int32_t>(std::int64_t{amount} * (gone + part) / units -
                                                      std::int64_t{amount} * gone / units);
      }
      pours.push_back({pour});
      gone += part;
    }
    if (gone < units) pours.clear();
    const sim::TickReport report = one->tick({{{mixed}}}, serial);
    RC_ASSERT(report.outcomes.at(0).applied() == (gone == units));
    for (const sim::CommandOutcome& each : other->tick(pours, serial).outcomes) {
      RC_ASSERT(each.applied());
    }
    RC_ASSERT(one->digest() == other->digest());
    RC_ASSERT(adds_up(*one));
  }
}

RC_GTEST_PROP(TracerProperty, WorkersOrderAndSleepChangeNothing, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_tracers(seed, solid, true);
  expect_workers_order_and_sleep_change_nothing(
      spec, random_tracer_script(seed, spec, kTicks, true), 2 * kTicks, seed);
}

RC_GTEST_PROP(TracerProperty, GoingOnFromASnapshotIsGoingOn, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_tracers(seed, solid, true);
  auto world = make_world(spec);
  auto restored = through_a_snapshot(*world);
  sim::SerialExecutor serial;
  Dice dice(seed);
  Script script = random_tracer_script(seed, spec, kTicks, true);
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

// The water's own history is the same with dyes in it as without.
RC_GTEST_PROP(TracerProperty, WaterGoesItsWayWhateverItHolds, (std::uint64_t seed, bool solid)) {
  const WorldSpec dyed = random_tracers(seed, solid, true);
  WorldSpec clear = dyed;
  clear.tracers.clear();
  for (sim::Fill& fill : clear.fills) fill.tracers.clear();
  for (sim::Spring& source : clear.sources) source.tracers.clear();
  auto world = make_world(dyed);
  auto plain = make_world(clear);
  sim::SerialExecutor serial;
  for (const auto& commands : random_heat_script(seed, dyed, kTicks, true)) {
    (void)world->tick(commands, serial);
    (void)plain->tick(commands, serial);
    const auto layers = world->layer_digests();
    const auto expected = plain->layer_digests();
    for (const sim::Layer layer : {sim::Layer::kCells, sim::Layer::kTotals, sim::Layer::kHeat}) {
      RC_ASSERT(layers[static_cast<std::size_t>(layer)] ==
                expected[static_cast<std::size_t>(layer)]);
    }
  }
}

RC_GTEST_PROP(TracerProperty, TheMirrorImageOfAWorldHasTheMirroredTracers,
              (std::uint64_t seed, bool solid)) {
  WorldSpec spec = random_tracers(seed, solid, false);
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
  spec.heaters.clear();
  spec.config.size.x = solid ? std::max(2, spec.config.size.x) : spec.config.size.x;
  const Mirror mirror = {solid ? Dice(seed).roll(1, 7) : 1, spec.config.size};
  auto world = make_world(spec);
  auto image = make_world(mirror(spec));
  const Script script = random_tracer_script(seed, spec, kTicks, false);
  const Script mirrored = mirror(script);
  sim::SerialExecutor serial;
  const sim::TracerState& state = world->core().tracers;
  const sim::TracerState& other = image->core().tracers;
  for (std::size_t t = 0; t < script.size(); ++t) {
    (void)world->tick(script[t], serial);
    (void)image->tick(mirrored[t], serial);
    for (std::size_t i = 0; i < kTracerNames.size(); ++i) {
      RC_ASSERT(state.tracers[i].totals.now == other.tracers[i].totals.now);
      RC_ASSERT(state.tracers[i].totals.out == other.tracers[i].totals.out);
    }
  }
  for (std::size_t i = 0; i < kTracerNames.size(); ++i) {
    for (const auto& [at, run] : runs_of(state.tracers[i].pages, state.shape())) {
      RC_ASSERT(sim::amount_at(other.tracers[i].pages, other.shape(), mirror(at)) == run.amount);
    }
  }
}

// Without springs and heat: what spreads, sinks or fades is done one day.
RC_GTEST_PROP(TracerProperty, ItComesToRest, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  WorldSpec spec;
  spec.config.name = "still";
  spec.config.water = any_water(dice);
  const std::int32_t side = solid ? 10 : 40;
  spec.config.size = {dice.roll(1, side), dice.roll(2, side), solid ? dice.roll(2, 10) : 1};
  const Vec3 size = spec.config.size;
  spec.fills = {{{{0, 0, 0}, size}, kFull}};
  for (int i = 0; i < 6; ++i) {
    spec.fills.push_back({{random_place(dice, size), {1, 1, 1}}, dice.chance(50) ? kRock : kFull});
  }
  add_random_tracers(seed, spec);
  // The more of it there is, the finer it spreads, and the longer.
  for (sim::Fill& fill : spec.fills) {
    for (auto& [name, amount] : fill.tracers) amount = std::min(amount, kFull);
  }
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  bool rests = false;
  for (int tick = 0; tick < 60'000 && !rests; ++tick) rests = world->tick({}, serial).at_rest;
  RC_ASSERT(rests);
  const sim::Digest cells = digest_of(world->core().tracers);
  (void)world->tick({}, serial);
  RC_ASSERT(digest_of(world->core().tracers) == cells);
}

}  // namespace
}  // namespace sluice::tests::tracers_property_test
