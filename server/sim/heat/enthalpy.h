// Temperature from energy, and back. The energy of a unit of water, and what it then is:
//
//   (T - kColdest) / 2                   ice, below 0 degrees, or water that is too cold
//   -kColdest / 2 up to + kHeatOfMelting at 0 degrees, partly frozen
//   and on, one for each 1/256 degree    water, up to 100 degrees
//   up to + kHeatOfBoiling more          at 100 degrees, partly steam that could not leave yet
//   and on                               steam, up to kHottest
//
// Without latent heat the two flat parts have no length.
#pragma once

#include <algorithm>
#include <cstdint>

#include "protocol/base/cell.h"
#include "server/sim/heat/options.h"

namespace sluice::sim {

/// No water, no temperature.
inline constexpr std::int32_t kNoTemperature = INT32_MIN;
/// Parts of 1/256 degree in which temperatures are compared.
inline constexpr std::int32_t kLogFine = 8;

struct HeatCurve {
  std::int32_t melting = kHeatOfMelting;
  std::int32_t boiling = kHeatOfBoiling;

  explicit HeatCurve(bool latent)
      : melting(latent ? kHeatOfMelting : 0), boiling(latent ? kHeatOfBoiling : 0) {}

  /// Energy of a unit of ice at 0 degrees, of water there and at 100 degrees.
  [[nodiscard]] std::int64_t frozen() const { return -kColdest / 2; }
  [[nodiscard]] std::int64_t melted() const { return frozen() + melting; }
  [[nodiscard]] std::int64_t boils() const { return melted() + kBoiling; }
  [[nodiscard]] std::int64_t most() const { return boils() + boiling + (kHottest - kBoiling); }

  /// Of so many units of water, or of ice below 0 degrees. At 0 they are water, at 100 not yet
  /// steam.
  [[nodiscard]] std::int64_t energy_at(std::int32_t temperature, std::int64_t units) const {
    if (temperature < 0) return units * (std::int64_t{temperature} - kColdest) / 2;
    return units * (melted() + temperature + (temperature > kBoiling ? boiling : 0));
  }

  /// 1/65536 degree, rounded down.
  [[nodiscard]] std::int32_t fine(std::int64_t energy, std::int32_t units) const {
    if (units <= 0) return kNoTemperature;
    const std::int64_t heat =
        units == kFull ? energy >> (kLogFullCell - kLogFine) : (energy << kLogFine) / units;
    return at_heat(heat);
  }
  /// 1/256 degree, rounded down.
  [[nodiscard]] std::int32_t temperature(std::int64_t energy, std::int32_t units) const {
    if (units <= 0) return kNoTemperature;
    return fine(energy, units) >> kLogFine;
  }
  /// Units of those that are frozen; `solid`: of a cell of ice.
  [[nodiscard]] std::int32_t frozen_units(std::int64_t energy, std::int32_t units,
                                          bool solid) const {
    if (melting == 0) return solid ? units : 0;
    const std::int64_t above = std::max<std::int64_t>(energy - units * frozen(), 0);
    // By what `melting` is, as a constant is divided by fast.
    return static_cast<std::int32_t>(std::max<std::int64_t>(units - above / kHeatOfMelting, 0));
  }

 private:
  static constexpr int kLogFullCell = 12;
  static_assert(1 << kLogFullCell == kFull);

  [[nodiscard]] std::int32_t at_heat(std::int64_t heat) const {
    const auto fine = [](std::int64_t value) { return value << kLogFine; };
    if (heat < fine(frozen())) return static_cast<std::int32_t>(2 * (heat - fine(frozen())));
    if (heat < fine(melted())) return 0;
    if (heat < fine(boils())) return static_cast<std::int32_t>(heat - fine(melted()));
    if (heat < fine(boils() + boiling)) return kBoiling << kLogFine;
    return static_cast<std::int32_t>(heat - fine(melted() + boiling));
  }
};

}  // namespace sluice::sim
