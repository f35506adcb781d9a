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

std::string too_many(std::int64_t most, const char* of_what) {
  return "the region has more than " + std::to_string(most) + " " + of_what;
}

// A run that begins far below, or a roof far above, is looked at before it counts: so many times.
constexpr std::int64_t kStepsPerCell = 8;

/// What a search has gone beyond; empty while it has not.
std::string beyond(const LevelBounds& bounds, std::int64_t cells, std::int64_t runs,
                   std::int64_t steps) {
  if (cells > bounds.cells || steps / kStepsPerCell > bounds.cells) {
    return too_many(bounds.cells, "cells");
  }
  return runs > bounds.runs ? too_many(bounds.runs, "runs of cells") : "";
}

void keep_each_once(std::vector<ChunkCoord>& chunks) {
  std::sort(chunks.begin(), chunks.end());
  chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
}

/// Adds the chunks in which a run's cells lie; those of one column come one after the other.
void add_chunks(const ChunkShape& shape, const PlacedRun& place, std::int32_t end,
                std::vector<ChunkCoord>& chunks) {
  for (std::int32_t y = place.run->changes_from(); y < end; y = (y | (shape.height() - 1)) + 1) {
    const ChunkCoord coord = shape.chunk_of({place.x, y, place.z});
    if (chunks.empty() || !(chunks.back() == coord)) chunks.push_back(coord);
  }
}

}  // namespace

Cell surface_units(const WaterMeasure& measure, std::int32_t y, std::int64_t level) {
  const std::int64_t above = level - std::int64_t{y} * kFull;
  return static_cast<Cell>(above * measure.full / kFull);
}

Cell WaterAtRest::work_out(std::int32_t y, std::int64_t level) {
  if (level != level_) {
    level_ = level;
    surface_ = cells_up_to(level) - 1;
    cells_.clear();
  }
  const auto depth = static_cast<std::size_t>(surface_ - y);
  while (cells_.size() <= depth) {
    cells_.push_back(amount_at_rest(measure_, static_cast<std::int32_t>(cells_.size()),
                                    surface_units(measure_, surface_, level)));
  }
  return cells_[depth];
}

Filling::Filling(const WorldConfig& config, Grid& grid, const LevelBounds& bounds)
    : config_(config),
      grid_(grid),
      runs_(grid, kAir),
      at_rest_(measure_of(config)),
      bounds_(bounds) {}

// A region goes on to every neighbour that has a cell below the level beside one of its own.
Result<bool> Filling::fill(Vec3 at, std::int64_t level, std::int32_t mark) {
  if (!is_open(grid_.cell(at))) return false;
  const std::int32_t most = cells_up_to(level);
  std::vector<PlacedRun> pending;
  const auto reach = [&](const PlacedRun& place) {
    CellRun& run = *place.run;
    if (run.reached() || run.floor >= most) return;
    run.mark = mark;
    run.level = level;
    run.filled_to = std::min(run.end, most);
    cells_ += run.filled_to - run.floor;
    ++reached_;
    pending.push_back(place);
  };
  if (const PlacedRun first = runs_.at(at, most); first.run != nullptr) reach(first);
  std::string problem;
  while (!pending.empty() && problem.empty()) {
    const PlacedRun place = pending.back();
    pending.pop_back();
    runs_.for_each_beside(place, place.run->floor, place.run->filled_to, most, reach);
    problem = beyond(bounds_, cells_, reached_, runs_.steps());
  }
  if (!problem.empty()) return Error{problem};
  return true;
}

// It stops at neighbours whose water lies wholly below the level.
Result<bool> Filling::trap(Vec3 at, std::int64_t level, std::int32_t mark) {
  const PlacedRun first = runs_.at(at, config_.size.y);
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
    runs_.for_each_beside(place, place.run->trapped_from, place.run->filled_to, config_.size.y,
                          reach);
  }
  if (!problem.empty()) return Error{problem};
  return true;
}

std::string Filling::leak_of(const PlacedRun& place, std::int32_t from) const {
  const Edges& edges = config_.edges;
  const Vec3 last = config_.size - Vec3{1, 1, 1};
  const auto open_at = [](std::int32_t at, std::int32_t end, Edge edge) {
    return at == end && edge == Edge::kOpen;
  };
  const Vec3 at = {place.x, from, place.z};
  if (open_at(at.x, 0, edges.left) || open_at(at.x, last.x, edges.right) ||
      open_at(at.z, 0, edges.front) || open_at(at.z, last.z, edges.back) ||
      open_at(from, 0, edges.bottom) || open_at(place.run->end, config_.size.y, edges.top)) {
    return "its pocket reaches an open edge of the world at " + to_string(at);
  }
  const Vec3 below = {at.x, from - 1, at.z};
  if (grid_.cell(below) == kAir) return "there is air below the level at " + to_string(below);
  return "";
}

Result<bool> Filling::enclose(Vec3 at, std::int64_t level) {
  // A cell that is partly water would be filled by what presses from below.
  const std::int32_t from = cells_up_to(level);
  if (!is_open(grid_.cell(at))) return false;
  if (at.y < from) return Error{"the cell " + to_string(at) + " lies below the level"};
  std::vector<PlacedRun> pocket;
  std::string problem;
  const auto reach = [&](const PlacedRun& place) {
    CellRun& run = *place.run;
    if (run.reached() || !problem.empty()) return;
    run.mark = run.trap = 0;
    run.stands = true;
    run.trapped_from = std::max(from, run.floor);
    run.filled_to = run.end;
    cells_ += run.end - run.trapped_from;
    ++reached_;
    pocket.push_back(place);
    problem = leak_of(place, run.trapped_from);
  };
  reach(runs_.at(at, config_.size.y));
  for (std::size_t i = 0; i < pocket.size() && problem.empty(); ++i) {
    const PlacedRun place = pocket[i];
    runs_.for_each_beside(place, place.run->trapped_from, place.run->end, config_.size.y, reach);
    if (problem.empty()) problem = beyond(bounds_, cells_, reached_, runs_.steps());
  }
  if (!problem.empty()) return Error{problem};
  return true;
}

Cell Filling::wetted(const CellRun& run, std::int32_t y, Cell before) {
  return run.stands ? before : std::max(before, at_rest_.at(y, run.level));
}

// f(chunk, its coordinate, run, the lowest cell, the end) for each part of a run that lies in one
// chunk; the chunk is null where none is stored.
template <class F>
void Filling::for_each_part(F&& f) {
  const ChunkShape& shape = grid_.shape();
  runs_.for_each([&](const PlacedRun& place) {
    const CellRun& run = *place.run;
    if (!run.reached()) return;
    for (std::int32_t y = run.changes_from(); y < run.filled_to;) {
      const ChunkCoord coord = shape.chunk_of({place.x, y, place.z});
      Chunk* const chunk = grid_.find(coord);
      const std::int32_t end = std::min(run.filled_to, (coord.y + 1) * shape.height());
      f(chunk, coord, run, Vec3{place.x, y, place.z}, end);
      y = end;
    }
  });
}

Result<LevelSums> Filling::sums(std::int32_t marks) {
  LevelSums sums;
  sums.units.resize(static_cast<std::size_t>(marks));
  const ChunkShape& shape = grid_.shape();
  std::vector<ChunkCoord> chunks;
  runs_.for_each([&](const PlacedRun& place) {
    if (place.run->reached()) add_chunks(shape, place, place.run->filled_to, chunks);
  });
  keep_each_once(chunks);
  sums.chunks = static_cast<std::int64_t>(chunks.size());
  if (sums.chunks > bounds_.chunks) return Error{too_many(bounds_.chunks, "chunks")};
  for (const ChunkCoord coord : chunks) {
    const Chunk* const chunk = grid_.find(coord);
    if (chunk == nullptr || (!chunk->holds() && !chunk->claimed)) ++sums.new_chunks;
  }
  for_each_part([&](const Chunk* chunk, ChunkCoord, const CellRun& run, Vec3 at, std::int32_t end) {
    for (; at.y < end; ++at.y) {
      const Cell before =
          chunk == nullptr ? kAir : chunk->cells[static_cast<std::size_t>(shape.index_of(at))];
      // What a pocket keeps dry the level would have filled.
      const std::int64_t wet = std::int64_t{wetted(run, at.y, before)} - water_of(before);
      sums.units[static_cast<std::size_t>(run.mark)] += wet;
      const bool dry = at.y >= run.trapped_from;
      const std::int64_t units = dry ? -std::int64_t{water_of(before)} : wet;
      (units > 0 ? sums.came : sums.went) += units > 0 ? units : -units;
      if (dry) sums.units[static_cast<std::size_t>(run.trap)] += units - wet;
    }
  });
  return sums;
}

// Runs of several columns lie in one chunk, which is noted once, when all are written.
std::vector<ChunkCoord> Filling::write() {
  const ChunkShape& shape = grid_.shape();
  std::vector<ChunkCoord> written;
  std::vector<ChunkCoord> trapped;
  for_each_part([&](Chunk* chunk, ChunkCoord coord, const CellRun& run, Vec3 at, std::int32_t end) {
    if (chunk == nullptr) chunk = &grid_.obtain(coord);
    written.push_back(coord);
    if (end > run.trapped_from) trapped.push_back(coord);
    Cell* const cells = chunk->cells.edit();
    for (; at.y < end; ++at.y) {
      Cell& cell = cells[static_cast<std::size_t>(shape.index_of(at))];
      cell = at.y >= run.trapped_from ? kTrappedAir : wetted(run, at.y, cell);
    }
  });
  keep_each_once(written);
  keep_each_once(trapped);
  for (const ChunkCoord coord : written) {
    Chunk& chunk = *grid_.find(coord);
    grid_.claim(chunk);
    grid_.note_change(chunk, kChangedAll);
  }
  return trapped;
}

Result<std::int64_t> evaporate(const WorldConfig& config, Grid& grid, Vec3 at, std::int64_t level,
                               const LevelBounds& bounds) {
  CellRuns runs(grid, 1);
  std::vector<PlacedRun> body;
  std::vector<ChunkCoord> chunks;
  std::int64_t cells = 0;
  const std::int32_t top = config.size.y;
  const auto reach = [&](const PlacedRun& place) {
    if (place.run->reached()) return;
    place.run->mark = 0;
    cells += place.run->end - place.run->floor;
    body.push_back(place);
  };
  if (const PlacedRun first = runs.at(at, top); first.run != nullptr) reach(first);
  std::string problem;
  for (std::size_t i = 0; i < body.size() && problem.empty(); ++i) {
    const PlacedRun place = body[i];
    add_chunks(grid.shape(), place, place.run->end, chunks);
    runs.for_each_beside(place, place.run->floor, place.run->end, top, reach);
    problem = beyond(bounds, cells, static_cast<std::int64_t>(body.size()), runs.steps());
  }
  keep_each_once(chunks);
  if (problem.empty() && static_cast<std::int64_t>(chunks.size()) > bounds.chunks) {
    problem = too_many(bounds.chunks, "chunks");
  }
  if (!problem.empty()) return Error{problem};
  std::int64_t gone = 0;
  WaterAtRest at_rest(measure_of(config));
  for (const PlacedRun& place : body) {
    for (std::int32_t y = place.run->floor; y < place.run->end; ++y) {
      const Vec3 cell = {place.x, y, place.z};
      const Cell most = std::int64_t{y} * kFull >= level ? kAir : at_rest.at(y, level);
      const Cell before = grid.cell(cell);
      if (before <= most) continue;
      grid.add_to_cell(cell, most - before);
      gone += before - most;
    }
  }
  return gone;
}

}  // namespace sluice::sim
