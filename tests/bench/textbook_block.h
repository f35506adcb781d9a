// The block rule as it is usually written: a flat array, and every group of the world found anew in
// every tick. What the engine's cost is compared with. Side view, whole blocks, walls all around.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::bench {

class TextbookBlock {
 public:
  enum class Kind : std::uint8_t { kAir, kWater, kRock };

  TextbookBlock(std::int32_t width, std::int32_t height)
      : width_(width + 2), cells_(static_cast<std::size_t>(width_ * (height + 2)), Kind::kRock) {
    for (std::int32_t y = 0; y < height; ++y) {
      for (std::int32_t x = 0; x < width; ++x) at(x, y) = Kind::kAir;
    }
  }

  Kind& at(std::int32_t x, std::int32_t y) {
    return cells_[static_cast<std::size_t>((y + 1) * width_ + x + 1)];
  }

  /// Returns the blocks that moved.
  std::int64_t tick() {
    std::int64_t moved = 0;
    seen_.assign(cells_.size(), false);
    const std::vector<Kind> before = cells_;
    for (std::size_t start = 0; start < before.size(); ++start) {
      if (before[start] != Kind::kWater || seen_[start]) continue;
      flood(before, start);
      moved += move_group(before);
    }
    return moved;
  }

 private:
  void flood(const std::vector<Kind>& before, std::size_t start) {
    group_.assign(1, start);
    seen_[start] = true;
    for (std::size_t i = 0; i < group_.size(); ++i) {
      for (const std::ptrdiff_t step : {-1L, 1L, -std::ptrdiff_t{width_}, std::ptrdiff_t{width_}}) {
        const std::size_t next = group_[i] + static_cast<std::size_t>(step);
        if (before[next] != Kind::kWater || seen_[next]) continue;
        seen_[next] = true;
        group_.push_back(next);
      }
    }
  }

  std::int64_t move_group(const std::vector<Kind>& before) {
    const auto width = static_cast<std::size_t>(width_);
    const std::size_t top = *std::max_element(group_.begin(), group_.end()) / width;
    std::int64_t largest = 0;
    std::vector<std::size_t> targets;
    const auto look = [&](std::size_t place, std::int64_t pressure) {
      if (before[place] != Kind::kAir || pressure <= 0 || pressure < largest) return;
      if (pressure > largest) targets.clear();
      largest = pressure;
      targets.push_back(place);
    };
    for (const std::size_t cell : group_) {
      const auto depth = static_cast<std::int64_t>(top - cell / width);
      look(cell - width, INT32_MAX);
      look(cell - 1, depth);
      look(cell + 1, depth);
      look(cell + width, depth - 1);
    }
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    std::vector<std::size_t> row;
    for (const std::size_t cell : group_) {
      if (cell / width == top) row.push_back(cell);
    }
    std::sort(row.begin(), row.end());
    std::int64_t moved = 0;
    for (const std::size_t target : targets) {
      if (row.empty() || cells_[target] != Kind::kAir) continue;
      const bool left = 2 * (target % width) < row.front() % width + row.back() % width;
      const std::size_t from = left ? row.back() : row.front();
      row.erase(left ? row.end() - 1 : row.begin());
      std::swap(cells_[from], cells_[target]);
      ++moved;
    }
    return moved;
  }

  std::int32_t width_;
  std::vector<Kind> cells_;
  std::vector<char> seen_;
  std::vector<std::size_t> group_;
};

}  // namespace sluice::bench
