// The loops over open water (open_water.h) and over what moves, behind plain functions;
// server/sim/kernels.h says which run. The portable ones (kernels_scalar.cpp) call what Flow calls
// for each way.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "server/sim/models/hydro/body.h"
#include "server/sim/models/hydro/number.h"
#include "server/sim/models/hydro/state.h"

namespace sluice::sim::hydro {

/// A way that no run has: nothing flows through it.
inline constexpr std::int32_t kNoWay = 0;
/// Of a run: along x on both sides, and along z.
inline constexpr std::size_t kMostWays = 4;

/// An end of a way, as a number.
constexpr std::int32_t end_of_way(std::int32_t way, bool high) {
  return 2 * way + (high ? 1 : 0);
}

/// The lists of a body of open water, and what is known of its tick.
struct OpenTick {
  // Of each run.
  Level* level = nullptr;
  const Level* base = nullptr;
  const Level* least = nullptr;
  const Level* most = nullptr;
  Q16* lead = nullptr;
  std::int32_t* friction = nullptr;
  // Ends of ways that are there, in any order, then ends of kNoWay; null: no run has so many.
  std::array<const std::int32_t*, kMostWays> ends = {};
  // Of each way.
  const std::int32_t* low = nullptr;
  const std::int32_t* high = nullptr;
  const std::int32_t* sill_cell = nullptr;
  const std::int32_t* top_cell = nullptr;
  Q16* flow = nullptr;
  std::int32_t* carry = nullptr;
  Units* moved = nullptr;
  Q16* way_lead = nullptr;

  Level lowest = 0;  // of all levels
  int head_shift = 0;
  Q16 most_conductance = 0;
  std::int32_t target_friction = 0;
  int friction_shift = 1;  // a way's is the sum of its runs' by that
};

/// What kernels for even ways can take: so that they multiply in halves of 32 bits, the greatest
/// difference of levels and bases, and the most that flowed through a way of the body.
inline constexpr Level kMostSmallHead = Level{1} << 28;
inline constexpr Q16 kMostSmallFlow = kMostSmallHead * kOne;

/// Of ways.
struct OpenSums {
  std::int64_t conductances = 0;
  std::int64_t heads = 0;  // head_across()
};

/// Of runs, after their water has moved.
struct OpenOutcome {
  Level lowest = INT64_MAX;
  Level highest = INT64_MIN;
  bool moved = false;
  bool fits = true;         // none gave more than it had, or came down to its least level
  std::size_t outside = 0;  // runs that rose over their most, fell dry or were flooded
};

/// Of runs or ways from the first number to the one before the second.
struct HydroKernels {
  /// The heads, over the lowest and scaled down. Adds to what is there, `links` aside.
  void (*measure_runs)(const OpenTick& tick, std::size_t from, std::size_t to, Quotient& heads);
  OpenSums (*measure_ways)(const OpenTick& tick, std::size_t from, std::size_t to);
  /// Flows and whole units. Whether something flows fast.
  bool (*move)(const OpenTick& tick, std::size_t from, std::size_t to);
  /// The same for ways that are *even*: their runs stand on one bed, which is their sill. All heads
  /// and flows are small.
  bool (*move_even)(const OpenTick& tick, std::size_t from, std::size_t to);
  /// Volumes, frictions and leads. `outside` has room for all, and gets those that the outcome
  /// counts.
  OpenOutcome (*fill)(const OpenTick& tick, std::size_t from, std::size_t to,
                      std::int32_t* outside);
  /// quotient(), of numbers below 2^32 by which quotients are below 2^24: how `move_even` divides,
  /// for a test of its own.
  void (*divide)(const std::int64_t* numbers, const std::int64_t* divisors, std::size_t count,
                 std::int64_t* quotients);
  /// Sums of the digests of all.
  Digest (*digest_runs)(std::span<const HydroMotion<HydroRunState>::Entry> runs);
  Digest (*digest_links)(std::span<const HydroMotion<HydroLinkState>::Entry> links);
};

[[nodiscard]] HydroKernels scalar_hydro_kernels();

}  // namespace sluice::sim::hydro
