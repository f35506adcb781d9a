// The stream water model; stream.md says how its water moves.
#pragma once

#include "server/sim/models/registry.h"

namespace sluice::sim {

[[nodiscard]] WaterModelRow stream_water();

}  // namespace sluice::sim
