// What a client's mirror must be: the world, as far as the client looks.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "protocol/mirror.h"
#include "server/sim/spec.h"
#include "server/sim/world.h"

namespace sluice::hunt {

/// What a client asked for.
struct Asked {
  Box view;
  std::uint32_t layers = 0;         // as SetView has them
  std::uint32_t coarse_layers = 0;  // likewise
  int detail = 0;                   // likewise
};

/// Where a mirror of that differs from the world; empty where it does not.
[[nodiscard]] std::string difference(const protocol::Mirror& mirror, const Asked& asked,
                                     const sim::World& world);

/// What a world's own sums and caches do not agree with; empty where they do.
[[nodiscard]] std::string inconsistency(const sim::World& world);

/// A cell of the boxes that is rock in the world, or as it begins, alone; empty where there is
/// none. Rock is changed by commands, and by nothing else.
[[nodiscard]] std::string changed_rock(std::span<const Box> boxes, const sim::World& world,
                                       const sim::WorldSpec& spec);

}  // namespace sluice::hunt
