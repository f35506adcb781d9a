// Mirrors of small worlds, for tests of what the terminal makes of them.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "protocol/codec.h"
#include "protocol/mirror.h"

namespace sluice::client {

/// Sends the chunk as a keyframe.
inline void send_chunk(protocol::Mirror& mirror, const protocol::ChunkCells& cells,
                       std::uint64_t at_tick) {
  protocol::Bytes payload;
  protocol::encode_keyframe(cells, kSideViewShape, payload);
  protocol::Tick tick;
  tick.tick = at_tick;
  tick.chunks.push_back({{0, 0, 0}, payload});
  EXPECT_TRUE(mirror.apply(tick).ok());
}

/// The same of a layer.
inline void send_layer(protocol::Mirror& mirror, std::uint8_t layer,
                       const protocol::ChunkCells& numbers) {
  protocol::Bytes payload;
  protocol::encode_keyframe(numbers, kSideViewShape, payload);
  protocol::Tick tick;
  tick.tick = mirror.tick();
  tick.layers.push_back({layer, {{{0, 0, 0}, payload}}, {}, {}});
  EXPECT_TRUE(mirror.apply(tick).ok());
}

/// 64x64 cells of air but for what `draw` puts there, by the index y * 64 + x.
inline protocol::Mirror mirror_of(const std::function<void(protocol::ChunkCells&)>& draw,
                                  std::vector<std::string> layers = {}) {
  protocol::Welcome welcome;
  welcome.layers = std::move(layers);
  welcome.world = "test";
  welcome.size = {64, 64, 1};
  welcome.tick_rate = 20;
  protocol::Mirror mirror(welcome);
  protocol::ChunkCells cells{};
  draw(cells);
  send_chunk(mirror, cells, 1);
  return mirror;
}

}  // namespace sluice::client
