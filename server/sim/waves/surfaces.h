// Free surfaces: where water stands under air. One is found for each open run of cells (from rock
// up to rock) whose floor is wet.
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/grid.h"

namespace sluice::sim {

struct WaveState;

struct Surface {
  Vec3 at;                   // the cell of the surface
  std::int32_t floor = 0;    // the lowest cell of its run
  std::int32_t ceiling = 0;  // the cell above the highest
  std::int32_t landing = 0;  // units that are about to fall on it
  std::int32_t slot = -1;    // derived: its place in the field's arrays

  /// Whether a wave's path is the same, whatever falls.
  [[nodiscard]] bool same_run(const Surface& other) const {
    return at == other.at && floor == other.floor && ceiling == other.ceiling;
  }
  /// Whether a wave passes between this column and one beside it: each stands in the other's run.
  [[nodiscard]] bool meets(const Surface& other) const {
    return floor <= other.at.y && other.at.y < ceiling && other.floor <= at.y &&
           at.y < other.ceiling;
  }
};

/// The surfaces of one stack of chunks.
struct SurfacePatch {
  std::vector<std::uint32_t> first;  // by column [z][x], and one more: where its surfaces begin
  std::vector<Surface> surfaces;     // column by column, from below
  bool lands = false;                // water is about to fall on one of them

  [[nodiscard]] bool same_runs(const SurfacePatch& other) const;
};

/// `full`: WaterMeasure::full; `stack`: the chunk of y = 0.
[[nodiscard]] SurfacePatch scan_surfaces(const Grid& grid, std::int32_t full, ChunkCoord stack);

/// Of one column of the world.
[[nodiscard]] std::vector<Surface> scan_column(const Grid& grid, std::int32_t full, std::int32_t x,
                                               std::int32_t z);

/// A surface as it is drawn.
struct DrawnSurface {
  Vec3 at;
  std::int32_t rest = 0;    // level units above the cell's floor, without waves
  std::int32_t height = 0;  // of the wave, level units, kept between bed and ceiling
  bool ice = false;         // of a wave that froze
};

/// Every free surface of a world, and every one that ice keeps, in the order of z, x and y. Takes a
/// look at every chunk.
[[nodiscard]] std::vector<DrawnSurface> drawn_surfaces(const WorldConfig& config, const Grid& grid,
                                                       const WaveState& state);

}  // namespace sluice::sim
