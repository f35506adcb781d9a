#include "server/sim/full_columns.h"

#include <array>
#include <iterator>
#include <utility>

#include "server/sim/grid.h"

namespace sluice::sim {

std::map<FullColumns::Place, std::int32_t>::iterator FullColumns::stretch_at(Vec3 at) {
  auto next = climbed_.upper_bound(place_of(at));
  if (next == climbed_.begin()) return climbed_.end();
  const auto found = std::prev(next);
  const auto& [x, z, lowest] = found->first;
  return x == at.x && z == at.z && at.y <= found->second ? found : climbed_.end();
}

Vec3 FullColumns::top_over(const Grid& grid, Vec3 from, Cell full) {
  const ChunkShape& shape = grid.shape();
  const std::int32_t column = shape.index_of({from.x, 0, from.z});
  auto stretch = stretch_at(from);
  Vec3 at = from;
  const Chunk* chunk = nullptr;
  while (true) {
    if (stretch != climbed_.end() && at.y < stretch->second) {
      at.y = stretch->second;
      chunk = nullptr;
    }
    if (!grid.world_box().contains(at)) break;
    if (chunk == nullptr) chunk = grid.find(shape.chunk_of(at));
    if (chunk == nullptr) break;
    chunk->watched = true;
    const std::int32_t first = at.y & (shape.height() - 1);
    const std::int32_t end = at.y - first + shape.height();
    ++steps_;
    if (first == 0 && is_full(*chunk, shape, column, full)) {
      at.y = end;
    } else {
      const Cell* const cells = chunk->cells.data();
      const std::int32_t start = at.y;
      while (at.y < end && cells[static_cast<std::size_t>(shape.index_of(at))] >= full) ++at.y;
      steps_ += at.y - start;
      if (at.y < end) break;
    }
    chunk = chunk->above;
    stretch = stretch_at(at);
  }
  // Short climbs are not worth a note.
  if (at.y - from.y < shape.height()) return at;
  const auto below = stretch_at(from);
  const auto first = below != climbed_.end() ? below : climbed_.emplace(place_of(from), at.y).first;
  first->second = at.y;
  climbed_.erase(std::next(first), climbed_.upper_bound(place_of(at)));
  return at;
}

bool FullColumns::is_full(const Chunk& chunk, const ChunkShape& shape, std::int32_t column,
                          Cell full) {
  Chunk::FullBits& bits = chunk.full_columns;
  if (!bits.known) {
    std::array<bool, kMostColumns> lacks{};
    const auto slab = static_cast<std::size_t>(shape.slab());
    for (std::size_t i = 0; i < kChunkCells; ++i) lacks[i % slab] |= chunk.cells[i] < full;
    for (std::size_t i = 0; i < slab; ++i) bits.full[i] = !lacks[i];
    bits.known = true;
  }
  return bits.full[static_cast<std::size_t>(column)];
}

void FullColumns::lowered(const Grid& grid, const Chunk& chunk, Vec3 at) {
  chunk.full_columns.full.reset(static_cast<std::size_t>(grid.shape().index_of({at.x, 0, at.z})));
  const auto stretch = stretch_at(at);
  if (stretch == climbed_.end() || at.y >= stretch->second) return;
  const std::int32_t end = std::exchange(stretch->second, at.y);
  if (at.y + 1 < end) climbed_.emplace(place_of({at.x, at.y + 1, at.z}), end);
  if (std::get<2>(stretch->first) == at.y) climbed_.erase(stretch);
}

void FullColumns::changed(const Chunk& chunk) {
  chunk.full_columns.known = false;
  climbed_.clear();
}

}  // namespace sluice::sim
