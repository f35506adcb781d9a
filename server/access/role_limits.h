// What one connection may take, by the role that it has in its world. The server's own limits hold
// beside these, for everybody (net/server.h, host/command_queue.h).
#pragma once

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

  bool operator==(const RoleLimits&) const = default;
};

/// Of fewer nobody could make use.
inline constexpr std::uint32_t kLeastWorkPerSecond = 1000;
inline constexpr std::uint32_t kLeastBytesPerSecond = 1000;

using LimitsByRole = std::array<RoleLimits, kRoleNames.size()>;

}  // namespace sluice::access
