// In which order the units of a body of cellular water come to lie: each has a *level*, which is
// the head at which it is the next one to be held. models/cellular/cellular.md derives it from the
// rule of two stacked cells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "server/sim/models/cellular/rule.h"

namespace sluice::sim {

/// Levels count units of head: `full` of them for each cell of height. Only of rules whose pressure
/// has a depth (has_depth).
class FillOrder {
 public:
  explicit FillOrder(const CellularRule& rule);
  [[nodiscard]] static bool has_depth(const CellularRule& rule) {
    return !rule.uniform && rule.extra > 0;
  }

  /// Of the unit-th unit, from 1 on, of a cell in row `y`. Rises strictly with the unit.
  [[nodiscard]] std::int64_t level(std::int32_t y, std::int32_t unit) const;
  /// By how much the levels of the units after the first `from`, up to `to`, lie above `level`, in
  /// sum.
  [[nodiscard]] std::int64_t levels(std::int32_t y, std::int64_t from, std::int64_t to,
                                    std::int64_t level) const;
  /// What a cell in row `y` holds when all units up to that level are held, and no others.
  [[nodiscard]] std::int64_t units(std::int32_t y, std::int64_t level) const;
  /// The same, summed over the rows from `floor` up to the one before `end`.
  [[nodiscard]] std::int64_t units(std::int32_t floor, std::int32_t end, std::int64_t level) const;
  /// The row in which the surface lies at that level, which is above 0.
  [[nodiscard]] std::int32_t row(std::int64_t level) const {
    return static_cast<std::int32_t>((level - 1) / full_);
  }
  /// What one unit of compression bears, in levels.
  [[nodiscard]] std::int32_t step() const { return bears_.front(); }
  [[nodiscard]] std::int32_t full() const { return full_; }

 private:
  /// Units over `full` that a cell takes when the one above it holds so many, at most `full`.
  [[nodiscard]] std::int32_t pressed(std::int64_t above) const {
    return static_cast<std::int32_t>(std::upper_bound(bears_.begin(), bears_.end(), above) -
                                     bears_.begin());
  }

  std::int32_t full_;
  std::int32_t extra_;
  /// What the upper cell holds before the lower takes its first unit over `full`, its second and so
  /// on, `extra` of them.
  std::vector<std::int32_t> bears_;
};

}  // namespace sluice::sim
