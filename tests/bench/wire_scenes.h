// What the wire is measured on: three ways in which water moves in a world of 512x512 cells, from
// most that changes to least.
#pragma once

#include <cstdint>

#include "server/sim/spec.h"

namespace sluice::bench {

inline constexpr std::int32_t kWireSide = 512;

inline sim::WorldSpec wire_world(sim::WaterModel water) {
  sim::WorldSpec spec;
  spec.config.size = {kWireSide, kWireSide, 1};
  spec.config.water = water;
  return spec;
}

/// Shelves of rock across most of the world, each open at the other end than the one above it.
inline void add_shelves(std::int32_t count, sim::WorldSpec& spec) {
  const std::int32_t apart = kWireSide / count;
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t left = i % 2 == 0 ? 0 : 32;
    spec.fills.push_back({{{left, i * apart, 0}, {kWireSide - 32, 2, 1}}, kRock});
  }
}

/// A third of the world's floor stands under water as high as two thirds of it, which is let go.
inline sim::WorldSpec flood(sim::WaterModel water) {
  sim::WorldSpec spec = wire_world(water);
  spec.fills.push_back({{{0, 0, 0}, {kWireSide / 3, 2 * kWireSide / 3, 1}}, kFull});
  return spec;
}

/// Four springs of a cell a tick each run over shelves down into a pool.
inline sim::WorldSpec streams(sim::WaterModel water) {
  sim::WorldSpec spec = wire_world(water);
  add_shelves(8, spec);
  for (std::int32_t i = 0; i < 4; ++i) {
    spec.sources.push_back({{40 + i * 128, kWireSide - 4 - i, 0}, kFull});
  }
  return spec;
}

/// 64 springs of an eighth of a cell in eight ticks each, which fall onto shelves.
inline sim::WorldSpec drips(sim::WaterModel water) {
  sim::WorldSpec spec = wire_world(water);
  add_shelves(4, spec);
  for (std::int32_t i = 0; i < 64; ++i) {
    spec.sources.push_back({{4 + i * 8, kWireSide - 2 - i * 5, 0}, kFull / 64});
  }
  return spec;
}

}  // namespace sluice::bench
