#include "server/sim/models/stream/turns.h"

#include <algorithm>

namespace sluice::sim {

void StreamTurns::forget() {
  rivers_.clear();
  joining_.clear();
  others_.clear();
  lingering_.clear();
  leaving_.clear();
}

StreamList StreamTurns::list_for(const StreamCells& cells, std::int32_t slot) {
  const StreamCell& cell = cells[slot];
  if (!cell.stored() || cell.still) return StreamList::kNone;
  return cell.in_river() ? StreamList::kRiver : StreamList::kOther;
}

// In a river all go where there is any room; elsewhere only where it is lower.
bool StreamTurns::is_still(const StreamCells& cells, const StreamCell& cell) {
  if (cell.in_river() ? !cell.full() : cell.level == 0) return !cell.in_river();
  const auto holds = [&](std::size_t face, std::int32_t least) {
    const std::int32_t there = cell.beside[face];
    return there == kSolidThere || (there >= 0 && cells[there].level >= least);
  };
  return holds(kBelow, kStreamLevels) && holds(kLeft, cell.level) && holds(kRight, cell.level) &&
         holds(kFront, cell.level) && holds(kBack, cell.level);
}

void StreamTurns::arrange(StreamCells& cells) {
  const bool all = cells.tick() % kLingering == 0;
  if (all) {
    for (const std::int32_t slot : lingering_) cells.relist(slot);
    lingering_.clear();
  }
  for (const std::int32_t slot : cells.relisted()) {
    StreamCell& cell = cells[slot];
    cell.still = cell.stored() && is_still(cells, cell);
    // Below falls cells fill and empty: there a turn that does nothing costs less than new lists.
    if (cell.still && !all && cell.listed == StreamList::kRiver && cell.in_river()) {
      cell.still = false;
      lingering_.push_back(slot);
    }
    if (cell.still) cells.note_still(cell);
    const StreamList list = list_for(cells, slot);
    const bool moves = list == StreamList::kRiver && cell.listed_edge != cell.to_edge;
    if (list == cell.listed && !moves) continue;
    if (cell.listed == StreamList::kRiver) {
      leaving_.push_back({static_cast<std::uint64_t>(cell.listed_edge), slot});
      if (leaving_.size() * kManyCells > rivers_.size()) cells.doubt_all();
    }
    if (cell.stored()) cells.forget_turn(cell);
    cell.listed = list;
    if (list == StreamList::kRiver) {
      cell.listed_edge = cell.to_edge;
      joining_.push_back({static_cast<std::uint64_t>(cell.to_edge), slot});
    } else if (list == StreamList::kOther) {
      others_.push_back(slot);
    }
  }
  cells.relisted().clear();
  merge_rivers(cells);
  // A cell that left and came back stands here twice.
  std::erase_if(others_, [&](std::int32_t slot) {
    StreamCell& cell = cells[slot];
    if (cell.listed != StreamList::kOther || cell.counted) return true;
    cell.counted = true;
    return false;
  });
  for (const std::int32_t slot : others_) cells[slot].counted = false;
}

// All at once.
void StreamTurns::take_out_leaving(const StreamCells& cells) {
  std::erase_if(rivers_, [&](const Turn& turn) {
    const StreamCell& cell = cells[turn.slot];
    return cell.listed != StreamList::kRiver ||
           turn.key != static_cast<std::uint64_t>(cell.listed_edge);
  });
  leaving_.clear();
}

// Each cell that joins or leaves is looked for, and what stands between them is moved as it is.
void StreamTurns::merge_rivers(const StreamCells& cells) {
  if (leaving_.empty() && joining_.empty()) return;
  const auto is_before = [&](const Turn& a, const Turn& b) { return before(cells, a, b); };
  if (leaving_.size() * kManyCells > rivers_.size()) take_out_leaving(cells);
  std::sort(joining_.begin(), joining_.end(), is_before);
  std::sort(leaving_.begin(), leaving_.end(), is_before);
  sorted_.clear();
  auto at = rivers_.begin();
  const auto copy_until = [&](const Turn& turn) {
    const auto to = std::lower_bound(at, rivers_.end(), turn, is_before);
    sorted_.insert(sorted_.end(), at, to);
    at = to;
  };
  auto leaves = leaving_.begin();
  for (const Turn& joins : joining_) {
    for (; leaves != leaving_.end() && is_before(*leaves, joins); ++leaves) {
      copy_until(*leaves);
      ++at;
    }
    copy_until(joins);
    sorted_.push_back(joins);
  }
  for (; leaves != leaving_.end(); ++leaves) {
    copy_until(*leaves);
    ++at;
  }
  sorted_.insert(sorted_.end(), at, rivers_.end());
  std::swap(rivers_, sorted_);
  joining_.clear();
  leaving_.clear();
}

void StreamTurns::begin() {
  at_ = absorbed_ = 0;
  has_current_ = false;
  late_.clear();
  taken_ = 0;
}

void StreamTurns::begin_others(StreamCells& cells) {
  turns_.clear();
  for (const std::int32_t slot : others_) turns_.push_back({cells.turn_of(cells[slot]), slot});
  for (const std::int32_t slot : cells.woken()) {
    const StreamCell& cell = cells[slot];
    if (!cell.in_river()) turns_.push_back({cells.turn_of(cell), slot});
  }
  absorbed_ = cells.woken().size();
  sort_others(cells);
  at_ = 0;
  has_current_ = false;
  late_.clear();
}

void StreamTurns::end(StreamCells& cells) {
  for (const std::int32_t slot : cells.woken()) cells[slot].woken = false;
  cells.woken().clear();
}

std::int32_t StreamTurns::next_other(StreamCells& cells) {
  return next(cells, turns_, false);
}

// Those that were woken after their turn have none in this tick: until then they had nothing to do.
void StreamTurns::absorb(StreamCells& cells, bool rivers) {
  for (; absorbed_ < cells.woken().size(); ++absorbed_) {
    const std::int32_t slot = cells.woken()[absorbed_];
    const StreamCell& cell = cells[slot];
    if (cell.in_river() != rivers) continue;
    const Turn turn = {rivers ? static_cast<std::uint64_t>(cell.to_edge) : cells.turn_of(cell),
                       slot};
    if (has_current_ && before(cells, turn, current_)) continue;
    late_.push_back(turn);
    std::push_heap(late_.begin(), late_.end(),
                   [&](const Turn& a, const Turn& b) { return before(cells, b, a); });
  }
}

std::int32_t StreamTurns::next(StreamCells& cells, const std::vector<Turn>& list, bool rivers) {
  if (absorbed_ < cells.woken().size()) absorb(cells, rivers);
  const bool more = at_ < list.size();
  if (!late_.empty() && (!more || before(cells, late_.front(), list[at_]))) {
    std::pop_heap(late_.begin(), late_.end(),
                  [&](const Turn& a, const Turn& b) { return before(cells, b, a); });
    current_ = late_.back();
    late_.pop_back();
    current_is_late_ = true;
  } else if (more) {
    current_ = list[at_++];
    current_is_late_ = false;
  } else {
    return kUnreached;
  }
  has_current_ = true;
  return current_.slot;
}

// Draws are spread evenly over their layer: each turn goes straight to about its place, and a pass
// of insertions puts right what is left.
void StreamTurns::sort_others(const StreamCells& cells) {
  if (turns_.empty()) return;
  constexpr std::uint64_t kDraws = std::uint64_t{1} << kDrawnBits;
  const auto by_key = [](const Turn& a, const Turn& b) { return a.key < b.key; };
  const auto [first, last] = std::minmax_element(turns_.begin(), turns_.end(), by_key);
  const std::uint64_t bottom = first->key >> kDrawnBits;
  layers_.assign((last->key >> kDrawnBits) - bottom + 2, 0);
  for (const Turn& turn : turns_) ++layers_[(turn.key >> kDrawnBits) - bottom + 1];
  for (std::size_t i = 1; i < layers_.size(); ++i) layers_[i] += layers_[i - 1];
  const auto about = [&](const Turn& turn) {
    const std::uint64_t layer = (turn.key >> kDrawnBits) - bottom;
    const std::uint64_t count = layers_[layer + 1] - layers_[layer];
    // The upper bits of the draw, so that the product fits.
    const std::uint64_t drawn = (turn.key & (kDraws - 1)) >> (kDrawnBits - 32);
    return layers_[layer] + (drawn * count >> 32);
  };
  places_.assign(turns_.size() + 1, 0);
  for (const Turn& turn : turns_) ++places_[about(turn) + 1];
  for (std::size_t i = 1; i < places_.size(); ++i) places_[i] += places_[i - 1];
  sorted_.resize(turns_.size());
  for (const Turn& turn : turns_) sorted_[places_[about(turn)]++] = turn;
  std::swap(turns_, sorted_);
  for (std::size_t i = 1; i < turns_.size(); ++i) {
    if (!before(cells, turns_[i], turns_[i - 1])) continue;
    const Turn turn = turns_[i];
    std::size_t to = i;
    for (; to > 0 && before(cells, turn, turns_[to - 1]); --to) turns_[to] = turns_[to - 1];
    turns_[to] = turn;
  }
}

}  // namespace sluice::sim
