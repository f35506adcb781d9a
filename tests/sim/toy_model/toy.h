// A water model that is no part of the product: it shows what a model must bring, and that nothing
// else has to know of it. See server/sim/models/README.md.
#pragma once

#include "server/sim/models/registry.h"

namespace sluice::tests {

inline constexpr sim::WaterModel kToyWater{1000};

[[nodiscard]] sim::WaterModelRow toy_water();

}  // namespace sluice::tests
