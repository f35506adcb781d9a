// One cell in 32 bits: what it is made of and how much water it holds.
//
//   value >= 0   open; the value is its water, in units (kFull a full cell, more under pressure)
//   value <  0   solid; minus the value is the material
//   value <= kThinnestIce   ice, the units of water in it being kIceBase - value
//
// One array instead of two: the kernels read half the memory, and a sign test is the rock test.
#pragma once

#include <cstdint>

#include "server/sim/limits.h"

namespace sluice::sim {

using Cell = std::int32_t;

inline constexpr Cell kAir = 0;
inline constexpr Cell kRock = -1;
/// Beyond the world's edge, inside a chunk that the edge cuts. Solid; never shown.
inline constexpr Cell kOutside = -2;

/// Air that cannot leave: solid to water until its pocket is opened (marks/trapped_air.h).
inline constexpr Cell kTrappedAir = -3;

/// Ice is solid to water, and holds some (heat/heat.md).
inline constexpr Cell kIceBase = -16;
inline constexpr Cell kThinnestIce = kIceBase - 1;
static_assert(std::int64_t{kIceBase} - kMaxPourUnits > INT32_MIN);

constexpr bool is_open(Cell cell) {
  return cell >= 0;
}
constexpr bool is_ice(Cell cell) {
  return cell <= kThinnestIce;
}
constexpr Cell ice_of(std::int32_t units) {
  return kIceBase - units;
}
/// How a world measures the water of a cell: its amount is always a whole number of quanta.
struct WaterMeasure {
  std::int32_t quantum = 1;               // units
  std::int32_t cell_max = kMaxCellUnits;  // units that a cell holds at the most
  /// Springs give to their own cell alone, until it is full.
  bool springs_give_to_their_cell = false;
  /// Heads, and where water comes to lie that is put in, are those of the whole body: a change far
  /// away may change them.
  bool heads_of_bodies = false;
};

/// Units of water in the cell.
constexpr std::int32_t water_of(Cell cell) {
  return cell > 0 ? cell : 0;
}

/// Units of water in the cell, frozen or not.
constexpr std::int32_t held_in(Cell cell) {
  return is_ice(cell) ? kIceBase - cell : water_of(cell);
}

}  // namespace sluice::sim
