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
  while (grid.cell(at) == kFull) ++at.y;
  return {at, grid.cell(at)};
}

/// The lowest cell of the run in which an open cell lies.
Vec3 floor_of(const Grid& grid, Vec3 at) {
  while (is_open(grid.cell({at.x, at.y - 1, at.z}))) --at.y;
  return at;
}

/// f(surface) for each surface of the body that a full cell under a roof belongs to, until f
/// returns false: full runs that touch, nearest first.
template <class F>
void for_each_surface(const Grid& grid, Vec3 at, F&& f) {
  std::set<Vec3> seen;
  std::vector<Vec3> pending;  // floors of full runs, in the order in which they were met
  const auto meet = [&](Vec3 cell) {
    const Vec3 floor = floor_of(grid, cell);
    if (seen.size() < kMostRunsAsked && seen.insert(floor).second) pending.push_back(floor);
  };
  meet(at);
  for (std::size_t next = 0; next < pending.size(); ++next) {
    const Vec3 floor = pending[next];
    const Surface surface = surface_over(grid, floor);
    if (surface.free() && !f(surface)) return;
    // Over the sill of a neighbour goes what stands higher than it, up to this run's surface.
    for (Vec3 cell = floor; cell.y < surface.at.y; ++cell.y) {
      for (const Vec3 step : {Vec3{-1, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 0, -1}, Vec3{0, 0, 1}}) {
        if (water_of(grid.cell(cell + step)) > 0) meet(cell + step);
      }
    }
  }
}

}  // namespace

std::int64_t head_at(const Grid& grid, const HydroState& state, Vec3 at) {
  const Cell cell = grid.cell(at);
  if (!is_open(cell)) return std::int64_t{at.y} * kFull;
  const Surface surface = surface_over(grid, at);
  if (surface.free()) return surface.level();
  const auto run = state.runs.find(floor_of(grid, at));
  constexpr int kPressureBits = 8;
  if (run != state.runs.end() && run->second.pressure > 0) {
    return run->second.pressure >> kPressureBits;
  }
  std::int64_t highest = 0;
  for_each_surface(grid, at, [&](const Surface& one) {
    highest = std::max(highest, one.level());
    return true;
  });
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
    return true;
  });
  return lowest ? std::optional(lowest->at) : std::nullopt;
}

}  // namespace sluice::sim::hydro
