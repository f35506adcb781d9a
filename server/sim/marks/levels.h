// Water up to a level: marks of a world file and the commands fill_level and evaporate_level
// (marks.md). First all is planned, by runs of cells; then it is written, if it fits.
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/marks/cell_runs.h"
#include "server/sim/result.h"
#include "server/sim/spec.h"

namespace sluice::sim {

/// What a plan would do.
struct LevelSums {
  std::vector<std::int64_t> units;  // by mark: that come, less those that go
  std::int64_t came = 0;            // units
  std::int64_t went = 0;
  std::int64_t chunks = 0;  // that hold nothing yet and would
};

/// Regions that are filled up to levels, and pockets of air in them. Levels are told from the
/// highest down, then pockets. The grid changes in write() alone.
class Filling {
 public:
  /// `most_cells` of all regions together; a larger one is an error.
  Filling(const WorldConfig& config, Grid& grid, std::int64_t most_cells);

  /// Fills all that the water reaches from a cell. True where the cell is open. What an earlier
  /// mark has reached stays as it is.
  [[nodiscard]] Result<bool> fill(Vec3 at, std::int64_t level, std::int32_t mark);
  /// Keeps air over `level` under the roofs that it is joined to there. True where there is any to
  /// be kept. Where that reaches a free surface it is an error.
  [[nodiscard]] Result<bool> trap(Vec3 at, std::int64_t level, std::int32_t mark);

  [[nodiscard]] LevelSums sums(std::int32_t marks);
  void write();

 private:
  [[nodiscard]] Cell wetted(const CellRun& run, std::int32_t y, Cell before) const;
  [[nodiscard]] Cell after(const CellRun& run, std::int32_t y, Cell before) const;
  template <class F>
  void for_each_cell(F&& f);

  const WorldConfig& config_;
  Grid& grid_;
  CellRuns runs_;
  std::int64_t cells_left_;
};

/// Takes away what stands above `level` in the body of water to which a cell belongs. Returns the
/// units; an error where the body has more cells than that.
[[nodiscard]] Result<std::int64_t> evaporate(const WorldConfig& config, Grid& grid, Vec3 at,
                                             std::int64_t level, std::int64_t most_cells);

/// Units that a cell of `y` holds whose surface stands at `level`; `level` must lie in that cell or
/// on its top.
[[nodiscard]] Cell surface_units(const WorldConfig& config, std::int32_t y, std::int64_t level);

}  // namespace sluice::sim
