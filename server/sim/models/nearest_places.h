// Cells of one height, kept by where they lie: water that is given to a body comes to lie at its
// lowest place, of several at the nearest.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "protocol/base/geometry.h"

namespace sluice::sim {

/// Each column of the world has one of them at the most; y means nothing here.
class NearestPlaces {
 public:
  /// False, and nothing done, where it is known already.
  bool add(Vec3 at) {
    const bool is_new = rows_[at.z].insert(at.x).second;
    size_ += is_new ? 1 : 0;
    return is_new;
  }
  void add_all(const NearestPlaces& other);
  void remove(Vec3 at);
  [[nodiscard]] std::size_t size() const { return size_; }
  /// By the distance in x and z together, then by x, then by z; y is that of `at`. Takes steps by
  /// the rows of z that are nearer than what it finds, not by places.
  [[nodiscard]] std::optional<Vec3> nearest(Vec3 at) const;

 private:
  std::map<std::int32_t, std::set<std::int32_t>> rows_;  // x, by z; none is empty
  std::size_t size_ = 0;
};

}  // namespace sluice::sim
