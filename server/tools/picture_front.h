// What a picture shows of a world: its cells as they are seen from the front, and how high the
// water stands that each is joined to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "server/sim/world.h"

namespace sluice::tools {

/// What is seen of a column of cells from the front.
struct Seen {
  Cell cell = kAir;
  std::int32_t distance = 0;  // cells of air before it
};

/// Of the cells of a view. The world may change afterwards.
class Front {
 public:
  Front(const sim::World& world, const Box& view)
      : view_(view),
        seen_(static_cast<std::size_t>(view.size.x) * static_cast<std::size_t>(view.size.y)) {
    for (std::int32_t y = 0; y < view.size.y; ++y) {
      for (std::int32_t x = 0; x < view.size.x; ++x) look(world, x, y);
    }
    join();
  }

  /// Air beyond the view.
  [[nodiscard]] Seen at(std::int32_t x, std::int32_t y) const {
    if (x < 0 || y < 0 || x >= view_.size.x || y >= view_.size.y) return {};
    return seen_[index(x, y)];
  }
  [[nodiscard]] bool wet(std::int32_t x, std::int32_t y) const { return at(x, y).cell > 0; }
  /// Cells from the middle of this one up to the surface of its body.
  [[nodiscard]] double depth(std::int32_t x, std::int32_t y) {
    return std::max(0.0, top_[body_of(index(x, y))] - y - 0.5);
  }
  /// Water that does not stand on anything.
  [[nodiscard]] bool falls(std::int32_t x, std::int32_t y) const {
    return wet(x, y) && at(x, y).cell < kFull && y > 0 && at(x, y - 1).cell >= 0 &&
           at(x, y - 1).cell < kFull;
  }

 private:
  [[nodiscard]] std::size_t index(std::int32_t x, std::int32_t y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(view_.size.x) +
           static_cast<std::size_t>(x);
  }

  void look(const sim::World& world, std::int32_t x, std::int32_t y) {
    Seen& seen = seen_[index(x, y)];
    for (std::int32_t z = 0; z < view_.size.z; ++z) {
      const Cell cell = world.cell(view_.from + Vec3{x, y, z});
      if (cell == kAir) continue;
      seen = {cell, z};
      return;
    }
  }

  // Union-find over wet cells that touch.
  void join() {
    body_.resize(seen_.size());
    std::iota(body_.begin(), body_.end(), std::size_t{0});
    top_.resize(seen_.size());
    for (std::int32_t y = 0; y < view_.size.y; ++y) {
      for (std::int32_t x = 0; x < view_.size.x; ++x) {
        if (!wet(x, y)) continue;
        const double fill = std::min(1.0, double(at(x, y).cell) / kFull);
        top_[index(x, y)] = y + fill;
        if (wet(x - 1, y)) unite(index(x, y), index(x - 1, y));
        if (wet(x, y - 1) && !falls(x, y)) unite(index(x, y), index(x, y - 1));
      }
    }
  }

  void unite(std::size_t a, std::size_t b) {
    a = body_of(a);
    b = body_of(b);
    body_[a] = b;
    top_[b] = std::max(top_[a], top_[b]);
  }

  std::size_t body_of(std::size_t i) {
    while (body_[i] != i) {
      body_[i] = body_[body_[i]];
      i = body_[i];
    }
    return i;
  }

  Box view_;
  std::vector<Seen> seen_;  // from the lowest row up
  std::vector<std::size_t> body_;
  std::vector<double> top_;  // of the body, cells above the view's floor
};

}  // namespace sluice::tools
