#include "server/sim/marks/cell_runs.h"

#include <algorithm>
#include <iterator>

namespace sluice::sim {

namespace {

/// A chunk as a column crosses it: all of one kind, or cell by cell.
struct Part {
  const Cell* cells = nullptr;  // null where all are `kind`
  Cell kind = kAir;
  std::int32_t from = 0;
  std::int32_t end = 0;
};

Part part_at(const Grid& grid, Vec3 at) {
  const ChunkShape& shape = grid.shape();
  const ChunkCoord coord = shape.chunk_of(at);
  const Chunk* const chunk = grid.find(coord);
  const std::int32_t from = shape.origin(coord).y;
  const std::int32_t end = std::min(from + shape.height(), grid.world_box().size.y);
  if (chunk == nullptr) return {nullptr, kAir, from, end};
  if (chunk->cells.is_shared()) return {nullptr, chunk->cells[0], from, end};
  return {chunk->cells.data(), kAir, from, end};
}

}  // namespace

PlacedRun CellRuns::at(Vec3 at, std::int32_t most) {
  if (!belongs(grid_.cell(at))) return {at.x, at.z, nullptr};
  CellRun& run = run_at(at, most);
  return {at.x, at.z, run.floor < run.end ? &run : nullptr};
}

std::int32_t CellRuns::climb(Vec3 at, std::int32_t end, bool while_in) {
  end = std::min(end, grid_.world_box().size.y);
  while (at.y < end) {
    const Part part = part_at(grid_, at);
    const std::int32_t stop = std::min(end, part.end);
    ++steps_;
    if (part.cells == nullptr) {
      if (belongs(part.kind) != while_in) return at.y;
      at.y = stop;
      continue;
    }
    const std::int32_t start = at.y;
    const auto index = [&] { return static_cast<std::size_t>(grid_.shape().index_of(at)); };
    while (at.y < stop && belongs(part.cells[index()]) == while_in) ++at.y;
    steps_ += at.y - start;
    if (at.y < stop) return at.y;
  }
  return std::max(at.y, end);
}

std::int32_t CellRuns::next_in(std::int32_t x, std::int32_t z, std::int32_t y, std::int32_t end) {
  return y < end ? climb({x, y, z}, end, false) : end;
}

std::int32_t CellRuns::floor_under(Vec3 at) {
  while (at.y > 0) {
    Vec3 below = {at.x, at.y - 1, at.z};
    const Part part = part_at(grid_, below);
    ++steps_;
    if (part.cells == nullptr) {
      if (!belongs(part.kind)) return at.y;
      at.y = part.from;
      continue;
    }
    const std::int32_t start = at.y;
    const auto index = [&] { return static_cast<std::size_t>(grid_.shape().index_of(below)); };
    while (below.y >= part.from && belongs(part.cells[index()])) --below.y;
    at.y = below.y + 1;
    steps_ += start - at.y;
    if (at.y > part.from) return at.y;
  }
  return 0;
}

CellRun& CellRuns::run_at(Vec3 at, std::int32_t most) {
  Runs& runs = columns_[{at.z, at.x}];
  const auto next = runs.upper_bound(at.y);
  if (next != runs.begin()) {
    CellRun& below = std::prev(next)->second;
    if (at.y < below.end) return below;
  }
  CellRun run;
  run.floor = floor_under(at);
  // From a cell that lies higher the run was descended: as far as it is asked for, it is known.
  run.end = at.y <= most ? climb(at, most + 1, true) : std::max(most + 1, run.floor);
  return runs.try_emplace(run.floor, run).first->second;
}

}  // namespace sluice::sim
