// Water up to a level: marks of a world file and the commands fill_level and evaporate_level
// (marks.md). First all is planned, by runs of cells; then it is written, if it fits.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/base/result.h"
#include "server/sim/marks/cell_runs.h"
#include "server/sim/spec.h"

namespace sluice::sim {

/// What a plan would do.
struct LevelSums {
  std::vector<std::int64_t> units;  // by mark: that come, less those that go
  std::int64_t came = 0;            // units
  std::int64_t went = 0;
  std::int64_t chunks = 0;      // that they lie in
  std::int64_t new_chunks = 0;  // of these, that hold nothing yet
};

/// What a search for a region may take: a larger one is an error.
struct LevelBounds {
  std::int64_t cells = INT64_MAX;
  std::int64_t runs = INT64_MAX;
  std::int64_t chunks = INT64_MAX;
};

/// What cells hold at rest in water that stands at a level. Each depth is worked out once, as long
/// as the level stays.
class WaterAtRest {
 public:
  explicit WaterAtRest(const WaterMeasure& measure) : measure_(measure) {}
  [[nodiscard]] Cell at(std::int32_t y, std::int64_t level) {
    const auto depth = static_cast<std::size_t>(surface_ - y);
    return level == level_ && depth < cells_.size() ? cells_[depth] : work_out(y, level);
  }

 private:
  Cell work_out(std::int32_t y, std::int64_t level);

  WaterMeasure measure_;
  std::int64_t level_ = -1;
  std::int32_t surface_ = 0;  // the cell of the surface
  std::vector<Cell> cells_;   // by depth below the surface's cell
};

/// Regions that are filled up to levels, and pockets of air in them. Levels are told from the
/// highest down, then pockets. The grid changes in write() alone.
class Filling {
 public:
  /// `bounds` of all regions together.
  Filling(const WorldConfig& config, Grid& grid, const LevelBounds& bounds);

  /// Fills all that the water reaches from a cell. True where the cell is open. What an earlier
  /// mark has reached stays as it is.
  [[nodiscard]] Result<bool> fill(Vec3 at, std::int64_t level, std::int32_t mark);
  /// Keeps air over `level` under the roofs that it is joined to there. True where there is any to
  /// be kept. Where that reaches a free surface it is an error.
  [[nodiscard]] Result<bool> trap(Vec3 at, std::int64_t level, std::int32_t mark);
  /// Keeps air in all cells at or above `level` that are open now and hang together with that cell
  /// there. True where the cell is open. Where the air could leave it is an error. `mark` is 0.
  [[nodiscard]] Result<bool> enclose(Vec3 at, std::int64_t level);

  /// An error where they lie in too many chunks.
  [[nodiscard]] Result<LevelSums> sums(std::int32_t marks);
  /// Returns the chunks in which air is trapped now.
  std::vector<ChunkCoord> write();
  /// Cells that were looked at, and chunks.
  [[nodiscard]] std::int64_t steps() const { return runs_.steps(); }

 private:
  [[nodiscard]] Cell wetted(const CellRun& run, std::int32_t y, Cell before);
  /// Why the air of an open run would not stay in it from a cell on; empty where it would.
  [[nodiscard]] std::string leak_of(const PlacedRun& place, std::int32_t from) const;
  template <class F>
  void for_each_part(F&& f);

  const WorldConfig& config_;
  Grid& grid_;
  CellRuns runs_;
  WaterAtRest at_rest_;
  LevelBounds bounds_;
  std::int64_t cells_ = 0;
  std::int64_t reached_ = 0;  // runs
};

/// Takes away what stands above `level` in the body of water to which a cell belongs. Returns the
/// units.
[[nodiscard]] Result<std::int64_t> evaporate(const WorldConfig& config, Grid& grid, Vec3 at,
                                             std::int64_t level, const LevelBounds& bounds);

/// Units that a cell of `y` holds whose surface stands at `level`; `level` must lie in that cell or
/// on its top.
[[nodiscard]] Cell surface_units(const WaterMeasure& measure, std::int32_t y, std::int64_t level);

}  // namespace sluice::sim
