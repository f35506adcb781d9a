// Falling water: a strand in the cells of one run.
#pragma once

#include <algorithm>

#include "server/sim/models/hydro/columns.h"

namespace sluice::sim::hydro {

/// One tick of falling. Returns whether anything landed.
bool fall(Run& run);

/// At which so many units leave a sill, a spring or a port in a tick, in level units.
constexpr std::int32_t speed_of_jet(Units units) {
  return static_cast<std::int32_t>(std::clamp<Units>(2 * units, kFull, kFallFastest));
}

/// Water that comes over a sill begins to fall from the sill's cell, spread over as many cells as
/// it falls in its first tick: so the next tick's joins on to it.
void pour(Run& run, std::int32_t cell, Units units);

}  // namespace sluice::sim::hydro
