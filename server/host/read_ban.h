// A ban as admins ask for it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "protocol/base/result.h"
#include "server/access/bans.h"

namespace sluice::host {

/// From {"account" or "address", "hours", "reason"}. The error says what there may be.
[[nodiscard]] Result<access::Ban> read_ban(const nlohmann::json& value);

}  // namespace sluice::host
