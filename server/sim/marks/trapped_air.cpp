#include "server/sim/marks/trapped_air.h"

#include <algorithm>

namespace sluice::sim {

namespace {

constexpr Vec3 kBeside[] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};

bool has_trapped_air(const Chunk* chunk) {
  return chunk != nullptr &&
         std::find(chunk->cells.begin(), chunk->cells.end(), kTrappedAir) != chunk->cells.end();
}

}  // namespace

void TrappedAir::note(ChunkCoord chunk) {
  if (!chunks_.insert(chunk).second) return;
  look_at_all_ = true;
}

template <class F>
bool TrappedAir::for_each_beside_air(const Grid& grid, ChunkCoord coord, F&& f) {
  const Chunk* const chunk = grid.find(coord);
  if (chunk == nullptr) return true;
  for (std::int32_t i = 0; i < kChunkCells; ++i) {
    if (chunk->cells[static_cast<std::size_t>(i)] != kTrappedAir) continue;
    const Vec3 at = grid.shape().cell_at(coord, i);
    const bool beside = std::any_of(std::begin(kBeside), std::end(kBeside),
                                    [&](Vec3 step) { return grid.cell(at + step) == kAir; });
    if (beside && !f(at)) return false;
  }
  return true;
}

void TrappedAir::dig(const Chunk& chunk, const Box& part, const ChunkShape& shape) {
  if (!chunks_.contains(chunk.coord)) return;
  for (std::int32_t i = 0; i < kChunkCells; ++i) {
    if (chunk.cells[static_cast<std::size_t>(i)] != kTrappedAir) continue;
    const Vec3 at = shape.cell_at(chunk.coord, i);
    if (part.contains(at)) dug_.push_back(at);
  }
}

// Of the chunks with pockets those that changed, and those beside one that did.
std::vector<ChunkCoord> TrappedAir::touched(const Grid& grid,
                                            std::span<const ChunkCoord> changed) const {
  if (look_at_all_) return {chunks_.begin(), chunks_.end()};
  std::vector<ChunkCoord> found;
  const auto add = [&](ChunkCoord coord) {
    if (chunks_.contains(coord)) found.push_back(coord);
    for (const Vec3 step : kBeside) {
      const ChunkCoord beside = {coord.x + step.x, coord.y + step.y, coord.z + step.z};
      if (chunks_.contains(beside)) found.push_back(beside);
    }
  };
  for (const ChunkCoord coord : changed) add(coord);
  for (const Chunk* chunk : grid.changed()) add(chunk->coord);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool TrappedAir::opens(const Grid& grid, std::span<const ChunkCoord> changed) const {
  if (chunks_.empty()) return false;
  for (const ChunkCoord coord : touched(grid, changed)) {
    if (!for_each_beside_air(grid, coord, [](Vec3) { return false; })) return true;
  }
  return false;
}

void TrappedAir::open(Grid& grid, std::span<const ChunkCoord> changed) {
  if (chunks_.empty()) return;
  const std::vector<ChunkCoord> looked_at = touched(grid, changed);
  std::vector<Vec3> pending;
  for (const ChunkCoord coord : looked_at) {
    for_each_beside_air(grid, coord, [&](Vec3 at) {
      pending.push_back(at);
      return true;
    });
  }
  for (const Vec3 at : dug_) {
    for (const Vec3 step : kBeside) pending.push_back(at + step);
  }
  dug_.clear();
  look_at_all_ = false;
  std::int64_t opened = 0;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const Vec3 at = pending[i];
    if (grid.cell(at) != kTrappedAir) continue;
    if (opened == most_at_once_) {
      look_at_all_ = true;  // what is left lies beside air
      break;
    }
    grid.add_to_cell(at, kAir - kTrappedAir);
    ++opened;
    for (const Vec3 step : kBeside) pending.push_back(at + step);
  }
  std::erase_if(chunks_, [&](ChunkCoord coord) {
    return std::binary_search(looked_at.begin(), looked_at.end(), coord) &&
           !has_trapped_air(grid.find(coord));
  });
}

}  // namespace sluice::sim
