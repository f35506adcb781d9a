// One cell in 32 bits: what it is made of and how much water it holds.
//
//   value >= 0   open; the value is its water, in units (kFull a full cell, more under pressure)
//   value <  0   solid; minus the value is the material
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

constexpr bool is_open(Cell cell) {
  return cell >= 0;
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

}  // namespace sluice::sim
