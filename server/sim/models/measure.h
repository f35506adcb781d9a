// How a water model measures water, for the parts of the simulation that must not know which one it
// is.
#pragma once

#include <cstdint>

#include "protocol/base/cell.h"
#include "server/sim/limits.h"

namespace sluice::sim {

static_assert(std::int64_t{kIceBase} - kMaxPourUnits > INT32_MIN);

/// How a world measures the water of a cell: its amount is always a whole number of quanta.
struct WaterMeasure {
  std::int32_t quantum = 1;               // units
  std::int32_t cell_max = kMaxCellUnits;  // units that a cell holds at the most
  std::int32_t full = kFull;              // units at which a cell counts as full
  /// Units that water over a full cell presses into it; `uniform_load`: once, however deep it is.
  std::int32_t load = 0;
  bool uniform_load = false;
  /// Springs give to their own cell alone, until it is full.
  bool springs_give_to_their_cell = false;
  /// Heads, and where water comes to lie that is put in, are those of the whole body: a change far
  /// away may change them.
  bool heads_of_bodies = false;
  /// What is put in comes to lie on all of a body's lowest surfaces alike
  /// (WaterModelState::spread).
  bool spreads = false;
};

}  // namespace sluice::sim
