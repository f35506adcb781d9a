// Worlds and scripts drawn from a seed: everything a tick can meet, in small.
#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>
#include <vector>

#include "server/sim/commands/commands.h"
#include "server/sim/spec.h"
#include "tests/support/dice.h"
#include "tests/support/random_network.h"
#include "tests/support/water_options.h"

namespace sluice::tests {

inline Vec3 random_place(Dice& dice, Vec3 size) {
  const std::int32_t x = dice.roll(0, size.x - 1);
  const std::int32_t y = dice.roll(0, size.y - 1);
  const std::int32_t z = dice.roll(0, size.z - 1);
  return {x, y, z};
}

inline Box random_box(Dice& dice, Vec3 size, std::int32_t most) {
  const Vec3 from = random_place(dice, size);
  const std::int32_t x = std::min(dice.roll(1, most), size.x - from.x);
  const std::int32_t y = std::min(dice.roll(1, most), size.y - from.y);
  const std::int32_t z = std::min(dice.roll(1, most), size.z - from.z);
  return {from, {x, y, z}};
}

inline Cell random_cell(Dice& dice) {
  const std::int32_t kind = dice.roll(0, 9);
  if (kind < 4) return kRock;
  if (kind < 5) return kAir;
  if (kind < 8) return kFull;
  if (kind < 9) return dice.roll(1, kFull);
  return dice.roll(1, 40 * kFull);  // under pressure
}

/// Which pipes random worlds and scripts have beside all else.
enum class Pipes {
  kNone,
  kApart,   // without ports and places: the grid does not hear of them
  kJoined,  // with both
};

struct WorldKind {
  bool solid = false;  // 3D
  bool edges = true;   // some open
  bool springs = true;
  std::int32_t side = 140;  // at most, in a side view; a quarter in 3D
  Pipes pipes = Pipes::kJoined;
  bool waves = false;  // in a third of all worlds
};

/// Several networks in half of all worlds: some awake, some at rest from the beginning.
inline void add_random_pipes(std::uint64_t seed, Pipes pipes, sim::WorldSpec& spec) {
  Dice dice(seed ^ 0x919e5U);
  if (pipes == Pipes::kNone || dice.chance(50)) return;
  std::vector<NetworkPlan> each;
  const bool joined = pipes == Pipes::kJoined;
  NetworkPlan plan = random_networks(dice.next(), {.nodes = 10, .ports = joined}, each);
  for (sim::PipeNode& node : plan.nodes) {
    if (joined && dice.chance(30)) node.fields.at = random_place(dice, spec.config.size);
  }
  spec.pipes = std::move(plan.nodes);
  spec.pipe_links = std::move(plan.links);
  spec.ports = std::move(plan.ports);
}

/// In a third of all worlds; without wind, which would keep them from rest.
inline void add_random_waves(std::uint64_t seed, sim::WorldSpec& spec) {
  Dice dice(seed ^ 0x3a7e5U);
  if (!dice.chance(33)) return;
  spec.waves.on = true;
  spec.waves.options.tension = dice.roll(4, 64);
  spec.waves.options.dampening = dice.roll(2, sim::kMaxWaveDampening);
  spec.waves.options.spread = dice.roll(0, sim::kMaxWaveSpread);
  spec.waves.options.steps = dice.roll(1, sim::kMaxWaveSteps);
}

inline sim::WorldSpec random_world(std::uint64_t seed, WorldKind kind) {
  Dice dice(seed);
  sim::WorldSpec spec;
  sim::WorldConfig& config = spec.config;
  config.name = "random";
  config.seed = seed;
  const std::int32_t side = kind.solid ? std::max(2, kind.side / 4) : kind.side;
  const std::int32_t x = dice.roll(1, side);
  const std::int32_t y = dice.roll(1, side);
  config.size = {x, y, kind.solid ? dice.roll(2, side) : 1};
  const auto edge = [&] {
    return kind.edges && dice.chance(30) ? sim::Edge::kOpen : sim::Edge::kWall;
  };
  for (sim::Edge* one : {&config.edges.left, &config.edges.right, &config.edges.bottom,
                         &config.edges.top, &config.edges.front, &config.edges.back}) {
    *one = edge();
  }
  config.options["max_sweeps"] = dice.roll(1, 6);
  config.options["smallest_flow"] = dice.roll(0, 60);
  config.options["compression"] = dice.chance(30) ? 1 : 0;
  const std::int32_t boxes = dice.roll(2, 24);
  for (std::int32_t i = 0; i < boxes; ++i) {
    const Box box = random_box(dice, config.size, std::max(2, side / 3));
    spec.fills.push_back({box, random_cell(dice)});
  }
  add_random_pipes(seed, kind.pipes, spec);
  if (kind.waves) add_random_waves(seed, spec);
  if (!kind.springs) return spec;
  for (std::vector<sim::Spring>* springs : {&spec.sources, &spec.drains}) {
    const std::int32_t count = dice.roll(0, 3);
    for (std::int32_t i = 0; i < count; ++i) {
      const Vec3 at = random_place(dice, config.size);
      const bool taken = std::any_of(springs->begin(), springs->end(),
                                     [&](const sim::Spring& s) { return s.at == at; });
      if (!taken) springs->push_back({at, dice.roll(1, 3 * kFull), -1});
    }
  }
  return spec;
}

inline sim::Command random_command(Dice& dice, Vec3 size) {
  switch (dice.roll(0, 7)) {
    case 7: {
      const Vec3 at = random_place(dice, size);
      const std::int32_t level = dice.roll(0, std::min(size.y, 1000)) * kFull;
      switch (dice.roll(0, 3)) {
        case 0:
          return {sim::FillLevel{at, level}};
        case 1:
          return {sim::EvaporateLevel{at, level}};
        case 2: {
          const std::int32_t radius = dice.roll(0, 6);
          return {sim::Splash{at, radius, dice.roll(1, 4'000'000), 0}};
        }
        default:
          return {sim::SetCells{at, {1, 1, 1}, kTrappedAir}};
      }
    }
    case 0: {
      const Box box = random_box(dice, size, 12);
      return {sim::SetCells{box.from, box.size, random_cell(dice)}};
    }
    case 1: {
      const Vec3 at = random_place(dice, size);
      const std::int32_t units = dice.roll(1, 20 * kFull);
      if (units % 32 == 7) return {sim::MixedPour{at, units, units % 24}};
      if (units % 32 == 11) return {sim::RestingPour{at, units, true, {}, units / 32 % 24}};
      return {sim::Pour{at, units}};
    }
    case 2: {
      const Box box = random_box(dice, size, 12);
      return {sim::RemoveWater{box.from, box.size}};
    }
    case 3: {
      const Vec3 at = random_place(dice, size);
      const std::int32_t rate = dice.roll(1, kFull);
      if (dice.chance(50)) return {sim::AddSource{at, rate}};
      return {sim::AddSourceUpTo{at, rate, dice.roll(0, std::min(size.y, 1000)) * (kFull / 2)}};
    }
    case 4:
      return {sim::RemoveSource{random_place(dice, size)}};
    case 5: {
      const Vec3 at = random_place(dice, size);
      return {sim::AddDrain{at, dice.roll(1, kFull)}};
    }
    default:
      return {sim::RemoveDrain{random_place(dice, size)}};
  }
}

/// The nearest amount below that such a world can hold.
inline Cell fitted(Cell cell, sim::WaterMeasure measure) {
  if (cell <= 0) return cell;
  const std::int32_t most = std::min(cell, measure.cell_max);
  return std::max(most - most % measure.quantum, measure.quantum);
}

/// Another model's world of the same shape: every amount is one that it can hold.
inline sim::WorldSpec fitted(sim::WorldSpec spec, sim::WaterModel water) {
  choose_water(spec.config, water);
  const sim::WaterMeasure measure = sim::measure_of(spec.config);
  for (sim::Fill& fill : spec.fills) fill.cell = fitted(fill.cell, measure);
  return spec;
}

/// A world of any model, with options of its own drawn as well.
inline sim::WorldSpec random_world_of(sim::WaterModel water, std::uint64_t seed, WorldKind kind) {
  Dice dice(seed ^ 0xb10cU);
  sim::WorldSpec spec = random_world(seed, kind);
  choose_water(spec.config, water);
  set_option(spec.config, "parts", dice.chance(40) ? 1 : 1 << dice.roll(0, 3));
  set_option(spec.config, "walk_steps", dice.chance(30) ? 0 : dice.roll(1, 20));
  set_option(spec.config, "downward", dice.chance(30) ? 1 : 0);
  return fitted(spec, water);
}

/// The commands of each tick; index 0 is tick 1.
using Script = std::vector<std::vector<sim::Command>>;

inline Script random_script(std::uint64_t seed, Vec3 size, std::size_t ticks,
                            Pipes pipes = Pipes::kJoined) {
  Dice dice(seed ^ 0x5c217U);
  Dice pipe_dice(seed ^ 0x91be5U);
  Script script(ticks);
  for (auto& tick : script) {
    while (dice.chance(25)) tick.push_back(random_command(dice, size));
    if (pipes == Pipes::kNone) continue;
    while (pipe_dice.chance(40)) {
      tick.push_back(random_network_command(pipe_dice, size, pipes == Pipes::kJoined));
    }
  }
  return script;
}

/// The same commands in amounts that such a world can hold.
inline Script fitted(Script script, sim::WaterMeasure measure) {
  for (auto& tick : script) {
    for (sim::Command& command : tick) {
      if (auto* set = std::get_if<sim::SetCells>(&command.body)) {
        set->cell = fitted(set->cell, measure);
      } else if (auto* pour = std::get_if<sim::Pour>(&command.body)) {
        pour->units = fitted(pour->units, measure);
      } else if (auto* rising = std::get_if<sim::MixedPour>(&command.body)) {
        rising->units = fitted(rising->units, measure);
      } else if (auto* resting = std::get_if<sim::RestingPour>(&command.body)) {
        resting->units = fitted(resting->units, measure);
      }
    }
  }
  return script;
}

}  // namespace sluice::tests
