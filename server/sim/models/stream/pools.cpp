#include "server/sim/models/stream/pools.h"

#include <algorithm>
#include <utility>

namespace sluice::sim {

namespace {

constexpr std::int32_t kUnknown = -1;
constexpr std::int32_t kNothing = -2;

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
  if (known_.empty()) return;
  known_.clear();
  pools_.clear();
  places_.clear();
  used_ = 0;
}

std::int64_t StreamPools::head(const Grid& grid, Vec3 at) {
  const Cell cell = grid.cell(at);
  return cell == kFull ? sight_at(grid, at).head : surface_of(at, cell);
}

std::optional<Vec3> StreamPools::giver(const Grid& grid, Vec3 at) {
  const Cell cell = grid.cell(at);
  if (water_of(cell) == 0) return std::nullopt;
  return cell == kFull ? sight_at(grid, at).giver : at;
}

std::optional<Vec3> StreamPools::taker(const Grid& grid, Vec3 at) {
  const Cell cell = grid.cell(at);
  if (!is_open(cell)) return std::nullopt;
  return cell == kFull ? sight_at(grid, at).taker : std::optional(at);
}

std::int32_t StreamPools::region_of(const Chunk& chunk) {
  const auto [place, is_new] = places_.try_emplace(chunk.coord, static_cast<std::int32_t>(used_));
  if (!is_new) return place->second;
  if (used_ == regions_.size()) regions_.push_back(std::make_unique<Region>());
  Region& region = *regions_[used_++];
  region.chunk = &chunk;
  region.beside.fill(kUnknown);
  region.pool.fill(0);
  region.walk.fill(0);
  return place->second;
}

std::int32_t StreamPools::region_beside(std::int32_t region, std::size_t face) {
  if (at(region).beside[face] == kUnknown) {
    const Chunk* const chunk = chunk_beside(*at(region).chunk, face);
    const std::int32_t found = chunk == nullptr ? kNothing : region_of(*chunk);
    at(region).beside[face] = found;
  }
  return at(region).beside[face];
}

/// Tells `see` of the cells around a full one: see.room(cell, its value, whether it presses on the
/// pool), and queues the full ones. False where `see` has seen enough.
template <class See>
bool StreamPools::look_around(const Grid& grid, Place from, const See& see) {
  const ChunkShape& shape = grid.shape();
  const std::array<std::int32_t, 3> side = {shape.width(), shape.height(), shape.depth()};
  const std::array<std::int32_t, 3> stride = {1, shape.slab(), shape.width()};
  const Vec3 in_chunk = shape.cell_at({}, from.index);
  const std::array<std::int32_t, 3> local = {in_chunk.x, in_chunk.y, in_chunk.z};
  const Chunk& chunk = *at(from.region).chunk;
  const Vec3 here = shape.cell_at(chunk.coord, from.index);
  const bool wholly_inside = chunk.world_cells == kChunkCells;
  for (std::size_t face = 0; face < kFaces; ++face) {
    const std::size_t axis = face / 2;
    const bool up = face % 2 == 1;
    const bool leaves = local[axis] == (up ? side[axis] - 1 : 0);
    const Vec3 there = here + kFaceStep[face];
    if ((leaves || !wholly_inside) && !grid.world_box().contains(there)) continue;
    const std::int32_t step = up ? stride[axis] : -stride[axis];
    const Place place = {leaves ? region_beside(from.region, face) : from.region,
                         from.index + (leaves ? -step * (side[axis] - 1) : step)};
    const auto cell_index = static_cast<std::size_t>(place.index);
    const Cell cell = place.region == kNothing ? kAir : at(place.region).chunk->cells[cell_index];
    if (!is_open(cell)) continue;
    if (cell == kFull) {
      if (std::exchange(at(place.region).walk[cell_index], walks_) != walks_) {
        queue_.push_back(place);
      }
      continue;
    }
    // What stands on the pool, and beside it on something, presses on it.
    const bool presses = face == kAbove || (face != kBelow && stands(grid, there));
    if (!see.room(there, cell, presses)) return false;
  }
  return true;
}

/// Tells `see` of a pool's cells, the nearest first, until it has seen enough.
template <class See>
void StreamPools::walk(const Grid& grid, Place from, const See& see) {
  ++walks_;
  queue_.assign(1, from);
  at(from.region).walk[static_cast<std::size_t>(from.index)] = walks_;
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const Place place = queue_[next];
    if (!see.full(place) || !look_around(grid, place, see)) return;
  }
}

const StreamPools::Pool& StreamPools::pool_of(const Grid& grid, Place from) {
  struct Whole {
    StreamPools& pools;
    const ChunkShape& shape;
    Pool& pool;
    std::uint32_t number;

    [[nodiscard]] bool full(Place place) const {
      Region& region = pools.at(place.region);
      region.pool[static_cast<std::size_t>(place.index)] = number;
      const Vec3 cell = shape.cell_at(region.chunk->coord, place.index);
      pool.highest = std::max(pool.highest, surface_of(cell, kFull));
      return true;
    }
    [[nodiscard]] bool room(Vec3 cell, Cell water, bool presses) const {
      const std::int64_t head = surface_of(cell, water);
      pool.lowest = std::min(pool.lowest, head);
      if (presses) pool.highest = std::max(pool.highest, head);
      return true;
    }
  };
  std::uint32_t number = at(from.region).pool[static_cast<std::size_t>(from.index)];
  if (number == 0) {
    pools_.emplace_back();
    number = static_cast<std::uint32_t>(pools_.size());
    walk(grid, from, Whole{*this, grid.shape(), pools_.back(), number});
  }
  return pools_[number - 1];
}

const StreamPools::Sight& StreamPools::sight_at(const Grid& grid, Vec3 cell) {
  struct Nearest {
    StreamPools& pools;
    const ChunkShape& shape;
    const Pool pool;
    Sight& sight;
    bool& has_giver;

    [[nodiscard]] bool more() const {
      return !has_giver || (!sight.taker && pool.lowest != INT64_MAX);
    }
    void gives(Vec3 cell, std::int64_t head) const {
      if (!has_giver && head == pool.highest) {
        has_giver = true;
        sight.giver = cell;
      }
    }
    [[nodiscard]] bool full(Place place) const {
      const Vec3 cell = shape.cell_at(pools.at(place.region).chunk->coord, place.index);
      gives(cell, surface_of(cell, kFull));
      return more();
    }
    [[nodiscard]] bool room(Vec3 cell, Cell water, bool presses) const {
      const std::int64_t head = surface_of(cell, water);
      if (!sight.taker && head == pool.lowest) sight.taker = cell;
      if (presses) gives(cell, head);
      return more();
    }
  };
  const auto [known, is_new] = known_.try_emplace(cell);
  Sight& sight = known->second;
  if (!is_new) return sight;
  const Chunk& chunk = *grid.find(grid.shape().chunk_of(cell));
  const Place from = {region_of(chunk), grid.shape().index_of(cell)};
  const Pool pool = pool_of(grid, from);
  sight.head = pool.highest;
  bool has_giver = false;
  walk(grid, from, Nearest{*this, grid.shape(), pool, sight, has_giver});
  return sight;
}

}  // namespace sluice::sim
