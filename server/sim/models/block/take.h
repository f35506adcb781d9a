// Which blocks of a group move: those at the top, as far as can be from where they go.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "server/sim/models/block/groups.h"

namespace sluice::sim {

/// A place that a group won, where it lies; once for each part that goes there.
struct BlockMove {
  LevelCell to = kNoLevelCell;
  Vec3 at;
};

/// The middle of the box around a row's cells.
struct RowMiddle {
  std::int64_t x = 0;  // doubled
  std::int64_t z = 0;
  /// Doubled, along x and z together.
  [[nodiscard]] std::int64_t distance(Vec3 at) const {
    const std::int64_t in_x = 2 * std::int64_t{at.x} - x;
    const std::int64_t in_z = 2 * std::int64_t{at.z} - z;
    return (in_x < 0 ? -in_x : in_x) + (in_z < 0 ? -in_z : in_z);
  }
};
[[nodiscard]] RowMiddle middle_of(const BlockRow& row);
[[nodiscard]] RowMiddle middle_of(Vec3 only);

/// The topmost rows as they are while parts are taken from them: what a cell has below a part that
/// it gave belongs to the next row.
class TopRows {
 public:
  TopRows(const LevelCells& cells, const std::map<std::int32_t, BlockRow>& rows);
  [[nodiscard]] std::int32_t height() const { return height_; }
  [[nodiscard]] const BlockRow& row() const { return *row_; }
  /// False below the last row.
  bool descend();

 private:
  void go_to(std::int32_t height);

  const LevelCells& cells_;
  std::map<std::int32_t, BlockRow>::const_reverse_iterator next_;
  std::map<std::int32_t, BlockRow>::const_reverse_iterator end_;
  std::int32_t height_ = 0;
  const BlockRow* row_ = nullptr;
  BlockRow merged_;
  std::vector<RowCell> lowered_;
};

/// Takes a part for each of `moves` from the group's topmost rows, as block.md says, and appends
/// their cells to `from`, as often as they give. Reads the group, changes nothing.
void take_from_top(const LevelCells& cells, const std::map<std::int32_t, BlockRow>& rows,
                   const std::vector<BlockMove>& moves, std::vector<LevelCell>& from);

}  // namespace sluice::sim
