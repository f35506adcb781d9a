// Runs: cells of a column that lie one above the other and are open (or wet), found where they are
// asked for. Whoever looks at a column looks at those of the same chunks, too; nothing else is
// touched.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "server/sim/grid.h"

namespace sluice::sim {

struct CellRun {
  std::int32_t floor = 0;  // its lowest cell
  std::int32_t end = 0;    // the cell above its highest

  // What is to become of it (levels.h).
  std::int32_t mark = -1;                 // that reached it; -1: none
  std::int32_t filled_to = 0;             // the cell above the highest that gets water
  std::int64_t level = 0;                 // of the surface of its region
  std::int32_t trapped_from = INT32_MAX;  // from that cell on air is trapped
  std::int32_t trap = -1;                 // the mark that says so

  [[nodiscard]] bool reached() const { return mark >= 0; }
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

  /// A null run where the cell is in none.
  [[nodiscard]] PlacedRun at(Vec3 at);
  /// f(run) for the runs of the four columns beside that one that have a cell in [from, end).
  template <class F>
  void for_each_beside(const PlacedRun& place, std::int32_t from, std::int32_t end, F&& f) {
    for (const auto& [dx, dz] : {std::pair(-1, 0), {1, 0}, {0, -1}, {0, 1}}) {
      const std::int32_t x = place.x + dx;
      const std::int32_t z = place.z + dz;
      if (!grid_.world_box().contains({x, 0, z})) continue;
      for (CellRun& run : column(x, z)) {
        if (run.floor >= end) break;
        if (run.end > from) f(PlacedRun{x, z, &run});
      }
    }
  }
  /// f(run) for each that was found, column by column.
  template <class F>
  void for_each(F&& f) {
    const ChunkShape& shape = grid_.shape();
    for (auto& [place, columns] : known_) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto index = static_cast<std::int32_t>(i);
        const std::int32_t x = place.second * shape.width() + (index & (shape.width() - 1));
        const std::int32_t z = place.first * shape.depth() + (index >> shape.log_x);
        for (CellRun& run : columns[i]) f(PlacedRun{x, z, &run});
      }
    }
  }

 private:
  using Columns = std::vector<std::vector<CellRun>>;  // of one chunk's ground, [z][x]

  std::vector<CellRun>& column(std::int32_t x, std::int32_t z);
  [[nodiscard]] Columns find(std::int32_t chunk_x, std::int32_t chunk_z) const;

  const Grid& grid_;
  Cell least_;
  std::map<std::pair<std::int32_t, std::int32_t>, Columns> known_;  // by the chunks' z and x
};

}  // namespace sluice::sim
