// Worlds with tracers and their commands, drawn from a seed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "tests/support/every_water.h"
#include "tests/support/random_heat.h"

namespace sluice::tests {

inline constexpr std::array<const char*, sim::kMostTracers> kTracerNames = {"red", "salt_1", "mud",
                                                                            "foam"};

inline sim::TracerAmounts random_amounts(Dice& dice, std::size_t tracers, std::int32_t most) {
  sim::TracerAmounts amounts;
  for (std::size_t t = 0; t < tracers; ++t) {
    if (dice.chance(60)) amounts[kTracerNames[t]] = dice.roll(0, most);
  }
  return amounts;
}

/// Gives a world's water dyes that spread, overturn, sink, rise and fade.
inline void add_random_tracers(std::uint64_t seed, sim::WorldSpec& spec) {
  Dice dice(seed ^ 0xd7e5U);
  const auto count = static_cast<std::size_t>(dice.roll(1, 4));
  for (std::size_t t = 0; t < count; ++t) {
    sim::TracerOptions options = sim::usual_options(static_cast<sim::TracerKind>(dice.roll(0, 3)));
    options.name = kTracerNames[t];
    if (dice.chance(50)) {
      options = {options.name, options.kind, 0, 0, 0, 0};
      if (dice.chance(50)) {
        options.sink = dice.roll(-sim::kMostSink, sim::kMostSink);
      } else {
        options.spread = dice.roll(0, sim::kMostSpread);
        options.overturn = dice.roll(0, sim::kMostOverturn);
      }
      if (dice.chance(30)) options.fade = dice.roll(0, sim::kMostFade);
    }
    spec.tracers.push_back(options);
  }
  const std::int32_t most = dice.chance(50) ? kFull : 1 << 24;
  for (sim::Fill& fill : spec.fills) fill.tracers = random_amounts(dice, count, most);
  for (sim::Spring& source : spec.sources) {
    if (dice.chance(70)) source.tracers = random_amounts(dice, count, most);
  }
}

/// Of any water; some with heat, too.
inline sim::WorldSpec random_tracers(std::uint64_t seed, bool solid, bool springs) {
  Dice dice(seed ^ 0x7ac3U);
  const auto water = any_water(dice);
  sim::WorldSpec spec = random_world_of(
      water, seed,
      {.solid = solid, .springs = springs, .side = solid ? 80 : 150, .pipes = Pipes::kJoined});
  if (dice.chance(40)) add_random_heat(seed, spec);
  const Vec3 size = spec.config.size;
  spec.fills.insert(spec.fills.begin(), {{{0, 0, 0}, {size.x, (size.y + 1) / 2, size.z}}, kFull});
  add_random_tracers(seed, spec);
  return spec;
}

inline sim::Command random_tracer_command(Dice& dice, Vec3 size, std::size_t tracers,
                                          bool springs) {
  const Vec3 at = random_place(dice, size);
  if (springs && dice.chance(30)) {
    const std::int32_t rate = dice.roll(1, kFull);
    sim::AddDyedSource source{at, rate, random_amounts(dice, tracers, kFull)};
    if (dice.chance(30)) source.temperature = dice.roll(-20, 100) * sim::kDegree;
    if (dice.chance(30)) source.head = std::min(size.y, 1000) * kFull / 2;
    return {source};
  }
  const std::int32_t units = dice.roll(1, 4) * kFull;
  sim::DyedPour pour{at, units, random_amounts(dice, tracers, 1 << 20)};
  if (dice.chance(30)) pour.temperature = dice.roll(-20, 150) * sim::kDegree;
  if (units == 3 * kFull) {
    return {sim::MixedPour{at, units, 5, std::move(pour.tracer), pour.temperature}};
  }
  if (units == 2 * kFull) {
    return {sim::RestingPour{at, units, true, {}, 5, std::move(pour.tracer), pour.temperature}};
  }
  return {pour};
}

/// Random commands, and among them those of tracers.
inline Script random_tracer_script(std::uint64_t seed, const sim::WorldSpec& spec,
                                   std::size_t ticks, bool springs) {
  Dice dice(seed ^ 0x51abU);
  Script script = random_heat_script(seed, spec, ticks, springs);
  const sim::WaterMeasure measure = sim::measure_of(spec.config);
  for (auto& commands : script) {
    while (dice.chance(20)) {
      commands.push_back(
          random_tracer_command(dice, spec.config.size, spec.tracers.size(), springs));
      if (auto* pour = std::get_if<sim::DyedPour>(&commands.back().body)) {
        pour->units = fitted(pour->units, measure);
      } else if (auto* mixed = std::get_if<sim::MixedPour>(&commands.back().body)) {
        mixed->units = fitted(mixed->units, measure);
      } else if (auto* resting = std::get_if<sim::RestingPour>(&commands.back().body)) {
        resting->units = fitted(resting->units, measure);
      }
    }
  }
  return script;
}

}  // namespace sluice::tests
