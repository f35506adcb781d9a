// What the tests of overlays and of the inspector look at.
#pragma once

#include <cstddef>

#include "client_stub/known.h"
#include "protocol/layers.h"
#include "tests/client_stub/mirrors.h"

namespace sluice::client::tests {

/// A pool ten deep in a box of rock, one cell of it at double pressure; a drop that falls.
struct Scene {
  protocol::Mirror mirror = mirror_of(
      [](protocol::ChunkCells& cells) {
        for (std::size_t y = 0; y < 20; ++y) {
          for (std::size_t x = 0; x < 20; ++x) {
            const bool inside = x > 0 && x < 19 && y > 0;
            cells[y * 64 + x] = !inside ? kRock : y <= 10 ? kFull : 0;
          }
        }
        cells[1 * 64 + 5] = 2 * kFull;
        cells[15 * 64 + 5] = 800;
      },
      {"waves", "temperature"});
  Surfaces surfaces;
  Activity activity;
  Fixtures fixtures;
  Activity::Clock::time_point now = Activity::Clock::now();

  Scene() {
    surfaces.settle(mirror, {{}, {64, 64, 1}});
    activity.note(mirror, now);
  }
  [[nodiscard]] Known known() const { return {mirror, surfaces, activity, fixtures, now}; }
};

/// A cell of water that is 3 degrees warm, and one 8.5 below zero.
inline Scene warm_scene() {
  Scene scene;
  protocol::ChunkCells numbers{};
  numbers[2 * 64 + 3] = protocol::told_temperature(12);
  numbers[2 * 64 + 4] = protocol::told_temperature(-34);
  send_layer(scene.mirror, 1, numbers);
  return scene;
}

}  // namespace sluice::client::tests
