// How runs and links follow the cells that something from outside changed. Columns of another shape
// are first all taken apart, then all put together, then linked: so it does not matter in which
// order they come.
#include <algorithm>

#include "server/sim/models/hydro/columns.h"

namespace sluice::sim::hydro {

void Columns::repair(std::vector<std::int32_t>& woken) {
  ++repair_;
  repair_version_ = grid_->chunks_version();
  woken_ = &woken;
  std::vector<Place> other_shape;
  std::vector<std::int32_t> changed_runs;
  const std::vector<Chunk*> changed = grid_->changed();
  for (Chunk* const chunk : changed) {
    if (chunk->world_cells > 0) compare_chunk(*chunk, other_shape, changed_runs);
  }
  std::sort(changed_runs.begin(), changed_runs.end());
  changed_runs.erase(std::unique(changed_runs.begin(), changed_runs.end()), changed_runs.end());
  std::sort(other_shape.begin(), other_shape.end());
  other_shape.erase(std::unique(other_shape.begin(), other_shape.end()), other_shape.end());

  std::vector<Rebuilt> rebuilt;
  for (const Place& place : other_shape) {
    rebuilt.push_back({place, intervals_of(block_of(place), place), {}});
  }
  for (const std::int32_t id : changed_runs) {
    // Those of a column whose shape another chunk changed are looked at below.
    if (std::binary_search(other_shape.begin(), other_shape.end(), Place{run(id).x, run(id).z})) {
      continue;
    }
    read_changed(run(id), std::vector<Fall>(run(id).falls));
    note_event(id);
  }
  for (Rebuilt& column : rebuilt) take_apart(column);
  for (Rebuilt& column : rebuilt) put_together(column);
  link_around(rebuilt);
  old_links_.clear();
  jets_.clear();
  woken_ = nullptr;
}

void Columns::note_event(std::int32_t id) {
  run(id).event = true;
  woken_->push_back(id);
}

void Columns::compare_chunk(Chunk& chunk, std::vector<Place>& other_shape,
                            std::vector<std::int32_t>& changed_runs) {
  const Place place = {chunk.coord.x, chunk.coord.z};
  Block* block = find_block(place);
  if (block == nullptr) {
    if (chunk.cells.is_shared_rock() || chunk.cells.is_shared_air()) return;
    if (std::none_of(chunk.cells.begin(), chunk.cells.end(), [](Cell c) { return c > 0; })) return;
    // Nothing was wet here before: all water is new.
    block = &make_block(place);
    for (const Column& column : block->columns) {
      for (const std::int32_t id : column) {
        if (run(id).wet() || run(id).air > 0) {
          read_changed(run(id), {});
          note_event(id);
        }
      }
    }
    return;
  }
  const Box part = intersect(shape_.box(chunk.coord), world_);
  const Vec3 end = part.end();
  for (std::int32_t z = part.from.z; z < end.z; ++z) {
    for (std::int32_t x = part.from.x; x < end.x; ++x) {
      const Column& column = block->columns[column_in_block({x, z})];
      ++steps_;
      if (!same_shape(chunk, {x, z}, column)) {
        other_shape.emplace_back(x, z);
        continue;
      }
      for (const std::int32_t id : column) {
        if (!shows(chunk, run(id))) changed_runs.push_back(id);
      }
    }
  }
}

bool Columns::same_shape(const Chunk& chunk, Place place, const Column& column) {
  const std::int32_t from = shape_.origin(chunk.coord).y;
  const std::int32_t end = std::min(from + shape_.height(), world_.size.y);
  auto next = column.begin();
  const auto stride = static_cast<std::size_t>(shape_.slab());
  auto index = static_cast<std::size_t>(shape_.index_of({place.first, from, place.second}));
  for (std::int32_t y = from; y < end; ++y, index += stride) {
    while (next != column.end() && run(*next).ceiling <= y) ++next;
    const bool open = next != column.end() && run(*next).floor <= y;
    if (is_open(chunk.cells[index]) != open) return false;
  }
  return true;
}

Cell Columns::expected(const Run& run, std::int32_t y) {
  const Units below = Units{y - run.floor} * kFull;
  if (run.volume > below) return static_cast<Cell>(std::min<Units>(run.volume - below, kFull));
  for (const Fall& fall : run.falls) {
    if (fall.y == y) return fall.amount;
  }
  return kAir;
}

bool Columns::shows(const Chunk& chunk, const Run& run) {
  const std::int32_t from = shape_.origin(chunk.coord).y;
  const std::int32_t end = std::min(from + shape_.height(), run.ceiling);
  for (std::int32_t y = std::max(from, run.floor); y < end; ++y) {
    const auto index = static_cast<std::size_t>(shape_.index_of({run.x, y, run.z}));
    if (chunk.cells[index] != expected(run, y)) return false;
  }
  return true;
}

bool Columns::shows(Run& run) {
  Units found = 0;
  bool same = true;
  for_each_wet_cell(run, [&](std::int32_t y, Cell amount) {
    same = same && amount == expected(run, y);
    found += amount;
  });
  return same && found == run.volume + run.air;
}

void Columns::take_apart(Rebuilt& rebuilt) {
  Column& column = *find_column(rebuilt.place);
  const auto goes = [&](std::int32_t id) {
    const Run& old = run(id);
    return std::none_of(rebuilt.intervals.begin(), rebuilt.intervals.end(), [&](Interval i) {
      return i.floor == old.floor && i.ceiling == old.ceiling;
    });
  };
  for (const std::int32_t id : column) {
    if (goes(id)) take_apart(id, rebuilt);
  }
  std::erase_if(column, [this](std::int32_t id) { return !run(id).alive; });
}

void Columns::take_apart(std::int32_t id, Rebuilt& rebuilt) {
  Run& old = run(id);
  OldRun rest;
  rest.interval = {old.floor, old.ceiling};
  rest.friction = state_of(old).friction;
  rest.falls = old.falls;
  rebuilt.old.push_back(std::move(rest));
  const std::vector<std::int32_t> links = std::move(old.links);
  for (const std::int32_t gone : links) remove_link(gone, id);
  store_run(id, {});
  old.falls.clear();
  old.alive = false;
  old.block->shape_version = ++shape_version_;
  free_runs_.push_back(id);
  ++steps_;
}

void Columns::remove_link(std::int32_t id, std::int32_t but_run) {
  Link& gone = link(id);
  const Run& low = run(gone.low);
  if (motion_of_link(id) != kNone) {
    old_links_[{gone.along_z, {low.x, low.z}}].push_back(
        {gone.sill_cell, gone.top_cell, state_of_link(id).flow});
    store_link(id, {});
  }
  const std::int32_t neighbour = gone.other(but_run);
  std::erase(run(neighbour).links, id);
  note_reshaped(neighbour);
  note_event(neighbour);
  gone.alive = false;
  free_links_.push_back(id);
}

void Columns::put_together(Rebuilt& rebuilt) {
  Column& column = *find_column(rebuilt.place);
  for (const Interval interval : rebuilt.intervals) {
    const auto kept = std::find_if(column.begin(), column.end(), [&](std::int32_t id) {
      return run(id).floor == interval.floor;
    });
    if (kept != column.end()) {
      Run& old = run(*kept);
      if (shows(old)) continue;
      read_changed(old, std::vector<Fall>(old.falls));
      note_event(*kept);
      continue;
    }
    const std::int32_t id = make_run(block_of(rebuilt.place), rebuilt.place, interval);
    column.push_back(id);
    Run& made = run(id);
    made.fresh = true;
    HydroRunState state;
    std::vector<Fall> falls;
    for (const OldRun& old : rebuilt.old) {
      const bool overlaps =
          old.interval.floor < interval.ceiling && interval.floor < old.interval.ceiling;
      if (!overlaps) continue;
      state.friction = std::max(state.friction, old.friction);
      falls.insert(falls.end(), old.falls.begin(), old.falls.end());
    }
    store_run(id, state);
    read_changed(made, falls);
    note_event(id);
  }
  std::sort(column.begin(), column.end(),
            [this](std::int32_t a, std::int32_t b) { return run(a).floor < run(b).floor; });
}

void Columns::link_around(const std::vector<Rebuilt>& rebuilt) {
  std::vector<std::pair<bool, Place>> pairs;
  for (const auto& [place, intervals, old] : rebuilt) {
    pairs.push_back({false, {place.first - 1, place.second}});
    pairs.push_back({false, place});
    pairs.push_back({true, {place.first, place.second - 1}});
    pairs.push_back({true, place});
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  for (const auto& [along_z, low] : pairs) link_columns(low, along_z, true);
  for (const auto& column : rebuilt) {
    for (const std::int32_t id : *find_column(column.place)) {
      if (!run(id).fresh) continue;
      run(id).fresh = false;
      for (const std::int32_t beside : run(id).links) note_event(link(beside).other(id));
    }
  }
}

// By how much of the old openings lies in the new one.
Q16 Columns::inherited(const Link& made) const {
  const Run& low = runs_[static_cast<std::size_t>(made.low)];
  const auto found = old_links_.find({made.along_z, {low.x, low.z}});
  if (found == old_links_.end()) return 0;
  Q16 flow = 0;
  for (const OldLink& old : found->second) {
    const std::int32_t from = std::max(made.sill_cell, old.sill_cell);
    const std::int32_t to = std::min(made.top_cell, old.top_cell);
    if (from < to) flow += old.flow / (old.top_cell - old.sill_cell) * (to - from);
  }
  return flow;
}

}  // namespace sluice::sim::hydro
