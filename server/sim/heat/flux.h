// What passes between two temperatures in a tick (heat.md, Conduction).
#pragma once

#include <algorithm>
#include <cstdint>

#include "server/sim/heat/enthalpy.h"
#include "server/sim/heat/options.h"

namespace sluice::sim {

/// From a to b, through `parts` of so many units. Temperatures are known to a part of 1/65536
/// degree, rounded down, so the difference may be that much less than it looks.
inline std::int64_t conducted(std::int32_t parts, std::int32_t units, std::int32_t a,
                              std::int32_t b) {
  // Without branches: nobody can guess which of two cells is the warmer.
  const std::int64_t difference = std::int64_t{a} - b;
  const std::int64_t sign = difference >> 63;
  const std::int64_t size = std::max<std::int64_t>(((difference ^ sign) - sign) - 1, 0);
  const std::int64_t energy =
      (std::int64_t{parts} * std::min(units, kMostConducting) * size) >> (kLogHeatParts + kLogFine);
  return (energy ^ sign) - sign;
}

/// Whether water of the one temperature is lighter than of the other.
inline bool lighter(std::int32_t a, std::int32_t b) {
  constexpr std::int32_t kFineDensest = kDensest << kLogFine;
  // In 64 bits: cells without water have no temperature, and are asked about, too.
  const auto away = [](std::int64_t fine) {
    return fine < kFineDensest ? kFineDensest - fine : fine - kFineDensest;
  };
  return away(a) > away(b);
}

}  // namespace sluice::sim
