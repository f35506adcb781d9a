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
  std::uint64_t hash = 0;              // of all events in their order
  std::uint64_t ticks = 0;             // of the world, those that were lost and happened anew, too
  std::uint64_t events = 0;
  std::string last_events;                      // as lines
  std::map<std::string, std::uint64_t> counts;  // how often each thing happened
  std::vector<std::int64_t> commands;           // that each client sent
  std::map<std::string, std::string> files;     // of a failure: what lay on the medium
};

[[nodiscard]] Outcome run(const Plan& plan);

}  // namespace sluice::hunt
