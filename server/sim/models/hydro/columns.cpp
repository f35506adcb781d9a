#include "server/sim/models/hydro/columns.h"

#include <algorithm>

#include "protocol/base/assert.h"

namespace sluice::sim::hydro {

void Run::absorb() {
  if (swallows()) return;
  while (!falls.empty() && falls.front().y <= surface_cell()) {
    const Fall lowest = falls.front();
    Units rest = take_lowest();
    if (lowest.y == surface_cell() && lowest.y + 1 < ceiling) {
      rest -= add_falling(lowest.y + 1, rest, lowest.speed);
    }
    volume += rest;
  }
}

Units Run::take_lowest() {
  const Units taken = falls.front().amount;
  falls.erase(falls.begin());
  air -= taken;
  return taken;
}

Units Run::add_falling(std::int32_t y, Units amount, std::int32_t speed) {
  const auto place = std::lower_bound(
      falls.begin(), falls.end(), y, [](const Fall& fall, std::int32_t at) { return fall.y < at; });
  const bool there = place != falls.end() && place->y == y;
  const Units part = std::min<Units>(amount, kFull - (there ? place->amount : 0));
  if (part == 0) return 0;
  if (there) {
    const std::int64_t momentum = std::int64_t{place->amount} * place->speed + part * speed;
    place->amount += static_cast<std::int32_t>(part);
    place->speed = static_cast<std::int32_t>(momentum / place->amount);
  } else {
    falls.insert(place, {y, static_cast<std::int32_t>(part), speed});
  }
  air += part;
  return part;
}

// First where it is meant to be and below; what finds no room there arrives.
Units Run::drop(std::int32_t y, Units amount, std::int32_t speed) {
  for (; amount > 0 && y > foot_cell() && y >= floor; --y) amount -= add_falling(y, amount, speed);
  return amount;
}

void Run::arrive(Units units, std::int32_t speed) {
  const std::int32_t y = foot_cell();
  if (swallows() || y >= ceiling) {
    volume += units;
    return;
  }
  const Units before = has_foot() ? take_lowest() : 0;
  Units held = 0;
  if (units > 0) {
    const Units in_a_cell = units * kFull / std::max(speed, kFull);
    const Units aim = in_a_cell + in_a_cell * (Level{y} * kFull - level()) / kFull;
    held = before + (aim - before) / kFootInertia;
  } else if (has_near_jet) {
    held = before - before / kFootInertia;
  } else {
    held = std::min(before - before / 2, before - kLeastOfFoot);
  }
  held = add_falling(y, std::clamp<Units>(held, 0, before + units), speed);
  volume += before + units - held;
}

Columns::Columns(const WorldConfig& config)
    : shape_(config.shape()), world_(config.box()), edges_(config.edges) {}

void Columns::build(Grid& grid, HydroState& state) {
  grid_ = &grid;
  state_ = &state;
  ++repair_;
  repair_version_ = grid_->chunks_version();
  blocks_.clear();
  runs_.clear();
  links_.clear();
  link_motions_.clear();
  free_runs_.clear();
  free_links_.clear();
  reshaped_.clear();
  ++shape_version_;
  grid.for_each([this](const Chunk& chunk) {
    if (chunk.world_cells == 0 || find_block({chunk.coord.x, chunk.coord.z}) != nullptr) return;
    if (chunk.cells.is_shared_rock() || chunk.cells.is_shared_air()) return;
    if (std::none_of(chunk.cells.begin(), chunk.cells.end(), [](Cell c) { return c > 0; })) return;
    make_block({chunk.coord.x, chunk.coord.z});
  });
  for (std::int32_t id = 0; id < run_count(); ++id) {
    if (run(id).wet() || run(id).air > 0) meet_neighbours(id);
  }
  load_states();
  (void)take_reshaped();  // all are
}

void Columns::note_reshaped(std::int32_t id) {
  if (run(id).reshaped) return;
  run(id).reshaped = true;
  reshaped_.push_back(id);
}

std::vector<std::int32_t> Columns::take_reshaped() {
  for (const std::int32_t id : reshaped_) run(id).reshaped = false;
  return std::exchange(reshaped_, {});
}

Vec3 Columns::key_of(const Link& link) const {
  const Run& low = runs_[static_cast<std::size_t>(link.low)];
  return {low.x, link.sill_cell, low.z};
}

Block* Columns::find_block(Place chunk) {
  const auto found = blocks_.find(chunk);
  return found == blocks_.end() ? nullptr : &found->second;
}

Block& Columns::block_of(Place place) {
  const ChunkCoord chunk = shape_.chunk_of({place.first, 0, place.second});
  Block* const block = find_block({chunk.x, chunk.z});
  SLUICE_ASSERT(block != nullptr);
  return *block;
}

Columns::Column* Columns::find_column(Place place) {
  const ChunkCoord chunk = shape_.chunk_of({place.first, 0, place.second});
  Block* const block = find_block({chunk.x, chunk.z});
  return block == nullptr ? nullptr : &block->columns[column_in_block(place)];
}

std::int32_t Columns::run_at(Vec3 at) {
  const Column* const column = find_column({at.x, at.z});
  if (column == nullptr) return kNone;
  const auto has = [&](std::int32_t id) { return run(id).floor <= at.y && at.y < run(id).ceiling; };
  const auto found = std::find_if(column->begin(), column->end(), has);
  return found == column->end() ? kNone : *found;
}

bool Columns::in_world(Place place) const {
  return world_.contains({place.first, 0, place.second});
}

bool Columns::is_gutter(Place place) const {
  const auto [x, z] = place;
  const Vec3 end = world_.end();
  const bool beside_x = z >= 0 && z < end.z;
  const bool beside_z = x >= 0 && x < end.x && end.z > 1;
  return (beside_x && ((x == -1 && edges_.left == Edge::kOpen) ||
                       (x == end.x && edges_.right == Edge::kOpen))) ||
         (beside_z &&
          ((z == -1 && edges_.front == Edge::kOpen) || (z == end.z && edges_.back == Edge::kOpen)));
}

Block& Columns::make_block(Place chunk) {
  Block& block = blocks_[chunk];
  block.number = blocks_.size() - 1;
  block.x = chunk.first;
  block.z = chunk.second;
  block.columns.resize(static_cast<std::size_t>(shape_.slab()));
  const Vec3 from = shape_.origin({chunk.first, 0, chunk.second});
  for (std::int32_t z = from.z; z < from.z + shape_.depth(); ++z) {
    for (std::int32_t x = from.x; x < from.x + shape_.width(); ++x) {
      const Place place = {x, z};
      Column& column = block.columns[column_in_block(place)];
      if (is_gutter(place)) {
        column.push_back(make_run(block, place, {0, world_.size.y}));
        run(column.back()).drain = true;
      } else if (in_world(place)) {
        for (const Interval interval : intervals_of(block, place)) {
          column.push_back(make_run(block, place, interval));
          read_settled(run(column.back()));
        }
      }
    }
  }
  for (std::int32_t z = from.z - 1; z < from.z + shape_.depth(); ++z) {
    for (std::int32_t x = from.x - 1; x < from.x + shape_.width(); ++x) {
      if (z >= from.z) link_columns({x, z}, false, false);
      if (x >= from.x) link_columns({x, z}, true, false);
    }
  }
  return block;
}

std::int32_t Columns::make_run(Block& block, Place place, Interval interval) {
  std::int32_t id = 0;
  if (free_runs_.empty()) {
    id = run_count();
    runs_.emplace_back();
  } else {
    id = free_runs_.back();
    free_runs_.pop_back();
  }
  block.shape_version = ++shape_version_;
  note_reshaped(id);
  Run& made = run(id);
  made = {};
  made.reshaped = true;
  made.block = &block;
  made.x = place.first;
  made.z = place.second;
  made.floor = interval.floor;
  made.ceiling = interval.ceiling;
  made.alive = true;
  made.open_top = interval.ceiling == world_.size.y && edges_.top == Edge::kOpen;
  made.open_bottom = interval.floor == 0 && edges_.bottom == Edge::kOpen;
  ++steps_;
  return id;
}

void Columns::meet_neighbours(std::int32_t id) {
  if (run(id).met) return;
  run(id).met = true;
  const Run& here = run(id);
  const Place places[] = {
      {here.x - 1, here.z}, {here.x + 1, here.z}, {here.x, here.z - 1}, {here.x, here.z + 1}};
  for (const Place& place : places) {
    if (!in_world(place) && !is_gutter(place)) continue;
    const ChunkCoord chunk = shape_.chunk_of({place.first, 0, place.second});
    if (find_block({chunk.x, chunk.z}) == nullptr) make_block({chunk.x, chunk.z});
  }
}

void Columns::link_columns(Place low, bool along_z, bool only_fresh) {
  const Place high = along_z ? Place{low.first, low.second + 1} : Place{low.first + 1, low.second};
  const Column* const a = find_column(low);
  const Column* const b = a == nullptr ? nullptr : find_column(high);
  if (b == nullptr || (is_gutter(low) && is_gutter(high))) return;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a->size() && j < b->size()) {
    const Run& one = run((*a)[i]);
    const Run& two = run((*b)[j]);
    const bool overlap = std::max(one.floor, two.floor) < std::min(one.ceiling, two.ceiling);
    if (overlap && (!only_fresh || one.fresh || two.fresh)) add_link((*a)[i], (*b)[j], along_z);
    one.ceiling < two.ceiling ? ++i : ++j;
    ++steps_;
  }
}

void Columns::add_link(std::int32_t low, std::int32_t high, bool along_z) {
  std::int32_t id = 0;
  if (free_links_.empty()) {
    id = static_cast<std::int32_t>(links_.size());
    links_.emplace_back();
    link_motions_.emplace_back();
  } else {
    id = free_links_.back();
    free_links_.pop_back();
  }
  ++shape_version_;
  Link& made = link(id);
  made = {};
  motion_of_link(id) = kNone;
  made.low = low;
  made.high = high;
  made.sill_cell = std::max(run(low).floor, run(high).floor);
  made.top_cell = std::min(run(low).ceiling, run(high).ceiling);
  made.along_z = along_z;
  made.alive = true;
  run(low).links.push_back(id);
  run(high).links.push_back(id);
  note_reshaped(low);
  note_reshaped(high);
  if (old_links_.empty()) return;
  if (const Q16 flow = inherited(made); flow != 0) store_link(id, {flow, 0});
}

std::int64_t Columns::steps() const {
  std::int64_t steps = steps_;
  for (const auto& [place, block] : blocks_) steps += block.steps;
  return steps;
}

}  // namespace sluice::sim::hydro
