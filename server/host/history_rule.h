// How much history the recordings of hosted worlds keep.
#pragma once

#include <cstdint>

namespace sluice::host {

/// How much history a recording keeps when its world is loaded; what is older is cut off
/// (record/seal.h).
struct HistoryRule {
  std::uint32_t hours = 0;  // at least; 0: all of it
  bool drop = false;        // what is cut off is gone, and not kept in a file of its own
  bool operator==(const HistoryRule&) const = default;
};
inline constexpr std::uint32_t kMostHistoryHours = 24 * 366 * 10;
/// A cut is made once there is more to cut off than this part of what is kept: each costs reading
/// and writing all that is kept.
inline constexpr std::uint64_t kHistoryPartWorthACut = 4;

}  // namespace sluice::host
