// The block model's groups: the sets of water cells that touch each other, kept from tick to tick
// and repaired where cells change. All of it follows from the levels in LevelCells: which group has
// which number, and what stale notes it still holds, never enters a result.
//
// A group knows its cells by the height of their topmost part, because the rule takes water from
// the top; and the places where it may go, its *frontier*, by their height, because the rule looks
// for the lowest. Frontier notes are made where a cell changed and only struck out when somebody
// looks at them: a note counts if, when looked at, it is true (target_of).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "server/sim/models/block/row.h"
#include "server/sim/models/level_cells.h"
#include "server/sim/models/nearest_places.h"

namespace sluice::sim {

/// A cell that a group's water may go to, and what touches it there.
struct BlockTarget {
  LevelCell cell = kNoLevelCell;
  std::int32_t height = 0;           // of the lowest part that has room there, in parts
  CellFace from = CellFace::kBelow;  // through which the group touches it
  bool diagonal = false;             // over a ledge: down from the cell above it, which is air
  bool falls = false;                // the group's water stands right above it
};

class BlockGroups {
 public:
  explicit BlockGroups(LevelCells& cells) : cells_(cells) {}

  /// Finds all groups anew; every one is active then.
  void rebuild();
  /// Makes a cell's level another one, and the groups around it true again, but for groups that
  /// fell apart: settle() finds those.
  void set_level(LevelCell cell, std::uint8_t level);
  /// Moves the only part of a group of one to a cell beside it or below, where it touches no other
  /// water; then nothing else has to be looked at. False, and nothing done, where that is not so.
  [[nodiscard]] bool move_alone(LevelCell from, LevelCell to);
  /// Divides the groups that fell apart since the last call.
  void settle();

  /// Groups around which something changed since they were last taken, and those that were marked.
  [[nodiscard]] std::vector<CellGroup> take_active();
  void mark(CellGroup group);

  /// Cells that hold water.
  [[nodiscard]] std::int64_t size(CellGroup group) const { return of(group).size; }
  /// The only cell of a group of one.
  [[nodiscard]] LevelCell only_cell(CellGroup group) const { return of(group).only; }
  /// The height of the highest part.
  [[nodiscard]] std::int32_t top(CellGroup group) const;
  /// By the height of the cells' topmost parts; empty in a group of one cell.
  [[nodiscard]] const std::map<std::int32_t, BlockRow>& rows(CellGroup group) const {
    return of(group).rows;
  }

  /// The group's places below `limit`, those it falls to included; the lowest first.
  [[nodiscard]] std::vector<BlockTarget> places(CellGroup group, std::int32_t limit);
  /// Of its places in the world the lowest, of several the nearest to a cell.
  [[nodiscard]] LevelCell lowest_place(CellGroup group, Vec3 near);
  /// Whether a part of the group's water could go into that cell; for a group of one cell, too.
  [[nodiscard]] std::optional<BlockTarget> target_of(LevelCell cell, CellGroup group);
  /// f(LevelCell, CellFace, bool diagonal) for each cell with the group's water that touches an
  /// empty place or lies over a part-full one, in the order in which they take precedence, until it
  /// returns true.
  template <class F>
  bool touching(LevelCell place, CellGroup group, F&& f);

 private:
  /// Notes of places, some of them twice or no longer true.
  struct Notes {
    std::vector<LevelCell> cells;
    std::size_t tidied = 0;  // how many there were when last looked through
    /// Those in the world, from when the nearest was asked for; some no longer true.
    std::optional<NearestPlaces> by_place;
  };
  struct Group {
    std::int64_t size = 0;
    LevelCell only = kNoLevelCell;
    bool active = false;
    std::map<std::int32_t, BlockRow> rows;
    std::map<std::int32_t, Notes> frontier;
    std::vector<LevelCell> seeds;  // cells whose connection has to be looked at
  };

  [[nodiscard]] Group& of(CellGroup group) { return groups_[static_cast<std::size_t>(group)]; }
  [[nodiscard]] const Group& of(CellGroup group) const {
    return groups_[static_cast<std::size_t>(group)];
  }
  CellGroup make();
  void free(CellGroup group);

  [[nodiscard]] RowCell row_cell(LevelCell cell) const;
  [[nodiscard]] std::int32_t top_of(LevelCell cell) const {
    return cells_.height(cell, cells_.level(cell) - 1);
  }
  void enter_row(Group& group, LevelCell cell);
  void leave_row(Group& group, LevelCell cell);

  void add(LevelCell cell);
  void join(LevelCell cell, CellGroup group);
  CellGroup merge(CellGroup a, CellGroup b);
  void remove(LevelCell cell, std::uint8_t level);
  void shrink_to_one(Group& group);
  void note_cut(LevelCell cell, CellGroup group);
  std::vector<LevelCell> take_seeds(CellGroup group);
  void part_from(CellGroup group, const std::vector<LevelCell>& cells);
  void divide(CellGroup group);
  void split_off(CellGroup group, const std::vector<LevelCell>& part);

  // frontier.cpp

  /// Notes the cell and those around it as places for the groups that touch them.
  void note_around(LevelCell cell);
  /// f(place) for the cell and every cell that water in it may touch as a place, or may open.
  template <class F>
  void around(LevelCell cell, F&& f);
  void note_place(LevelCell place);
  /// Notes the places that a cell of a group of several opens to it.
  void note_from(CellGroup group, LevelCell cell);
  void note(CellGroup group, const BlockTarget& target);
  void append(Notes& to, const Notes& from);
  void add_by_place(Notes& notes, LevelCell cell);
  LevelCell nearest_of(Notes& notes, CellGroup group, std::int32_t height, Vec3 near);
  /// The notes that are true, of places of that height, sorted by cell; all others are struck out.
  std::vector<BlockTarget> look_through(Notes& notes, CellGroup group, std::int32_t height);

  LevelCells& cells_;
  std::vector<Group> groups_;
  std::vector<CellGroup> free_;
  std::vector<CellGroup> active_;
  std::vector<CellGroup> cut_;  // groups with seeds
};

template <class F>
bool BlockGroups::touching(LevelCell place, CellGroup group, F&& f) {
  const auto holds = [&](LevelCell cell) {
    return cell != kNoLevelCell && cells_.has_water(cell) && cells_.group(cell) == group;
  };
  const LevelCell above = cells_.neighbor(place, CellFace::kAbove);
  if (holds(above) && f(above, CellFace::kAbove, false)) return true;
  if (cells_.level(place) != 0) return holds(place) && f(place, CellFace::kBelow, false);
  const LevelCell below = cells_.neighbor(place, CellFace::kBelow);
  // What goes aside into air that has air below it falls in the same tick.
  if (!cells_.is_air(below)) {
    for (const CellFace face : sides_of(cells_.shape())) {
      const LevelCell next = cells_.neighbor(place, face);
      if (holds(next) && f(next, face, false)) return true;
    }
  }
  if (cells_.is_air(above)) {
    for (const CellFace face : sides_of(cells_.shape())) {
      const LevelCell next = cells_.neighbor(above, face);
      if (holds(next) && f(next, face, true)) return true;
    }
  }
  // Only a full cell has its topmost part under the next cell.
  return holds(below) && cells_.level(below) == cells_.parts() && f(below, CellFace::kBelow, false);
}

}  // namespace sluice::sim
