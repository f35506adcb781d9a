// Chance without memory: a draw is a function of the world's seed, the tick, a cell and a purpose,
// and of nothing else. So it is the same in every order, on every thread and after every restore.
#pragma once

#include <cstdint>

#include "protocol/base/geometry.h"
#include "server/sim/digest.h"

namespace sluice::sim {

/// What a draw is for, so that two of one cell and tick have nothing to do with each other. The
/// numbers decide the histories of recorded worlds; never reused.
enum class DrawPurpose : std::uint32_t {
  kBlockWalk = 1,
  kStreamOrder = 2,
  kStreamSpread = 3,
  kStreamDrying = 4,
  kWaveGust = 5,
  kWaveLanding = 6,
  kHeatKick = 7,
  kEvent = 8,
  kStreamNarrowing = 9,
};

/// 64 bits that look like chance.
constexpr std::uint64_t draw(std::uint64_t seed, std::uint64_t tick, Vec3 at, DrawPurpose purpose) {
  std::uint64_t word = combine(seed, tick);
  word = combine(word, std::uint64_t{static_cast<std::uint32_t>(at.x)} << 32 |
                           static_cast<std::uint32_t>(at.y));
  return combine(word, std::uint64_t{static_cast<std::uint32_t>(at.z)} << 32 |
                           static_cast<std::uint32_t>(purpose));
}

/// A number from 0 to choices - 1, from the upper half of a draw.
constexpr std::uint32_t choose(std::uint64_t drawn, std::uint32_t choices) {
  return static_cast<std::uint32_t>((drawn >> 32) * choices >> 32);
}

}  // namespace sluice::sim
