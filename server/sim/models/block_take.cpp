#include "server/sim/models/block_take.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace sluice::sim {

namespace {

/// Of `count`, the share that `part` of `whole` makes, to the nearest; halves up.
std::size_t share(std::size_t count, std::size_t part, std::size_t whole) {
  return (2 * count * part + whole) / (2 * whole);
}

/// Takes `count` blocks of one row, whose blocks are more than that.
class RowTaker {
 public:
  RowTaker(std::span<const BlockRow::value_type> row, std::span<const BlockMove> moves,
           std::vector<BlockCell>& from)
      : row_(row), moves_(moves), from_(from) {}

  void take(std::size_t count) {
    const std::int64_t middle = std::int64_t{row_.front().x} + row_.back().x;
    const auto to_the_left = static_cast<std::size_t>(std::count_if(
        moves_.begin(), moves_.end(),
        [middle](const BlockMove& move) { return 2 * std::int64_t{move.at.x} < middle; }));
    std::size_t at_right = share(count, to_the_left, moves_.size());
    std::size_t at_left = count - at_right;
    // Whole columns (the blocks of one x; in a side view there is one of each) from both ends.
    for (Column last = last_column(); at_right >= last.size() && at_right > 0;
         last = last_column()) {
      take_all(last);
      at_right -= last.size();
      row_ = row_.first(row_.size() - last.size());
    }
    for (Column first = first_column(); at_left >= first.size() && at_left > 0;
         first = first_column()) {
      take_all(first);
      at_left -= first.size();
      row_ = row_.subspan(first.size());
    }
    if (at_right == 0 && at_left == 0) return;
    const bool same = row_.front().x == row_.back().x;
    if (same) {
      take_some(row_, at_right + at_left);
    } else {
      if (at_right > 0) take_some(last_column(), at_right);
      if (at_left > 0) take_some(first_column(), at_left);
    }
  }

 private:
  using Column = std::span<const RowCell>;

  [[nodiscard]] Column last_column() const {
    const auto begin = std::find_if(row_.rbegin(), row_.rend(), [this](const RowCell& entry) {
                         return entry.x != row_.back().x;
                       }).base();
    return {begin, row_.end()};
  }
  [[nodiscard]] Column first_column() const {
    const auto end = std::find_if(row_.begin(), row_.end(), [this](const RowCell& entry) {
      return entry.x != row_.front().x;
    });
    return {row_.begin(), end};
  }
  void take_all(Column column) {
    for (const RowCell& entry : column) from_.push_back(entry.cell);
  }
  void take_some(Column column, std::size_t count) {
    const std::int64_t middle = std::int64_t{column.front().z} + column.back().z;
    const auto to_the_front = static_cast<std::size_t>(std::count_if(
        moves_.begin(), moves_.end(),
        [middle](const BlockMove& move) { return 2 * std::int64_t{move.at.z} < middle; }));
    const std::size_t at_back = share(count, to_the_front, moves_.size());
    take_all(column.last(at_back));
    take_all(column.first(count - at_back));
  }

  Column row_;
  std::span<const BlockMove> moves_;
  std::vector<BlockCell>& from_;
};

/// Those nearest to the middle of the row first, of two as near the left or front one.
void keep_nearest(const BlockRow& row, std::size_t count, std::vector<BlockMove>& moves) {
  const auto [front, back] = std::minmax_element(
      row.begin(), row.end(), [](const RowCell& a, const RowCell& b) { return a.z < b.z; });
  const std::int64_t middle_x = std::int64_t{row.front().x} + row.back().x;
  const std::int64_t middle_z = std::int64_t{front->z} + back->z;
  const auto key = [=](const BlockMove& move) {
    const std::int64_t x = 2 * std::int64_t{move.at.x} - middle_x;
    const std::int64_t z = 2 * std::int64_t{move.at.z} - middle_z;
    return std::tuple((x < 0 ? -x : x) + (z < 0 ? -z : z), move.at.x, move.at.z);
  };
  std::sort(moves.begin(), moves.end(),
            [&key](const BlockMove& a, const BlockMove& b) { return key(a) < key(b); });
  moves.resize(count);
}

/// The topmost rows as they are while parts are taken from them: what a cell has below a part that
/// it gave belongs to the next row.
class TopRows {
 public:
  TopRows(const BlockCells& cells, const std::map<std::int32_t, BlockRow>& rows)
      : cells_(cells), next_(rows.rbegin()), end_(rows.rend()) {
    go_to(next_->first);
  }
  [[nodiscard]] std::int32_t height() const { return height_; }
  [[nodiscard]] const BlockRow& row() const { return *row_; }
  /// False below the last row.
  bool descend() {
    BlockRow lowered;
    for (const RowCell& entry : *row_) {
      if (height_ > cells_.height(entry.cell, 0)) lowered.push_back(entry);
    }
    lowered_.swap(lowered);
    if (lowered_.empty() && next_ == end_) return false;
    go_to(lowered_.empty() ? next_->first : height_ - 1);
    return true;
  }

 private:
  void go_to(std::int32_t height) {
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

  const BlockCells& cells_;
  std::map<std::int32_t, BlockRow>::const_reverse_iterator next_;
  std::map<std::int32_t, BlockRow>::const_reverse_iterator end_;
  std::int32_t height_ = 0;
  const BlockRow* row_ = nullptr;
  BlockRow merged_;
  BlockRow lowered_;
};

/// How many of the moves, whose places are sorted from the highest on, the topmost parts can make.
std::size_t possible_moves(const BlockCells& cells, const std::map<std::int32_t, BlockRow>& rows,
                           const std::vector<BlockMove>& moves) {
  std::size_t possible = 0;
  TopRows top(cells, rows);
  do {
    for (std::size_t i = 0; i < top.row().size(); ++i) {
      if (possible == moves.size() || moves[possible].height >= top.height()) return possible;
      ++possible;
    }
  } while (top.descend());
  return possible;
}

}  // namespace

void take_from_top(const BlockCells& cells, const std::map<std::int32_t, BlockRow>& rows,
                   std::vector<BlockMove>& moves, std::vector<BlockCell>& from) {
  std::sort(moves.begin(), moves.end(),
            [](const BlockMove& a, const BlockMove& b) { return a.height > b.height; });
  const std::size_t possible = possible_moves(cells, rows, moves);
  // Only among places of one height, that of the smallest pressure above 0, can there be too many.
  if (possible < moves.size()) keep_nearest(rows.rbegin()->second, possible, moves);
  std::size_t left = moves.size();
  for (TopRows top(cells, rows); left > 0; top.descend()) {
    const BlockRow& row = top.row();
    if (row.size() > left) {
      RowTaker(row, moves, from).take(left);
      return;
    }
    for (const RowCell& entry : row) from.push_back(entry.cell);
    left -= row.size();
  }
}

}  // namespace sluice::sim
