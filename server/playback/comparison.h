// How two worlds differ, as far as a viewer is told by a number; where they differ it sees itself.
#pragma once

#include <cstdint>

#include "server/sim/world.h"

namespace sluice::playback {

/// Cells that do not hold the same, of worlds of one size. Costs a look at every chunk's digest,
/// and at the cells of those that differ.
[[nodiscard]] std::int64_t count_differing_cells(const sim::World& a, const sim::World& b);

}  // namespace sluice::playback
