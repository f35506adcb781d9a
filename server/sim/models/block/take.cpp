#include "server/sim/models/block/take.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace sluice::sim {

namespace {

/// Of `count`, the share that `part` of `whole` makes, to the nearest; halves up.
std::size_t share(std::size_t count, std::size_t part, std::size_t whole) {
  return (2 * count * part + whole) / (2 * whole);
}

/// Takes `count` blocks of one row of a side view, whose blocks are more than that, from both ends.
class RowTaker {
 public:
  RowTaker(const BlockRow& row, std::span<const BlockMove> moves, std::vector<LevelCell>& from)
      : row_(row), moves_(moves), from_(from) {}

  void take(std::size_t count) {
    const std::int64_t middle = std::int64_t{row_.front().x} + row_.back().x;
    const auto to_the_left = static_cast<std::size_t>(std::count_if(
        moves_.begin(), moves_.end(),
        [middle](const BlockMove& move) { return 2 * std::int64_t{move.at.x} < middle; }));
    const std::size_t at_right = share(count, to_the_left, moves_.size());
    const auto give = [this](const RowCell& entry) { from_.push_back(entry.cell); };
    row_.last(at_right, give);
    row_.first(count - at_right, give);
  }

 private:
  const BlockRow& row_;
  std::span<const BlockMove> moves_;
  std::vector<LevelCell>& from_;
};

/// Takes `count` blocks of one row of a 3D world: those that are farthest, in x and z together,
/// from the middle of all places.
void take_farthest(const BlockRow& row, std::span<const BlockMove> moves, std::size_t count,
                   std::vector<LevelCell>& from) {
  const auto places = static_cast<std::int64_t>(moves.size());
  std::int64_t sum_x = 0;
  std::int64_t sum_z = 0;
  for (const BlockMove& move : moves) {
    sum_x += move.at.x;
    sum_z += move.at.z;
  }
  if (count == 1) {
    from.push_back(row.farthest(places, sum_x, sum_z).cell);
    return;
  }
  struct Far {
    std::int64_t apart;
    RowCell entry;
    bool operator<(const Far& other) const {
      return apart != other.apart ? apart > other.apart : entry < other.entry;
    }
  };
  std::vector<Far> farthest;  // of those seen so far; a heap, the nearest first
  row.for_each([&](const RowCell& entry) {
    const std::int64_t x = places * entry.x - sum_x;
    const std::int64_t z = places * entry.z - sum_z;
    const Far one = {(x < 0 ? -x : x) + (z < 0 ? -z : z), entry};
    if (farthest.size() == count) {
      if (!(one < farthest.front())) return;
      std::pop_heap(farthest.begin(), farthest.end());
      farthest.pop_back();
    }
    farthest.push_back(one);
    std::push_heap(farthest.begin(), farthest.end());
  });
  // In order: who is told which part went where must hear the same of every library's algorithm.
  std::sort_heap(farthest.begin(), farthest.end());
  for (const Far& one : farthest) from.push_back(one.entry.cell);
}

}  // namespace

RowMiddle middle_of(Vec3 only) {
  return {2 * std::int64_t{only.x}, 2 * std::int64_t{only.z}};
}

RowMiddle middle_of(const BlockRow& row) {
  std::int32_t front = row.front().z;
  std::int32_t back = front;
  row.for_each([&](const RowCell& entry) {
    front = std::min(front, entry.z);
    back = std::max(back, entry.z);
  });
  return {std::int64_t{row.front().x} + row.back().x, std::int64_t{front} + back};
}

TopRows::TopRows(const LevelCells& cells, const std::map<std::int32_t, BlockRow>& rows)
    : cells_(cells), next_(rows.rbegin()), end_(rows.rend()) {
  go_to(next_->first);
}

bool TopRows::descend() {
  std::vector<RowCell> lowered;
  row_->for_each([&](const RowCell& entry) {
    if (height_ > cells_.height(entry.cell, 0)) lowered.push_back(entry);
  });
  lowered_.swap(lowered);
  if (lowered_.empty() && next_ == end_) return false;
  go_to(lowered_.empty() ? next_->first : height_ - 1);
  return true;
}

void TopRows::go_to(std::int32_t height) {
  height_ = height;
  const bool stored = next_ != end_ && next_->first == height;
  if (lowered_.empty()) {
    row_ = &next_->second;
  } else {
    if (stored) {
      const auto middle = static_cast<std::ptrdiff_t>(lowered_.size());
      next_->second.for_each([this](const RowCell& entry) { lowered_.push_back(entry); });
      std::inplace_merge(lowered_.begin(), lowered_.begin() + middle, lowered_.end());
    }
    merged_.assign(lowered_);
    row_ = &merged_;
  }
  if (stored) ++next_;
}

void take_from_top(const LevelCells& cells, const std::map<std::int32_t, BlockRow>& rows,
                   const std::vector<BlockMove>& moves, std::vector<LevelCell>& from) {
  std::size_t left = moves.size();
  for (TopRows top(cells, rows); left > 0; top.descend()) {
    const BlockRow& row = top.row();
    if (row.size() > left) {
      if (cells.shape().log_z == 0) {
        RowTaker(row, moves, from).take(left);
      } else {
        take_farthest(row, moves, left, from);
      }
      return;
    }
    row.for_each([&](const RowCell& entry) { from.push_back(entry.cell); });
    left -= row.size();
  }
}

}  // namespace sluice::sim
