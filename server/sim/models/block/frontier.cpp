// Where a group's water may go.
#include <algorithm>
#include <limits>

#include "server/sim/models/block/groups.h"

namespace sluice::sim {

std::optional<BlockTarget> BlockGroups::target_of(LevelCell cell, CellGroup group) {
  const std::uint8_t held = cells_.level(cell);
  if (held >= cells_.parts()) return std::nullopt;  // full, or solid
  if (held > 0 && cells_.group(cell) != group) return std::nullopt;
  std::optional<BlockTarget> target;
  touching(cell, group, [&](LevelCell /*touches*/, CellFace from, bool diagonal) {
    target = {cell, cells_.height(cell, held), from, diagonal, from == CellFace::kAbove};
    return true;
  });
  return target;
}

void BlockGroups::note(CellGroup group, const BlockTarget& target) {
  // A list that doubled is looked through, so that none grows with the number of ticks.
  constexpr std::size_t kFew = 64;
  Notes& notes = of(group).frontier[target.height];
  notes.cells.push_back(target.cell);
  if (notes.by_place) add_by_place(notes, target.cell);
  if (notes.cells.size() > 2 * notes.tidied + kFew) look_through(notes, group, target.height);
}

void BlockGroups::append(Notes& to, const Notes& from) {
  to.cells.insert(to.cells.end(), from.cells.begin(), from.cells.end());
  if (!to.by_place) return;
  for (const LevelCell cell : from.cells) add_by_place(to, cell);
}

void BlockGroups::add_by_place(Notes& notes, LevelCell cell) {
  if (!cells_.in_gutter(cell)) notes.by_place->add(cells_.at(cell));
}

template <class F>
void BlockGroups::around(LevelCell cell, F&& f) {
  f(cell);
  for (const CellFace face : faces_of(cells_.shape())) {
    const LevelCell place = cells_.neighbor(cell, face);
    if (place == kNoLevelCell) continue;
    f(place);
    if (face == CellFace::kAbove || face == CellFace::kBelow) continue;
    const LevelCell ledge = cells_.neighbor(place, CellFace::kBelow);
    if (ledge != kNoLevelCell) f(ledge);
  }
}

void BlockGroups::note_from(CellGroup group, LevelCell cell) {
  around(cell, [&](LevelCell place) {
    if (const auto target = target_of(place, group)) note(group, *target);
  });
}

void BlockGroups::note_around(LevelCell cell) {
  around(cell, [&](LevelCell place) { note_place(place); });
}

void BlockGroups::note_place(LevelCell place) {
  const std::uint8_t held = cells_.level(place);
  if (held >= cells_.parts()) return;
  const auto look = [&](CellGroup group) {
    mark(group);
    if (of(group).size == 1) return;
    if (const auto target = target_of(place, group)) note(group, *target);
  };
  if (held > 0) {
    look(cells_.group(place));
    return;
  }
  const auto look_beside = [&](LevelCell cell, std::span<const CellFace> faces) {
    for (const CellFace face : faces) {
      const LevelCell next = cells_.neighbor(cell, face);
      if (next != kNoLevelCell && cells_.has_water(next)) look(cells_.group(next));
    }
  };
  look_beside(place, faces_of(cells_.shape()));
  const LevelCell above = cells_.neighbor(place, CellFace::kAbove);
  if (cells_.is_air(above)) look_beside(above, sides_of(cells_.shape()));
}

std::vector<BlockTarget> BlockGroups::look_through(Notes& notes, CellGroup group,
                                                   std::int32_t height) {
  std::vector<LevelCell>& cells = notes.cells;
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  std::vector<BlockTarget> found;
  for (const LevelCell cell : cells) {
    const auto target = target_of(cell, group);
    if (target && target->height == height) found.push_back(*target);
  }
  cells.clear();
  for (const BlockTarget& target : found) cells.push_back(target.cell);
  notes.tidied = cells.size();
  if (notes.by_place && notes.by_place->size() > 2 * cells.size()) notes.by_place.reset();
  return found;
}

std::vector<BlockTarget> BlockGroups::places(CellGroup group, std::int32_t limit) {
  std::vector<BlockTarget> found;
  if (of(group).size == 1) {  // it keeps no notes
    around(of(group).only, [&](LevelCell place) {
      const auto target = target_of(place, group);
      if (target && target->height < limit) found.push_back(*target);
    });
    return found;
  }
  std::map<std::int32_t, Notes>& frontier = of(group).frontier;
  for (auto row = frontier.begin(); row != frontier.end() && row->first < limit;) {
    const std::vector<BlockTarget> here = look_through(row->second, group, row->first);
    found.insert(found.end(), here.begin(), here.end());
    row = here.empty() ? frontier.erase(row) : std::next(row);
  }
  return found;
}

LevelCell BlockGroups::nearest_of(Notes& notes, CellGroup group, std::int32_t height, Vec3 near) {
  if (!notes.by_place) {
    look_through(notes, group, height);
    notes.by_place.emplace();
    for (const LevelCell cell : notes.cells) add_by_place(notes, cell);
  }
  near.y = height / cells_.parts();
  while (const auto at = notes.by_place->nearest(near)) {
    const LevelCell cell = cells_.cell_at(*at);
    const auto target = target_of(cell, group);
    if (target && target->height == height) return cell;
    notes.by_place->remove(*at);
  }
  return kNoLevelCell;
}

LevelCell BlockGroups::lowest_place(CellGroup group, Vec3 near) {
  if (of(group).size == 1) {
    Notes notes;
    std::int32_t lowest = std::numeric_limits<std::int32_t>::max();
    for (const BlockTarget& target : places(group, lowest)) {
      if (cells_.in_gutter(target.cell)) continue;
      if (target.height < lowest) notes.by_place.emplace();
      lowest = std::min(lowest, target.height);
      if (target.height == lowest) add_by_place(notes, target.cell);
    }
    return notes.by_place ? nearest_of(notes, group, lowest, near) : kNoLevelCell;
  }
  for (auto& [height, notes] : of(group).frontier) {
    const LevelCell found = nearest_of(notes, group, height, near);
    if (found != kNoLevelCell) return found;
  }
  return kNoLevelCell;
}

}  // namespace sluice::sim
