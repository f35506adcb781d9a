// What every water model's document promises of a world that nobody feeds any more: it comes to
// rest, rest is rest, and nothing floats then. Of hydro water also that it lies flat, of cellular
// water that each body stands at one head.
#pragma once

#include <cstdint>
#include <string>

#include "server/sim/world.h"

namespace sluice::hunt {

struct Rest {
  std::string wrong;        // empty where all is as promised
  std::uint64_t ticks = 0;  // that it took
};

/// Closes the world's springs, ports, pumps and heaters, and lets it go on until it rests: for
/// `most` ticks.
[[nodiscard]] Rest bring_to_rest(sim::World& world, std::uint64_t most);

/// What is wrong with a world that rests; empty where nothing is.
[[nodiscard]] std::string wrong_at_rest(const sim::World& world);

/// The first place of a resting world at which water stands on nothing, or empty.
[[nodiscard]] std::string floating(const sim::World& world);

/// Where hydro water at rest is not flat, or empty. A rest that no symmetric rule can share out is
/// left: one unit in a side view, up to three in 3D.
[[nodiscard]] std::string uneven(const sim::World& world);

}  // namespace sluice::hunt
