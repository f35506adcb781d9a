// Trees of full runs, solved without a search: a run with a single neighbour is eliminated, then
// those that have a single one now, until nothing is left; back in the other order follow the
// corrections. Chains (tunnels, shafts) and what branches off them are trees; where full runs form
// a ring nothing is found, and the solver searches.
//
// All that are leaves at the same time are eliminated at the same time, and two that are each
// other's last neighbour each for itself: which comes first in memory makes no difference.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "server/sim/models/hydro/number.h"

namespace sluice::sim::hydro {

/// A way between two full runs, by their numbers.
struct Joined {
  std::int32_t low = 0;
  std::int32_t high = 0;
  Q16 conductance = 0;
};

class Elimination {
 public:
  /// `diagonal` is Q16. False if the runs form a ring.
  [[nodiscard]] bool prepare(std::span<const Joined> joined, std::span<const Q16> diagonal);
  /// Finds corrections (of heads, Q16) that take the rests away, but for rounding.
  void solve(std::span<const std::int64_t> rest, std::vector<std::int64_t>& correction);

 private:
  enum class Kind : std::uint8_t { kLast, kLeaf, kPair };
  struct Step {
    std::int32_t run = 0;
    std::int32_t beside = 0;  // of a leaf or one of a pair
    std::uint32_t part = 0;   // of what `run` lacks that comes to lack beside, Q30
    Kind kind = Kind::kLast;
  };
  /// A run as far as others have been eliminated.
  struct Node {
    std::int64_t diagonal = 0;  // Q32
    std::uint64_t inverse = 0;  // 2^48 times its inverse
    std::int32_t ways = 0;
    std::int32_t way = 0;  // all of them, exclusive or
  };

  void look_at(std::int32_t run, std::span<const Joined> joined);
  [[nodiscard]] std::int64_t quotient_of(std::int64_t rest, std::int32_t run) const;

  std::vector<Node> nodes_;
  std::vector<Step> steps_;
  std::vector<std::int32_t> leaves_;
  std::vector<std::int32_t> next_;
  std::vector<std::int64_t> rest_;
};

}  // namespace sluice::sim::hydro
