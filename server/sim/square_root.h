#pragma once

#include <cstdint>

namespace sluice::sim {

/// floor(sqrt(v)); v is not negative and less than 2^62.
constexpr std::int64_t square_root(std::int64_t v) {
  std::int64_t root = 0;
  for (std::int64_t bit = std::int64_t{1} << 31; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= v) root += bit;
  }
  return root;
}

}  // namespace sluice::sim
