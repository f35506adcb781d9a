// Water that is drawn as it stands at rest: in a model whose water can be compressed a cell holds
// more the deeper it lies, so that a lake of full cells alone would sink at once.
#pragma once

#include <functional>
#include <vector>

#include "server/sim/grid.h"
#include "server/sim/spec.h"

namespace sluice::sim {

/// What a cell holds at rest `depth` cells below the surface of its body, whose highest cells hold
/// `surface` units. 0 is the depth of those.
[[nodiscard]] Cell amount_at_rest(const WaterMeasure& measure, std::int32_t depth, Cell surface);

/// Calls set(place, amount, amount at rest) for every wet cell of these boxes. A body is what hangs
/// together within the boxes; its surface is that of its highest cells.
///
/// Takes time and memory in line with the boxes' columns and the runs of wet cells in them, but for
/// two looks at each cell. Boxes may overlap. `set` may change the cell that it is given.
void for_each_at_rest(const WaterMeasure& measure, const std::function<Cell(Vec3)>& cell,
                      const std::vector<Box>& boxes,
                      const std::function<void(Vec3, Cell, Cell)>& set);

/// Gives every wet cell of these boxes what it holds at rest, as above. Returns the units that
/// came, less those that went. All boxes lie in the world.
std::int64_t set_at_rest(const WaterMeasure& measure, Grid& grid, const std::vector<Box>& boxes);

}  // namespace sluice::sim
