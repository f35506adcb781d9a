// Runs many seeds, in processes of their own on several cores: one that dies is a failure like
// others, and what all of them met is added up.
#pragma once

#include <cstdint>
#include <string>

#include "protocol/base/result.h"
#include "tests/hunt/coverage.h"
#include "tests/hunt/run.h"

namespace sluice::hunt {

struct SweepOptions {
  std::uint64_t from = 1;
  std::uint64_t to = UINT64_MAX;  // the last one
  int cores = 1;
  double minutes = 0;  // after which it ends; 0: it does not
  std::string with;    // lines of a plan that every seed is given
  std::string folder;  // for what failures leave; empty: nothing is left
  int shrink_runs = 150;
  std::uint64_t enough = kRunsThatMeetAll;  // runs, to have met all that must be met
  bool log = false;                         // each plan before it runs, to the error stream
  bool first = false;                       // ends with the first failure
};

/// The program's exit code: 0 where nothing was found, and all was met that must be.
[[nodiscard]] int sweep(const SweepOptions& options);
/// Seeds that run end, and what was met is printed. For a signal's handler.
void interrupt_sweep();

/// As people read it.
[[nodiscard]] std::string text_of_failure(const Plan& plan, const Outcome& outcome);

}  // namespace sluice::hunt
