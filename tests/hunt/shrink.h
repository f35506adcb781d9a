// Makes a plan that fails smaller while it fails in the same way: fewer faults, clients, ticks,
// cells, small sizes, and at last fewer commands.
#pragma once

#include <functional>
#include <string>

#include "tests/hunt/run.h"

namespace sluice::hunt {

struct Shrunk {
  Plan plan;
  Outcome outcome;
  int runs = 0;
};

/// Which oracle failed: what stands before the colon.
[[nodiscard]] std::string oracle_of(const Outcome& outcome);

/// `outcome` is that of the plan, and a failure. At most so many runs.
[[nodiscard]] Shrunk shrink(const Plan& plan, const Outcome& outcome, int most_runs);

}  // namespace sluice::hunt
