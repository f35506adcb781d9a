// A pour that lies as it stands at rest from the start: which cells it fills, and what each of them
// gets.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "protocol/base/result.h"
#include "server/sim/grid.h"
#include "server/sim/models/measure.h"

namespace sluice::sim {

/// What a pour at rest brings.
struct RestingWater {
  std::vector<std::pair<Vec3, std::int32_t>> poured;  // cells, and the units that each gets
  std::int64_t units = 0;                             // in all of them
  std::int32_t left = 0;  // of the units to be poured: those for which there is no room
};

/// Fills the open cells of `box`, which lies in the world, with so many units: the lowest row
/// first, each up to a full cell, and the last one level, to within one quantum. Then gives each
/// full cell what it holds at rest (at_rest.h): a body is what hangs together in the box and in the
/// water that stands right over and under it, in its columns. Takes nothing from any cell.
///
/// An error: that are more than kMostRestingCells cells.
[[nodiscard]] Result<RestingWater> lay_at_rest(const WaterMeasure& measure, const Grid& grid,
                                               const Box& box, std::int32_t units);

}  // namespace sluice::sim
