#include "server/sim/models/block/groups.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "protocol/base/assert.h"

namespace sluice::sim {

BlockGroup BlockGroups::make() {
  if (free_.empty()) {
    groups_.emplace_back();
    return static_cast<BlockGroup>(groups_.size() - 1);
  }
  const BlockGroup group = free_.back();
  free_.pop_back();
  return group;
}

void BlockGroups::free(BlockGroup group) {
  const bool listed = of(group).active;
  of(group) = {};
  of(group).active = listed;  // take_active passes over it
  free_.push_back(group);
}

void BlockGroups::mark(BlockGroup group) {
  if (of(group).active) return;
  of(group).active = true;
  active_.push_back(group);
}

std::vector<BlockGroup> BlockGroups::take_active() {
  std::vector<BlockGroup> taken;
  taken.swap(active_);
  for (const BlockGroup group : taken) of(group).active = false;
  std::erase_if(taken, [this](BlockGroup group) { return of(group).size == 0; });
  return taken;
}

std::int32_t BlockGroups::top(BlockGroup group) const {
  const Group& g = of(group);
  return g.size == 1 ? top_of(g.only) : g.rows.rbegin()->first;
}

RowCell BlockGroups::row_cell(BlockCell cell) const {
  const Vec3 at = cells_.at(cell);
  return {at.x, at.z, cell};
}

void BlockGroups::enter_row(Group& group, BlockCell cell) {
  group.rows[top_of(cell)].insert(row_cell(cell));
}

void BlockGroups::leave_row(Group& group, BlockCell cell) {
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
  std::vector<BlockCell> front;
  cells_.for_each_water([&](BlockCell cell) {
    if (cells_.group(cell) != kNoGroup) return;
    const BlockGroup group = make();
    cells_.set_group(cell, group);
    front.assign(1, cell);
    for (std::size_t i = 0; i < front.size(); ++i) {
      for (const BlockFace face : faces_of(cells_.shape())) {
        const BlockCell next = cells_.neighbor(front[i], face);
        if (next == kNoBlockCell || !cells_.has_water(next) || cells_.group(next) != kNoGroup) {
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
void BlockGroups::split_off(BlockGroup group, const std::vector<BlockCell>& part) {
  Group& g = of(group);
  g.size = static_cast<std::int64_t>(part.size());
  mark(group);
  if (part.size() == 1) {
    g.only = part.front();
    return;
  }
  std::map<std::int32_t, std::vector<RowCell>> rows;
  for (const BlockCell cell : part) rows[top_of(cell)].push_back(row_cell(cell));
  for (auto& [height, row] : rows) {
    std::sort(row.begin(), row.end());
    g.rows[height].assign(row);
  }
  for (const BlockCell cell : part) note_from(group, cell);
}

void BlockGroups::set_level(BlockCell cell, std::uint8_t level) {
  const std::uint8_t before = cells_.level(cell);
  if (before == level) return;
  const bool held = cells_.has_water(cell);
  const bool holds = level != 0 && level != BlockCells::kSolid;
  if (held && holds) {
    const BlockGroup group = cells_.group(cell);
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

bool BlockGroups::move_alone(BlockCell from, BlockCell to) {
  const BlockGroup group = cells_.group(from);
  if (of(group).size != 1 || cells_.level(from) != 1 || cells_.level(to) != 0) return false;
  for (const BlockFace face : faces_of(cells_.shape())) {
    const BlockCell next = cells_.neighbor(to, face);
    if (next != kNoBlockCell && next != from && cells_.has_water(next)) return false;
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

void BlockGroups::add(BlockCell cell) {
  BlockGroup group = kNoGroup;
  for (const BlockFace face : faces_of(cells_.shape())) {
    const BlockCell next = cells_.neighbor(cell, face);
    if (next == kNoBlockCell || !cells_.has_water(next)) continue;
    const BlockGroup other = cells_.group(next);
    group = group == kNoGroup || group == other ? other : merge(group, other);
  }
  if (group == kNoGroup) group = make();
  join(cell, group);
}

void BlockGroups::join(BlockCell cell, BlockGroup group) {
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
    g.only = kNoBlockCell;
  }
  enter_row(g, cell);
}

BlockGroup BlockGroups::merge(BlockGroup a, BlockGroup b) {
  if (of(a).size < of(b).size) std::swap(a, b);
  mark(a);
  if (of(b).size == 1) {
    const BlockCell cell = of(b).only;
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

void BlockGroups::remove(BlockCell cell, std::uint8_t level) {
  const BlockGroup group = cells_.group(cell);
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
void BlockGroups::note_cut(BlockCell cell, BlockGroup group) {
  std::array<BlockCell, kFaces> around{};
  std::size_t count = 0;
  for (const BlockFace face : faces_of(cells_.shape())) {
    const BlockCell next = cells_.neighbor(cell, face);
    if (next != kNoBlockCell && cells_.has_water(next)) around[count++] = next;
  }
  if (count == 0) return;
  // Two cells that lie around a corner of the hole touch by way of the cell at that corner.
  std::array<std::size_t, kFaces> part{};
  for (std::size_t i = 0; i < count; ++i) part[i] = i;
  const auto root = [&part](std::size_t i) {
    while (part[i] != i) i = part[i];
    return i;
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (const BlockFace face : faces_of(cells_.shape())) {
      const BlockCell corner = cells_.neighbor(around[i], face);
      if (corner == kNoBlockCell || corner == cell || !cells_.has_water(corner)) continue;
      for (const BlockFace back : faces_of(cells_.shape())) {
        const BlockCell met = cells_.neighbor(corner, back);
        const BlockCell* const end = around.data() + count;
        const BlockCell* const found = std::find<const BlockCell*>(around.data(), end, met);
        if (found == end || met == kNoBlockCell) continue;
        part[root(static_cast<std::size_t>(found - around.data()))] = root(i);
      }
    }
  }
  std::size_t parts = 0;
  for (std::size_t i = 0; i < count; ++i) parts += part[i] == i ? 1U : 0U;
  Group& g = of(group);
  // The cell may have been a seed itself: while there are any, its neighbours take its place.
  if (parts <= 1 && g.seeds.empty()) return;
  if (g.seeds.empty()) cut_.push_back(group);
  for (std::size_t i = 0; i < count; ++i) {
    if (part[i] == i) g.seeds.push_back(around[i]);
  }
}

void BlockGroups::settle() {
  std::vector<BlockGroup> cut;
  cut.swap(cut_);
  for (const BlockGroup group : cut) {
    if (!of(group).seeds.empty()) divide(group);
  }
}

namespace {

/// Walks over the cells of one group, a number each. Walks that meet become one.
class Walks {
 public:
  /// A walk from each seed.
  Walks(BlockCells& cells, const std::vector<BlockCell>& seeds, std::uint64_t first_visit)
      : cells_(cells), first_visit_(first_visit), walks_(seeds.size()), met_(seeds.size()) {
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      met_[i] = i;
      walks_[i].cells.push_back(seeds[i]);
      cells_.visit(seeds[i]) = first_visit_ + i;
    }
  }

  /// Whether it became part of another one.
  [[nodiscard]] bool is_joined(std::size_t walk) { return root(walk) != walk; }
  /// Whether it has looked around all that it reached.
  [[nodiscard]] bool at_end(std::size_t walk) const {
    return walks_[walk].next == walks_[walk].cells.size();
  }
  /// What it reached, with what those reached that it met.
  [[nodiscard]] const std::vector<BlockCell>& cells(std::size_t walk) const {
    return walks_[walk].cells;
  }

  /// Looks around one more cell, and joins the walks that were there before.
  void step(std::size_t walk) {
    const BlockCell cell = walks_[walk].cells[walks_[walk].next++];
    for (const BlockFace face : faces_of(cells_.shape())) {
      const BlockCell next = cells_.neighbor(cell, face);
      if (next == kNoBlockCell || !cells_.has_water(next)) continue;
      std::uint64_t& visit = cells_.visit(next);
      if (visit < first_visit_) {
        visit = first_visit_ + walk;
        walks_[walk].cells.push_back(next);
        continue;
      }
      const std::size_t other = root(static_cast<std::size_t>(visit - first_visit_));
      if (other != walk) join(walk, other);
    }
  }

 private:
  struct Walk {
    std::vector<BlockCell> cells;
    std::size_t next = 0;  // of `cells`, to look around
  };

  std::size_t root(std::size_t walk) {
    while (met_[walk] != walk) walk = met_[walk] = met_[met_[walk]];
    return walk;
  }

  // What the other one has still to look at is this one's work now; what it has seen stays in
  // front, so that `cells` holds the whole of a part that falls off.
  void join(std::size_t walk, std::size_t other) {
    met_[other] = walk;
    Walk& mine = walks_[walk];
    Walk& theirs = walks_[other];
    const auto seen = theirs.cells.begin() + static_cast<std::ptrdiff_t>(theirs.next);
    mine.cells.insert(mine.cells.begin() + static_cast<std::ptrdiff_t>(mine.next),
                      theirs.cells.begin(), seen);
    mine.next += theirs.next;
    mine.cells.insert(mine.cells.end(), seen, theirs.cells.end());
    theirs = {};
  }

  BlockCells& cells_;
  std::uint64_t first_visit_;
  std::vector<Walk> walks_;
  std::vector<std::size_t> met_;  // a walk that this one became part of, or itself
};

}  // namespace

// In order, each once.
std::vector<BlockCell> BlockGroups::take_seeds(BlockGroup group) {
  std::vector<BlockCell> seeds;
  for (const BlockCell seed : std::exchange(of(group).seeds, {})) {
    // A seed may have run dry or changed sides since.
    if (cells_.has_water(seed) && cells_.group(seed) == group) seeds.push_back(seed);
  }
  std::sort(seeds.begin(), seeds.end());
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  return seeds;
}

// Gives a part of the group, which no other cell of it touches, a group of its own.
void BlockGroups::part_from(BlockGroup group, const std::vector<BlockCell>& cells) {
  const BlockGroup part = make();
  Group& rest = of(group);
  for (const BlockCell cell : cells) {
    leave_row(rest, cell);
    cells_.set_group(cell, part);
  }
  rest.size -= static_cast<std::int64_t>(cells.size());
  split_off(part, cells);
}

// Walks from all seeds at once, a step each in turn, and joins walks that meet. A walk that ends
// before it met the last of the others has found a part that fell off; so the work is a few times
// the smaller parts' cells, not the largest's.
void BlockGroups::divide(BlockGroup group) {
  const std::vector<BlockCell> seeds = take_seeds(group);
  if (seeds.size() <= 1) return;
  Walks walks(cells_, seeds, new_visits(seeds.size()));
  std::vector<std::size_t> going(seeds.size());
  std::iota(going.begin(), going.end(), std::size_t{0});
  while (going.size() > 1) {
    for (const std::size_t walk : going) {
      if (!walks.is_joined(walk) && !walks.at_end(walk)) walks.step(walk);
    }
    std::erase_if(going, [&](std::size_t walk) { return walks.is_joined(walk); });
    // Those at their end have fallen off, unless all that is left is one.
    for (std::size_t k = 0; k < going.size() && going.size() > 1;) {
      if (!walks.at_end(going[k])) {
        ++k;
        continue;
      }
      part_from(group, walks.cells(going[k]));
      going.erase(going.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  mark(group);
  if (of(group).size == 1) shrink_to_one(of(group));
}

}  // namespace sluice::sim
