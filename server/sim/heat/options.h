// How heat behaves in a world: the keys of [heat] and their bounds (heat.md).
#pragma once

#include <cstdint>

#include "server/sim/limits.h"

namespace sluice::sim {

/// Temperatures are 1/256 degree Celsius.
inline constexpr std::int32_t kDegree = 256;
inline constexpr std::int32_t kColdest = -100 * kDegree;
inline constexpr std::int32_t kHottest = 200 * kDegree;
inline constexpr std::int32_t kBoiling = 100 * kDegree;
/// Where water is densest.
inline constexpr std::int32_t kDensest = 4 * kDegree;

/// Heat of a unit of water, in units of energy: one warms it by 1/256 degree, and ice by two.
inline constexpr std::int32_t kHeatOfMelting = 80 * kDegree;
inline constexpr std::int32_t kHeatOfBoiling = 540 * kDegree;

/// Conductances are parts of a cell's heat capacity a tick. All faces of a cell together have at
/// most half of it, which is why nothing becomes warmer or colder than what it touches.
inline constexpr std::int32_t kLogHeatParts = 12;
inline constexpr std::int32_t kMostHeatParts = 1 << (kLogHeatParts - 1);
/// Cells of air that count over a surface.
inline constexpr std::int32_t kMostAirCells = 16;
/// Of a cell's water; beyond, it conducts as if it held no more.
inline constexpr std::int32_t kMostConducting = 1 << 20;

/// Ice grows by a quarter at the most.
inline constexpr std::int32_t kMostGrowth = 256;
/// Of a kick at 100 degrees, as a splash counts it; and in how many ticks there is one on average.
inline constexpr std::int32_t kKickEnergy = 4096;
inline constexpr std::int32_t kTicksOfAKick = 4;

/// Ticks of a day, and parts of it in which the air keeps one temperature.
inline constexpr std::int32_t kMostDayTicks = 1 << 24;
inline constexpr std::int32_t kDaySteps = 24;

/// Less than so much does not freeze; nor does what is pressed together beyond this.
inline constexpr std::int32_t kLeastIce = kFull / 8;
inline constexpr std::int32_t kMostIce = kMaxPourUnits;

/// Heaters of one world, and what one gives or takes a tick.
inline constexpr std::int32_t kMaxHeaters = 1 << 12;
inline constexpr std::int32_t kMostHeaterRate = 1 << 30;

/// Units that a world with heat takes in over its life, so that the energy of all of them fits.
inline constexpr std::int64_t kMostHeatedUnits = std::int64_t{1} << 44;
/// Energy of a unit, at the hottest, with both latent heats.
inline constexpr std::int32_t kMostUnitHeat =
    kHottest - kColdest / 2 + kHeatOfMelting + kHeatOfBoiling;
static_assert(std::int64_t{kMostUnitHeat} < INT64_MAX / kMostHeatedUnits);
// A conducted energy is a product of parts, units and a difference of 1/65536 degree.
static_assert(std::int64_t{kMostHeatParts} * kMostConducting * 256 <
              INT64_MAX / (kHottest - kColdest));
// A temperature of 1/65536 degree is found from an energy times 256.
static_assert(std::int64_t{kMostUnitHeat} * 256 < INT64_MAX / kMaxCellUnits);

/// The numbers of [heat], and what they may be.
struct HeatOptions {
  std::int32_t water = 10 * kDegree;  // at the start, and of what comes without a temperature
  bool latent = true;                 // heat of melting and boiling
  bool steam = false;                 // it rises and condenses; HeatState says whether it does
  bool floating = false;   // ice that nothing holds rises and sinks; HeatState says whether it does
  std::int32_t down = 12;  // parts through the face between a cell and the one below
  std::int32_t sideways = 48;  // and between neighbours
  std::int32_t up = 768;  // through the face over a cell that is lighter: 50 to 100 times `down`
  std::int32_t ice = 48;  // through every face of ice
  std::int32_t surface = 96;  // to the air, where `air_cells` of it or more stand above
  std::int32_t air_cells = 4;
  std::int32_t growth = 0;  // 1/1024 by which ice is larger than its water; 0: it does not grow
  std::int32_t simmer = 90 * kDegree;  // from here on surfaces are kicked, where there are waves
  std::int32_t day = 0;                // ticks; 0: the air keeps its temperature
  std::int32_t day_swing = 0;          // by how much the air is warmer at noon

  friend bool operator==(const HeatOptions&, const HeatOptions&) = default;
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("water", self.water);
    v.field("latent", self.latent);
    // HeatState writes them, so that worlds without keep their bytes.
    (void)self.steam;
    (void)self.floating;
    v.field("down", self.down);
    v.field("sideways", self.sideways);
    v.field("up", self.up);
    v.field("ice", self.ice);
    v.field("surface", self.surface);
    v.field("air_cells", self.air_cells);
    v.field("growth", self.growth);
    v.field("simmer", self.simmer);
    v.field("day", self.day);
    v.field("day_swing", self.day_swing);
  }
};

}  // namespace sluice::sim
