#include "server/sim/models/hydro/head.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace sluice::sim::hydro {

namespace {

/// Where a column of full cells ends.
struct Surface {
  Vec3 at;  // the first cell over it that is not full
  Cell amount = kOutside;

  [[nodiscard]] bool free() const { return is_open(amount); }
  [[nodiscard]] std::int64_t level() const { return std::int64_t{at.y} * kFull + amount; }
};

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
/// water touches. They are taken in rings around the cell; the ring with which they would be too
/// many is left out as a whole, so that no side comes first.
template <class F>
void for_each_surface(const Grid& grid, Vec3 at, F&& f) {
  std::vector<RunOfCells> ring = {run_at(grid, at)};
  std::set<Vec3> seen = {ring.front().floor};
  while (!ring.empty()) {
    std::vector<RunOfCells> next;
    for (const RunOfCells& run : ring) {
      if (run.surface.free()) f(run.surface);
      if (seen.size() > kMostRunsAsked) continue;
      for_each_neighbour(grid, run, [&](const RunOfCells& other) {
        if (seen.insert(other.floor).second) next.push_back(other);
      });
    }
    if (seen.size() > kMostRunsAsked) return;
    ring = std::move(next);
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
  for_each_surface(grid, at, [&](const Surface& one) { highest = std::max(highest, one.level()); });
  return std::max(highest, std::int64_t{surface.at.y} * kFull);
}

std::optional<Vec3> surface_for(const Grid& grid, Vec3 at) {
  if (!is_open(grid.cell(at))) return std::nullopt;
  const Surface over = surface_over(grid, at);
  if (over.free()) return over.at;
  std::optional<Surface> lowest;
  for_each_surface(grid, at, [&](const Surface& one) {
    const auto place = [](const Surface& s) { return std::pair(s.level(), s.at); };
    if (!lowest || place(one) < place(*lowest)) lowest = one;
  });
  return lowest ? std::optional(lowest->at) : std::nullopt;
}

}  // namespace sluice::sim::hydro
