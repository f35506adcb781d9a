#include "server/sim/marks/cell_runs.h"

#include <algorithm>

namespace sluice::sim {

PlacedRun CellRuns::at(Vec3 at) {
  for (CellRun& run : column(at.x, at.z)) {
    if (run.floor <= at.y && at.y < run.end) return {at.x, at.z, &run};
  }
  return {at.x, at.z, nullptr};
}

std::vector<CellRun>& CellRuns::column(std::int32_t x, std::int32_t z) {
  const ChunkShape& shape = grid_.shape();
  const ChunkCoord chunk = shape.chunk_of({x, 0, z});
  auto known = known_.find({chunk.z, chunk.x});
  if (known == known_.end()) {
    known = known_.emplace(std::pair(chunk.z, chunk.x), find(chunk.x, chunk.z)).first;
  }
  return known->second[static_cast<std::size_t>(shape.index_of({x, 0, z}))];
}

CellRuns::Columns CellRuns::find(std::int32_t chunk_x, std::int32_t chunk_z) const {
  const ChunkShape& shape = grid_.shape();
  const auto slab = static_cast<std::size_t>(shape.slab());
  const std::int32_t height = grid_.world_box().size.y;
  Columns columns(slab);
  std::vector<bool> within(slab, false);
  const auto enter = [&](std::size_t i, std::int32_t y, bool in) {
    if (in == within[i]) return;
    within[i] = in;
    if (in) columns[i].push_back({y, height});
    if (!in) columns[i].back().end = y;
  };
  const auto enter_all = [&](std::int32_t y, bool in) {
    for (std::size_t i = 0; i < slab; ++i) enter(i, y, in);
  };
  for (std::int32_t from = 0; from < height; from += shape.height()) {
    const Chunk* const chunk = grid_.find({chunk_x, from >> shape.log_y, chunk_z});
    if (chunk == nullptr || chunk->cells.is_shared()) {
      enter_all(from, (chunk == nullptr ? kAir : chunk->cells[0]) >= least_);
      continue;
    }
    const std::int32_t rows = std::min(shape.height(), height - from);
    const Cell* cell = chunk->cells.data();
    for (std::int32_t row = 0; row < rows; ++row) {
      for (std::size_t i = 0; i < slab; ++i) enter(i, from + row, *cell++ >= least_);
    }
  }
  return columns;
}

}  // namespace sluice::sim
