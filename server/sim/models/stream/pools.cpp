#include "server/sim/models/stream/pools.h"

#include <utility>

#include "server/sim/models/stream/cells.h"

namespace sluice::sim {

namespace {

std::int64_t surface_of(Vec3 at, Cell cell) {
  return std::int64_t{at.y} * kFull + water_of(cell);
}

/// Whether water that comes into the cell stays there.
bool stands(const Grid& grid, Vec3 at) {
  const Vec3 below = at + kFaceStep[kBelow];
  if (!grid.world_box().contains(below)) return !grid.open_box().contains(below);
  const Cell cell = grid.cell(below);
  return !is_open(cell) || cell == kFull;
}

}  // namespace

void StreamPools::forget() {
  known_.clear();
}

std::int64_t StreamPools::head(const Grid& grid, Vec3 at) {
  const Cell cell = grid.cell(at);
  return cell == kFull ? pool_at(grid, at).head : surface_of(at, cell);
}

std::optional<Vec3> StreamPools::giver(const Grid& grid, Vec3 at) {
  const Cell cell = grid.cell(at);
  if (water_of(cell) == 0) return std::nullopt;
  return cell == kFull ? pool_at(grid, at).highest : at;
}

std::optional<Vec3> StreamPools::taker(const Grid& grid, Vec3 at) {
  const Cell cell = grid.cell(at);
  if (!is_open(cell)) return std::nullopt;
  return cell == kFull ? pool_at(grid, at).lowest : std::optional(at);
}

bool StreamPools::first_visit(const Grid& grid, Vec3 at) {
  std::unique_ptr<Seen>& seen = seen_[grid.shape().chunk_of(at)];
  if (seen == nullptr) seen = std::make_unique<Seen>();
  bool& visited = (*seen)[static_cast<std::size_t>(grid.shape().index_of(at))];
  return !std::exchange(visited, true);
}

const StreamPools::Pool& StreamPools::pool_at(const Grid& grid, Vec3 at) {
  const auto [place, is_new] = known_.try_emplace(at);
  Pool& pool = place->second;
  if (!is_new) return pool;
  seen_.clear();
  queue_.assign(1, at);
  (void)first_visit(grid, at);
  const auto surface = [&](Vec3 cell, Cell water) {
    const std::int64_t head = surface_of(cell, water);
    if (head <= pool.head) return;
    pool.head = head;
    pool.highest = cell;
  };
  const auto room = [&](Vec3 cell, Cell water) {
    const std::int64_t head = surface_of(cell, water);
    if (pool.lowest && head >= pool.lowest_head) return;
    pool.lowest = cell;
    pool.lowest_head = head;
  };
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const Vec3 from = queue_[next];
    surface(from, kFull);
    for (std::size_t face = 0; face < kFaces; ++face) {
      const Vec3 there = from + kFaceStep[face];
      if (!grid.world_box().contains(there)) continue;
      const Cell cell = grid.cell(there);
      if (!is_open(cell) || !first_visit(grid, there)) continue;
      if (cell == kFull) {
        queue_.push_back(there);
        continue;
      }
      room(there, cell);
      // What stands on the pool, and beside it on something, presses on it.
      if (face == kAbove || (face != kBelow && stands(grid, there))) surface(there, cell);
    }
  }
  return pool;
}

}  // namespace sluice::sim
