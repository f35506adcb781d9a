// Where a group's water may go.
#include <algorithm>

#include "server/sim/models/block_groups.h"

namespace sluice::sim {

std::optional<BlockTarget> BlockGroups::target_of(BlockCell cell, BlockGroup group) {
  const std::uint8_t held = cells_.level(cell);
  if (held >= cells_.parts()) return std::nullopt;  // full, or solid
  BlockTarget target{cell, cells_.height(cell, held), Face::kBelow, false};
  if (held > 0) {
    if (cells_.group(cell) != group) return std::nullopt;
    const BlockCell above = cells_.neighbor(cell, Face::kAbove);
    target.falls = above != kNoBlockCell && cells_.has_water(above);
    return target;
  }
  for (const Face face : faces_of(cells_.shape())) {
    const BlockCell next = cells_.neighbor(cell, face);
    if (next == kNoBlockCell || !cells_.has_water(next) || cells_.group(next) != group) continue;
    // Only a full cell has its topmost part under the next cell.
    if (face == Face::kBelow && cells_.level(next) != cells_.parts()) continue;
    target.from = face;
    target.falls = face == Face::kAbove;
    return target;
  }
  return std::nullopt;
}

void BlockGroups::note(BlockGroup group, const BlockTarget& target) {
  // A list that doubled is looked through, so that none grows with the number of ticks.
  constexpr std::size_t kFew = 64;
  const auto enter = [&](Notes& notes, std::optional<std::int32_t> height) {
    notes.cells.push_back(target.cell);
    if (notes.cells.size() > 2 * notes.tidied + kFew) look_through(notes, group, height);
  };
  Group& g = of(group);
  enter(g.frontier[target.height], target.height);
  if (target.falls) enter(g.falls, std::nullopt);
}

void BlockGroups::note_from(BlockGroup group, BlockCell cell) {
  const auto look = [&](BlockCell place) {
    if (const auto target = target_of(place, group)) note(group, *target);
  };
  look(cell);
  for (const Face face : faces_of(cells_.shape())) {
    const BlockCell place = cells_.neighbor(cell, face);
    if (place != kNoBlockCell) look(place);
  }
}

void BlockGroups::note_around(BlockCell cell) {
  note_place(cell);
  for (const Face face : faces_of(cells_.shape())) {
    const BlockCell place = cells_.neighbor(cell, face);
    if (place != kNoBlockCell) note_place(place);
  }
}

void BlockGroups::note_place(BlockCell place) {
  const std::uint8_t held = cells_.level(place);
  if (held >= cells_.parts()) return;
  const auto look = [&](BlockGroup group) {
    mark(group);
    if (of(group).size == 1) return;
    if (const auto target = target_of(place, group)) note(group, *target);
  };
  if (held > 0) {
    look(cells_.group(place));
    return;
  }
  for (const Face face : faces_of(cells_.shape())) {
    const BlockCell next = cells_.neighbor(place, face);
    if (next != kNoBlockCell && cells_.has_water(next)) look(cells_.group(next));
  }
}

std::vector<BlockTarget> BlockGroups::look_through(Notes& notes, BlockGroup group,
                                                   std::optional<std::int32_t> height) {
  std::vector<BlockCell>& cells = notes.cells;
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  std::vector<BlockTarget> found;
  for (const BlockCell cell : cells) {
    const auto target = target_of(cell, group);
    if (target && (height ? target->height == *height : target->falls)) found.push_back(*target);
  }
  cells.clear();
  for (const BlockTarget& target : found) cells.push_back(target.cell);
  notes.tidied = cells.size();
  return found;
}

std::vector<BlockTarget> BlockGroups::falls(BlockGroup group) {
  return look_through(of(group).falls, group, std::nullopt);
}

std::vector<BlockTarget> BlockGroups::lowest(BlockGroup group, std::int32_t limit) {
  std::map<std::int32_t, Notes>& frontier = of(group).frontier;
  while (!frontier.empty() && frontier.begin()->first < limit) {
    std::vector<BlockTarget> found =
        look_through(frontier.begin()->second, group, frontier.begin()->first);
    if (!found.empty()) return found;
    frontier.erase(frontier.begin());
  }
  return {};
}

}  // namespace sluice::sim
