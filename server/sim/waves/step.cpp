#include "server/sim/waves/step.h"

#include <algorithm>

namespace sluice::sim {

namespace {

/// What the speed of a column becomes. `pull` is the sum of what its neighbours stand above it.
///
/// It is rounded towards the speed that it had, turned round: so the work of the rounding is never
/// above zero, and the energy of a step never rises (waves.md has the proof). The limit of heights
/// is kept likewise.
inline std::int32_t next_speed(const WaveOptions& options, std::int32_t height, std::int32_t speed,
                               std::int32_t pull) {
  constexpr std::int32_t kBroken = (1 << kLogWaveParts) - 1;
  const std::int32_t force =
      options.spread * pull - options.tension * height - options.dampening * speed;
  std::int32_t next = speed + (force >> kLogWaveParts);  // rounded down
  const bool turns_below = next + speed < 0;
  next += turns_below && (force & kBroken) != 0 ? 1 : 0;
  next = std::min(next, kMaxWaveHeight - height);
  return std::max(next, -kMaxWaveHeight - height);
}

void pull_in_z(const WaveSheet& sheet, const std::int32_t* heights,
               std::vector<std::int32_t>& pulls) {
  pulls.assign(sheet.surfaces.size(), 0);
  for (const WaveStretch& stretch : sheet.stretches) {
    const std::int32_t* const a = heights + stretch.a;
    const std::int32_t* const b = heights + stretch.b;
    // Those of `a` lie before those of `b`, and a stretch is no longer than a row.
    std::int32_t* const of_a = pulls.data() + stretch.a;
    std::int32_t* const of_b = pulls.data() + stretch.b;
    for (std::int32_t k = 0; k < stretch.count; ++k) of_a[k] += b[k] - a[k];
    for (std::int32_t k = 0; k < stretch.count; ++k) of_b[k] += a[k] - b[k];
  }
}

template <bool kSolid>
void next_speeds(const WaveOptions& given, std::int32_t count, const std::int32_t* passes,
                 const std::int32_t* heights, const std::int32_t* pulls_in_z,
                 std::int32_t* speeds) {
  const WaveOptions options = given;
  for (std::int32_t i = 0; i < count; ++i) {
    const std::int32_t height = heights[i];
    std::int32_t pull =
        ((heights[i - 1] - height) & passes[i]) + ((heights[i + 1] - height) & passes[i + 1]);
    if constexpr (kSolid) pull += pulls_in_z[i];
    speeds[i] = next_speed(options, height, speeds[i], pull);
  }
}

}  // namespace

void step_waves(const WaveOptions& options, const WaveSheet& sheet, WaveColumns& columns,
                std::vector<std::int32_t>& beside) {
  const std::int32_t count = sheet.size();
  std::int32_t* const heights = columns.heights.data() + 1;
  std::int32_t* const speeds = columns.speeds.data();
  if (sheet.stretches.empty()) {
    next_speeds<false>(options, count, sheet.passes_x.data(), heights, nullptr, speeds);
  } else {
    pull_in_z(sheet, heights, beside);
    next_speeds<true>(options, count, sheet.passes_x.data(), heights, beside.data(), speeds);
  }
  for (std::int32_t i = 0; i < count; ++i) heights[i] += speeds[i];
}

}  // namespace sluice::sim
