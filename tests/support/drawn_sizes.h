// Hydro water whose sizes are small, so that small worlds come to them.
#pragma once

#include <cstdint>

#include "server/sim/models/hydro/sizes.h"
#include "tests/support/dice.h"

namespace sluice::tests {

/// Worlds that are made while this lives have these sizes.
class WithSizes {
 public:
  explicit WithSizes(const sim::hydro::Sizes& sizes) { sim::hydro::sizes_of_new_worlds() = sizes; }
  ~WithSizes() { sim::hydro::sizes_of_new_worlds() = {}; }
  WithSizes(const WithSizes&) = delete;
  WithSizes& operator=(const WithSizes&) = delete;
};

/// In one of two cases the real ones.
inline sim::hydro::Sizes drawn_sizes(std::uint64_t seed) {
  Dice dice(seed);
  sim::hydro::Sizes sizes;
  if (dice.chance(50)) return sizes;
  sizes.piece_bits = dice.roll(0, 4);
  sizes.spare_lakes = static_cast<std::size_t>(dice.roll(0, 4));
  sizes.rings = dice.roll(0, 4);
  sizes.looks = dice.roll(0, 16);
  return sizes;
}

}  // namespace sluice::tests
