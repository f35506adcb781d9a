// Worlds with heat and their commands, drawn from a seed.
#pragma once

#include <cstdint>

#include "tests/support/every_water.h"
#include "tests/support/random_world.h"

namespace sluice::tests {

/// Gives a world water that freezes, boils and flows.
inline void add_random_heat(std::uint64_t seed, sim::WorldSpec& spec) {
  Dice dice(seed ^ 0x4ea7U);
  spec.heat.on = true;
  sim::HeatOptions& options = spec.heat.options;
  options.water = dice.roll(-10, 110) * sim::kDegree + dice.roll(0, 255);
  spec.heat.air = dice.roll(-90, 120) * sim::kDegree;
  options.latent = dice.chance(70);
  options.down = dice.roll(0, 20);
  options.sideways = dice.roll(0, 60);
  options.up = dice.roll(options.down, 780);
  options.ice = dice.roll(0, 60);
  options.surface = dice.roll(0, 120);
  options.air_cells = dice.roll(1, sim::kMostAirCells);
  if (dice.chance(50)) options.growth = dice.roll(1, sim::kMostGrowth);
  if (dice.chance(30)) spec.waves.on = true;
  const Vec3 size = spec.config.size;
  const std::int32_t heaters = dice.roll(0, 3);
  for (std::int32_t i = 0; i < heaters; ++i) {
    const Vec3 at = random_place(dice, size);
    const std::int32_t rate = dice.roll(1, 2'000'000) * (dice.chance(50) ? 1 : -1);
    const bool taken =
        std::any_of(spec.heaters.begin(), spec.heaters.end(),
                    [&](const sim::PlacedHeater& heater) { return heater.at == at; });
    if (!taken) spec.heaters.push_back({at, rate});
  }
  for (sim::Spring& source : spec.sources) {
    if (dice.chance(50)) source.temperature = dice.roll(-20, 200) * sim::kDegree;
  }
  // Something to warm.
  if (size.y > 3 && dice.chance(70)) {
    spec.fills.insert(spec.fills.begin(),
                      {{{0, 0, 0}, {size.x, size.y / 2, size.z}}, kFull, false});
  }
  options.steam = dice.chance(50);
}

inline sim::WorldSpec random_heat(std::uint64_t seed, bool solid, bool springs, Vec3 least = {}) {
  Dice dice(seed ^ 0xb011U);
  const auto water = any_water(dice);
  sim::WorldSpec spec = random_world_of(
      water, seed,
      {.solid = solid, .springs = springs, .side = solid ? 80 : 150, .pipes = Pipes::kJoined});
  spec.config.size = {std::max(least.x, spec.config.size.x), std::max(least.y, spec.config.size.y),
                      std::max(least.z, spec.config.size.z)};
  add_random_heat(seed, spec);
  Dice later(seed ^ 0xf10aU);
  spec.heat.options.floating = later.chance(50);
  spec.waves.options.keep_shape = later.chance(50);
  return spec;
}

inline sim::Command random_heat_command(Dice& dice, Vec3 size) {
  const Vec3 at = random_place(dice, size);
  switch (dice.roll(0, 4)) {
    case 0: {
      const std::int32_t units = dice.roll(1, 4) * kFull;
      return {sim::WarmPour{at, units, dice.roll(-100, 200) * sim::kDegree}};
    }
    case 1: {
      const std::int32_t rate = dice.roll(1, kFull);
      const std::int32_t temperature = dice.roll(-100, 200) * sim::kDegree;
      return {sim::AddWarmSource{at, rate, temperature, dice.chance(50) ? -1 : size.y * kFull / 2}};
    }
    case 2:
      return {sim::SetAir{dice.roll(-100, 200) * sim::kDegree}};
    case 3: {
      const std::int32_t rate = dice.roll(1, 4'000'000);
      return {sim::AddHeater{at, dice.chance(50) ? rate : -rate}};
    }
    default:
      return {sim::RemoveHeater{at}};
  }
}

/// Random commands, and among them those of heat.
inline Script random_heat_script(std::uint64_t seed, const sim::WorldSpec& spec, std::size_t ticks,
                                 bool springs) {
  Dice dice(seed ^ 0x7e11U);
  const Vec3 size = spec.config.size;
  Script script = random_script(seed, size, ticks, springs ? Pipes::kJoined : Pipes::kNone);
  for (auto& commands : script) {
    while (dice.chance(20)) commands.push_back(random_heat_command(dice, size));
    if (springs) continue;
    std::erase_if(commands, [](const sim::Command& command) {
      return std::holds_alternative<sim::AddSource>(command.body) ||
             std::holds_alternative<sim::AddSourceUpTo>(command.body) ||
             std::holds_alternative<sim::AddWarmSource>(command.body) ||
             std::holds_alternative<sim::AddDrain>(command.body);
    });
  }
  const sim::WaterMeasure measure = sim::measure_of(spec.config);
  for (auto& commands : script) {
    for (sim::Command& command : commands) {
      if (auto* pour = std::get_if<sim::WarmPour>(&command.body)) {
        pour->units = fitted(pour->units, measure);
      }
    }
  }
  return fitted(std::move(script), measure);
}

}  // namespace sluice::tests
