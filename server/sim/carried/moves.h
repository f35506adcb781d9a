// What water moved in a tick, as its model tells whoever carries something along. Only moves
// between columns are told: what moved up and down within one follows from what its cells held
// before and hold now.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/base/geometry.h"

namespace sluice::sim {

struct WaterMove {
  Vec3 from;
  Vec3 to;  // outside the world: it left
  std::int32_t units = 0;
};

class WaterMoves {
 public:
  void clear() {
    list_.clear();
    pools_ = 0;
  }
  void add(Vec3 from, Vec3 to, std::int32_t units) {
    if (units != 0) list_.push_back({from, to, units});
  }
  /// A place that is no cell: water of several is mixed in it before it goes to others.
  [[nodiscard]] Vec3 new_pool() { return {kPoolMark, kPoolMark, pools_++}; }
  [[nodiscard]] static bool is_pool(Vec3 at) { return at.x == kPoolMark && at.y == kPoolMark; }
  [[nodiscard]] std::int32_t pools() const { return pools_; }
  [[nodiscard]] const std::vector<WaterMove>& list() const { return list_; }

 private:
  static constexpr std::int32_t kPoolMark = INT32_MIN + 1;
  std::vector<WaterMove> list_;
  std::int32_t pools_ = 0;
};

}  // namespace sluice::sim
