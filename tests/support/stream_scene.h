// A drawn world of stream water under test. To the alphabet of drawn_world.h come
//
//   S  a spring in an empty cell     D  a drain in an empty cell
#pragma once

#include <gtest/gtest.h>

#include "server/sim/models/stream/cells.h"
#include "tests/support/drawn_world.h"

namespace sluice::tests {

inline constexpr std::int32_t kLevel = sim::kUnitsPerLevel;

/// One drawing for each z; the springs and drains have the rate, in units a tick.
inline sim::WorldSpec drawn_stream(std::vector<Drawing> layers, std::int32_t rate) {
  std::vector<sim::Spring> sources;
  std::vector<sim::Spring> drains;
  for (std::size_t z = 0; z < layers.size(); ++z) {
    for (std::size_t row = 0; row < layers[z].size(); ++row) {
      for (std::size_t x = 0; x < layers[z][row].size(); ++x) {
        char& glyph = layers[z][row][x];
        if (glyph != 'S' && glyph != 'D') continue;
        const auto y = static_cast<std::int32_t>(layers[z].size() - 1 - row);
        const Vec3 at = {static_cast<std::int32_t>(x), y, static_cast<std::int32_t>(z)};
        (glyph == 'S' ? sources : drains).push_back({at, rate, -1});
        glyph = '.';
      }
    }
  }
  sim::WorldSpec spec = drawn_spec(sim::WaterModel::kStream, layers);
  spec.sources = sources;
  spec.drains = drains;
  return spec;
}

/// A side view, top row first.
inline sim::WorldSpec drawn(const Drawing& rows, std::int32_t rate = kLevel) {
  return drawn_stream({rows}, rate);
}

/// A 3D world: each layer as seen from above, the lowest first; rows run along z.
inline sim::WorldSpec drawn_plans(const std::vector<Drawing>& plans, std::int32_t rate = kLevel) {
  std::vector<Drawing> layers(plans.front().size());
  for (std::size_t z = 0; z < layers.size(); ++z) {
    for (std::size_t y = plans.size(); y-- > 0;) layers[z].push_back(plans[y][z]);
  }
  return drawn_stream(layers, rate);
}

/// One y of the world as seen from above.
inline Drawing plan_of(const sim::World& world, std::int32_t y) {
  Drawing rows;
  for (std::int32_t z = 0; z < world.config().size.z; ++z) {
    const Drawing side = drawing_of(world, z);
    rows.push_back(side[side.size() - 1 - static_cast<std::size_t>(y)]);
  }
  return rows;
}

struct StreamScene {
  explicit StreamScene(sim::WorldSpec described, std::int32_t drying = 0)
      : spec(std::move(described)) {
    spec.config.options["drying"] = drying;
    spec.config.seed = 7;
  }
  StreamScene& open(sim::Edge sim::Edges::*edge) {
    spec.config.edges.*edge = sim::Edge::kOpen;
    return *this;
  }
  StreamScene& start() {
    world = make_world(spec);
    return *this;
  }
  void run(int ticks, std::vector<sim::Command> commands = {}) {
    for (int i = 0; i < ticks; ++i) {
      report = world->tick(commands, serial);
      for (const sim::CommandOutcome& outcome : report.outcomes) {
        EXPECT_TRUE(outcome.applied()) << outcome.reason;
      }
      commands.clear();
    }
  }
  /// Ticks until nothing is active any more, or -1.
  int ticks_to_rest(int most) {
    for (int i = 1; i <= most; ++i) {
      run(1);
      if (report.at_rest) return i;
    }
    return -1;
  }
  /// Levels that are drained in so many ticks.
  std::int64_t levels_drained_in(int ticks) {
    const std::int64_t before = world->totals().drained;
    run(ticks);
    return (world->totals().drained - before) / kLevel;
  }
  [[nodiscard]] sim::StreamMark mark(Vec3 at) const {
    const ChunkShape& shape = world->grid().shape();
    const sim::Chunk* chunk = world->grid().find(shape.chunk_of(at));
    if (chunk == nullptr || chunk->marks == nullptr) return {};
    return sim::unpack(chunk->marks->cells[static_cast<std::size_t>(shape.index_of(at))]);
  }
  [[nodiscard]] std::int32_t level(Vec3 at) const { return world->cell(at) / kLevel; }
  [[nodiscard]] std::int64_t levels() const { return world->totals().water / kLevel; }
  /// The cells of one y that are wet.
  [[nodiscard]] int wet_cells(std::int32_t y) const {
    int wet = 0;
    for (const std::string& row : plan_of(*world, y)) {
      for (const char glyph : row) wet += glyph != '.' && glyph != '#' ? 1 : 0;
    }
    return wet;
  }

  sim::WorldSpec spec;
  std::unique_ptr<sim::World> world;
  sim::TickReport report;
  sim::SerialExecutor serial;
};

}  // namespace sluice::tests
