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
  return surfaces_.empty() ? std::nullopt : std::optional(surfaces_.begin()->surface.at);
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
  const std::int64_t row_end = (std::int64_t{surfaces_.begin()->surface.at.y} + 1) * kFull;
  const std::int64_t top = std::min(head, row_end);
  const std::int64_t most = std::max(kLeastGift, units / kMostGifts);
  for (auto alike = surfaces_.begin(); alike != surfaces_.end();) {
    const auto end = std::find_if(alike, surfaces_.end(), [&](const Candidate& other) {
      return alike->standing() != other.standing();
    });
    const auto count = static_cast<std::int32_t>(std::distance(alike, end));
    const std::int64_t room = top - alike->surface.level();
    const auto each =
        static_cast<std::int32_t>(std::min<std::int64_t>({most, room, units / count}));
    if (each <= 0) return;
    units -= each * count;
    for (; alike != end; ++alike) gifts.push_back({alike->surface.at, each});
  }
}

void RoomSearch::know(const Grid& grid, Vec3 at) {
  const bool is_same = known_ && (from_ == at || (whole_ && runs_.contains(floor_of(grid, at))));
  if (!is_same) search(grid, at);
}

void RoomSearch::search(const Grid& grid, Vec3 at) {
  surfaces_.clear();
  amounts_.clear();
  std::vector<Surface> found;
  whole_ = for_each_surface(grid, at, most_runs_, runs_,
                            [&](const Surface& one) { found.push_back(one); });
  from_ = at;
  known_ = true;
  // Of a whole body the middle, so that it does not matter from where it was searched.
  Vec3 least = at;
  Vec3 greatest = at;
  for (const Vec3 floor : runs_) {
    if (!whole_) break;
    least = {std::min(least.x, floor.x), 0, std::min(least.z, floor.z)};
    greatest = {std::max(greatest.x, floor.x), 0, std::max(greatest.z, floor.z)};
  }
  twice_the_middle_ = least + greatest;
  for (const Surface& one : found) add(one);
}

void RoomSearch::add(const Surface& surface) {
  surfaces_.insert(candidate(surface));
  amounts_.emplace(surface.at, surface.amount);
}

RoomSearch::Candidate RoomSearch::candidate(const Surface& surface) const {
  const std::int32_t x = std::abs(2 * surface.at.x - twice_the_middle_.x);
  const std::int32_t z = std::abs(2 * surface.at.z - twice_the_middle_.z);
  return {surface, x + z, std::max(x, z)};
}

// A surface rises in its column. Which runs touch changes only where that is in a row of its own.
void RoomSearch::follow(const Grid& grid, Vec3 at) {
  if (!known_) return;
  const auto found = amounts_.find(at);
  if (found == amounts_.end()) return forget();
  const Surface before = {at, found->second};
  amounts_.erase(found);
  surfaces_.erase(candidate(before));
  const Surface now = surface_over(grid, at);
  const bool rises = now.at.y <= at.y + 1 && (now.at == at ? now.amount > 0 : now.amount <= 0);
  const bool is_new_row = before.amount == 0;
  if (!rises || (is_new_row && may_touch_another(grid, at))) return forget();
  if (now.free()) add(now);
}

}  // namespace sluice::sim::hydro
