// Commands as clients write them: lines of a command script, made by the JSON library, so that
// whatever a name holds arrives as it is. Their shapes stand in server/sim/commands/commands.h,
// which clients do not include; tests read every line that a client makes with the server's reader.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "protocol/chunk.h"

namespace sluice::client {

/// Its keys in the order in which they are given.
using CommandJson = nlohmann::ordered_json;

[[nodiscard]] inline CommandJson place_json(const Vec3& p) {
  return CommandJson::array({p.x, p.y, p.z});
}

/// The line. A text that is no UTF-8 is sent with replacements; the server refuses what it does
/// not know.
[[nodiscard]] inline std::string line_of(const CommandJson& command) {
  return command.dump(-1, ' ', false, CommandJson::error_handler_t::replace);
}

}  // namespace sluice::client
