// What happens in a tick for eyes alone: drops thrown from crests, bubbles, spray. None of it is
// state. It follows from a world as a tick left it, and from the world's seed, so everybody who
// looks at the same tick sees the same; whether anybody looks changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/base/events.h"
#include "server/sim/world.h"

namespace sluice::sim {

struct WorldEvent {
  Vec3 at;  // of a droplet and of spray the surface, of a bubble the cell that simmers
  EventKind kind = EventKind::kDroplet;
  std::int32_t strength = 1;  // to kStrongestEvent

  friend bool operator==(const WorldEvent&, const WorldEvent&) = default;
};

/// Of one tick. Where more happen, chance chooses.
inline constexpr std::size_t kMostEvents = 256;

/// Those of the tick that a world has just been through, in the order of their places; of several
/// in one cell the first kind. Looks at all columns that are near a wave, and at all that simmers.
[[nodiscard]] std::vector<WorldEvent> events_of(const World& world, std::size_t most = kMostEvents);

}  // namespace sluice::sim
