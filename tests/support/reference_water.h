// The cellular model once more, written as plainly as it can be: one flat array, no chunks, no
// sleep, no vectors, no workers. What the engine does must be this, cell for cell.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "server/sim/models/cellular/rule.h"
#include "server/sim/world.h"
#include "tests/support/reference_level.h"

namespace sluice::tests {

class ReferenceWater {
 public:
  explicit ReferenceWater(const sim::World& world)
      : config_(world.config()), rule_(sim::prepare(config_)), tick_(world.tick_number()) {
    load(world);
  }

  /// Takes over the cells, as after commands and springs.
  void load(const sim::World& world) {
    cells_.clear();
    for_each([&](Vec3 p) { cells_.push_back(world.cell(p)); });
  }

  /// The sweeps of one tick, and its levelling. Returns the units that left over open edges.
  std::int64_t advance() {
    drained_ = 0;
    moved_ = true;
    for (std::int32_t sweep = 0; moved_ && sweep < config_.option("max_sweeps"); ++sweep) {
      moved_ = false;
      least_ = sweep == 0 ? 0 : config_.option("smallest_flow");
      const std::vector<Cell> old = cells_;
      sideways(old, {1, 0, 0}, config_.edges.left, config_.edges.right);
      if (!config_.side_view()) {
        sideways(old, {0, 0, 1}, config_.edges.front, config_.edges.back);
      }
      vertical();
    }
    if (++tick_ % 16 == 1) level();
    return drained_;
  }

  [[nodiscard]] Cell cell(Vec3 p) const { return inside(p) ? cells_[index(p)] : kOutside; }

 private:
  [[nodiscard]] bool inside(Vec3 p) const { return config_.box().contains(p); }
  [[nodiscard]] std::size_t index(Vec3 p) const {
    const Vec3 s = config_.size;
    return static_cast<std::size_t>((std::int64_t{p.y} * s.z + p.z) * s.x + p.x);
  }
  template <class F>
  void for_each(F&& f) {
    for (std::int32_t y = 0; y < config_.size.y; ++y) {
      for (std::int32_t z = 0; z < config_.size.z; ++z) {
        for (std::int32_t x = 0; x < config_.size.x; ++x) f(Vec3{x, y, z});
      }
    }
  }
  /// What stands under a cell: below an open bottom, air.
  [[nodiscard]] static Cell under(const std::vector<Cell>& old, const ReferenceWater& me, Vec3 p) {
    if (p.y > 0) return old[me.index({p.x, p.y - 1, p.z})];
    return me.config_.edges.bottom == sim::Edge::kOpen ? kAir : kOutside;
  }

  /// Without what is too small for this sweep.
  [[nodiscard]] std::int32_t large_enough(std::int32_t flux) const {
    return std::abs(flux) < least_ ? 0 : flux;
  }

  void sideways(const std::vector<Cell>& old, Vec3 step, sim::Edge low, sim::Edge high) {
    const auto flux = [&](Vec3 p, Vec3 q) {  // from p to q = p + step
      if (inside(p) && inside(q)) {
        return sim::sideways_flux(rule_, old[index(p)], old[index(q)], under(old, *this, p),
                                  under(old, *this, q));
      }
      if (inside(p) && high == sim::Edge::kOpen) {
        return sim::sideways_flux(rule_, old[index(p)], kAir, under(old, *this, p), 0);
      }
      if (inside(q) && low == sim::Edge::kOpen) {
        return sim::sideways_flux(rule_, kAir, old[index(q)], 0, under(old, *this, q));
      }
      return 0;
    };
    for_each([&](Vec3 p) {
      const std::int32_t in = large_enough(flux(p - step, p));
      const std::int32_t out = large_enough(flux(p, p + step));
      cells_[index(p)] += in - out;
      if (!inside(p - step) && in < 0) drained_ -= in;
      if (!inside(p + step) && out > 0) drained_ += out;
      moved_ = moved_ || in != 0 || out != 0;
    });
  }

  void vertical() {
    for (std::int32_t z = 0; z < config_.size.z; ++z) {
      for (std::int32_t x = 0; x < config_.size.x; ++x) {
        Cell below_world = kAir;
        if (config_.edges.bottom == sim::Edge::kOpen) pair(below_world, cells_[index({x, 0, z})]);
        for (std::int32_t y = 0; y + 1 < config_.size.y; ++y) {
          pair(cells_[index({x, y, z})], cells_[index({x, y + 1, z})]);
        }
        Cell above_world = kAir;
        if (config_.edges.top == sim::Edge::kOpen) {
          pair(cells_[index({x, config_.size.y - 1, z})], above_world);
        }
        drained_ += below_world + above_world;
      }
    }
  }

  void pair(Cell& lower, Cell& upper) {
    if (lower < 0 || upper < 0) return;
    const std::int32_t sum = lower + upper;
    const std::int32_t settled = sim::lower_share(rule_, sum);
    moved_ = moved_ || settled != lower;
    lower = settled;
    upper = sum - settled;
  }

  void level() {
    ReferenceLevel level(config_, rule_, [this](Vec3 p) { return cell_or_gutter(p); });
    for (const auto& [p, units] : level.gains()) {
      cells_[index(p)] += static_cast<std::int32_t>(units);
    }
  }

  [[nodiscard]] Cell cell_or_gutter(Vec3 p) const {
    if (inside(p)) return cells_[index(p)];
    const Vec3 size = config_.size;
    const sim::Edges& edges = config_.edges;
    const auto outside = [](std::int32_t at, std::int32_t end) { return at < 0 || at >= end; };
    const int axes = outside(p.x, size.x) + outside(p.y, size.y) + outside(p.z, size.z);
    const bool open = (p.x < 0 && edges.left == sim::Edge::kOpen) ||
                      (p.x >= size.x && edges.right == sim::Edge::kOpen) ||
                      (p.y < 0 && edges.bottom == sim::Edge::kOpen) ||
                      (p.y >= size.y && edges.top == sim::Edge::kOpen) ||
                      (p.z < 0 && edges.front == sim::Edge::kOpen) ||
                      (p.z >= size.z && edges.back == sim::Edge::kOpen);
    return axes == 1 && open ? kAir : kOutside;
  }

  sim::WorldConfig config_;
  sim::CellularRule rule_;
  std::uint64_t tick_;
  std::vector<Cell> cells_;
  std::int64_t drained_ = 0;
  std::int32_t least_ = 0;  // units: a smaller sideways flux waits for the next tick
  bool moved_ = false;
};

}  // namespace sluice::tests
