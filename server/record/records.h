// What a recording holds, tick by tick, as plain data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/sim/commands/commands.h"
#include "server/sim/digest.h"

namespace sluice::record {

/// One command as it was given to a tick, and what became of it.
struct RecordedCommand {
  sim::Command command;
  std::string client;     // who sent it; empty for the server itself
  std::uint64_t seq = 0;  // the sender's own number of the command
  bool applied = true;
  std::string reason = {};  // why not; empty when it applied
};

/// Refused commands of one client that were counted and not kept (refusals.h).
struct RefusedMore {
  std::string client;
  std::uint64_t commands = 0;
  friend bool operator==(const RefusedMore&, const RefusedMore&) = default;
};

/// One tick: the commands in the order in which they were given to World::tick, and the digest of
/// the world after it.
struct TickRecord {
  std::uint64_t tick = 0;
  sim::Digest digest = 0;
  std::vector<RecordedCommand> commands;
  std::vector<RefusedMore> refused_more = {};  // each client once
};

}  // namespace sluice::record
