// Two engines side by side: the same world and commands on different threads, in a different order,
// through restored snapshots, compared after every phase of every tick. What must not make a
// difference is made different on purpose, and the first phase in which it does make one is caught
// in the act, with both states at hand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/phase_trace.h"
#include "server/sim/executor.h"
#include "server/sim/world.h"

namespace sluice::record {

struct SyncOptions {
  std::uint64_t ticks = 1000;
  /// The second engine goes on with a world restored from its snapshot after every so many ticks;
  /// 0: never.
  std::uint64_t restore_every = 1;
  /// The commands of a tick; none without.
  std::function<std::vector<sim::Command>(std::uint64_t tick)> commands;
  /// Differences listed of each layer.
  std::size_t listed = 4;
  /// Called now and then with the tick that was reached.
  std::function<void(std::uint64_t)> progress;
  /// For tests: is shown the second engine after each phase, before it is compared.
  sim::PhaseObserver* disturbance = nullptr;
};

struct SyncDivergence {
  std::uint64_t tick = 0;
  std::string what;  // a sentence
  sim::Digest first = 0;
  sim::Digest second = 0;
  PhaseDifference at;  // expected: the first engine, actual: the second
  std::vector<sim::Command> commands;
};

struct SyncReport {
  std::uint64_t ticks = 0;  // compared, the differing one included
  std::uint64_t commands = 0;
  std::uint64_t restores = 0;
  std::optional<SyncDivergence> divergence;
};

/// Runs a copy of `world` beside it. An error means that the world cannot even be copied.
[[nodiscard]] Result<SyncReport> sync_test(sim::World& world, sim::Executor& first,
                                           sim::Executor& second, const SyncOptions& options);

}  // namespace sluice::record
