#include "server/sim/models/hydro/head.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

namespace sluice::sim::hydro {

namespace {

Surface surface_over(const Grid& grid, Vec3 at) {
  const Vec3 top = grid.top_over(at, kFull);
  return {top, grid.cell(top)};
}

/// The lowest cell of the run in which an open cell lies.
Vec3 floor_of(const Grid& grid, Vec3 at) {
  const ChunkShape& shape = grid.shape();
  while (grid.world_box().contains({at.x, at.y - 1, at.z})) {
    const Chunk* const chunk = grid.find(shape.chunk_of({at.x, at.y - 1, at.z}));
    const std::int32_t first = shape.origin(shape.chunk_of({at.x, at.y - 1, at.z})).y;
    if (chunk == nullptr) {
      at.y = std::max(first, 0);
      continue;
    }
    const auto open_below = [&] {
      return is_open(
          chunk->cells[static_cast<std::size_t>(shape.index_of({at.x, at.y - 1, at.z}))]);
    };
    while (at.y > first && open_below()) --at.y;
    if (at.y > first) break;
  }
  return at;
}

/// A run of open cells: its lowest one, and the first cell that is not full.
struct RunOfCells {
  Vec3 floor;
  Surface surface;

  /// Above its water; what falls higher up is no part of the body.
  [[nodiscard]] std::int32_t end() const { return surface.at.y + (surface.amount > 0 ? 1 : 0); }
};

RunOfCells run_at(const Grid& grid, Vec3 at) {
  const Vec3 floor = floor_of(grid, at);
  return {floor, surface_over(grid, floor)};
}

/// f(run) for each run whose water touches that of `run`.
template <class F>
void for_each_neighbour(const Grid& grid, const RunOfCells& run, F&& f) {
  for (const Vec3 step : {Vec3{-1, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 0, -1}, Vec3{0, 0, 1}}) {
    for (Vec3 at = run.floor + step; at.y < run.end(); ++at.y) {
      if (!is_open(grid.cell(at))) continue;
      const RunOfCells other = run_at(grid, at);
      if (at.y < other.end()) f(other);
      // On to its roof.
      at.y = std::max(at.y, other.surface.at.y);
      while (at.y < run.end() && is_open(grid.cell(at))) ++at.y;
    }
  }
}

/// f(surface) for each surface of the body that a full cell under a roof belongs to: runs whose
/// water touches. They are taken in rings around the cell; the ring with which they would be more
/// than `most` is left out as a whole, so that no side comes first. `seen` holds the lowest cells
/// of runs. Returns whether that was all of the body.
template <class F>
bool for_each_surface(const Grid& grid, Vec3 at, std::size_t most, std::set<Vec3>& seen, F&& f) {
  std::vector<RunOfCells> ring = {run_at(grid, at)};
  seen = {ring.front().floor};
  while (!ring.empty()) {
    std::vector<RunOfCells> next;
    for (const RunOfCells& run : ring) {
      if (run.surface.free()) f(run.surface);
      if (seen.size() > most) continue;
      for_each_neighbour(grid, run, [&](const RunOfCells& other) {
        if (seen.insert(other.floor).second) next.push_back(other);
      });
    }
    if (seen.size() > most) return false;
    ring = std::move(next);
  }
  return true;
}

/// Whether the water of a row that has just become wet may touch a run that its column's water did
/// not touch from the row below.
bool may_touch_another(const Grid& grid, Vec3 at) {
  const Vec3 down = {0, -1, 0};
  const bool is_first = !is_open(grid.cell(at + down));
  for (const Vec3 step : {Vec3{-1, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 0, -1}, Vec3{0, 0, 1}}) {
    if (!is_open(grid.cell(at + step))) continue;
    if (is_first || !is_open(grid.cell(at + step + down))) return true;
  }
  return false;
}

/// How far the lowest surfaces rise together by so many units.
struct Rise {
  std::size_t count = 0;  // of them
  std::int64_t level = 0;
  std::int64_t left = 0;  // units that are fewer than they
};

/// In the row of the lowest one, and up to `head`.
Rise rise_of(const std::set<Surface>& surfaces, std::int64_t units, std::int64_t head) {
  Rise rise = {0, surfaces.begin()->level(), units};
  const std::int32_t row = surfaces.begin()->at.y;
  const std::int64_t top = std::min(head, (std::int64_t{row} + 1) * kFull);
  for (auto next = surfaces.begin(); rise.level < top;) {
    for (; next != surfaces.end() && next->level() <= rise.level; ++next) ++rise.count;
    const std::int64_t goal = next == surfaces.end() ? top : std::min(top, next->level());
    const auto count = static_cast<std::int64_t>(rise.count);
    const std::int64_t by = std::min(goal - rise.level, rise.left / count);
    rise.level += by;
    rise.left -= by * count;
    if (rise.level < goal) return rise;
  }
  rise.left = 0;  // it is for what lies higher
  return rise;
}

/// A unit to each of the nearest, as long as there is one for all that are equally near: those that
/// only a mirror or an exchange of x and z tells apart.
void give_left_over(Vec3 from, std::int64_t left, std::vector<WaterGift>& gifts) {
  if (left == 0) return;
  const auto apart = [from](const WaterGift& gift) {
    const std::int32_t x = std::abs(gift.at.x - from.x);
    const std::int32_t z = std::abs(gift.at.z - from.z);
    return std::pair(x + z, std::max(x, z));
  };
  std::sort(gifts.begin(), gifts.end(), [&](const WaterGift& a, const WaterGift& b) {
    return std::pair(apart(a), a.at) < std::pair(apart(b), b.at);
  });
  for (std::size_t i = 0, end = 0; i < gifts.size(); i = end) {
    while (end < gifts.size() && apart(gifts[end]) == apart(gifts[i])) ++end;
    if (static_cast<std::int64_t>(end - i) > left) return;
    left -= static_cast<std::int64_t>(end - i);
    for (std::size_t alike = i; alike < end; ++alike) ++gifts[alike].units;
  }
}

}  // namespace

std::int64_t head_at(const Grid& grid, const Columns& columns, Vec3 at) {
  const Cell cell = grid.cell(at);
  if (!is_open(cell)) return std::int64_t{at.y} * kFull;
  const Surface surface = surface_over(grid, at);
  if (surface.free()) return surface.level();
  constexpr int kPressureBits = 8;
  if (const std::int64_t pressure = columns.pressure_over(floor_of(grid, at)); pressure > 0) {
    return pressure >> kPressureBits;
  }
  std::int64_t highest = 0;
  std::set<Vec3> seen;
  (void)for_each_surface(grid, at, kMostRunsAsked, seen,
                         [&](const Surface& one) { highest = std::max(highest, one.level()); });
  return std::max(highest, std::int64_t{surface.at.y} * kFull);
}

std::optional<Vec3> RoomSearch::find(const Grid& grid, Vec3 at) {
  if (!is_open(grid.cell(at))) return std::nullopt;
  const Surface over = surface_over(grid, at);
  if (over.free()) return over.at;
  know(grid, at);
  return surfaces_.empty() ? std::nullopt : std::optional(surfaces_.begin()->at);
}

void RoomSearch::spread(const Grid& grid, Vec3 at, std::int32_t units, std::int64_t head,
                        std::vector<WaterGift>& gifts) {
  gifts.clear();
  if (!is_open(grid.cell(at))) return;
  if (const Surface over = surface_over(grid, at); over.free()) {
    const std::int64_t top = std::min(head, (std::int64_t{over.at.y} + 1) * kFull);
    const std::int64_t most = std::min<std::int64_t>(top - over.level(), units);
    if (most > 0) gifts.push_back({over.at, static_cast<std::int32_t>(most)});
    return;
  }
  know(grid, at);
  if (surfaces_.empty()) return;
  const Rise rise = rise_of(surfaces_, units, head);
  auto surface = surfaces_.begin();
  for (std::size_t i = 0; i < rise.count; ++i, ++surface) {
    gifts.push_back({surface->at, static_cast<std::int32_t>(rise.level - surface->level())});
  }
  give_left_over(at, rise.left, gifts);
  std::erase_if(gifts, [](const WaterGift& gift) { return gift.units == 0; });
}

void RoomSearch::know(const Grid& grid, Vec3 at) {
  const bool is_same = known_ && (from_ == at || (whole_ && runs_.contains(floor_of(grid, at))));
  if (!is_same) search(grid, at);
}

void RoomSearch::search(const Grid& grid, Vec3 at) {
  surfaces_.clear();
  amounts_.clear();
  whole_ = for_each_surface(grid, at, most_runs_, runs_, [&](const Surface& one) {
    surfaces_.insert(one);
    amounts_.emplace(one.at, one.amount);
  });
  from_ = at;
  known_ = true;
}

// A surface rises in its column. Which runs touch changes only where that is in a row of its own.
void RoomSearch::follow(const Grid& grid, Vec3 at) {
  if (!known_) return;
  const auto found = amounts_.find(at);
  if (found == amounts_.end()) return forget();
  const Surface before = {at, found->second};
  amounts_.erase(found);
  surfaces_.erase(before);
  const Surface now = surface_over(grid, at);
  const bool rises = now.at.y <= at.y + 1 && (now.at == at ? now.amount > 0 : now.amount <= 0);
  const bool is_new_row = before.amount == 0;
  if (!rises || (is_new_row && may_touch_another(grid, at))) return forget();
  if (!now.free()) return;
  surfaces_.insert(now);
  amounts_.emplace(now.at, now.amount);
}

}  // namespace sluice::sim::hydro
