// What a watcher of a recording is shown, beside the recording itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "protocol/mirror.h"
#include "server/playback/cursor.h"
#include "server/sim/executor.h"
#include "server/sim/world.h"
#include "tests/support/wire_client.h"

namespace sluice::tests {

/// Whether a mirror shows the whole world, cell by cell.
inline bool shows(const protocol::Mirror& mirror, const sim::World& world) {
  const Vec3 size = world.config().size;
  for (std::int32_t z = 0; z < size.z; ++z) {
    for (std::int32_t y = 0; y < size.y; ++y) {
      for (std::int32_t x = 0; x < size.x; ++x) {
        if (mirror.cell({x, y, z}) != world.cell({x, y, z})) return false;
      }
    }
  }
  return true;
}

/// Until the client is shown that tick of a recording.
inline bool wait_tick(WireClient& client, std::uint64_t tick) {
  const auto there = [&] { return client.mirror().tick() == tick && client.mirror().playback(); };
  return there() || client.pump_until([&](auto) { return there(); });
}

/// A client whose view is the whole world comes to show that tick of the recording in `file`.
inline void expect_shown(WireClient& client, const std::string& file, std::uint64_t tick) {
  ASSERT_TRUE(wait_tick(client, tick)) << tick << ", not " << client.mirror().tick();
  sim::SerialExecutor executor;
  auto cursor = playback::Cursor::open(file, executor);
  ASSERT_TRUE(cursor.ok()) << cursor.error();
  ASSERT_TRUE((*cursor)->seek(tick).ok());
  // The first message of a tick need not bring all that is in view.
  const auto equal = [&] { return shows(client.mirror(), (*cursor)->world()); };
  EXPECT_TRUE(equal() || client.pump_until([&](auto) { return equal(); })) << "tick " << tick;
  EXPECT_EQ(client.mirror().stats().digest_mismatches, 0U);
}

}  // namespace sluice::tests
