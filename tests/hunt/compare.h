// What a client's mirror must be: the world, as far as the client looks.
#pragma once

#include <string>

#include "protocol/mirror.h"
#include "server/sim/world.h"

namespace sluice::hunt {

/// Where a mirror of this view differs from the world; empty where it does not.
[[nodiscard]] std::string difference(const protocol::Mirror& mirror, const Box& view,
                                     const sim::World& world);

/// What a world's own sums and caches do not agree with; empty where they do.
[[nodiscard]] std::string inconsistency(const sim::World& world);

}  // namespace sluice::hunt
