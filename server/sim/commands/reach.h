// Which cells a command names or may reach, so that somebody can be kept from them. What water does
// afterwards by itself is not counted: it flows where it flows.
#pragma once

#include <cstddef>
#include <vector>

#include "server/sim/commands/commands.h"
#include "server/sim/world.h"

namespace sluice::sim {

struct CommandReach {
  bool everywhere = false;  // or it is known only once it has run
  std::vector<Box> boxes;   // otherwise; within the world
};

/// Of a node with more ports than this nobody counts them: a command of it may reach everywhere.
inline constexpr std::size_t kMostPortsLookedAt = 64;

/// Of a command that applies to the world as it is now, next. Of pipes, pumps and valves it is
/// their place and the cells of their ports; what has neither reaches no cell. Nor does what is
/// refused because it lies outside the world.
[[nodiscard]] CommandReach reach_of(const Command& command, const World& world);

}  // namespace sluice::sim
