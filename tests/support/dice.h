// Numbers for tests, drawn from a seed.
#pragma once

#include <cstdint>

#include "server/sim/digest.h"

namespace sluice::tests {

/// A stream of numbers from a seed; equal everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return state_ = sim::mix64(state_ + 0x9e3779b97f4a7c15U); }
  /// From low to high, both included.
  std::int32_t roll(std::int32_t low, std::int32_t high) {
    const auto span = static_cast<std::uint64_t>(std::int64_t{high} - low + 1);
    return static_cast<std::int32_t>(low + static_cast<std::int64_t>(next() % span));
  }
  bool chance(std::int32_t percent) { return roll(1, 100) <= percent; }

 private:
  std::uint64_t state_;
};

}  // namespace sluice::tests
