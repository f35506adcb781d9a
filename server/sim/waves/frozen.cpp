// The shapes of waves that froze: kept with their cells of ice, and gone with them. They move
// nothing and have no energy.
#include <algorithm>

#include "server/sim/waves/field.h"

namespace sluice::sim {

namespace {

Digest contribution(Vec3 at, std::int32_t height) {
  const std::uint64_t key = combine(0x66726f7aU, static_cast<std::uint32_t>(at.x));
  const std::uint64_t place =
      combine(combine(key, static_cast<std::uint32_t>(at.y)), static_cast<std::uint32_t>(at.z));
  return combine(place, static_cast<std::uint32_t>(height));
}

}  // namespace

Digest digest_of(const std::map<Vec3, FrozenWave>& frozen) {
  Digest digest = 0;
  for (const auto& [at, wave] : frozen) digest += contribution(at, wave.height);
  return digest;
}

void WaveField::freeze(Vec3 at, std::int32_t height, const ChunkShape& shape, WaveState& state) {
  if (!state.frozen.emplace(at, FrozenWave{height}).second) return;
  frozen_[shape.chunk_of(at)].insert(at);
  frozen_digest_ += contribution(at, height);
}

void WaveField::thaw(Vec3 at, const ChunkShape& shape, WaveState& state) {
  const auto found = state.frozen.find(at);
  if (found == state.frozen.end()) return;
  frozen_digest_ -= contribution(at, found->second.height);
  state.frozen.erase(found);
  const auto chunk = frozen_.find(shape.chunk_of(at));
  chunk->second.erase(at);
  if (chunk->second.empty()) frozen_.erase(chunk);
}

void WaveField::attach_frozen(const Grid& grid, WaveState& state) {
  frozen_.clear();
  frozen_digest_ = 0;
  std::erase_if(state.frozen, [&](const auto& wave) { return !is_ice(grid.cell(wave.first)); });
  for (const auto& [at, wave] : state.frozen) frozen_[grid.shape().chunk_of(at)].insert(at);
  frozen_digest_ = digest_of(state.frozen);
}

// Before waves follow the water: a column whose cell is ice now still stands where it froze.
void WaveField::keep_shapes(const Grid& grid, bool sleep, std::span<const ChunkCoord> changed,
                            WaveState& state) {
  const ChunkShape& shape = grid.shape();
  std::vector<ChunkCoord> chunks(changed.begin(), changed.end());
  if (!sleep) {
    for (const auto& [coord, places] : frozen_) chunks.push_back(coord);
  }
  chunks = in_order(std::move(chunks));
  for (const ChunkCoord coord : chunks) {
    const auto places = frozen_.find(coord);
    if (places == frozen_.end()) continue;
    for (const Vec3 at : std::set<Vec3>(places->second)) {
      if (!is_ice(grid.cell(at))) thaw(at, shape, state);
    }
  }
  if (moving_ == 0) return;
  for (std::size_t i = 0; i < state.columns.size(); ++i) {
    const std::int32_t height = state.columns.at(i).height;
    const Vec3 at = state.columns.places[i];
    if (height == 0 || !std::binary_search(chunks.begin(), chunks.end(), shape.chunk_of(at))) {
      continue;
    }
    if (is_ice(grid.cell(at))) freeze(at, height, shape, state);
  }
}

void WaveField::ice_moved(std::span<const CellMove> moves, const Grid& grid, WaveState& state) {
  if (moves.empty() || !state.options.keep_shape) return;
  std::map<Vec3, Vec3> ways;
  for (const CellMove& move : moves) ways.emplace(move.from, move.to);
  std::vector<std::pair<Vec3, std::int32_t>> moved;
  for (const auto& [from, to] : ways) {
    const auto found = state.frozen.find(from);
    if (found != state.frozen.end()) moved.emplace_back(to, found->second.height);
  }
  // What froze in this tick, and has gone already: columns follow the water later.
  for (std::size_t i = 0; moving_ > 0 && i < state.columns.size(); ++i) {
    const std::int32_t height = state.columns.at(i).height;
    const auto way = height == 0 ? ways.end() : ways.find(state.columns.places[i]);
    if (way != ways.end() && is_ice(grid.cell(way->second)))
      moved.emplace_back(way->second, height);
  }
  for (const auto& [from, to] : ways) thaw(from, grid.shape(), state);
  for (const auto& [at, height] : moved) freeze(at, height, grid.shape(), state);
}

}  // namespace sluice::sim
