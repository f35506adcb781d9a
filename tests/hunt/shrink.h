// Makes a plan that fails smaller while it fails in the same way: fewer faults, clients, ticks,
// cells, small sizes, and at last fewer commands.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tests/hunt/run.h"

namespace sluice::hunt {

struct Shrunk {
  Plan plan;
  Outcome outcome;
  int runs = 0;
};

/// The oracle of a process that died, or did not end.
inline constexpr std::string_view kCrash = "crash";
/// Of the processor; a run takes a tenth of one, as a rule, and never some minutes.
inline constexpr int kMostSecondsOfARun = 600;

[[nodiscard]] std::string crash_text(int signal);
/// From now on this process dies (SIGVTALRM) if it works for longer than that; 0: it does not.
void limit_processor_time(int most_seconds = kMostSecondsOfARun);

/// Which oracle failed: what stands before the colon.
[[nodiscard]] std::string oracle_of(const Outcome& outcome);

/// What `go` comes to in a process of its own: one that dies there fails "crash". Of an outcome
/// that is none nothing else is known; of one that died, its last events.
[[nodiscard]] Outcome apart(const std::function<Outcome()>& go);

using Runner = std::function<Outcome(const Plan&)>;
/// In this process, but for a plan that crashes.
[[nodiscard]] Runner runner_of(const Outcome& outcome);

/// `outcome` is that of the plan, and a failure. At most so many runs.
[[nodiscard]] Shrunk shrink(const Plan& plan, const Outcome& outcome, int most_runs,
                            const Runner& runner);
inline Shrunk shrink(const Plan& plan, const Outcome& outcome, int most_runs) {
  return shrink(plan, outcome, most_runs, runner_of(outcome));
}

}  // namespace sluice::hunt
