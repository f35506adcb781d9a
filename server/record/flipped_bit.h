// The one bit that explains a digest. A world's digest is a tree of bijections, so from the digest
// that was recorded and the state that should have been, one can go back down: which sum of which
// chunk would have had to be another, and is there a cell in it that one flipped bit makes so? A
// memory fault is thus named without any look at the state that it left.
#pragma once

#include <optional>

#include "server/record/difference.h"
#include "server/sim/digest.h"
#include "server/sim/world.h"

namespace sluice::record {

/// The single flipped bit of a cell of `state` that gives the world the digest `wanted`; nothing
/// when there is none. The chance of naming a wrong one is 2^-64 for each bit that is tried.
[[nodiscard]] std::optional<Difference> find_flipped_bit(const sim::World& state,
                                                         sim::Digest wanted);

}  // namespace sluice::record
