// The cells of a block world and the groups that they form, as plainly as it can be: all of them
// found anew, in flat maps (reference_block.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "server/sim/models/level_cells.h"
#include "server/sim/world.h"

namespace sluice::tests {

class ReferenceGroups {
 public:
  explicit ReferenceGroups(const sim::World& world)
      : config_(world.config()),
        parts_(config_.option("parts")),
        quantum_(kFull / parts_),
        cells_(world.grid(), parts_, sim::FirstLook::kEmpty) {}

 protected:
  static constexpr int kRock = -1;

  template <class F>
  void for_each(F&& f) const {
    for (std::int32_t y = 0; y < config_.size.y; ++y) {
      for (std::int32_t z = 0; z < config_.size.z; ++z) {
        for (std::int32_t x = 0; x < config_.size.x; ++x) f(Vec3{x, y, z});
      }
    }
  }
  /// Above, left, right, front, back, below.
  [[nodiscard]] std::vector<std::pair<int, Vec3>> around(Vec3 p) const {
    std::vector<std::pair<int, Vec3>> cells = {
        {0, {p.x, p.y + 1, p.z}}, {1, {p.x - 1, p.y, p.z}}, {2, {p.x + 1, p.y, p.z}}};
    if (!config_.side_view()) {
      cells.push_back({3, {p.x, p.y, p.z - 1}});
      cells.push_back({4, {p.x, p.y, p.z + 1}});
    }
    cells.push_back({5, {p.x, p.y - 1, p.z}});
    return cells;
  }
  /// Beyond an open edge there is always room; beyond a wall, and beyond two edges, there is rock.
  [[nodiscard]] int level(Vec3 p) const {
    if (const auto found = level_.find(p); found != level_.end()) return found->second;
    const sim::Edges& edges = config_.edges;
    const Vec3 end = config_.size;
    int outside = 0;
    bool open = false;
    const auto beyond = [&](bool there, sim::Edge edge) {
      if (!there) return;
      ++outside;
      open = edge == sim::Edge::kOpen;
    };
    beyond(p.x < 0, edges.left);
    beyond(p.x >= end.x, edges.right);
    beyond(p.y < 0, edges.bottom);
    beyond(p.y >= end.y, edges.top);
    beyond(p.z < 0, edges.front);
    beyond(p.z >= end.z, edges.back);
    return outside == 1 && open ? 0 : kRock;
  }

  void find_groups() {
    group_of_.clear();
    groups_.clear();
    for (const auto& [start, held] : level_) {
      if (held <= 0 || group_of_.contains(start)) continue;
      std::vector<Vec3> cells = {start};
      group_of_[start] = groups_.size();
      for (std::size_t i = 0; i < cells.size(); ++i) {
        for (const auto& [side, next] : around(cells[i])) {
          if (level(next) <= 0 || group_of_.contains(next)) continue;
          group_of_[next] = groups_.size();
          cells.push_back(next);
        }
      }
      groups_.push_back(std::move(cells));
    }
    for (const auto& [at, held] : level_) {
      const sim::LevelCell cell = cells_.cell_at(at);
      const auto group = group_of_.find(at);
      const bool wet = group != group_of_.end();
      cells_.set_level(cell,
                       held == kRock ? sim::LevelCells::kSolid : static_cast<std::uint8_t>(held));
      cells_.set_group(cell, wet ? static_cast<sim::CellGroup>(group->second) : sim::kNoGroup);
    }
  }

  [[nodiscard]] std::int64_t top(std::size_t g) const {
    std::int64_t top = INT64_MIN;
    for (const Vec3 p : groups_[g]) {
      top = std::max(top, std::int64_t{p.y} * parts_ + level(p) - 1);
    }
    return top;
  }

  [[nodiscard]] bool in_group(Vec3 p, std::size_t g) const {
    const auto found = group_of_.find(p);
    return found != group_of_.end() && found->second == g;
  }

  [[nodiscard]] bool stands(Vec3 p) const {
    do {
      --p.y;
    } while (level(p) > 0);
    return level(p) == kRock;
  }

  sim::WorldConfig config_;
  int parts_;
  int quantum_;
  std::map<Vec3, int> level_;
  std::map<Vec3, std::size_t> group_of_;
  std::vector<std::vector<Vec3>> groups_;
  sim::LevelCells cells_;  // the same, as the engine's flow reads it
};

}  // namespace sluice::tests
