#include "server/sim/models/cellular/fill_order.h"

namespace sluice::sim {

FillOrder::FillOrder(const CellularRule& rule) : full_(rule.full), extra_(rule.extra) {
  for (std::int32_t over = 1; over <= extra_; ++over) {
    // The least sum of which the lower cell's share is so much: shares never fall.
    std::int32_t low = full_;
    std::int32_t high = 2 * (full_ + extra_);
    while (low < high) {
      const std::int32_t middle = low + (high - low) / 2;
      if (lower_share(rule, middle) < full_ + over) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    bears_.push_back(low - (full_ + over));
  }
}

std::int64_t FillOrder::level(std::int32_t y, std::int32_t unit) const {
  const std::int64_t bottom = std::int64_t{y} * full_;
  if (unit <= full_) return bottom + unit;
  const std::int32_t cells = (unit - full_ - 1) / extra_;
  const std::int32_t rest = unit - full_ - 1 - cells * extra_;
  return bottom + (std::int64_t{1} + cells) * full_ + bears_[static_cast<std::size_t>(rest)];
}

std::int64_t FillOrder::levels(std::int32_t y, std::int64_t from, std::int64_t to,
                               std::int64_t level) const {
  std::int64_t sum = 0;
  const std::int64_t plain = std::min<std::int64_t>(to, full_);
  if (plain > from) {
    const std::int64_t bottom = std::int64_t{y} * full_ - level;
    sum = (plain - from) * bottom + (plain * (plain + 1) - from * (from + 1)) / 2;
  }
  for (std::int64_t unit = std::max<std::int64_t>(from, full_) + 1; unit <= to; ++unit) {
    sum += this->level(y, static_cast<std::int32_t>(unit)) - level;
  }
  return sum;
}

std::int64_t FillOrder::units(std::int32_t y, std::int64_t level) const {
  const std::int64_t above_floor = level - std::int64_t{y} * full_;
  if (above_floor <= 0) return 0;
  if (above_floor <= full_) return above_floor;
  const std::int64_t cells = (above_floor - 1) / full_ - 1;
  return full_ + cells * extra_ + pressed(above_floor - (cells + 1) * full_);
}

std::int64_t FillOrder::units(std::int32_t floor, std::int32_t end, std::int64_t level) const {
  if (level <= std::int64_t{floor} * full_ || end <= floor) return 0;
  const std::int32_t surface = row(level);
  std::int64_t sum = 0;
  if (surface < end) sum += level - std::int64_t{surface} * full_;
  // Those below the surface: each holds `extra` more than the one above it.
  const std::int32_t top = std::min(surface, end) - 1;
  const std::int64_t cells = std::int64_t{top} - floor + 1;
  if (cells <= 0) return sum;
  return sum + cells * units(top, level) + cells * (cells - 1) / 2 * extra_;
}

}  // namespace sluice::sim
