// What a repair did, for people; declared in repair.h.
#include <set>
#include <string>

#include "server/record/client_name.h"
#include "server/record/repair.h"
#include "server/sim/text.h"

namespace sluice::record {

namespace {

constexpr std::size_t kNamedClients = 8;

std::string ticks_text(std::uint64_t first, std::uint64_t last) {
  return first == last ? "tick " + std::to_string(first)
                       : "ticks " + std::to_string(first) + " to " + std::to_string(last);
}

std::string counted(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// "3 commands of 2 clients (ann, bob)".
std::string content_text(std::uint64_t commands, bool unknown,
                         const std::set<std::string>& clients) {
  std::string text = unknown ? "at least " : "";
  text += counted(commands, "command") + " of " + counted(clients.size(), "client");
  std::string names;
  std::size_t named = 0;
  for (const std::string& client : clients) {
    if (named++ == kNamedClients) break;
    names += (names.empty() ? "" : ", ") +
             (client.empty() ? std::string("the server") : sim::printable(client_text(client)));
  }
  if (clients.size() > kNamedClients) names += " ...";
  return text + (names.empty() ? "" : " (" + names + ")");
}

std::string content_text(const LostTicks& lost) {
  return content_text(lost.commands, lost.commands_unknown, lost.clients);
}

}  // namespace

std::string describe(const Repair& repair) {
  const Part& main = repair.main;
  const std::string completed =
      repair.completed_another ? "; a repair that had been interrupted was completed" : "";
  if (repair.damage.whole()) {
    return main.path + ": whole: " + ticks_text(main.first_tick, main.last_tick) +
           " and every checkpoint can be read" + completed;
  }
  std::string text =
      main.path + ": was damaged; the damaged file is now " + repair.set_aside + completed;
  for (const std::string& trouble : repair.damage.troubles) text += "\n  damaged: " + trouble;
  LostTicks all;
  std::uint64_t ticks = 0;
  const auto add = [&](const LostTicks& lost) {
    ticks += lost.last - lost.first + 1;
    all.commands += lost.commands;
    all.clients.insert(lost.clients.begin(), lost.clients.end());
    all.commands_unknown = all.commands_unknown || lost.commands_unknown;
  };
  for (const LostTicks& lost : repair.lost) {
    add(lost);
    text += "\n  lost: " + ticks_text(lost.first, lost.last) + ", " + content_text(lost) + " (" +
            lost.why + ")";
  }
  for (const LostCheckpoint& lost : repair.not_rebuilt) {
    text += "\n  lost: the checkpoint of tick " + std::to_string(lost.tick) + " (" + lost.why + ")";
  }
  const std::size_t rebuilt = repair.damage.checkpoints.size() - repair.not_rebuilt.size();
  if (rebuilt != 0) {
    text += "\n  " + counted(rebuilt, "checkpoint") +
            " made anew or left out, beginning with tick " +
            std::to_string(repair.damage.checkpoints.front().tick) + " (" +
            repair.damage.checkpoints.front().why + ")";
  }
  for (const LostTicks& left : repair.without_state) {
    add(left);
    text += "\n  without a state to replay from, in the damaged file only: " +
            ticks_text(left.first, left.last) + ", " + content_text(left);
  }
  if (repair.damage.begin_unknown) {
    text += "\n  lost, or cut off long ago: whatever came up to tick " +
            std::to_string(repair.first_known_tick) +
            ", for it does not say at which tick it began";
  }
  if (repair.damage.end_unknown) {
    text += "\n  lost: whatever came after tick " + std::to_string(repair.last_known_tick) +
            ", for its history cannot be read to its end";
  }
  const bool unknown = repair.damage.begin_unknown || repair.damage.end_unknown;
  if (ticks == 0 && !unknown) {
    text += "\n  no tick and no command is lost";
  } else {
    all.commands_unknown = all.commands_unknown || unknown;
    text += std::string("\n  in all ") + (unknown ? "at least " : "") + counted(ticks, "tick") +
            " cannot be replayed, with " + content_text(all);
  }
  for (const Part& part : repair.parts) {
    text += "\n  kept apart: " + ticks_text(part.first_tick, part.last_tick) + " in " + part.path;
  }
  return text + "\n  kept: " + ticks_text(main.first_tick, main.last_tick) + " in " + main.path;
}

}  // namespace sluice::record
