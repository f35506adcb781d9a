// How the waves of a world behave: the keys of [waves] and their bounds (waves.md).
#pragma once

#include <cstdint>

namespace sluice::sim {

/// Tension, dampening and spread are 1/1024 a step.
inline constexpr std::int32_t kLogWaveParts = 10;
inline constexpr std::int32_t kMaxWaveTension = 512;
inline constexpr std::int32_t kMaxWaveDampening = 128;
inline constexpr std::int32_t kMaxWaveSpread = 128;
/// A wave goes one column a step at the most, so this is how far it gets in a tick.
inline constexpr std::int32_t kMaxWaveSteps = 16;
/// Either way.
inline constexpr std::int32_t kMaxWind = 1000;

/// Heights and speeds are fixed-point numbers: 1/64 level unit.
inline constexpr std::int32_t kLogWaveUnit = 6;
/// Four cells: no wave is higher or deeper.
inline constexpr std::int32_t kMaxWaveHeight = 4 * 4096 << kLogWaveUnit;

// The force on a column is summed up in 32 bits: from itself, its speed and its four neighbours.
static_assert(std::int64_t{kMaxWaveTension} * kMaxWaveHeight +
                  std::int64_t{kMaxWaveDampening} * 2 * kMaxWaveHeight +
                  std::int64_t{kMaxWaveSpread} * 8 * kMaxWaveHeight <
              INT32_MAX);
// What waves.md needs for the energy to be above zero, and for waves to die: the force on heights
// is less than 7/4 of them.
static_assert(kMaxWaveTension + 8 * kMaxWaveSpread < 7 << (kLogWaveParts - 2));

/// One splash, explosion or body: columns to each side.
inline constexpr std::int32_t kMaxSplashRadius = 32;

/// A number of [waves], and what it may be.
struct WaveOptions {
  std::int32_t tension = 16;   // pulls a column back to its rest
  std::int32_t dampening = 4;  // takes from its speed
  std::int32_t spread = 32;    // pulls it to its neighbours
  std::int32_t steps = 4;      // a tick
  bool keep_shape = false;     // ice keeps that of the wave that it froze; WaveState says whether

  friend bool operator==(const WaveOptions&, const WaveOptions&) = default;
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("tension", self.tension);
    v.field("dampening", self.dampening);
    v.field("spread", self.spread);
    v.field("steps", self.steps);
    // WaveState writes it, so that worlds without keep their bytes.
    (void)self.keep_shape;
  }
};

/// The energy of a splash that is a ripple of the surface, no more than a cell high; where water
/// has momentum of its own, what is beyond it moves the water. A column that swings by a cell has a
/// speed of sqrt(tension / 1024) cells a step: so much for each that lies within the radius along
/// each axis.
[[nodiscard]] constexpr std::int64_t most_ripple(const WaveOptions& options, std::int32_t radius,
                                                 bool side_view) {
  constexpr std::int64_t kCell = 4096;
  const std::int64_t side = 2 * std::int64_t{radius} + 1;
  return (kCell * kCell * options.tension >> kLogWaveParts) * (side_view ? side : side * side);
}

}  // namespace sluice::sim
