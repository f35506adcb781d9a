// Where two worlds differ, down to the field or the cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "server/sim/world.h"

namespace sluice::record {

/// One value that is not the same in both worlds.
struct Difference {
  std::string layer;  // sim::layer_name
  std::string place;  // "chunk (0, 1, 0) cell [12, 70, 0]", "source at [1, 2, 0]", or empty
  std::string field;  // "water", "drained", "rate", ...
  std::string expected;
  std::string actual;
};

struct Comparison {
  std::vector<Difference> differences;  // the first of them, in the digest tree's order
  std::uint64_t cells = 0;              // how many cells differ in all
  std::uint64_t chunks = 0;             // how many chunks hold such cells
};

/// Lists at most `limit` differences of each layer.
[[nodiscard]] Comparison compare_worlds(const sim::World& expected, const sim::World& actual,
                                        std::size_t limit);

/// "cells: chunk (0, 1, 0) cell [12, 70, 0]: water is 12, was recorded as 13".
[[nodiscard]] std::string to_string(const Difference& difference);

}  // namespace sluice::record
