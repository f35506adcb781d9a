// What one connection may take, by the role that it has in its world, and what one account may own
// there. The server's own limits hold beside these, for everybody (net/server.h,
// host/command_queue.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "server/access/roles.h"

namespace sluice::access {

/// 0: no bound but the server's own.
struct RoleLimits {
  std::uint32_t commands_per_second = 0;  // as many may come at once
  std::uint32_t work_per_second = 0;      // units, of some four nanoseconds each
  std::uint32_t view_cells = 0;           // seen at a time
  std::uint32_t bytes_per_second = 0;     // sent to it; as many may go at once
  // Of one account in one world, or of all visitors from one address (host/ownership.h).
  std::uint32_t cells_owned = 0;  // of rock
  std::uint32_t pipes_owned = 0;  // and pumps, and valves

  bool operator==(const RoleLimits&) const = default;
};

/// Of fewer nobody could make use.
inline constexpr std::uint32_t kLeastWorkPerSecond = 1000;
inline constexpr std::uint32_t kLeastBytesPerSecond = 1000;

using LimitsByRole = std::array<RoleLimits, kRoleNames.size()>;

/// Whether any role is bound in what it may own.
inline bool owned_is_bound(const LimitsByRole& limits) {
  return std::any_of(limits.begin(), limits.end(), [](const RoleLimits& one) {
    return one.cells_owned != 0 || one.pipes_owned != 0;
  });
}

}  // namespace sluice::access
