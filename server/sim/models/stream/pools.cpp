#include "server/sim/models/stream/pools.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "protocol/base/assert.h"
#include "server/sim/models/cell_walks.h"
#include "server/sim/models/stream/cells.h"

namespace sluice::sim {

namespace {

bool firm_in(const Grid& grid, Vec3 at) {
  const Chunk* const chunk = grid.find(grid.shape().chunk_of(at));
  return chunk != nullptr && sim::firm_in(*chunk, grid.shape().index_of(at));
}

}  // namespace

void StreamPools::forget() {
  cells_.reset();
  pools_.clear();
  stale_.clear();
}

void StreamPools::look(const Grid& grid) {
  if (cells_ == nullptr) return;
  for (const Chunk* const chunk : grid.changed()) {
    if (cells_->knows(chunk->coord)) stale_.push_back(chunk->coord);
  }
}

void StreamPools::follow(const Grid& grid, Vec3 at) {
  if (cells_ == nullptr || !cells_->knows(grid.shape().chunk_of(at))) return;
  change(cells_->cell_at(at), cells_->level_in_grid(grid, at));
}

void StreamPools::end_tick(const Grid& grid) {
  if (std::exchange(asked_, false)) {
    look(grid);
  } else {
    forget();
  }
}

std::int64_t StreamPools::head(const Grid& grid, Vec3 at) {
  if (!firm_in(grid, at)) return std::int64_t{at.y} * kFull + water_of(grid.cell(at));
  return std::int64_t{highest(pool_at(grid, at), at).height} * kUnitsPerLevel;
}

std::optional<Vec3> StreamPools::giver(const Grid& grid, Vec3 at) {
  if (water_of(grid.cell(at)) == 0) return std::nullopt;
  return firm_in(grid, at) ? highest(pool_at(grid, at), at).at : at;
}

std::optional<Vec3> StreamPools::taker(const Grid& grid, Vec3 at) {
  if (firm_in(grid, at)) return lowest(pool_at(grid, at), at);
  const Cell cell = grid.cell(at);
  return is_open(cell) && cell != kFull ? std::optional(at) : std::nullopt;
}

bool StreamPools::is_firm(LevelCell cell) const {
  return cells_->level(cell) == kStreamLevels;
}

bool StreamPools::is_room(LevelCell cell) const {
  return cells_->level(cell) < kStreamLevels && !cells_->in_gutter(cell);
}

/// Whether water that comes into the cell stays there.
bool StreamPools::stands(LevelCell cell) {
  const LevelCell below = cells_->neighbor(cell, CellFace::kBelow);
  return below == kNoLevelCell || cells_->level(below) == LevelCells::kSolid || is_firm(below);
}

std::int32_t StreamPools::height_of(LevelCell cell) const {
  return cells_->height(cell, cells_->level(cell));
}

// How it follows what changes.

void StreamPools::catch_up(const Grid& grid) {
  asked_ = true;
  std::vector<std::pair<LevelCell, std::uint8_t>> changed;
  std::sort(stale_.begin(), stale_.end());
  stale_.erase(std::unique(stale_.begin(), stale_.end()), stale_.end());
  for (const ChunkCoord coord : stale_) {
    const Chunk* const stored = grid.find(coord);
    const std::unique_ptr<Chunk> empty = stored == nullptr ? grid.make(coord) : nullptr;
    cells_->compare(stored == nullptr ? *empty : *stored,
                    [&](LevelCell cell, std::uint8_t level) { changed.emplace_back(cell, level); });
  }
  stale_.clear();
  if (changed.size() > limits_.most_followed || pools_.size() > limits_.most_numbers) forget();
  if (cells_ == nullptr) {
    cells_ = std::make_unique<LevelCells>(grid, kStreamLevels, FirstLook::kAsItIs, kSwiftBit);
    return;
  }
  for (const auto& [cell, level] : changed) change(cell, level);
}

void StreamPools::change(LevelCell cell, std::uint8_t level) {
  if (cells_->level(cell) == level) return;
  const bool was_firm = is_firm(cell);
  cells_->set_level(cell, level);
  if (was_firm) leave(cell);
  if (is_firm(cell)) join(cell);
  note(cell);
  for (const CellFace face : faces_of(cells_->shape())) note(cells_->neighbor(cell, face));
}

void StreamPools::leave(LevelCell cell) {
  const std::int32_t pool = known_pool(cell);
  cells_->set_group(cell, kNoGroup);
  if (pool == kNoGroup) return;
  const CellsAround parts =
      cells_->parts_around(cell, [this](LevelCell next) { return is_firm(next); });
  if (parts.count == 0) drop(of(pool));  // that was all of it
  const auto first = parts.cells.begin();
  for_each_part_but_one(
      *cells_, {first, first + static_cast<std::ptrdiff_t>(parts.count)},
      [this](LevelCell next) { return is_firm(next); },
      [this](const std::vector<LevelCell>& part) { make(part); });
}

void StreamPools::join(LevelCell cell) {
  std::int32_t pool = kNoGroup;
  bool meets_unknown = false;
  for (const CellFace face : faces_of(cells_->shape())) {
    const LevelCell next = cells_->neighbor(cell, face);
    if (next == kNoLevelCell || !is_firm(next)) continue;
    const std::int32_t other = known_pool(next);
    meets_unknown = meets_unknown || other == kNoGroup;
    if (other != kNoGroup) pool = pool == kNoGroup || pool == other ? other : merge(pool, other);
  }
  if (pool == kNoGroup) return;
  cells_->set_group(cell, pool);
  if (meets_unknown) drop(of(pool));
}

/// It has to be walked through again.
void StreamPools::drop(Pool& pool) {
  pool.whole = false;
  pool.givers.clear();
  pool.takers.clear();
}

std::int32_t StreamPools::merge(std::int32_t a, std::int32_t b) {
  if (of(a).notes < of(b).notes) std::swap(a, b);
  Pool& large = of(a);
  Pool& small = of(b);
  small.into = a;
  large.notes += small.notes;
  large.most_notes += small.most_notes;
  for (const auto& [height, places] : small.givers) large.givers[height].add_all(places);
  for (const auto& [height, places] : small.takers) large.takers[height].add_all(places);
  small.givers.clear();
  small.takers.clear();
  return a;
}

// Notes.

template <class F>
bool StreamPools::any_pool_beside(LevelCell room, F&& f) {
  const bool is_standing = stands(room);
  for (const CellFace face : faces_of(cells_->shape())) {
    const LevelCell next = cells_->neighbor(room, face);
    if (next == kNoLevelCell || !is_firm(next)) continue;
    const std::int32_t pool = known_pool(next);
    // What stands on the pool, and beside it on something, presses on it.
    const bool presses = is_standing && face != CellFace::kAbove && cells_->level(room) > 0;
    if (pool != kNoGroup && f(pool, presses)) return true;
  }
  return false;
}

void StreamPools::note(LevelCell cell) {
  if (cell == kNoLevelCell) return;
  if (is_firm(cell)) {
    const LevelCell above = cells_->neighbor(cell, CellFace::kAbove);
    if (above != kNoLevelCell && is_firm(above)) return;  // it is not the highest
    const std::int32_t pool = known_pool(cell);
    if (pool != kNoGroup) add(of(pool), of(pool).givers, cell);
  } else if (is_room(cell)) {
    (void)any_pool_beside(cell, [&](std::int32_t pool, bool presses) {
      add(of(pool), of(pool).takers, cell);
      if (presses) add(of(pool), of(pool).givers, cell);
      return false;
    });
  }
}

void StreamPools::add(Pool& pool, Places& places, LevelCell cell) {
  if (places[height_of(cell)].add(cells_->at(cell))) ++pool.notes;
}

// Answers.

std::int32_t StreamPools::known_pool(LevelCell cell) {
  std::int32_t pool = cells_->group(cell);
  if (pool == kNoGroup) return kNoGroup;
  while (of(pool).into != pool) pool = of(pool).into = of(of(pool).into).into;
  return of(pool).whole ? pool : kNoGroup;
}

std::int32_t StreamPools::pool_at(const Grid& grid, Vec3 at) {
  catch_up(grid);
  const LevelCell cell = cells_->cell_at(at);
  const std::int32_t known = known_pool(cell);
  if (known == kNoGroup) return walk(cell);
  if (of(known).notes <= of(known).most_notes) return known;
  drop(of(known));  // most of what it noted is no longer true
  return walk(cell);
}

std::int32_t StreamPools::walk(LevelCell from) {
  const std::uint64_t visit = cells_->new_visits(1);
  std::vector<LevelCell> reached = {from};
  cells_->visit(from) = visit;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const CellFace face : faces_of(cells_->shape())) {
      const LevelCell next = cells_->neighbor(reached[i], face);
      if (next == kNoLevelCell || !is_firm(next)) continue;
      if (std::exchange(cells_->visit(next), visit) != visit) reached.push_back(next);
    }
  }
  walked_ += static_cast<std::int64_t>(reached.size());
  return make(reached);
}

/// A pool of all the firm cells that touch each other.
std::int32_t StreamPools::make(const std::vector<LevelCell>& cells) {
  const auto pool = static_cast<std::int32_t>(pools_.size());
  pools_.emplace_back(pool);
  for (const LevelCell cell : cells) cells_->set_group(cell, pool);
  for (const LevelCell cell : cells) {
    note(cell);
    for (const CellFace face : faces_of(cells_->shape())) {
      const LevelCell next = cells_->neighbor(cell, face);
      if (next != kNoLevelCell && !is_firm(next)) note(next);
    }
  }
  of(pool).most_notes =
      2 * of(pool).notes + static_cast<std::int64_t>(cells.size()) + limits_.few_notes;
  return pool;
}

/// The nearest of these places of one height; what is no longer true is struck out.
template <class IsTrue>
std::optional<Vec3> StreamPools::nearest(NearestPlaces& places, std::int32_t height, Vec3 near,
                                         IsTrue&& is_true) {
  while (const auto at = places.nearest(near)) {
    const LevelCell cell = cells_->cell_at(*at);
    if (height_of(cell) == height && is_true(cell)) return at;
    places.remove(*at);
  }
  return std::nullopt;
}

StreamPools::Highest StreamPools::highest(std::int32_t pool, Vec3 near) {
  Places& places = of(pool).givers;
  for (;;) {
    SLUICE_ASSERT(!places.empty());  // the highest of the firm cells is one
    const auto last = std::prev(places.end());
    near.y = (last->first - 1) / kStreamLevels;  // there is water in the cell
    const auto at = nearest(last->second, last->first, near, [&](LevelCell cell) {
      if (is_firm(cell)) return known_pool(cell) == pool;
      return is_room(cell) && any_pool_beside(cell, [&](std::int32_t beside, bool presses) {
               return presses && beside == pool;
             });
    });
    if (at) return {last->first, *at};
    places.erase(last);
  }
}

std::optional<Vec3> StreamPools::lowest(std::int32_t pool, Vec3 near) {
  Places& places = of(pool).takers;
  while (!places.empty()) {
    const auto first = places.begin();
    near.y = first->first / kStreamLevels;
    const auto at = nearest(first->second, first->first, near, [&](LevelCell cell) {
      return is_room(cell) && any_pool_beside(cell, [&](std::int32_t beside, bool /*presses*/) {
               return beside == pool;
             });
    });
    if (at) return at;
    places.erase(first);
  }
  return std::nullopt;
}

}  // namespace sluice::sim
