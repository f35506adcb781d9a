// One tick, looked at after each of its phases: what finds the phase in which two runs part.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/record/difference.h"
#include "server/record/state_image.h"
#include "server/sim/executor.h"
#include "server/sim/world.h"

namespace sluice::record {

struct TracedPhase {
  std::string phase;  // as tick.cpp names it
  sim::Digest digest = 0;
  std::array<sim::Digest, sim::kLayerCount> layers{};
  StateImage state;
};

struct TickTrace {
  std::uint64_t tick = 0;
  sim::Digest digest = 0;  // as the tick reported it, from caches
  bool at_rest = false;    // likewise
  std::vector<TracedPhase> phases;
};

/// Runs the world's next tick. Costs a digest from scratch and a copy of what changed for each
/// phase.
[[nodiscard]] TickTrace trace_tick(sim::World& world, std::span<const sim::Command> commands,
                                   sim::Executor& executor);

struct PhaseDigests {
  std::string phase;
  sim::Digest expected = 0;
  sim::Digest actual = 0;
};

struct PhaseDifference {
  std::string phase;  // the first after which the states differ
  std::vector<PhaseDigests> digests;
  Comparison where;
};

/// The phase that is named when all phases agree and yet the reported digests do not: a cache that
/// the digest is taken from was stale.
inline constexpr const char* kDigestCaches = "digest (a stale cache: the states are equal)";

/// Nothing when the two ticks agree in every phase and in the digest that they reported. Lists at
/// most `limit` differences of each layer.
[[nodiscard]] std::optional<PhaseDifference> compare_traces(const TickTrace& expected,
                                                            const TickTrace& actual,
                                                            std::size_t limit);

}  // namespace sluice::record
