// The published rule of pipe networks, plainly: levels, reservations, an order from the most
// downstream to the most upstream, made anew in each tick. What the pipe benchmarks compare with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace sluice::bench {

class TextbookPipes {
 public:
  TextbookPipes(std::vector<std::int32_t> amounts, std::int32_t capacity,
                const std::vector<std::pair<std::size_t, std::size_t>>& links)
      : amounts_(std::move(amounts)), capacity_(capacity), neighbours_(amounts_.size()) {
    for (const auto& [a, b] : links) {
      neighbours_[a].push_back(b);
      neighbours_[b].push_back(a);
    }
  }

  std::int64_t tick() {
    std::vector<std::size_t> order(amounts_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::vector<std::int32_t> levels = amounts_;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return levels[a] < levels[b]; });
    std::int64_t moved = 0;
    for (const std::size_t node : order) {
      std::int64_t demanded = 0;
      for (const std::size_t to : neighbours_[node]) demanded += reserved(levels, node, to);
      if (demanded == 0) continue;
      const std::int64_t gives = std::min<std::int64_t>(demanded, amounts_[node]);
      for (const std::size_t to : neighbours_[node]) {
        const std::int64_t part = gives * reserved(levels, node, to) / demanded;
        const auto fits = std::min<std::int64_t>(part, capacity_ - amounts_[to]);
        amounts_[to] += static_cast<std::int32_t>(fits);
        amounts_[node] -= static_cast<std::int32_t>(fits);
        moved += fits;
      }
    }
    return moved;
  }

 private:
  static std::int64_t reserved(const std::vector<std::int32_t>& levels, std::size_t from,
                               std::size_t to) {
    return std::max(0, (levels[from] - levels[to]) / 3);
  }

  std::vector<std::int32_t> amounts_;
  std::int32_t capacity_;
  std::vector<std::vector<std::size_t>> neighbours_;
};

}  // namespace sluice::bench
