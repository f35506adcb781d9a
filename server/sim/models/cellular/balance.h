// The water of one body at rest, shared out anew so that all of it stands at one head.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "server/sim/carried/moves.h"
#include "server/sim/cell_reader.h"
#include "server/sim/models/cellular/body.h"
#include "server/sim/models/cellular/fill_order.h"

namespace sluice::sim {

/// Units that come to a cell, or go.
struct CellGain {
  Vec3 at;
  std::int32_t units = 0;
};

/// Levels bodies of one grid, each from the state before all of them. What moves is noted, not
/// done. Ends with the next change of the grid.
class Balance {
 public:
  /// `kept`: units of difference that a sideways face keeps. `moves`: null where nobody asks.
  Balance(const FillOrder& order, std::int32_t kept, const Grid& grid, WaterMoves* moves,
          std::vector<CellGain>& gains)
      : order_(order),
        kept_(kept),
        grid_(grid),
        side_view_(grid.world_box().size.z == 1),
        read_(grid),
        moves_(moves),
        gains_(gains) {}

  /// Nothing where the body stands level already, or as level as it can.
  void level(WaterBody body);

 private:
  /// A cell of one row, in the order in which units that are left over come to them.
  struct Place;
  /// Of a row of the body.
  struct Row {
    std::int64_t held = 0;   // by each cell, up to the level below the head
    std::int64_t most = 0;   // and up to the head
    std::int64_t cells = 0;  // of all runs, dry ones included
    bool whole = false;      // each of them holds `most`
  };

  [[nodiscard]] Row& row(std::int32_t y) { return rows_[static_cast<std::size_t>(y - lowest_)]; }
  [[nodiscard]] Cell cell(const WaterRun& run, std::int32_t y) {
    return y < run.top ? read_({run.x, y, run.z}) : kAir;
  }
  /// The first row above what the run may hold.
  [[nodiscard]] std::int32_t end_of(const WaterRun& run) const {
    return std::max(run.top, std::min(run.ceiling, order_.row(head_) + 1));
  }

  void find_head();
  void find_head_below(std::int32_t row);
  [[nodiscard]] std::int64_t units_below(std::int64_t level) const;
  void raise_ceilings(std::int32_t row);
  [[nodiscard]] bool split();
  void count_rows();
  [[nodiscard]] std::int64_t misplaced();
  [[nodiscard]] bool share_rest();
  [[nodiscard]] std::int64_t share_in_row(std::int32_t y, std::int64_t rest);
  [[nodiscard]] std::vector<Place> places_in(std::int32_t y);
  [[nodiscard]] bool far_apart();
  [[nodiscard]] bool contained();
  [[nodiscard]] bool holds(Vec3 at) const;
  [[nodiscard]] std::int64_t due(const WaterRun& run, std::int32_t y);
  void note_gains();

  const FillOrder& order_;
  std::int32_t kept_;
  const Grid& grid_;
  bool side_view_;
  CellReader read_;
  WaterMoves* moves_;
  std::vector<CellGain>& gains_;

  WaterBody body_;  // by z, x and floor
  std::int64_t units_ = 0;
  std::int64_t head_ = 0;  // the level that its last unit reaches
  std::int64_t rest_ = 0;  // units of that level
  std::int32_t lowest_ = 0;
  std::vector<Row> rows_;                 // from the lowest up
  std::map<Vec3, std::int32_t> singles_;  // units of cells beside those of their row
  std::int64_t strayed_ = 0;              // levels by which singles lie above the head
};

}  // namespace sluice::sim
