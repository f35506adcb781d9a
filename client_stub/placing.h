// What the terminal's keys put into a cell that is no water or rock: springs, drains, heaters and
// coolers, each taken away by the same key; and levels that a body of water is brought to. No I/O.
#pragma once

#include "client_stub/fixtures.h"
#include "client_stub/hand.h"

namespace sluice::client {

/// `g` spring, `U` drain, `H` heater, `J` cooler, `F` fill, `V` lower, `*` trap
/// air.
[[nodiscard]] bool is_placed_by(char key);

/// For such a key. `mixture`: what a spring brings. `fixtures`: what stands in the world, as far as
/// is known.
[[nodiscard]] Act place(char key, Vec3 cursor, const protocol::Mirror& mirror,
                        const Fixtures& fixtures, const Mixture& mixture);

}  // namespace sluice::client
