#include "server/sim/marks/trapped_air.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "protocol/base/sometimes.h"

namespace sluice::sim {

namespace {

constexpr Vec3 kBeside[] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};

}  // namespace

void TrappedAir::look_at(const Grid& grid, ChunkCoord coord) {
  const Chunk* const chunk = grid.find(coord);
  const auto kept = chunks_.find(coord);
  if (kept == chunks_.end()) return;
  const ChunkShape& shape = grid.shape();
  const Box box = shape.box(coord);
  const auto air = [&](Vec3 at) {
    if (!box.contains(at)) return grid.cell(at) == kAir;
    return chunk->cells[static_cast<std::size_t>(shape.index_of(at))] == kAir &&
           grid.world_box().contains(at);
  };
  bool any = false;
  for (std::int32_t i = 0; chunk != nullptr && i < kChunkCells; ++i) {
    if (chunk->cells[static_cast<std::size_t>(i)] != kTrappedAir) continue;
    any = true;
    const Vec3 at = shape.cell_at(coord, i);
    const bool beside = std::any_of(std::begin(kBeside), std::end(kBeside),
                                    [&](Vec3 step) { return air(at + step); });
    if (beside) pending_.push_back(at);
  }
  steps_ += kChunkCells;
  if (!any) chunks_.erase(kept);
}

void TrappedAir::look_around(const Grid& grid, ChunkCoord chunk) {
  look_at(grid, chunk);
  for (const Vec3 step : kBeside)
    look_at(grid, {chunk.x + step.x, chunk.y + step.y, chunk.z + step.z});
}

void TrappedAir::keep_those_that_open(const Grid& grid) {
  std::erase_if(pending_, [&](Vec3 at) {
    return grid.cell(at) != kTrappedAir ||
           std::none_of(std::begin(kBeside), std::end(kBeside),
                        [&](Vec3 step) { return grid.cell(at + step) == kAir; });
  });
}

bool TrappedAir::look(const Grid& grid, std::span<const ChunkCoord> changed) {
  if (chunks_.empty()) return false;
  for (const ChunkCoord coord : changed) look_around(grid, coord);
  keep_those_that_open(grid);  // of those left by open()
  return !pending_.empty();
}

void TrappedAir::open(Grid& grid) {
  if (chunks_.empty()) return;
  if (std::exchange(look_at_all_, false)) {
    const std::set<ChunkCoord> all = chunks_;
    for (const ChunkCoord coord : all) look_at(grid, coord);
  }
  for (const Chunk* const chunk : grid.changed()) look_around(grid, chunk->coord);
  keep_those_that_open(grid);  // commands may have changed what look() saw
  // In the order of the cells it does not matter how they were found.
  std::vector<Vec3> opening = std::exchange(pending_, {});
  std::sort(opening.begin(), opening.end());
  if (!opening.empty()) SLUICE_SOMETIMES("a pocket of air opened");
  std::int64_t opened = 0;
  std::size_t next = 0;
  for (; next < opening.size() && opened < most_at_once_; ++next) {
    const Vec3 at = opening[next];
    if (grid.cell(at) != kTrappedAir) continue;
    grid.add_to_cell(at, kAir - kTrappedAir);
    ++opened;
    for (const Vec3 step : kBeside) opening.push_back(at + step);
  }
  pending_.assign(opening.begin() + static_cast<std::ptrdiff_t>(next), opening.end());
}

}  // namespace sluice::sim
