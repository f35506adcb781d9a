// Where two states differ, down to the field or the cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/record/state_image.h"
#include "server/sim/world.h"

namespace sluice::record {

/// One value that is not the same in both states.
struct Difference {
  std::string layer;  // of the digest tree: "clock", "totals", "springs", "cells", ...
  std::string place;  // "chunk (0, 1, 0) cell [12, 70, 0]", "source at [1, 2, 0]", or empty
  std::string field;  // "water", "drained", "rate", ...
  std::string expected;
  std::string actual;
  // For differences of cells.
  std::optional<ChunkCoord> chunk;
  std::optional<Vec3> cell;

  friend bool operator==(const Difference&, const Difference&) = default;
};

struct Comparison {
  std::vector<Difference> differences;  // the first of each layer, in the digest tree's order
  std::uint64_t cells = 0;              // how many cells differ in all
  std::uint64_t chunks = 0;             // how many chunks hold such cells
  std::uint64_t fields = 0;             // how many values besides cells differ
  Box cell_box;                         // around those cells; empty when there are none

  [[nodiscard]] bool same() const { return cells == 0 && fields == 0; }
};

/// Lists at most `limit` differences of each layer. Cells beyond the world are not looked at.
[[nodiscard]] Comparison compare_states(const StateView& expected, const StateView& actual,
                                        std::size_t limit);
[[nodiscard]] Comparison compare_worlds(const sim::World& expected, const sim::World& actual,
                                        std::size_t limit);

/// "cells: chunk (0, 1, 0) cell [12, 70, 0]: water is 12, was recorded as 13".
[[nodiscard]] std::string to_string(const Difference& difference);

}  // namespace sluice::record
