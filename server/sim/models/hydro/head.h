// The head of hydro water, from the cells and the state alone: for ports, springs, hover and dumps.
#pragma once

#include <cstdint>
#include <optional>

#include "server/sim/grid.h"
#include "server/sim/models/hydro/columns.h"

namespace sluice::sim::hydro {

/// Runs that are looked at for the head of one that is full up to a roof. A body that reaches a
/// surface only farther away has the head of its roof.
inline constexpr std::size_t kMostRunsAsked = 1024;

/// Level units above the world's floor: the surface over a cell; under a roof the pressure of the
/// run where it is known, and else the highest surface of the body; the floor of a dry cell.
[[nodiscard]] std::int64_t head_at(const Grid& grid, const Columns& columns, Vec3 at);

/// The cell at which water comes to lie that is put in at `at`: the surface over it or, under a
/// roof, the lowest one of its body. None where there is no room.
[[nodiscard]] std::optional<Vec3> surface_for(const Grid& grid, Vec3 at);

}  // namespace sluice::sim::hydro
