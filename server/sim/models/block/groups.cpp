#include "server/sim/models/block/groups.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "protocol/base/assert.h"
#include "server/sim/models/cell_walks.h"

namespace sluice::sim {

CellGroup BlockGroups::make() {
  if (free_.empty()) {
    groups_.emplace_back();
    return static_cast<CellGroup>(groups_.size() - 1);
  }
  const CellGroup group = free_.back();
  free_.pop_back();
  return group;
}

void BlockGroups::free(CellGroup group) {
  const bool listed = of(group).active;
  of(group) = {};
  of(group).active = listed;  // take_active passes over it
  free_.push_back(group);
}

void BlockGroups::mark(CellGroup group) {
  if (of(group).active) return;
  of(group).active = true;
  active_.push_back(group);
}

std::vector<CellGroup> BlockGroups::take_active() {
  std::vector<CellGroup> taken;
  taken.swap(active_);
  for (const CellGroup group : taken) of(group).active = false;
  std::erase_if(taken, [this](CellGroup group) { return of(group).size == 0; });
  return taken;
}

std::int32_t BlockGroups::top(CellGroup group) const {
  const Group& g = of(group);
  return g.size == 1 ? top_of(g.only) : g.rows.rbegin()->first;
}

RowCell BlockGroups::row_cell(LevelCell cell) const {
  const Vec3 at = cells_.at(cell);
  return {at.x, at.z, cell};
}

void BlockGroups::enter_row(Group& group, LevelCell cell) {
  group.rows[top_of(cell)].insert(row_cell(cell));
}

void BlockGroups::leave_row(Group& group, LevelCell cell) {
  const auto found = group.rows.find(top_of(cell));
  BlockRow& row = found->second;
  row.erase(row_cell(cell));
  if (row.empty()) group.rows.erase(found);
}

void BlockGroups::rebuild() {
  groups_.clear();
  free_.clear();
  active_.clear();
  cut_.clear();
  std::vector<LevelCell> front;
  cells_.for_each_water([&](LevelCell cell) {
    if (cells_.group(cell) != kNoGroup) return;
    const CellGroup group = make();
    cells_.set_group(cell, group);
    front.assign(1, cell);
    for (std::size_t i = 0; i < front.size(); ++i) {
      for (const CellFace face : faces_of(cells_.shape())) {
        const LevelCell next = cells_.neighbor(front[i], face);
        if (next == kNoLevelCell || !cells_.has_water(next) || cells_.group(next) != kNoGroup) {
          continue;
        }
        cells_.set_group(next, group);
        front.push_back(next);
      }
    }
    split_off(group, front);
  });
}

// `part` are all the cells of a group, which knows nothing of them yet.
void BlockGroups::split_off(CellGroup group, const std::vector<LevelCell>& part) {
  Group& g = of(group);
  g.size = static_cast<std::int64_t>(part.size());
  mark(group);
  if (part.size() == 1) {
    g.only = part.front();
    return;
  }
  std::map<std::int32_t, std::vector<RowCell>> rows;
  for (const LevelCell cell : part) rows[top_of(cell)].push_back(row_cell(cell));
  for (auto& [height, row] : rows) {
    std::sort(row.begin(), row.end());
    g.rows[height].assign(row);
  }
  for (const LevelCell cell : part) note_from(group, cell);
}

void BlockGroups::set_level(LevelCell cell, std::uint8_t level) {
  const std::uint8_t before = cells_.level(cell);
  if (before == level) return;
  const bool held = cells_.has_water(cell);
  const bool holds = level != 0 && level != LevelCells::kSolid;
  if (held && holds) {
    const CellGroup group = cells_.group(cell);
    Group& g = of(group);
    if (g.size > 1) leave_row(g, cell);
    cells_.set_level(cell, level);
    if (g.size > 1) enter_row(g, cell);
    mark(group);
  } else if (holds) {
    cells_.set_level(cell, level);
    add(cell);
  } else if (held) {
    remove(cell, level);
  } else {
    cells_.set_level(cell, level);
  }
  note_around(cell);
}

bool BlockGroups::move_alone(LevelCell from, LevelCell to) {
  const CellGroup group = cells_.group(from);
  if (of(group).size != 1 || cells_.level(from) != 1 || cells_.level(to) != 0) return false;
  for (const CellFace face : faces_of(cells_.shape())) {
    const LevelCell next = cells_.neighbor(to, face);
    if (next != kNoLevelCell && next != from && cells_.has_water(next)) return false;
  }
  cells_.set_level(from, 0);
  cells_.set_group(from, kNoGroup);
  cells_.set_level(to, 1);
  cells_.set_group(to, group);
  of(group).only = to;
  note_around(from);  // where it was, others may find a place over a ledge
  note_around(to);
  mark(group);
  return true;
}

void BlockGroups::add(LevelCell cell) {
  CellGroup group = kNoGroup;
  for (const CellFace face : faces_of(cells_.shape())) {
    const LevelCell next = cells_.neighbor(cell, face);
    if (next == kNoLevelCell || !cells_.has_water(next)) continue;
    const CellGroup other = cells_.group(next);
    group = group == kNoGroup || group == other ? other : merge(group, other);
  }
  if (group == kNoGroup) group = make();
  join(cell, group);
}

void BlockGroups::join(LevelCell cell, CellGroup group) {
  Group& g = of(group);
  cells_.set_group(cell, group);
  mark(group);
  if (++g.size == 1) {
    g.only = cell;
    return;
  }
  if (g.size == 2) {
    // A group of one keeps no rows and no notes.
    enter_row(g, g.only);
    note_from(group, g.only);
    g.only = kNoLevelCell;
  }
  enter_row(g, cell);
}

CellGroup BlockGroups::merge(CellGroup a, CellGroup b) {
  if (of(a).size < of(b).size) std::swap(a, b);
  mark(a);
  if (of(b).size == 1) {
    const LevelCell cell = of(b).only;
    free(b);
    join(cell, a);
    note_from(a, cell);
    return a;
  }
  Group small = std::move(of(b));
  free(b);
  Group& large = of(a);
  large.size += small.size;
  for (auto& [height, row] : small.rows) {
    row.for_each([&](const RowCell& entry) { cells_.set_group(entry.cell, a); });
    BlockRow& into = large.rows[height];
    if (into.size() < row.size()) std::swap(into, row);
    row.for_each([&](const RowCell& entry) { into.insert(entry); });
  }
  for (const auto& [height, notes] : small.frontier) append(large.frontier[height], notes);
  if (large.seeds.empty() && !small.seeds.empty()) cut_.push_back(a);
  large.seeds.insert(large.seeds.end(), small.seeds.begin(), small.seeds.end());
  return a;
}

void BlockGroups::remove(LevelCell cell, std::uint8_t level) {
  const CellGroup group = cells_.group(cell);
  Group& g = of(group);
  if (g.size > 1) leave_row(g, cell);
  cells_.set_level(cell, level);
  cells_.set_group(cell, kNoGroup);
  if (--g.size == 0) {
    free(group);
    return;
  }
  mark(group);
  if (g.size == 1) {
    shrink_to_one(g);
  } else {
    note_cut(cell, group);
  }
}

void BlockGroups::shrink_to_one(Group& group) {
  group.only = group.rows.begin()->second.front().cell;
  group.rows.clear();
  group.frontier.clear();
}

// A cell left the group. Where its neighbours still touch each other nearby nothing fell apart.
void BlockGroups::note_cut(LevelCell cell, CellGroup group) {
  const CellsAround parts =
      cells_.parts_around(cell, [this](LevelCell next) { return cells_.has_water(next); });
  Group& g = of(group);
  // The cell may have been a seed itself: while there are any, its neighbours take its place.
  if (parts.count == 0 || (parts.count == 1 && g.seeds.empty())) return;
  if (g.seeds.empty()) cut_.push_back(group);
  g.seeds.insert(g.seeds.end(), parts.cells.begin(),
                 parts.cells.begin() + static_cast<std::ptrdiff_t>(parts.count));
}

void BlockGroups::settle() {
  std::vector<CellGroup> cut;
  cut.swap(cut_);
  for (const CellGroup group : cut) {
    if (!of(group).seeds.empty()) divide(group);
  }
}

// In order, each once.
std::vector<LevelCell> BlockGroups::take_seeds(CellGroup group) {
  std::vector<LevelCell> seeds;
  for (const LevelCell seed : std::exchange(of(group).seeds, {})) {
    // A seed may have run dry or changed sides since.
    if (cells_.has_water(seed) && cells_.group(seed) == group) seeds.push_back(seed);
  }
  std::sort(seeds.begin(), seeds.end());
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  return seeds;
}

// Gives a part of the group, which no other cell of it touches, a group of its own.
void BlockGroups::part_from(CellGroup group, const std::vector<LevelCell>& cells) {
  const CellGroup part = make();
  Group& rest = of(group);
  for (const LevelCell cell : cells) {
    leave_row(rest, cell);
    cells_.set_group(cell, part);
  }
  rest.size -= static_cast<std::int64_t>(cells.size());
  split_off(part, cells);
}

void BlockGroups::divide(CellGroup group) {
  const std::vector<LevelCell> seeds = take_seeds(group);
  if (seeds.size() <= 1) return;
  for_each_part_but_one(
      cells_, seeds, [this](LevelCell cell) { return cells_.has_water(cell); },
      [&](const std::vector<LevelCell>& part) { part_from(group, part); });
  mark(group);
  if (of(group).size == 1) shrink_to_one(of(group));
}

}  // namespace sluice::sim
