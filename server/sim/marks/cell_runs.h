// Runs: cells of a column that lie one above the other and are open (or wet). Each is found where
// it is met and no farther up than it is asked for, so that a search costs what it reaches, however
// large the world is around it.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "server/sim/grid.h"

namespace sluice::sim {

struct CellRun {
  std::int32_t floor = 0;  // its lowest cell
  std::int32_t end = 0;    // the cell above its highest, or above the highest that was looked at

  // What is to become of it (levels.h).
  std::int32_t mark = -1;                 // that reached it; -1: none
  std::int32_t filled_to = 0;             // the cell above the highest that gets water
  std::int64_t level = 0;                 // of the surface of its region
  std::int32_t trapped_from = INT32_MAX;  // from that cell on air is trapped
  std::int32_t trap = -1;                 // the mark that says so
  bool stands = false;                    // its water is there: nothing below trapped_from changes

  [[nodiscard]] bool reached() const { return mark >= 0; }
  /// The lowest cell that may change.
  [[nodiscard]] std::int32_t changes_from() const { return stands ? trapped_from : floor; }
};

/// A run and where it stands. Valid as long as its CellRuns.
struct PlacedRun {
  std::int32_t x = 0;
  std::int32_t z = 0;
  CellRun* run = nullptr;
};

class CellRuns {
 public:
  /// Of cells that hold at least `least`: kAir for open ones, 1 for wet ones. The grid must not
  /// change and must outlive this.
  CellRuns(const Grid& grid, Cell least) : grid_(grid), least_(least) {}

  /// The run that holds a cell, as far up as the cell `most`; a null run where the cell is in none
  /// or the run begins above.
  [[nodiscard]] PlacedRun at(Vec3 at, std::int32_t most);
  /// f(run) for each run in the four columns beside that of `place` that has a cell at a height in
  /// [from, end). Runs are followed up to the height `most` and no further; most >= end.
  template <class F>
  void for_each_beside(const PlacedRun& place, std::int32_t from, std::int32_t end,
                       std::int32_t most, F&& f) {
    for (const auto& [dx, dz] : {std::pair(-1, 0), {1, 0}, {0, -1}, {0, 1}}) {
      const std::int32_t x = place.x + dx;
      const std::int32_t z = place.z + dz;
      if (!grid_.world_box().contains({x, 0, z})) continue;
      for (std::int32_t y = next_in(x, z, from, end); y < end;) {
        CellRun& run = run_at({x, y, z}, most);
        f(PlacedRun{x, z, &run});
        y = next_in(x, z, run.end, end);
      }
    }
  }
  /// f(run) for each that was found, column by column.
  template <class F>
  void for_each(F&& f) {
    for (auto& [place, runs] : columns_) {
      for (auto& [floor, run] : runs) f(PlacedRun{place.second, place.first, &run});
    }
  }

  /// Cells, and chunks of one kind, that were looked at.
  [[nodiscard]] std::int64_t steps() const { return steps_; }

 private:
  [[nodiscard]] bool belongs(Cell cell) const { return cell >= least_; }
  /// The first cell at or above `y` that belongs to a run; `end` where none is below that.
  [[nodiscard]] std::int32_t next_in(std::int32_t x, std::int32_t z, std::int32_t y,
                                     std::int32_t end);
  /// The first cell from `at` up, below `end`, that belongs to a run or does not; else `end`.
  [[nodiscard]] std::int32_t climb(Vec3 at, std::int32_t end, bool while_in);
  [[nodiscard]] std::int32_t floor_under(Vec3 at);
  /// Of a cell that belongs to one.
  [[nodiscard]] CellRun& run_at(Vec3 at, std::int32_t most);

  using Runs = std::map<std::int32_t, CellRun>;  // by their floors

  const Grid& grid_;
  Cell least_;
  std::map<std::pair<std::int32_t, std::int32_t>, Runs> columns_;  // by z and x
  std::int64_t steps_ = 0;
};

}  // namespace sluice::sim
