// The head of cellular water: how high the water would stand in a tube over a cell.
#pragma once

#include <cstdint>

#include "server/sim/grid.h"
#include "server/sim/models/cellular/rule.h"
#include "server/sim/models/registry.h"

namespace sluice::sim {

/// In a cell that is not full, its own surface. In a full one, the surface over it, up through full
/// cells; under a roof, where there is none, what the cell's compression bears.
[[nodiscard]] WaterHead cellular_head(const CellularRule& rule, const Grid& grid, Vec3 at);

/// What the cell may hold so that the water in it presses no higher than `head`, in units; more
/// while what is above it has room to take it.
[[nodiscard]] std::int32_t cellular_most(const CellularRule& rule, const Grid& grid, Vec3 at,
                                         std::int64_t head);

}  // namespace sluice::sim
