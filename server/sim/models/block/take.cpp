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
  RowTaker(std::span<const RowCell> row, std::span<const BlockMove> moves,
           std::vector<BlockCell>& from)
      : row_(row), moves_(moves), from_(from) {}

  void take(std::size_t count) {
    const std::int64_t middle = std::int64_t{row_.front().x} + row_.back().x;
    const auto to_the_left = static_cast<std::size_t>(std::count_if(
        moves_.begin(), moves_.end(),
        [middle](const BlockMove& move) { return 2 * std::int64_t{move.at.x} < middle; }));
    const std::size_t at_right = share(count, to_the_left, moves_.size());
    for (const RowCell& entry : row_.last(at_right)) from_.push_back(entry.cell);
    for (const RowCell& entry : row_.first(count - at_right)) from_.push_back(entry.cell);
  }

 private:
  std::span<const RowCell> row_;
  std::span<const BlockMove> moves_;
  std::vector<BlockCell>& from_;
};

/// Takes `count` blocks of one row of a 3D world: those that are farthest, in x and z together,
/// from the middle of all places.
void take_farthest(const BlockRow& row, std::span<const BlockMove> moves, std::size_t count,
                   std::vector<BlockCell>& from) {
  const auto places = static_cast<std::int64_t>(moves.size());
  std::int64_t sum_x = 0;
  std::int64_t sum_z = 0;
  for (const BlockMove& move : moves) {
    sum_x += move.at.x;
    sum_z += move.at.z;
  }
  const auto key = [=](const RowCell& entry) {
    const std::int64_t x = places * entry.x - sum_x;
    const std::int64_t z = places * entry.z - sum_z;
    return std::tuple(-((x < 0 ? -x : x) + (z < 0 ? -z : z)), entry.x, entry.z);
  };
  BlockRow sorted = row;
  // In order: who is told which part went where must hear the same of every library's algorithm.
  std::partial_sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count),
                    sorted.end(),
                    [&key](const RowCell& a, const RowCell& b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < count; ++i) from.push_back(sorted[i].cell);
}

}  // namespace

RowMiddle middle_of(Vec3 only) {
  return {2 * std::int64_t{only.x}, 2 * std::int64_t{only.z}};
}

RowMiddle middle_of(const BlockRow& row) {
  const auto [front, back] = std::minmax_element(
      row.begin(), row.end(), [](const RowCell& a, const RowCell& b) { return a.z < b.z; });
  return {std::int64_t{row.front().x} + row.back().x, std::int64_t{front->z} + back->z};
}

TopRows::TopRows(const BlockCells& cells, const std::map<std::int32_t, BlockRow>& rows)
    : cells_(cells), next_(rows.rbegin()), end_(rows.rend()) {
  go_to(next_->first);
}

bool TopRows::descend() {
  BlockRow lowered;
  for (const RowCell& entry : *row_) {
    if (height_ > cells_.height(entry.cell, 0)) lowered.push_back(entry);
  }
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
      lowered_.insert(lowered_.end(), next_->second.begin(), next_->second.end());
      std::inplace_merge(lowered_.begin(), lowered_.begin() + middle, lowered_.end());
    }
    merged_.swap(lowered_);
    row_ = &merged_;
  }
  if (stored) ++next_;
}

void take_from_top(const BlockCells& cells, const std::map<std::int32_t, BlockRow>& rows,
                   const std::vector<BlockMove>& moves, std::vector<BlockCell>& from) {
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
    for (const RowCell& entry : row) from.push_back(entry.cell);
    left -= row.size();
  }
}

}  // namespace sluice::sim
