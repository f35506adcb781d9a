// The block model once more, as plainly as it can be: flat arrays, every group found anew in every
// tick, no notes, no chunks, no sleep. What the engine does must be this, cell for cell.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "server/sim/draw.h"
#include "server/sim/models/block/flow.h"
#include "server/sim/world.h"
#include "tests/support/reference_groups.h"

namespace sluice::tests {

class ReferenceBlock : private ReferenceGroups {
 public:
  explicit ReferenceBlock(const sim::World& world) : ReferenceGroups(world), flow_(cells_) {
    load(world);
  }

  /// Takes over the cells, as after commands and springs. A walk ends where there is no longer
  /// exactly one part.
  void load(const sim::World& world) {
    for_each([&](Vec3 p) {
      const Cell cell = world.cell(p);
      const int level = is_open(cell) ? cell / quantum_ : kRock;
      if (level != 1) steps_.erase(p);
      level_[p] = level;
      solid_[p] = cell;
    });
  }

  /// One tick. Returns the units that left over open edges.
  std::int64_t advance(std::uint64_t tick) {
    ties_ = 0;
    find_groups();
    std::map<Vec3, std::vector<Claim>> claims;
    for (std::size_t g = 0; g < groups_.size(); ++g) claim(g, tick, claims);
    std::map<std::size_t, std::vector<Place>> won;
    for (auto& [at, claimed] : claims) {
      std::sort(claimed.begin(), claimed.end());
      won[claimed.front().group].push_back(claimed.front().place);
      if (claimed.size() > 1 && claimed[0].same_but_for_side(claimed[1])) ++ties_;
    }
    std::int64_t drained = 0;
    std::map<Vec3, int> change;
    std::map<Vec3, int> walked;
    for (auto& [group, places] : won) {
      const std::vector<Vec3> from = take(group, places);
      for (const Vec3 at : from) --change[at];
      for (const Place& place : places) {
        if (config_.box().contains(place.at)) {
          change[place.at] += place.parts;
          if (place.walk) walked[place.at] = steps_[from.front()] + 1;
        } else {
          drained += place.parts * quantum_;
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

  [[nodiscard]] Cell cell(Vec3 p) const {
    const int level = level_.at(p);
    return level == kRock ? solid_.at(p) : level * quantum_;
  }
  /// How often the last tick chose between two sides that nothing but their side told apart.
  [[nodiscard]] int ties() const { return ties_; }

 private:
  static constexpr int kGreatest = INT32_MAX;

  struct Place {
    Vec3 at;
    std::int64_t height = 0;
    int side = 0;  // through which the group touches it, in the order of precedence
    bool diagonal = false;
    bool falls = false;
    bool walk = false;
    int parts = 1;
  };
  /// A cell of the group that touches a place.
  struct Touch {
    Vec3 at;
    int side = 0;
    bool diagonal = false;
  };
  struct Room {
    bool falls = false;
    std::int64_t height = 0;
    std::int64_t far = 0;
    std::int32_t x = 0;
    std::int32_t z = 0;
    std::size_t place = 0;
    [[nodiscard]] auto rank() const { return std::tuple(!falls, height, far); }
    [[nodiscard]] auto key() const { return std::tuple(!falls, height, far, x, z); }
  };
  struct Claim {
    Place place;
    std::int64_t pressure = 0;
    std::size_t size = 0;
    std::size_t group = 0;
    [[nodiscard]] auto key() const {
      return std::tuple(-pressure, ~size, place.diagonal, place.side);
    }
    friend bool operator<(const Claim& a, const Claim& b) { return a.key() < b.key(); }
    [[nodiscard]] bool same_but_for_side(const Claim& b) const {
      return pressure == b.pressure && size == b.size;
    }
  };

  /// The group's cells that touch a place, in the order of precedence.
  [[nodiscard]] std::vector<Touch> touching(Vec3 p, std::size_t g) const {
    std::vector<Touch> found;
    const Vec3 above = {p.x, p.y + 1, p.z};
    const Vec3 below = {p.x, p.y - 1, p.z};
    if (in_group(above, g)) found.push_back({above, 0, false});
    if (level(p) > 0) {
      if (in_group(p, g)) found.push_back({p, 5, false});
      return found;
    }
    const auto sides = [&](Vec3 from, bool diagonal) {
      for (const auto& [side, next] : around(from)) {
        if (side != 0 && side != 5 && in_group(next, g)) found.push_back({next, side, diagonal});
      }
    };
    if (level(below) != 0) sides(p, false);
    if (level(above) == 0) sides(above, true);
    if (in_group(below, g) && level(below) == parts_) found.push_back({below, 5, false});
    return found;
  }

  /// Every place that the group's water could go to next.
  [[nodiscard]] std::vector<Place> places(std::size_t g) const {
    std::set<Vec3> cells;
    for (const Vec3 p : groups_[g]) {
      cells.insert(p);
      for (const auto& [side, next] : around(p)) {
        cells.insert(next);
        if (side != 0 && side != 5) cells.insert({next.x, next.y - 1, next.z});
      }
    }
    std::vector<Place> list;
    for (const Vec3 p : cells) {
      if (level(p) == kRock || level(p) == parts_) continue;
      const std::vector<Touch> touches = touching(p, g);
      if (touches.empty()) continue;
      const Touch& first = touches.front();
      list.push_back({p, std::int64_t{p.y} * parts_ + level(p), first.side, first.diagonal,
                      first.side == 0, false, 0});
    }
    return list;
  }

  [[nodiscard]] bool greatest() const { return config_.option("downward") == 0; }

  /// What one group wants, with as many parts for each place as it can bring there.
  std::vector<Place> demands(std::size_t g, std::uint64_t tick) {
    const std::int32_t lean = tick % 2 == 1 ? 1 : -1;
    const std::int64_t top_height = top(g);
    std::vector<Place> list = places(g);
    std::vector<Room> rooms;
    const auto [middle_x, middle_z] = middle_of_top_row(g);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Place& place = list[i];
      const bool falls = place.falls && greatest();
      const std::vector<Touch> touches = touching(place.at, g);
      if (greatest() && !falls && std::none_of(touches.begin(), touches.end(), [&](const Touch& t) {
            return stands(t.at);
          })) {
        continue;
      }
      const std::int64_t far =
          std::abs(2 * place.at.x - middle_x) + std::abs(2 * place.at.z - middle_z);
      for (int part = std::max(level(place.at), 0); part < parts_; ++part) {
        const std::int64_t height = std::int64_t{place.at.y} * parts_ + part;
        if (height < top_height)
          rooms.push_back({falls, height, far, lean * place.at.x, lean * place.at.z, i});
      }
    }
    std::sort(rooms.begin(), rooms.end(),
              [](const Room& a, const Room& b) { return a.key() < b.key(); });
    const std::vector<std::int64_t> heights = heights_of(g);
    std::size_t possible = 0;
    while (possible < rooms.size() && pairs(rooms, heights, possible + 1)) ++possible;
    if (possible > 0 && possible < rooms.size() &&
        rooms[possible - 1].rank() == rooms[possible].rank()) {
      ++ties_;
    }
    if (possible > 1) {
      flow_.begin(static_cast<sim::CellGroup>(g), static_cast<std::int64_t>(groups_[g].size()),
                  static_cast<std::int32_t>(heights[possible - 1]));
    }
    std::map<std::size_t, std::int32_t> numbers;
    for (std::size_t i = 0; i < possible; ++i) {
      Place& place = list[rooms[i].place];
      const auto [number, first] = numbers.emplace(rooms[i].place, 0);
      if (possible > 1 && first) number->second = flow_.add_place(mouths(g, place));
      if (possible == 1 || flow_.pass(number->second)) {
        ++place.parts;
      } else {
        ++ties_;  // with another order of searches it may have had a way
      }
    }
    std::erase_if(list, [](const Place& place) { return place.parts == 0; });
    return list;
  }

  [[nodiscard]] std::pair<std::int64_t, std::int64_t> middle_of_top_row(std::size_t g) const {
    std::set<std::int32_t> x;
    std::set<std::int32_t> z;
    for (const Vec3 p : groups_[g]) {
      if (std::int64_t{p.y} * parts_ + level(p) - 1 != top(g)) continue;
      x.insert(p.x);
      z.insert(p.z);
    }
    return {*x.begin() + *x.rbegin(), *z.begin() + *z.rbegin()};
  }

  /// Of all parts, from the top.
  [[nodiscard]] std::vector<std::int64_t> heights_of(std::size_t g) const {
    std::vector<std::int64_t> heights;
    for (const Vec3 p : groups_[g]) {
      for (int part = 0; part < level(p); ++part) {
        heights.push_back(std::int64_t{p.y} * parts_ + part);
      }
    }
    std::sort(heights.begin(), heights.end(), std::greater<>());
    return heights;
  }

  static bool pairs(const std::vector<Room>& rooms, const std::vector<std::int64_t>& heights,
                    std::size_t count) {
    if (count > heights.size()) return false;
    std::vector<std::int64_t> wanted;
    for (std::size_t i = 0; i < count; ++i) wanted.push_back(rooms[i].height);
    std::sort(wanted.begin(), wanted.end(), std::greater<>());
    for (std::size_t i = 0; i < count; ++i) {
      if (heights[i] <= wanted[i]) return false;
    }
    return true;
  }

  /// The cells through which a place can be given to. (The ways from there are those of the engine:
  /// block_flow_test.cpp compares them with another search.)
  [[nodiscard]] std::vector<sim::BlockFlow::Mouth> mouths(std::size_t g, const Place& place) {
    std::vector<sim::BlockFlow::Mouth> found;
    const bool falls = place.falls && greatest();
    for (const Touch& touch : touching(place.at, g)) {
      if (falls ? touch.side != 0 : greatest() && !stands(touch.at)) continue;
      const auto face = static_cast<sim::CellFace>(touch.at == place.at ? 0 : touch.side);
      found.push_back({cells_.cell_at(touch.at), face});
    }
    return found;
  }

  void claim(std::size_t g, std::uint64_t tick, std::map<Vec3, std::vector<Claim>>& claims) {
    const std::int64_t top_height = top(g);
    const std::vector<Place> wanted = demands(g, tick);
    for (const Place& place : wanted) {
      const std::int64_t pressure =
          place.falls && greatest() ? kGreatest : top_height - place.height;
      claims[place.at].push_back({place, pressure, groups_[g].size(), g});
    }
    const Vec3 only = groups_[g].front();
    if (!wanted.empty() || groups_[g].size() > 1 || level(only) != 1) return;
    if (steps_[only] >= config_.option("walk_steps")) return;
    std::vector<Place> ways;
    for (const auto& [side, next] : around(only)) {
      if (side == 0 || side == 5 || level(next) != 0) continue;
      const int opposite[] = {5, 2, 1, 4, 3, 0};
      ways.push_back({next, 0, opposite[side], false, false, true, 1});
    }
    if (ways.empty()) return;
    const auto drawn = sim::draw(config_.seed, tick, only, sim::DrawPurpose::kBlockWalk);
    const Place way = ways[sim::choose(drawn, static_cast<std::uint32_t>(ways.size()))];
    claims[way.at].push_back({way, 0, 1, g});
    ++ties_;  // chance knows no mirror
  }

  /// The cells that give a part each.
  std::vector<Vec3> take(std::size_t g, const std::vector<Place>& places) {
    if (places.front().walk) return groups_[g];
    std::vector<Vec3> wanted;
    for (const Place& place : places) {
      wanted.insert(wanted.end(), static_cast<std::size_t>(place.parts), place.at);
    }
    // All parts of the group, from the top.
    std::map<std::int64_t, std::vector<Vec3>, std::greater<>> rows;
    for (const Vec3 p : groups_[g]) {
      for (int part = 0; part < level(p); ++part) {
        rows[std::int64_t{p.y} * parts_ + part].push_back(p);
      }
    }
    const auto by_x = [](Vec3 a, Vec3 b) { return std::pair(a.x, a.z) < std::pair(b.x, b.z); };
    std::vector<Vec3> from;
    for (auto& [height, row] : rows) {
      std::sort(row.begin(), row.end(), by_x);
      const std::size_t left = wanted.size() - from.size();
      if (row.size() <= left) {
        from.insert(from.end(), row.begin(), row.end());
        continue;
      }
      if (left > 0) {
        config_.side_view() ? take_from_ends(row, wanted, left, from)
                            : take_farthest(row, wanted, left, from);
      }
      break;
    }
    return from;
  }

  /// `part` of `whole` as a share of `count`, to the nearest, halves up.
  std::size_t share(std::size_t count, std::size_t part, std::size_t whole) {
    const std::size_t doubled = 2 * count * part;
    if (doubled % whole == 0 && doubled / whole % 2 == 1) ++ties_;
    return (doubled / whole + 1) / 2;
  }

  void take_from_ends(const std::vector<Vec3>& row, const std::vector<Vec3>& places,
                      std::size_t count, std::vector<Vec3>& from) {
    std::size_t left_of_middle = 0;
    for (const Vec3 p : places) {
      const int twice = 2 * p.x - row.front().x - row.back().x;
      left_of_middle += twice < 0 ? 1U : 0U;
      ties_ += twice == 0 ? 1 : 0;
    }
    const std::size_t right = share(count, left_of_middle, places.size());
    from.insert(from.end(), row.end() - static_cast<std::ptrdiff_t>(right), row.end());
    from.insert(from.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(count - right));
  }

  void take_farthest(std::vector<Vec3> row, const std::vector<Vec3>& places, std::size_t count,
                     std::vector<Vec3>& from) {
    const auto distance = [&](Vec3 p) {
      std::int64_t x = 0;
      std::int64_t z = 0;
      for (const Vec3 place : places) {
        x += p.x - place.x;
        z += p.z - place.z;
      }
      return std::abs(x) + std::abs(z);
    };
    std::stable_sort(row.begin(), row.end(),
                     [&](Vec3 a, Vec3 b) { return distance(a) > distance(b); });
    if (distance(row[count - 1]) == distance(row[count])) ++ties_;
    from.insert(from.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(count));
  }

  std::map<Vec3, Cell> solid_;  // of which material
  std::map<Vec3, int> steps_;
  sim::BlockFlow flow_;
  int ties_ = 0;
};

}  // namespace sluice::tests
