// One step of all columns: the loop that a world with waves spends its time in.
#pragma once

#include "server/sim/waves/sheet.h"

namespace sluice::sim {

/// `beside` is room for a number a slot, used in 3D.
void step_waves(const WaveOptions& options, const WaveSheet& sheet, WaveColumns& columns,
                std::vector<std::int32_t>& beside);

}  // namespace sluice::sim
