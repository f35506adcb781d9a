// The block model once more, as plainly as it can be: flat arrays, every group found anew in every
// tick, no notes, no chunks, no sleep. What the engine does must be this, cell for cell.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "server/sim/draw.h"
#include "server/sim/world.h"

namespace sluice::tests {

class ReferenceBlock {
 public:
  explicit ReferenceBlock(const sim::World& world)
      : config_(world.config()), parts_(config_.block.parts), quantum_(sim::kFull / parts_) {
    load(world);
  }

  /// Takes over the cells, as after commands and springs. A walk ends where there is no longer
  /// exactly one part.
  void load(const sim::World& world) {
    for_each([&](sim::Vec3 p) {
      const sim::Cell cell = world.cell(p);
      const int level = sim::is_open(cell) ? cell / quantum_ : kRock;
      if (level != 1) steps_.erase(p);
      level_[p] = level;
    });
  }

  /// One tick. Returns the units that left over open edges.
  std::int64_t advance(std::uint64_t tick) {
    ties_ = 0;
    find_groups();
    std::map<sim::Vec3, std::vector<Claim>> claims;
    for (std::size_t g = 0; g < groups_.size(); ++g) claim(g, tick, claims);
    std::map<std::size_t, std::vector<Place>> won;
    for (auto& [at, wishes] : claims) {
      std::sort(wishes.begin(), wishes.end());
      won[wishes.front().group].push_back(wishes.front().place);
      if (wishes.size() > 1 && wishes[0].same_but_for_side(wishes[1])) ++ties_;
    }
    std::int64_t drained = 0;
    std::map<sim::Vec3, int> change;
    std::map<sim::Vec3, int> walked;
    for (auto& [group, places] : won) {
      const std::vector<sim::Vec3> from = take(group, places);
      for (const sim::Vec3 at : from) --change[at];
      for (const Place& place : places) {
        if (config_.box().contains(place.at)) {
          ++change[place.at];
          if (place.walk) walked[place.at] = steps_[from.front()] + 1;
        } else {
          drained += quantum_;
        }
      }
    }
    for (const auto& [at, by] : change) {
      level_[at] += by;
      steps_.erase(at);
    }
    for (const auto& [at, steps] : walked) steps_[at] = steps;
    return drained;
  }

  [[nodiscard]] sim::Cell cell(sim::Vec3 p) const {
    const int level = level_.at(p);
    return level == kRock ? sim::kRock : level * quantum_;
  }
  /// How often the last tick chose between two sides that nothing but their side told apart.
  [[nodiscard]] int ties() const { return ties_; }

 private:
  static constexpr int kRock = -1;
  static constexpr int kGreatest = INT32_MAX;

  struct Place {
    sim::Vec3 at;
    std::int64_t height = 0;
    int side = 0;  // through which the group touches it, in the order of precedence
    bool falls = false;
    bool walk = false;
  };
  struct Claim {
    Place place;
    std::int64_t pressure = 0;
    std::size_t size = 0;
    std::size_t group = 0;
    [[nodiscard]] auto key() const { return std::tuple(-pressure, ~size, place.side); }
    friend bool operator<(const Claim& a, const Claim& b) { return a.key() < b.key(); }
    [[nodiscard]] bool same_but_for_side(const Claim& b) const {
      return pressure == b.pressure && size == b.size;
    }
  };

  template <class F>
  void for_each(F&& f) const {
    for (std::int32_t y = 0; y < config_.size.y; ++y) {
      for (std::int32_t z = 0; z < config_.size.z; ++z) {
        for (std::int32_t x = 0; x < config_.size.x; ++x) f(sim::Vec3{x, y, z});
      }
    }
  }
  /// Above, left, right, front, back, below.
  [[nodiscard]] std::vector<std::pair<int, sim::Vec3>> around(sim::Vec3 p) const {
    std::vector<std::pair<int, sim::Vec3>> cells = {
        {0, {p.x, p.y + 1, p.z}}, {1, {p.x - 1, p.y, p.z}}, {2, {p.x + 1, p.y, p.z}}};
    if (!config_.side_view()) {
      cells.push_back({3, {p.x, p.y, p.z - 1}});
      cells.push_back({4, {p.x, p.y, p.z + 1}});
    }
    cells.push_back({5, {p.x, p.y - 1, p.z}});
    return cells;
  }
  /// Beyond an open edge there is always room; beyond a wall, and beyond two edges, there is rock.
  [[nodiscard]] int level(sim::Vec3 p) const {
    if (const auto found = level_.find(p); found != level_.end()) return found->second;
    const sim::Edges& edges = config_.edges;
    const sim::Vec3 end = config_.size;
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
      std::vector<sim::Vec3> cells = {start};
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
  }

  [[nodiscard]] std::int64_t top(std::size_t g) const {
    std::int64_t top = INT64_MIN;
    for (const sim::Vec3 p : groups_[g]) {
      top = std::max(top, std::int64_t{p.y} * parts_ + level(p) - 1);
    }
    return top;
  }

  /// Every place that the group's water could go to next.
  [[nodiscard]] std::vector<Place> places(std::size_t g) const {
    std::map<sim::Vec3, Place> found;
    for (const sim::Vec3 p : groups_[g]) {
      if (level(p) < parts_) {
        const bool falls = level({p.x, p.y + 1, p.z}) > 0;
        found[p] = {p, std::int64_t{p.y} * parts_ + level(p), 5, falls, false};
      }
      for (const auto& [side, next] : around(p)) {
        if (level(next) != 0) continue;
        if (side == 0 && level(p) < parts_) continue;
        // Seen from the place, the group lies on the opposite side.
        const int opposite[] = {5, 2, 1, 4, 3, 0};
        const Place place = {next, std::int64_t{next.y} * parts_, opposite[side], side == 5, false};
        const auto [known, is_new] = found.try_emplace(next, place);
        if (!is_new && place.side < known->second.side) known->second = place;
      }
    }
    std::vector<Place> list;
    for (const auto& [at, place] : found) list.push_back(place);
    return list;
  }

  void claim(std::size_t g, std::uint64_t tick, std::map<sim::Vec3, std::vector<Claim>>& claims) {
    const std::int64_t top_height = top(g);
    std::int64_t largest = 0;
    std::vector<std::pair<std::int64_t, Place>> wishes;
    for (const Place& place : places(g)) {
      const bool greatest = place.falls && config_.block.downward == sim::Downward::kGreatest;
      const std::int64_t pressure = greatest ? kGreatest : top_height - place.height;
      largest = std::max(largest, pressure);
      wishes.emplace_back(pressure, place);
    }
    if (largest > 0) {
      for (const auto& [pressure, place] : wishes) {
        if (pressure == largest)
          claims[place.at].push_back({place, pressure, groups_[g].size(), g});
      }
      return;
    }
    const sim::Vec3 only = groups_[g].front();
    if (groups_[g].size() > 1 || level(only) != 1) return;
    if (steps_[only] >= config_.block.walk_steps) return;
    std::vector<Place> ways;
    for (const auto& [side, next] : around(only)) {
      if (side == 0 || side == 5 || level(next) != 0) continue;
      const int opposite[] = {5, 2, 1, 4, 3, 0};
      ways.push_back({next, 0, opposite[side], false, true});
    }
    if (ways.empty()) return;
    const auto drawn = sim::draw(config_.seed, tick, only, sim::DrawPurpose::kBlockWalk);
    const Place way = ways[sim::choose(drawn, static_cast<std::uint32_t>(ways.size()))];
    claims[way.at].push_back({way, 0, 1, g});
    ++ties_;  // chance knows no mirror
  }

  /// The cells that give a part each; shortens `places` to as many.
  std::vector<sim::Vec3> take(std::size_t g, std::vector<Place>& places) {
    if (places.front().walk) return groups_[g];
    // All parts of the group, from the top.
    std::map<std::int64_t, std::vector<sim::Vec3>, std::greater<>> rows;
    for (const sim::Vec3 p : groups_[g]) {
      for (int part = 0; part < level(p); ++part) {
        rows[std::int64_t{p.y} * parts_ + part].push_back(p);
      }
    }
    const auto by_x = [](sim::Vec3 a, sim::Vec3 b) {
      return std::pair(a.x, a.z) < std::pair(b.x, b.z);
    };
    for (auto& [height, row] : rows) std::sort(row.begin(), row.end(), by_x);
    shorten(rows, places);
    std::vector<sim::Vec3> from;
    for (auto& [height, row] : rows) {
      const std::size_t left = places.size() - from.size();
      if (row.size() <= left) {
        from.insert(from.end(), row.begin(), row.end());
      } else {
        if (left > 0) take_some(row, places, left, from);
        break;
      }
    }
    return from;
  }

  template <class Rows>
  void shorten(const Rows& rows, std::vector<Place>& places) {
    std::sort(places.begin(), places.end(),
              [](const Place& a, const Place& b) { return a.height > b.height; });
    std::size_t possible = 0;
    for (const auto& [height, row] : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (possible < places.size() && places[possible].height < height) ++possible;
      }
    }
    if (possible == places.size()) return;
    std::set<std::int32_t> x;
    std::set<std::int32_t> z;
    for (const sim::Vec3 p : rows.begin()->second) {
      x.insert(p.x);
      z.insert(p.z);
    }
    const auto distance = [&](const Place& p) {
      return std::abs(2 * p.at.x - *x.begin() - *x.rbegin()) +
             std::abs(2 * p.at.z - *z.begin() - *z.rbegin());
    };
    std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
      return std::tuple(distance(a), a.at.x, a.at.z) < std::tuple(distance(b), b.at.x, b.at.z);
    });
    if (distance(places[possible - 1]) == distance(places[possible])) ++ties_;
    places.resize(possible);
  }

  /// `part` of `whole` as a share of `count`, to the nearest, halves up.
  std::size_t share(std::size_t count, std::size_t part, std::size_t whole) {
    const std::size_t doubled = 2 * count * part;
    if (doubled % whole == 0 && doubled / whole % 2 == 1) ++ties_;
    return (doubled / whole + 1) / 2;
  }

  void take_some(std::vector<sim::Vec3> row, const std::vector<Place>& places, std::size_t count,
                 std::vector<sim::Vec3>& from) {
    std::size_t left_of_middle = 0;
    for (const Place& p : places) {
      const int twice = 2 * p.at.x - row.front().x - row.back().x;
      left_of_middle += twice < 0 ? 1U : 0U;
      ties_ += twice == 0 ? 1 : 0;
    }
    std::size_t right = share(count, left_of_middle, places.size());
    std::size_t left = count - right;
    std::map<std::int32_t, std::vector<sim::Vec3>> columns;
    for (const sim::Vec3 p : row) columns[p.x].push_back(p);
    const auto whole = [&](auto column, std::size_t& wanted) {
      if (wanted == 0 || column->second.size() > wanted) return false;
      from.insert(from.end(), column->second.begin(), column->second.end());
      wanted -= column->second.size();
      columns.erase(column);
      return true;
    };
    while (whole(std::prev(columns.end()), right)) {
    }
    while (whole(columns.begin(), left)) {
    }
    if (columns.size() == 1) {
      take_of_column(columns.begin()->second, places, left + right, from);
    } else {
      take_of_column(std::prev(columns.end())->second, places, right, from);
      take_of_column(columns.begin()->second, places, left, from);
    }
  }

  void take_of_column(const std::vector<sim::Vec3>& column, const std::vector<Place>& places,
                      std::size_t count, std::vector<sim::Vec3>& from) {
    if (count == 0) return;
    std::size_t in_front = 0;
    for (const Place& p : places) {
      const int twice = 2 * p.at.z - column.front().z - column.back().z;
      in_front += twice < 0 ? 1U : 0U;
      ties_ += twice == 0 && !config_.side_view() ? 1 : 0;
    }
    const std::size_t back = share(count, in_front, places.size());
    from.insert(from.end(), column.end() - static_cast<std::ptrdiff_t>(back), column.end());
    from.insert(from.end(), column.begin(),
                column.begin() + static_cast<std::ptrdiff_t>(count - back));
  }

  sim::WorldConfig config_;
  int parts_;
  int quantum_;
  std::map<sim::Vec3, int> level_;
  std::map<sim::Vec3, int> steps_;
  std::map<sim::Vec3, std::size_t> group_of_;
  std::vector<std::vector<sim::Vec3>> groups_;
  int ties_ = 0;
};

}  // namespace sluice::tests
