// What a push from outside gives to the flows around a place.
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/models/hydro/columns.h"
#include "server/sim/models/registry.h"

namespace sluice::sim::hydro {

/// The energy of a flow of so much through an opening in which water stands `depth` high, as a
/// splash counts it (waves.md): 1 is a link a cell high that carries four units a tick.
[[nodiscard]] constexpr std::int64_t energy_of_flow(Q16 flow, Units depth) {
  const std::int64_t sixteenths = absolute(flow) >> 12;  // of a unit
  return sixteenths * sixteenths / depth;
}
/// As fast as the links of such a depth may be made to flow.
[[nodiscard]] constexpr Q16 fastest_push(Units depth) {
  return std::min(depth * (kOne / 8 * 7), kMostFlow);
}

/// Changes the flows between the runs that the one of the place is joined to, over water with a
/// free surface, within the push's radius: outwards from it, or to one side. By the most that adds
/// no more than its energy, and makes none faster than that. Runs at the changed flows have their
/// `event` set and are listed in `woken`. The columns must be up to date. Returns the links whose
/// flows changed.
std::vector<std::int32_t> give_push(Columns& columns, const WaterPush& push,
                                    std::vector<std::int32_t>& woken);

}  // namespace sluice::sim::hydro
