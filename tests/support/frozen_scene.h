// Drawn worlds with ice: 'I' a cell of it as heavy as a full one, 'i' seven eighths of that; '#',
// '.' and '~' as elsewhere.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/water_options.h"

namespace sluice::tests {

/// Such a world in which ice floats and no heat flows: what is frozen stays so. Its water is poured
/// in the first tick, in which the rest freezes.
struct FrozenScene {
  sim::WorldSpec spec;
  std::vector<sim::Command> first;
};

inline FrozenScene frozen_scene(sim::WaterModel water, std::vector<Drawing> layers) {
  FrozenScene scene;
  for (std::size_t z = 0; z < layers.size(); ++z) {
    for (std::size_t row = 0; row < layers[z].size(); ++row) {
      for (std::size_t x = 0; x < layers[z][row].size(); ++x) {
        char& glyph = layers[z][row][x];
        const auto y = static_cast<std::int32_t>(layers[z].size() - 1 - row);
        const Vec3 at = {static_cast<std::int32_t>(x), y, static_cast<std::int32_t>(z)};
        if (glyph == '~') {
          scene.first.push_back({sim::WarmPour{at, kFull, 10 * sim::kDegree}});
          glyph = '.';
        }
        if (glyph == 'I') glyph = '~';
        if (glyph == 'i') glyph = '7';
      }
    }
  }
  scene.spec = drawn_spec(water, layers);
  scene.spec.heat.on = true;
  sim::HeatOptions& options = scene.spec.heat.options;
  options.floating = true;
  options.water = -5 * sim::kDegree;
  options.down = options.sideways = options.up = options.ice = options.surface = 0;
  set_option(scene.spec.config, "drying", 0);
  return scene;
}

/// After its first tick.
inline std::unique_ptr<sim::World> make_frozen(const FrozenScene& scene) {
  auto world = make_world(scene.spec);
  sim::SerialExecutor serial;
  (void)world->tick(scene.first, serial);
  return world;
}

/// Glyphs of a layer: 'i' for any ice, '~' for at least half a cell of water, ',' for less.
inline Drawing frozen_drawing(const sim::World& world, std::int32_t z = 0) {
  return drawing_of(world, z, [](Cell cell) {
    return is_ice(cell) ? 'i' : cell < 0 ? '#' : cell == 0 ? '.' : cell >= kFull / 2 ? '~' : ',';
  });
}

}  // namespace sluice::tests
