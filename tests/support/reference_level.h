// The levelling of cellular water once more, written as plainly as it can be: a flat array, every
// cell by itself, what cells hold found from the rule of two stacked cells alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "server/sim/models/cellular/rule.h"
#include "server/sim/spec.h"

namespace sluice::tests {

class ReferenceLevel {
 public:
  using Cells = std::function<Cell(Vec3)>;  // gutters included
  using Gains = std::map<Vec3, std::int64_t>;

  ReferenceLevel(const sim::WorldConfig& config, const sim::CellularRule& rule, Cells cells)
      : config_(config), rule_(rule), cells_(std::move(cells)) {}

  /// What levelling adds to the cells, or takes.
  Gains gains() {
    gains_.clear();
    if (rule_.uniform || rule_.extra == 0) return gains_;
    std::set<Vec3> seen;
    const Vec3 size = config_.size;
    for (std::int32_t y = 0; y < size.y; ++y) {
      for (std::int32_t z = 0; z < size.z; ++z) {
        for (std::int32_t x = 0; x < size.x; ++x) {
          if (cells_({x, y, z}) <= 0 || seen.contains({x, y, z})) continue;
          const std::set<Vec3> body =
              joined_to({x, y, z}, [this](Vec3 p) { return cells_(p) > 0; });
          seen.insert(body.begin(), body.end());
          if (std::all_of(body.begin(), body.end(), [this](Vec3 p) { return still(p); })) {
            level(body);
          }
        }
      }
    }
    return gains_;
  }

 private:
  /// What the order of units is about: what each row of a body holds, row by row from a surface.
  using Profile = std::map<std::int32_t, std::int64_t>;

  [[nodiscard]] std::vector<Vec3> sides() const {
    if (config_.side_view()) return {{1, 0, 0}, {-1, 0, 0}};
    return {{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
  }

  /// What hangs together with a cell by cells that belong(cell).
  template <class F>
  [[nodiscard]] std::set<Vec3> joined_to(Vec3 seed, F&& belongs) const {
    std::vector<Vec3> steps = sides();
    steps.push_back({0, 1, 0});
    steps.push_back({0, -1, 0});
    std::set<Vec3> joined = {seed};
    std::vector<Vec3> pending = {seed};
    while (!pending.empty()) {
      const Vec3 p = pending.back();
      pending.pop_back();
      for (const Vec3 step : steps) {
        if (belongs(p + step) && joined.insert(p + step).second) pending.push_back(p + step);
      }
    }
    return joined;
  }

  /// Whether no face of the cell moves anything.
  [[nodiscard]] bool still(Vec3 p) const {
    constexpr Vec3 kUp = {0, 1, 0};
    const Cell cell = cells_(p);
    const auto settled = [this](Cell lower, Cell upper) {
      return !is_open(lower) || !is_open(upper) || sim::lower_share(rule_, lower + upper) == lower;
    };
    if (!settled(cell, cells_(p + kUp)) || !settled(cells_(p - kUp), cell)) return false;
    for (const Vec3 step : sides()) {
      const Vec3 q = p + step;
      if (sim::sideways_flux(rule_, cell, cells_(q), cells_(p - kUp), cells_(q - kUp)) != 0) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::int64_t upper_share(std::int64_t sum) const {
    return sum - sim::lower_share(rule_, static_cast<std::int32_t>(sum));
  }
  /// What a cell holds below one that holds so much, if it takes all that it can.
  [[nodiscard]] std::int64_t below(std::int64_t upper) const {
    std::int64_t sum = upper;
    for (std::int64_t step = 1 << 28; step > 0; step /= 2) {
      if (upper_share(sum + step) <= upper) sum += step;
    }
    return sum - upper;
  }
  /// What the upper cell holds before the lower takes its unit-th unit.
  [[nodiscard]] std::int64_t bears(std::int64_t unit) const {
    std::int64_t sum = unit;
    while (sum - upper_share(sum) < unit) ++sum;
    return sum - unit;
  }
  /// The level of a unit in row y.
  [[nodiscard]] std::int64_t level_of(std::int32_t y, std::int64_t unit) const {
    if (unit <= rule_.full) return std::int64_t{y} * rule_.full + unit;
    auto known = bears_.find(unit);
    if (known == bears_.end()) known = bears_.emplace(unit, bears(unit)).first;
    return level_of(y + 1, known->second);
  }

  [[nodiscard]] Profile profile(std::int64_t level, std::int32_t lowest) const {
    Profile rows;
    auto y = static_cast<std::int32_t>((level - 1) / rule_.full);
    if (level <= 0) return rows;
    rows[y] = level - std::int64_t{y} * rule_.full;
    for (--y; y >= lowest; --y) rows[y] = below(rows[y + 1]);
    return rows;
  }
  [[nodiscard]] static std::int64_t at(const Profile& rows, std::int32_t y) {
    const auto found = rows.find(y);
    return found == rows.end() ? 0 : found->second;
  }

  /// All cells that the body's water may stand in: its own, and what is open above them.
  [[nodiscard]] std::set<Vec3> room_of(const std::set<Vec3>& body) const {
    std::set<Vec3> room = body;
    for (Vec3 p : body) {
      while (p.y < config_.size.y && is_open(cells_(p))) {
        room.insert(p);
        ++p.y;
      }
    }
    return room;
  }

  [[nodiscard]] Vec3 foot(Vec3 p, const std::set<Vec3>& room) const {
    while (room.contains(p - Vec3{0, 1, 0})) --p.y;
    return p;
  }

  void level(const std::set<Vec3>& body) {
    const std::set<Vec3> room = room_of(body);
    std::int64_t units = 0;
    for (const Vec3 p : body) units += cells_(p);
    const std::int32_t lowest = body.begin()->y;  // they are in order from the bottom up
    std::map<std::int32_t, std::int64_t> cells_in;
    for (const Vec3 p : room) ++cells_in[p.y];
    const auto held_up_to = [&](std::int64_t level) {
      std::int64_t sum = 0;
      for (const auto& [y, amount] : profile(level, lowest)) {
        const auto row = cells_in.find(y);
        if (row != cells_in.end()) sum += row->second * amount;
      }
      return sum;
    };
    std::int64_t low = 0;
    std::int64_t high = std::int64_t{config_.size.y} * rule_.full;
    while (held_up_to(high) < units) high *= 2;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (held_up_to(middle) < units ? low : high) = middle;
    }
    if (split(body, room, high)) return;
    const Profile held = profile(high - 1, lowest);
    const Profile most = profile(high, lowest);
    std::map<Vec3, std::int64_t> due;
    for (const Vec3 p : room) due[p] = at(held, p.y);
    const auto now = [&](Vec3 p) { return body.contains(p) ? cells_(p) : 0; };
    std::int64_t strayed = 0;
    if (!share(units - held_up_to(high - 1), high, held, now, due, strayed)) return;
    std::int64_t misplaced = 0;
    for (const Vec3 p : room) {
      for (std::int64_t u = at(most, p.y) + 1; u <= now(p); ++u) {
        misplaced += level_of(p.y, u) - high;
      }
      for (std::int64_t u = now(p) + 1; u <= at(held, p.y); ++u) {
        misplaced += high - level_of(p.y, u);
      }
    }
    if (strayed >= misplaced) return;
    if (!far_apart(body, high, held, most) && !contained(body, room, most)) return;
    for (const auto& [p, amount] : due) {
      if (amount != now(p)) gains_[p] += amount - now(p);
    }
  }

  /// Levels the parts of a body that falls apart where it falls dry.
  bool split(const std::set<Vec3>& body, const std::set<Vec3>& room, std::int64_t head) {
    const auto dry = [&](Vec3 p) { return std::int64_t{foot(p, room).y} * rule_.full >= head; };
    if (std::none_of(body.begin(), body.end(), dry)) return false;
    std::set<Vec3> seen;
    for (const Vec3 seed : body) {
      if (seen.contains(seed)) continue;
      const std::set<Vec3> part =
          joined_to(seed, [&](Vec3 p) { return body.contains(p) && dry(p) == dry(seed); });
      seen.insert(part.begin(), part.end());
      level(part);
    }
    return true;
  }

  /// Shares out what is left over, in sets of cells that nothing tells apart.
  bool share(std::int64_t rest, std::int64_t head, const Profile& held,
             const std::function<std::int64_t(Vec3)>& now, std::map<Vec3, std::int64_t>& due,
             std::int64_t& strayed) {
    std::set<std::int32_t> xs;
    std::set<std::int32_t> zs;
    std::map<std::int32_t, std::vector<Vec3>, std::greater<>> rows;
    for (const auto& [p, amount] : due) {
      xs.insert(p.x);
      zs.insert(p.z);
      const auto surface = static_cast<std::int32_t>((head - 1) / rule_.full);
      if (p.y <= surface) rows[p.y].push_back(p);
    }
    const auto share_in = [&](const std::vector<Vec3>& row, bool all_levels) {
      using Key = std::tuple<bool, std::int32_t, std::int32_t, std::int64_t>;
      std::map<Key, std::vector<Vec3>> alike;
      for (const Vec3 p : row) {
        const std::int32_t dx = std::abs(2 * p.x - *xs.begin() - *xs.rbegin());
        const std::int32_t dz = std::abs(2 * p.z - *zs.begin() - *zs.rbegin());
        const bool lacks = now(p) <= at(held, p.y);
        alike[{lacks, std::max(dx, dz), std::min(dx, dz), -now(p)}].push_back(p);
      }
      for (const auto& [key, cells] : alike) {
        const std::int64_t level = level_of(cells.front().y, due[cells.front()] + 1);
        const auto count = static_cast<std::int64_t>(cells.size());
        if (count > rest || (!all_levels && level != head)) continue;
        for (const Vec3 p : cells) ++due[p];
        rest -= count;
        strayed += count * (level - head);
      }
    };
    for (const auto& [y, row] : rows) {
      if (rest > 0) share_in(row, false);
    }
    for (std::int64_t before = rest + 1; rest > 0 && rest < before;) {
      before = rest;
      for (const auto& [y, row] : rows) share_in(row, true);
    }
    return rest == 0;
  }

  [[nodiscard]] bool far_apart(const std::set<Vec3>& body, std::int64_t head, const Profile& held,
                               const Profile& most) const {
    std::int64_t highest = 0;
    std::int64_t lowest = 0;
    for (const Vec3 p : body) {
      const Vec3 over = p + Vec3{0, 1, 0};
      if (body.contains(over)) continue;
      const std::int64_t cell = cells_(p);
      std::int64_t above = 0;
      if (over.y < config_.size.y && is_open(cells_(over))) {
        above = std::int64_t{p.y} * rule_.full + cell - head;
      } else if (cell > at(most, p.y)) {
        above = level_of(p.y, cell) - head;
      } else if (cell < at(held, p.y)) {
        above = level_of(p.y, cell + 1) - head;
      }
      highest = std::max(highest, above);
      lowest = std::min(lowest, above);
    }
    return highest - lowest > bears(rule_.full + 1);
  }

  /// Whether none of the cells that it may fill would flow over into what is not its room.
  [[nodiscard]] bool contained(const std::set<Vec3>& body, const std::set<Vec3>& room,
                               const Profile& most) const {
    const std::int32_t kept = config_.side_view() ? 1 : 3;
    for (const Vec3 p : room) {
      // Below its surface it touches only what is its own, or nothing would be at rest.
      if (body.contains(p) && body.contains(p + Vec3{0, 1, 0})) continue;
      for (const Vec3 step : sides()) {
        const Cell beside = cells_(p + step);
        if (is_open(beside) && at(most, p.y) - beside > kept && !room.contains(p + step)) {
          return false;
        }
      }
    }
    return true;
  }

  const sim::WorldConfig& config_;
  const sim::CellularRule& rule_;
  Cells cells_;
  Gains gains_;
  mutable std::map<std::int64_t, std::int64_t> bears_;
};

}  // namespace sluice::tests
