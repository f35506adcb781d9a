// One cell in 32 bits: what it is made of and how much water it holds. The same value stands in the
// simulation, on the wire, in files and in clients.
//
//   value >= 0   open; the value is its water, in units (kFull a full cell, more under pressure)
//   value <  0   solid; minus the value is the material
//   value <= kThinnestIce   ice, the units of water in it being kIceBase - value
//
// One array instead of two: the kernels read half the memory, and a sign test is the rock test.
#pragma once

#include <cstdint>

#include "protocol/base/limits.h"

namespace sluice {

using Cell = std::int32_t;

inline constexpr Cell kAir = 0;
inline constexpr Cell kRock = -1;
/// Beyond the world's edge, inside a chunk that the edge cuts. Solid; never shown.
inline constexpr Cell kOutside = -2;
/// Air that cannot leave: solid to water until its pocket is opened; looks like air.
inline constexpr Cell kTrappedAir = -3;

/// Ice is solid to water, and holds some.
inline constexpr Cell kIceBase = -16;
inline constexpr Cell kThinnestIce = kIceBase - 1;

constexpr bool is_open(Cell cell) {
  return cell >= 0;
}
constexpr bool is_ice(Cell cell) {
  return cell <= kThinnestIce;
}
constexpr Cell ice_of(std::int32_t units) {
  return kIceBase - units;
}

/// Units of water in the cell.
constexpr std::int32_t water_of(Cell cell) {
  return cell > 0 ? cell : 0;
}

/// Units of water in the cell, frozen or not.
constexpr std::int32_t held_in(Cell cell) {
  return is_ice(cell) ? kIceBase - cell : water_of(cell);
}

}  // namespace sluice
