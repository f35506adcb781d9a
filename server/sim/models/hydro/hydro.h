// The hydro water model; hydro.md says how its water moves.
#pragma once

#include "server/sim/digest.h"
#include "server/sim/models/hydro/state.h"
#include "server/sim/models/registry.h"

namespace sluice::sim {

[[nodiscard]] WaterModelRow hydro_water();

/// Of what moves; 0 where nothing does. So many entries are a piece.
[[nodiscard]] Digest digest_of(const HydroState& state, Executor& executor,
                               std::size_t piece = 4096);
/// Whether a world of that size and those edges could hold such a state.
[[nodiscard]] Status validate(const HydroState& state, const WorldConfig& config);

}  // namespace sluice::sim
