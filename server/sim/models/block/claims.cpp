#include "server/sim/models/block/claims.h"

#include <algorithm>
#include <functional>

#include "server/sim/models/block/take.h"

namespace sluice::sim {

bool BlockClaims::claim_for(CellGroup group, std::uint64_t tick, std::vector<BlockClaim>& claims) {
  const std::int32_t top = groups_.top(group);
  targets_ = groups_.places(group, top);
  if (targets_.empty()) return false;
  list_rooms(group, top, tick % 2 == 1 ? 1 : -1);
  std::sort(rooms_.begin(), rooms_.end());
  list_heights(group);
  const std::size_t possible = possible_moves();
  parts_.assign(targets_.size(), 0);
  if (possible > 1) flow_.begin(group, groups_.size(group), heights_[possible - 1]);
  numbers_.assign(targets_.size(), kNoNumber);
  for (std::size_t i = 0; i < possible; ++i) {
    if (possible == 1 || flow_.pass(number_of(group, rooms_[i]))) ++parts_[rooms_[i].target];
  }
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (parts_[i] == 0) continue;
    const BlockTarget& target = targets_[i];
    const bool greatest = target.falls && downward_ == Downward::kGreatest;
    claims.push_back({target, greatest ? kGreatestPressure : top - target.height,
                      groups_.size(group), group, parts_[i]});
  }
  return possible > 0;
}

void BlockClaims::list_rooms(CellGroup group, std::int32_t top, std::int32_t lean) {
  rooms_.clear();
  const RowMiddle middle = groups_.size(group) > 1 ? middle_of(groups_.rows(group).rbegin()->second)
                                                   : middle_of(cells_.at(groups_.only_cell(group)));
  const bool greatest = downward_ == Downward::kGreatest;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const BlockTarget& target = targets_[i];
    const bool falls = greatest && target.falls;
    // Water that is falling itself presses on nothing.
    if (greatest && !falls &&
        !groups_.touching(target.cell, group,
                          [&](LevelCell cell, CellFace, bool) { return stands(cell); })) {
      continue;
    }
    const Vec3 at = cells_.at(target.cell);
    const std::int32_t end = (at.y + 1) * cells_.parts();
    for (std::int32_t height = target.height; height < std::min(end, top); ++height) {
      rooms_.push_back({falls, height, middle.distance(at), lean * at.x, lean * at.z, i});
    }
  }
}

// Of as many parts as there are rooms, if there are so many above the lowest.
void BlockClaims::list_heights(CellGroup group) {
  heights_.clear();
  if (rooms_.empty()) return;
  const auto lowest =
      std::min_element(rooms_.begin(), rooms_.end(),
                       [](const Room& a, const Room& b) { return a.height < b.height; });
  const auto add = [&](std::int32_t height, std::size_t count) {
    if (height <= lowest->height) return false;
    heights_.insert(heights_.end(), std::min(count, rooms_.size() - heights_.size()), height);
    return heights_.size() < rooms_.size();
  };
  if (groups_.size(group) == 1) {
    const LevelCell cell = groups_.only_cell(group);
    for (std::int32_t part = cells_.level(cell); part-- > 0;) {
      if (!add(cells_.height(cell, part), 1)) return;
    }
    return;
  }
  TopRows rows(cells_, groups_.rows(group));
  while (add(rows.height(), rows.row().size()) && rows.descend()) {
  }
}

/// Whether each of the first `count` rooms has a part of its own above it.
bool BlockClaims::pairs(std::size_t count) {
  if (count > heights_.size()) return false;
  paired_.clear();
  for (std::size_t i = 0; i < count; ++i) paired_.push_back(rooms_[i].height);
  std::sort(paired_.begin(), paired_.end(), std::greater<>());
  for (std::size_t i = 0; i < count; ++i) {
    if (heights_[i] <= paired_[i]) return false;
  }
  return true;
}

std::size_t BlockClaims::possible_moves() {
  // One more room never makes a pairing possible that was not: so halving finds the largest.
  std::size_t possible = 0;
  std::size_t beyond = std::min(rooms_.size(), heights_.size()) + 1;
  while (possible + 1 < beyond) {
    const std::size_t middle = possible + (beyond - possible) / 2;
    (pairs(middle) ? possible : beyond) = middle;
  }
  return possible;
}

/// Of the room's place in flow_.
std::int32_t BlockClaims::number_of(CellGroup group, const Room& room) {
  std::int32_t& number = numbers_[room.target];
  if (number != kNoNumber) return number;
  const BlockTarget& target = targets_[room.target];
  const bool greatest = downward_ == Downward::kGreatest;
  mouths_.clear();
  groups_.touching(target.cell, group, [&](LevelCell cell, CellFace from, bool /*diagonal*/) {
    const bool gives = room.falls ? from == CellFace::kAbove : !greatest || stands(cell);
    // A cell that takes more passes it down itself.
    if (gives) mouths_.push_back({cell, cell == target.cell ? CellFace::kAbove : from});
    return false;
  });
  return number = flow_.add_place(mouths_);
}

// On rock, or on a wall of the world, by way of the group's own water.
bool BlockClaims::stands(LevelCell cell) {
  LevelCell below = cells_.neighbor(cell, CellFace::kBelow);
  while (below != kNoLevelCell && cells_.has_water(below)) {
    below = cells_.neighbor(below, CellFace::kBelow);
  }
  return !cells_.is_air(below);
}

}  // namespace sluice::sim
