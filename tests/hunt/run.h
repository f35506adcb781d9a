// A run: a world, its clients, its medium and what befalls them, from a plan alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/hunt/plan.h"

namespace sluice::hunt {

struct Outcome {
  std::optional<std::string> failure;  // "ORACLE: what"
  std::uint64_t hash = 0;              // of all events in their order, and of the medium at the end
  std::uint64_t ticks = 0;             // of the world, those that were lost and happened anew, too
  std::uint64_t events = 0;
  std::string last_events;                      // as lines
  std::map<std::string, std::uint64_t> counts;  // how often each thing happened
  std::vector<std::int64_t> commands;           // that each client sent
  std::map<std::string, std::string> files;     // of a failure: what lay on the medium
  // Of a world that lived otherwise than a plain one: the tick, and where they differ after it.
  std::uint64_t differs_at = 0;
  std::string first_difference;
};

/// `kept_tick`: the world of that tick is kept, so that the plain one that differs from it there
/// can be compared with it. It changes nothing else.
[[nodiscard]] Outcome run(const Plan& plan, std::uint64_t kept_tick = 0);
/// The same run once more for `first_difference`, where the first one found that worlds differ.
[[nodiscard]] Outcome with_first_difference(const Plan& plan, Outcome outcome);

}  // namespace sluice::hunt
