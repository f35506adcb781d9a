// The loop of a step, as kernels (server/sim/kernels.h) share it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "server/sim/waves/options.h"

namespace sluice::sim {

struct WaveStepInput {
  WaveOptions options;
  std::int32_t count = 0;                // columns
  const std::int32_t* passes = nullptr;  // WaveSheet::passes_x
  const std::int32_t* pulls =
      nullptr;  // what neighbours in z stand above each; null: there are none
};

/// Steps all columns. `heights` has a number before its first and behind its last.
using WaveStepKernel = void (*)(const WaveStepInput& input, std::int32_t* heights,
                                std::int32_t* speeds);

/// What the speed of a column becomes. `pull` is the sum of what its neighbours stand above it.
///
/// It is rounded towards the speed that it had, turned round: so the work of the rounding is never
/// above zero, and the energy of a step never rises (waves.md has the proof). The limit of heights
/// is kept likewise.
inline std::int32_t next_wave_speed(const WaveOptions& options, std::int32_t height,
                                    std::int32_t speed, std::int32_t pull) {
  constexpr std::int32_t kBroken = (1 << kLogWaveParts) - 1;
  const std::int32_t force =
      options.spread * pull - options.tension * height - options.dampening * speed;
  std::int32_t next = speed + (force >> kLogWaveParts);  // rounded down
  const bool turns_below = next + speed < 0;
  next += turns_below && (force & kBroken) != 0 ? 1 : 0;
  next = std::min(next, kMaxWaveHeight - height);
  return std::max(next, -kMaxWaveHeight - height);
}

/// Columns from `first` on; `left` is what the height before it was before the step.
inline void step_columns(const WaveStepInput& input, std::int32_t first, std::int32_t left,
                         std::int32_t* heights, std::int32_t* speeds) {
  for (std::int32_t i = first; i < input.count; ++i) {
    const std::int32_t height = heights[i];
    std::int32_t pull =
        ((left - height) & input.passes[i]) + ((heights[i + 1] - height) & input.passes[i + 1]);
    if (input.pulls != nullptr) pull += input.pulls[i];
    speeds[i] = next_wave_speed(input.options, height, speeds[i], pull);
    heights[i] = height + speeds[i];
    left = height;
  }
}

inline void step_waves_scalar(const WaveStepInput& input, std::int32_t* heights,
                              std::int32_t* speeds) {
  step_columns(input, 0, 0, heights, speeds);
}

}  // namespace sluice::sim
