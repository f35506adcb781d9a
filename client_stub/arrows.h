// Directions in a terminal's picture, and the arrows that point there.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string_view>

namespace sluice::client {

/// The nearest of `many` directions, evenly apart: counted from the right, against the clock.
[[nodiscard]] inline std::size_t direction_of(double right, double up, int many) {
  const double turns = std::atan2(up, right) / (2 * std::numbers::pi);
  return static_cast<std::size_t>((std::lround(turns * many) + many) % many);
}

/// Of eight directions.
inline constexpr std::array<std::string_view, 8> kArrows = {"→", "↗", "↑", "↖", "←", "↙", "↓", "↘"};

}  // namespace sluice::client
