// The arithmetic of the cellular model: what one pair of cells does. models/cellular/cellular.md
// states the rule in words and proves that it comes to rest; this is the same in integers, written
// once for a single pair. The vector kernels compute these very expressions, many pairs at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "protocol/base/cell.h"
#include "server/sim/limits.h"
#include "server/sim/spec.h"

namespace sluice::sim {

inline constexpr std::int32_t kMaxFullOption = 8192;
// What the lower of two stacked cells holds is half of their sum and a little more, computed in
// unsigned 32 bits.
static_assert(2 * std::int64_t{kMaxCellUnits} + kMaxFullOption / 8 <= UINT32_MAX);
// A sideways flux is at most (3d + 4) / 8 of the difference d, computed in unsigned 32 bits.
static_assert(3 * std::int64_t{kMaxCellUnits} + 4 <= UINT32_MAX);

enum class Compression : std::int32_t { kHydrostatic = 0, kUniform = 1 };

/// A world's options, prepared.
struct CellularRule {
  std::int32_t full = kFull;
  std::int32_t extra = 41;          // compressed_max - full: units a cell of depth adds
  std::int32_t mid_multiplier = 0;  // extra / (full + extra), scaled by 2^mid_shift
  std::int32_t mid_shift = 0;
  bool uniform = false;
  // A sideways flux is (3 d + sideways_round) / 2^sideways_shift of the difference d: three eighths
  // between two neighbours, three sixteenths where a cell has four.
  std::int32_t sideways_round = 2;
  std::int32_t sideways_shift = 3;
};

/// `config`: of a world of cellular water.
inline CellularRule prepare(const WorldConfig& config) {
  CellularRule rule;
  if (!config.side_view()) {
    rule.sideways_round = 4;
    rule.sideways_shift = 4;
  }
  rule.full = config.option("full");
  rule.extra = config.option("compressed_max") - rule.full;
  rule.uniform = Compression{config.option("compression")} == Compression::kUniform;
  // The largest scale at which the product below still fits 31 bits. For the standard constants the
  // scaled product is the exact floor for every sum (a test tries them all).
  const std::int64_t span = std::int64_t{rule.full} + rule.extra;
  while (rule.mid_shift < 26 &&
         (std::int64_t{rule.extra} << (rule.mid_shift + 1)) + 2 * span <= INT32_MAX) {
    ++rule.mid_shift;
  }
  rule.mid_multiplier =
      static_cast<std::int32_t>(((std::int64_t{rule.extra} << rule.mid_shift) + span - 1) / span);
  return rule;
}

/// How much of the sum of two stacked open cells the lower one holds when nothing flows between
/// them. Rises by 0 or 1 with each unit of the sum; a unit that cannot be divided is the upper's.
inline std::int32_t lower_share(const CellularRule& rule, std::int32_t sum) {
  std::int32_t lower = 0;
  if (rule.uniform) {
    lower = std::min(sum, rule.full + rule.extra);
  } else {
    const std::int32_t over = std::min(sum - rule.full, rule.full + rule.extra);
    const std::int32_t part_filled = rule.full + ((over * rule.mid_multiplier) >> rule.mid_shift);
    // Unsigned: two cells at their maximum and `extra` need 32 bits.
    const auto both_full = static_cast<std::int32_t>(
        (static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(rule.extra)) >> 1);
    lower = std::min(sum, std::max(part_filled, both_full));
  }
  return std::min(std::max(lower, sum - kMaxCellUnits), kMaxCellUnits);
}

/// Units of a cell that lie on something, over the cell `below`: the rest can still fall, and does
/// not spread. 0 or less where nothing does; nothing stands in a solid cell.
inline std::int32_t standing_units(const CellularRule& rule, Cell cell, Cell below) {
  // As unsigned, a solid cell below is huge: no room.
  const std::uint32_t room =
      static_cast<std::uint32_t>(rule.full) -
      std::min(static_cast<std::uint32_t>(rule.full), static_cast<std::uint32_t>(below));
  return cell - static_cast<std::int32_t>(room);
}

/// Units that flow from cell `a` to its sideways neighbour `b` in one pass (negative: from b to a).
/// `below_a` and `below_b` are the cells under them.
inline std::int32_t sideways_flux(const CellularRule& rule, Cell a, Cell b, Cell below_a,
                                  Cell below_b) {
  if (!is_open(a) || !is_open(b)) return 0;
  const bool to_b = a > b;
  const std::int32_t donor = to_b ? a : b;
  const Cell below = to_b ? below_a : below_b;
  const auto difference = static_cast<std::uint32_t>(to_b ? a - b : b - a);
  const auto wanted = static_cast<std::int32_t>(
      (3 * difference + static_cast<std::uint32_t>(rule.sideways_round)) >> rule.sideways_shift);
  const std::int32_t flux = std::max(std::min(wanted, standing_units(rule, donor, below)), 0);
  return to_b ? flux : -flux;
}

/// The greatest difference of two cells beside each other between which nothing flows, though
/// nothing falls: 1 in a side view, 3 in 3D.
inline std::int32_t kept_difference(const CellularRule& rule) {
  return ((1 << rule.sideways_shift) - 1 - rule.sideways_round) / 3;
}

}  // namespace sluice::sim
