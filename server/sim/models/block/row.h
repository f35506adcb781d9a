// A row of a group: its water cells whose topmost parts have one height.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/sim/models/level_cells.h"

namespace sluice::sim {

/// A water cell in a row. Rows are sorted by x, then z.
struct RowCell {
  std::int32_t x = 0;
  std::int32_t z = 0;
  LevelCell cell = kNoLevelCell;

  friend bool operator<(const RowCell& a, const RowCell& b) {
    return a.x != b.x ? a.x < b.x : a.z < b.z;
  }
};

/// Sorted, in pages: a cell that comes or goes moves those of its page alone, however wide a lake.
class BlockRow {
 public:
  static constexpr std::size_t kMostInPage = 512;

  explicit BlockRow(std::size_t most_in_page = kMostInPage) : most_in_page_(most_in_page) {}

  /// All of its cells, sorted.
  void assign(const std::vector<RowCell>& sorted);
  /// One that it does not hold.
  void insert(const RowCell& entry);
  /// One that it holds.
  void erase(const RowCell& entry);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const RowCell& front() const { return pages_.front().cells.front(); }
  [[nodiscard]] const RowCell& back() const { return pages_.back().cells.back(); }
  /// The one that is farthest, along x and z together, from the middle of as many `places` as have
  /// these sums; of several the first.
  [[nodiscard]] const RowCell& farthest(std::int64_t places, std::int64_t sum_x,
                                        std::int64_t sum_z) const;
  /// f(entry) for each in order.
  template <class F>
  void for_each(F&& f) const {
    for_each_from(0, size_, f);
  }
  template <class F>
  void first(std::size_t count, F&& f) const {
    for_each_from(0, count, f);
  }
  template <class F>
  void last(std::size_t count, F&& f) const {
    for_each_from(size_ - count, count, f);
  }

 private:
  /// The outermost cells of a page, found when somebody asks: of all distances from a place the
  /// greatest is that of one of these.
  struct Corners {
    bool known = false;
    std::int64_t least_sum = 0;  // of x + z
    std::int64_t greatest_sum = 0;
    std::int64_t least_difference = 0;  // of x - z
    std::int64_t greatest_difference = 0;
  };
  struct Page {
    std::vector<RowCell> cells;
    mutable Corners corners;
  };

  static const Corners& corners_of(const Page& page);
  template <class F>
  void for_each_from(std::size_t skipped, std::size_t count, F&& f) const;
  std::vector<Page>::iterator page_of(const RowCell& entry);

  std::size_t most_in_page_;
  std::size_t size_ = 0;
  std::vector<Page> pages_;  // none is empty
};

template <class F>
void BlockRow::for_each_from(std::size_t skipped, std::size_t count, F&& f) const {
  for (const Page& page : pages_) {
    if (count == 0) return;
    if (skipped >= page.cells.size()) {
      skipped -= page.cells.size();
      continue;
    }
    for (std::size_t i = skipped; i < page.cells.size() && count > 0; ++i, --count) {
      f(page.cells[i]);
    }
    skipped = 0;
  }
}

}  // namespace sluice::sim
