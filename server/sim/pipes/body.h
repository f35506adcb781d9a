// The arithmetic of levelling one body: which amounts have the least potential energy, and which of
// several equally good ones is taken. Knows no network: numbers in, numbers out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "protocol/base/geometry.h"
#include "server/sim/digest.h"
#include "server/sim/pipes/node.h"

namespace sluice::sim {

struct BodyNode {
  std::int32_t base = 0;
  std::int32_t height = 1;
  std::int32_t capacity = 1;
  std::int32_t amount = 0;
};

/// What tells nodes apart that hold and measure the same; never a name or a number given by us.
struct BodyTraits {
  Vec3 place = kNowhere;
  Digest kind = 0;
};

/// The least energy: every node gets `least`; of those with `may_have_more`, `extra` in all get one
/// unit more.
struct BodyFilling {
  Level surface = 0;  // where the dearest unit stands, with half a unit's rise
  std::vector<std::int32_t> least;
  std::vector<std::uint8_t> may_have_more;
  std::int64_t extra = 0;
  bool undecided = false;  // fewer extra units than nodes that may have one
};
[[nodiscard]] BodyFilling fill_body(const std::vector<BodyNode>& nodes);

/// Links between the nodes of a body, by their places in its list.
class BodyLinks {
 public:
  explicit BodyLinks(std::size_t nodes) : next_(nodes) {}
  void add(std::size_t a, std::size_t b) {
    next_[a].push_back(b);
    next_[b].push_back(a);
  }
  [[nodiscard]] const std::vector<std::size_t>& of(std::size_t node) const { return next_[node]; }
  /// What hangs together.
  [[nodiscard]] std::vector<std::vector<std::size_t>> parts() const;

 private:
  std::vector<std::vector<std::size_t>> next_;
};

/// The amounts of all nodes. Extra units go to those that hold most already, then to those nearest
/// to the fullest, then by place and surroundings; nodes that nothing tells apart get the same, and
/// what they cannot share stays with the fullest. `traits` may be empty where nothing is undecided.
[[nodiscard]] std::vector<std::int32_t> decide_filling(const std::vector<BodyNode>& nodes,
                                                       const BodyFilling& filling,
                                                       const BodyLinks& links,
                                                       const std::vector<BodyTraits>& traits);

}  // namespace sluice::sim
