// Water that is drawn as it stands at rest: in a model whose water can be compressed a cell holds
// more the deeper it lies, so that a lake of full cells alone would sink at once.
#pragma once

#include <vector>

#include "server/sim/grid.h"
#include "server/sim/spec.h"

namespace sluice::sim {

/// What a cell holds at rest `depth` cells below the surface of its body, whose highest cells hold
/// `surface` units. 0 is the depth of those.
[[nodiscard]] Cell amount_at_rest(const WaterMeasure& measure, std::int32_t depth, Cell surface);

/// Gives every wet cell of these boxes what it holds at rest. A body is what hangs together within
/// the boxes; its surface is that of its highest cells. Returns the units that came, less those
/// that went.
///
/// Takes time and memory in line with the boxes' columns and the runs of wet cells in them, but for
/// one look at each cell. Boxes may overlap; all lie in the world.
std::int64_t set_at_rest(const WaterMeasure& measure, Grid& grid, const std::vector<Box>& boxes);

}  // namespace sluice::sim
