#include "server/sim/marks/levels.h"

#include <algorithm>
#include <string>

#include "server/sim/at_rest.h"
#include "server/sim/text.h"

namespace sluice::sim {

namespace {

/// The cell above the highest one that has water when the surface stands at `level`.
std::int32_t cells_up_to(std::int64_t level) {
  return static_cast<std::int32_t>((level + kFull - 1) / kFull);
}

Error too_large(std::int64_t most_cells) {
  return Error{"the region has more than " + std::to_string(most_cells) + " cells"};
}

/// What a cell holds at rest in water that stands at `level`.
Cell at_rest_below(const WorldConfig& config, std::int32_t y, std::int64_t level) {
  const std::int32_t surface = cells_up_to(level) - 1;
  return amount_at_rest(config, surface - y, surface_units(config, surface, level));
}

}  // namespace

Cell surface_units(const WorldConfig& config, std::int32_t y, std::int64_t level) {
  const std::int64_t above = level - std::int64_t{y} * kFull;
  if (config.water != WaterModel::kCellular) return static_cast<Cell>(above);
  return static_cast<Cell>(above * config.cellular.full / kFull);
}

Filling::Filling(const WorldConfig& config, Grid& grid, std::int64_t most_cells)
    : config_(config), grid_(grid), runs_(grid, kAir), cells_left_(most_cells) {}

// A region goes on to every neighbour that has a cell below the level beside one of its own.
Result<bool> Filling::fill(Vec3 at, std::int64_t level, std::int32_t mark) {
  const PlacedRun first = runs_.at(at);
  if (first.run == nullptr) return false;
  const std::int64_t most = cells_left_;
  std::vector<PlacedRun> pending;
  const auto reach = [&](const PlacedRun& place) {
    CellRun& run = *place.run;
    if (run.reached() || std::int64_t{run.floor} * kFull >= level) return;
    run.mark = mark;
    run.level = level;
    run.filled_to = std::min(run.end, cells_up_to(level));
    cells_left_ -= run.filled_to - run.floor;
    pending.push_back(place);
  };
  reach(first);
  while (!pending.empty() && cells_left_ >= 0) {
    const PlacedRun place = pending.back();
    pending.pop_back();
    runs_.for_each_beside(place, place.run->floor, place.run->filled_to, reach);
  }
  if (cells_left_ < 0) return too_large(most);
  return true;
}

// It stops at neighbours whose water lies wholly below the level.
Result<bool> Filling::trap(Vec3 at, std::int64_t level, std::int32_t mark) {
  const PlacedRun first = runs_.at(at);
  // A cell that is partly water would be filled by what presses from below.
  const std::int32_t from = std::max(cells_up_to(level), 0);
  if (first.run == nullptr || !first.run->reached() || first.run->filled_to <= from) return false;
  std::vector<PlacedRun> pocket;
  std::string problem;
  const auto reach = [&](const PlacedRun& place) {
    CellRun& run = *place.run;
    if (!run.reached() || run.filled_to <= from || run.trapped_from <= from) return;
    if (run.filled_to < run.end || run.level < std::int64_t{run.end} * kFull ||
        (run.end == config_.size.y && config_.edges.top == Edge::kOpen)) {
      problem = "its pocket reaches the free surface at " +
                to_string(Vec3{place.x, run.filled_to - 1, place.z});
      return;
    }
    run.trapped_from = std::max(from, run.floor);
    run.trap = mark;
    pocket.push_back(place);
  };
  reach(first);
  for (std::size_t i = 0; i < pocket.size() && problem.empty(); ++i) {
    const PlacedRun place = pocket[i];
    runs_.for_each_beside(place, place.run->trapped_from, place.run->filled_to, reach);
  }
  if (!problem.empty()) return Error{problem};
  return true;
}

Cell Filling::wetted(const CellRun& run, std::int32_t y, Cell before) const {
  return std::max(before, at_rest_below(config_, y, run.level));
}

Cell Filling::after(const CellRun& run, std::int32_t y, Cell before) const {
  return y >= run.trapped_from ? kTrappedAir : wetted(run, y, before);
}

// f(chunk, its coordinate, index, run, y); the chunk is null where none is stored.
template <class F>
void Filling::for_each_cell(F&& f) {
  const ChunkShape& shape = grid_.shape();
  runs_.for_each([&](const PlacedRun& place) {
    const CellRun& run = *place.run;
    if (!run.reached()) return;
    for (std::int32_t y = run.floor; y < run.filled_to;) {
      const ChunkCoord coord = shape.chunk_of({place.x, y, place.z});
      Chunk* const chunk = grid_.find(coord);
      const std::int32_t end = std::min(run.filled_to, (coord.y + 1) * shape.height());
      f(chunk, coord, run, Vec3{place.x, y, place.z}, end);
      y = end;
    }
  });
}

LevelSums Filling::sums(std::int32_t marks) {
  LevelSums sums;
  sums.units.resize(static_cast<std::size_t>(marks));
  const ChunkShape& shape = grid_.shape();
  std::vector<ChunkCoord> made;
  for_each_cell(
      [&](const Chunk* chunk, ChunkCoord coord, const CellRun& run, Vec3 at, std::int32_t end) {
        if (chunk == nullptr || (!chunk->holds() && !chunk->claimed)) {
          if (made.empty() || !(made.back() == coord)) made.push_back(coord);
        }
        for (; at.y < end; ++at.y) {
          const Cell before =
              chunk == nullptr ? kAir : chunk->cells[static_cast<std::size_t>(shape.index_of(at))];
          const std::int64_t units =
              std::int64_t{water_of(after(run, at.y, before))} - water_of(before);
          (units > 0 ? sums.came : sums.went) += units > 0 ? units : -units;
          // What a pocket keeps dry the level would have filled.
          const std::int64_t wet = std::int64_t{wetted(run, at.y, before)} - water_of(before);
          sums.units[static_cast<std::size_t>(run.mark)] += wet;
          if (run.trap >= 0) sums.units[static_cast<std::size_t>(run.trap)] += units - wet;
        }
      });
  std::sort(made.begin(), made.end());
  made.erase(std::unique(made.begin(), made.end()), made.end());
  sums.chunks = static_cast<std::int64_t>(made.size());
  return sums;
}

void Filling::write() {
  const ChunkShape& shape = grid_.shape();
  std::vector<Chunk*> written;
  for_each_cell([&](Chunk* chunk, ChunkCoord coord, const CellRun& run, Vec3 at, std::int32_t end) {
    if (chunk == nullptr) chunk = &grid_.obtain(coord);
    if (written.empty() || written.back() != chunk) written.push_back(chunk);
    Cell* const cells = chunk->cells.edit();
    for (; at.y < end; ++at.y) {
      Cell& cell = cells[static_cast<std::size_t>(shape.index_of(at))];
      cell = after(run, at.y, cell);
    }
  });
  std::sort(written.begin(), written.end(),
            [](const Chunk* a, const Chunk* b) { return a->coord < b->coord; });
  written.erase(std::unique(written.begin(), written.end()), written.end());
  for (Chunk* const chunk : written) {
    grid_.claim(*chunk);
    grid_.note_change(*chunk, kChangedAll);
  }
}

Result<std::int64_t> evaporate(const WorldConfig& config, Grid& grid, Vec3 at, std::int64_t level,
                               std::int64_t most_cells) {
  CellRuns runs(grid, 1);
  std::vector<PlacedRun> body;
  std::int64_t left = most_cells;
  const auto reach = [&](const PlacedRun& place) {
    if (place.run == nullptr || place.run->reached()) return;
    place.run->mark = 0;
    left -= place.run->end - place.run->floor;
    body.push_back(place);
  };
  reach(runs.at(at));
  for (std::size_t i = 0; i < body.size() && left >= 0; ++i) {
    const PlacedRun place = body[i];
    runs.for_each_beside(place, place.run->floor, place.run->end, reach);
  }
  if (left < 0) return too_large(most_cells);
  std::int64_t gone = 0;
  for (const PlacedRun& place : body) {
    for (std::int32_t y = place.run->floor; y < place.run->end; ++y) {
      const Vec3 cell = {place.x, y, place.z};
      const Cell most = std::int64_t{y} * kFull >= level ? kAir : at_rest_below(config, y, level);
      const Cell before = grid.cell(cell);
      if (before <= most) continue;
      grid.add_to_cell(cell, most - before);
      gone += before - most;
    }
  }
  return gone;
}

}  // namespace sluice::sim
