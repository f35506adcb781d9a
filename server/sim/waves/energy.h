// The energy of waves: an exact integer, of more than 64 bits in the worst case.
#pragma once

#include <compare>
#include <cstdint>

#include "server/sim/waves/options.h"
#include "server/sim/waves/state.h"

namespace sluice::sim {

/// Units of WaveEnergy in one that people are told: the energy of one column that moves at one
/// level unit a step.
inline constexpr std::int32_t kLogWaveEnergy = kLogWaveParts + 1 + 2 * kLogWaveUnit;

/// A sum of up to 2^31 numbers of 64 bits.
class WaveEnergy {
 public:
  void add(std::int64_t value) {
    high_ += value >> 32;
    low_ += value & 0xffffffff;
  }
  void add(const WaveEnergy& other) {
    high_ += other.high_;
    low_ += other.low_ & 0xffffffff;
    high_ += other.low_ >> 32;
  }
  /// In units that people are told, rounded up: 0 only where nothing moves.
  [[nodiscard]] std::int64_t told() const {
    const std::int64_t high = whole_high();
    if (high > INT64_MAX >> 32) return INT64_MAX;
    constexpr std::int64_t kUnit = std::int64_t{1} << kLogWaveEnergy;
    const std::int64_t rest = (high << 32 & (kUnit - 1)) + (low_ & 0xffffffff);
    return (high << 32 >> kLogWaveEnergy) + (rest >> kLogWaveEnergy) +
           ((rest & (kUnit - 1)) != 0 ? 1 : 0);
  }
  friend bool operator==(const WaveEnergy& a, const WaveEnergy& b) {
    return (a <=> b) == std::strong_ordering::equal;
  }
  friend std::strong_ordering operator<=>(const WaveEnergy& a, const WaveEnergy& b) {
    if (const auto high = a.whole_high() <=> b.whole_high(); high != 0) return high;
    return (a.low_ & 0xffffffff) <=> (b.low_ & 0xffffffff);
  }

 private:
  [[nodiscard]] std::int64_t whole_high() const { return high_ + (low_ >> 32); }

  std::int64_t high_ = 0;  // times 2^32
  std::int64_t low_ = 0;   // 0 or more
};

/// What a column adds by itself.
inline std::int64_t own_energy(const WaveOptions& options, WaveColumn column) {
  const std::int64_t speed = column.speed;
  const std::int64_t height = column.height;
  return ((2 << kLogWaveParts) - options.dampening) * speed * speed +
         2 * options.tension * height * (height - speed);
}

/// And what two of them add that a wave passes between.
inline std::int64_t shared_energy(const WaveOptions& options, WaveColumn a, WaveColumn b) {
  const std::int64_t now = std::int64_t{a.height} - b.height;
  const std::int64_t before = now - (std::int64_t{a.speed} - b.speed);
  return 2 * options.spread * now * before;
}
static_assert(kMaxWaveHeight <= 1 << 20);
static_assert((std::int64_t{2} << kLogWaveParts) * (std::int64_t{1} << 42) < INT64_MAX / 8);

}  // namespace sluice::sim
