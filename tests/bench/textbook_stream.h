// The published rule's way of finding water: every cell of a river follows the directions back to
// its spring in every tick, marks the way and takes the width of its narrowest place. What the
// engine's cost is compared with. It moves nothing: a whole tick of the published rule would cost
// more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "server/sim/models/stream/cells.h"
#include "server/sim/world.h"

namespace sluice::bench {

class TextbookStream {
 public:
  /// The flowing cells of a world of stream water, each with the neighbour that leads to a spring.
  explicit TextbookStream(const sim::World& world) {
    std::map<Vec3, std::size_t> places;
    world.grid().for_each([&](const sim::Chunk& chunk) {
      if (chunk.marks == nullptr) return;
      for (std::size_t i = 0; i < kChunkCells; ++i) {
        const sim::StreamMark mark = sim::unpack(chunk.marks->cells[i]);
        if (mark.active == 0) continue;
        const Vec3 at = world.grid().shape().cell_at(chunk.coord, static_cast<int>(i));
        places.emplace(at, cells_.size());
        cells_.push_back({mark, cells_.size(), chunk.cells[i] / sim::kUnitsPerLevel, 0});
        where_.push_back(at);
      }
    });
    // As the directions lead where no flow ever met another: the shortest way to a spring.
    std::vector<std::size_t> queue;
    std::vector<bool> reached(cells_.size());
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      order_.push_back(i);
      if (!cells_[i].mark.is_source) continue;
      reached[i] = true;
      queue.push_back(i);
    }
    for (std::size_t next = 0; next < queue.size(); ++next) {
      for (const Vec3 step : sim::kFaceStep) {
        const auto found = places.find(where_[queue[next]] + step);
        if (found == places.end() || reached[found->second]) continue;
        reached[found->second] = true;
        cells_[found->second].parent = queue[next];
        queue.push_back(found->second);
      }
    }
  }

  [[nodiscard]] std::int64_t cells() const { return static_cast<std::int64_t>(cells_.size()); }

  std::int64_t tick() {
    std::shuffle(order_.begin(), order_.end(), generator_);
    std::int64_t flow = 0;
    for (const std::size_t start : order_) {
      std::int32_t largest = 8;
      std::size_t at = start;
      while (cells_[at].parent != at) {
        at = cells_[at].parent;
        largest = std::min(largest, std::max(cells_[at].level, 1));
        cells_[at].active = 7;
      }
      flow += largest;
    }
    return flow;
  }

 private:
  struct Cell {
    sim::StreamMark mark;
    std::size_t parent;
    std::int32_t level;
    std::int32_t active;
  };
  std::vector<Cell> cells_;
  std::vector<Vec3> where_;
  std::vector<std::size_t> order_;
  std::mt19937_64 generator_{1};
};

}  // namespace sluice::bench
