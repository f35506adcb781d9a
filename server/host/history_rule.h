// How much history the recordings of hosted worlds keep.
#pragma once

#include <algorithm>
#include <cstdint>

#include "server/record/seal.h"

namespace sluice::host {

/// How much history a recording keeps; what is older is cut off (record/seal.h), when its world is
/// loaded and while it runs.
struct HistoryRule {
  std::uint32_t hours = 0;  // at least; 0: all of it
  bool drop = false;        // what is cut off is gone, and not kept in a file of its own
  bool operator==(const HistoryRule&) const = default;
};
inline constexpr std::uint32_t kMostHistoryHours = 24 * 366 * 10;
/// A cut is made once there is more to cut off than this part of what is kept: each costs reading
/// and writing all that is kept.
inline constexpr std::uint64_t kHistoryPartWorthACut = 4;

/// What the rule says of a world of so many ticks an hour.
inline record::SealOptions seal_options(const HistoryRule& rule, std::uint64_t ticks_per_hour) {
  record::SealOptions options;
  options.keep = rule.hours * ticks_per_hour;
  options.at_least = std::max<std::uint64_t>(1, options.keep / kHistoryPartWorthACut);
  options.drop = rule.drop;
  return options;
}

inline constexpr std::uint64_t kSecondsPerHour = 3600;

}  // namespace sluice::host
