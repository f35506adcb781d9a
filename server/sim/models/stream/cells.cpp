#include "server/sim/models/stream/cells.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace sluice::sim {

namespace {

bool in_stream(const Chunk& chunk, std::int32_t index) {
  const Cell cell = chunk.cells[static_cast<std::size_t>(index)];
  return cell > 0 || (is_open(cell) && mark_of(chunk, index) != 0);
}

std::int32_t dry_or_solid(Cell cell) {
  return is_open(cell) ? kDryThere : kSolidThere;
}

/// Whether a segment holds no stream, as most, and `slots` say so.
bool nothing_in(const Chunk& chunk, const std::int32_t* slots, std::int32_t first) {
  const Cell* const cells = chunk.cells.data() + first;
  Cell most = 0;
  std::int32_t wrong = 0;
  for (std::int32_t i = 0; i < kSegment; ++i) {
    most = std::max(most, cells[i]);
    wrong |= slots[first + i] ^ dry_or_solid(cells[i]);
  }
  Cell marks = 0;
  if (chunk.marks != nullptr) {
    const Cell* const all = chunk.marks->cells.data() + first;
    for (std::int32_t i = 0; i < kSegment; ++i) marks |= all[i];
  }
  return most <= 0 && marks == 0 && wrong == 0;
}

}  // namespace

std::uint64_t StreamCells::turn_of(Vec3 at) const {
  const std::uint64_t drawn = draw(seed_, tick_, at, DrawPurpose::kStreamOrder);
  return static_cast<std::uint64_t>(at.y + 1) << kDrawnBits | drawn >> (64 - kDrawnBits);
}

void StreamCells::gather(Grid& grid, std::uint64_t seed, std::uint64_t tick, WaterMoves* moves) {
  moves_ = moves;
  grid_ = &grid;
  seed_ = seed;
  tick_ = tick;
  if (forgotten_) start_anew();
  ++pass_;
  reached_.clear();
  for (Chunk* chunk : grid.changed()) {
    if (chunk->in_pass) {
      compare(region_of(*chunk), std::exchange(chunk->regions.level, {}));
    } else {
      chunk->pass_slot = 0;
    }
  }
  for (Chunk* chunk : grid.awake()) {
    if (chunk->wake == 0) continue;
    chunk->wake = 0;
    reach(*chunk);
  }
  load_pending();
  // Streams that cross a border bring the chunk behind it along.
  for (std::size_t i = 0; i < reached_.size(); ++i) {
    const Region& region = at(reached_[i]);
    for (std::size_t face = 0; face < kFaces; ++face) {
      if (region.links[face] > 0) reach(*chunk_beside(*region.chunk, face));
    }
  }
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (regions_[i]->chunk != nullptr && regions_[i]->reached != pass_) {
      drop(static_cast<std::int32_t>(i));
    }
  }
  take_levels();
}

void StreamCells::start_anew() {
  grid_->for_each([](Chunk& chunk) {
    chunk.in_pass = false;
    chunk.pass_slot = 0;
  });
  regions_.clear();
  spare_regions_.clear();
  ++regions_version_;
  cells_.clear();
  for (auto* list : {&free_slots_, &gone_slots_, &busy_, &woken_, &relisted_, &moved_, &changed_,
                     &shifted_, &pressed_, &passing_}) {
    list->clear();
  }
  pending_.clear();
  wetted_.clear();
  forgotten_ = false;
}

void StreamCells::reach(Chunk& chunk) {
  if (known_dry(chunk)) return;
  if (!chunk.in_pass) load(chunk);
  Region& region = region_of(chunk);
  if (region.reached == pass_) return;
  region.reached = pass_;
  reached_.push_back(static_cast<std::int32_t>(chunk.pass_slot));
}

void StreamCells::load(Chunk& chunk) {
  if (spare_regions_.empty()) {
    spare_regions_.push_back(static_cast<std::int32_t>(regions_.size()));
    regions_.push_back(std::make_unique<Region>());
  }
  chunk.in_pass = true;
  chunk.pass_slot = static_cast<std::uint32_t>(spare_regions_.back());
  spare_regions_.pop_back();
  Region& region = region_of(chunk);
  region.chunk = &chunk;
  region.links.fill(0);
  region.cells = region.firm_cells = region.part_full_cells = region.quiet_cells = 0;
  ++regions_version_;
  region.firm.fill(0);
  region.part_full.fill(0);
  region.stirs = false;
  for (std::size_t i = 0; i < kChunkCells; ++i) region.slots[i] = dry_or_solid(chunk.cells[i]);
  chunk.regions.level = {};
  compare(region, whole_chunk(grid_->shape()));
  meet_borders(region);
}

void StreamCells::load_pending() {
  while (!pending_.empty()) {
    Chunk& chunk = *pending_.back();
    pending_.pop_back();
    if (!chunk.in_pass) load(chunk);
  }
}

// What streams beside a chunk know of its cells is from when it was last kept.
void StreamCells::meet_borders(Region& region) {
  for (std::size_t face = 0; face < kFaces; ++face) {
    const Chunk* const chunk = chunk_beside(*region.chunk, face);
    if (chunk == nullptr || !chunk->in_pass) continue;
    const Region& there = region_of(*chunk);
    if (there.cells == 0) continue;
    const ChunkShape& shape = grid_->shape();
    const std::array<std::int32_t, 3> side = {shape.width(), shape.height(), shape.depth()};
    const std::array<std::int32_t, 3> stride = {1, shape.slab(), shape.width()};
    const std::size_t axis = face / 2;
    const std::size_t one = (axis + 1) % 3;
    const std::size_t other = (axis + 2) % 3;
    const std::int32_t first = face % 2 == 1 ? 0 : stride[axis] * (side[axis] - 1);
    for (std::int32_t i = 0; i < side[one]; ++i) {
      for (std::int32_t j = 0; j < side[other]; ++j) {
        const std::int32_t index = first + i * stride[one] + j * stride[other];
        const std::int32_t slot = there.slots[static_cast<std::size_t>(index)];
        if (slot < 0) continue;
        const auto back = static_cast<std::size_t>(opposite(static_cast<StreamFace>(face)));
        const Place here = beside(there, index, back);
        if (here.other == 0) set_beside(slot, back, found_in(*here.chunk, here.index));
      }
    }
  }
}

void StreamCells::compare(Region& region, const ChunkRegion& where) {
  const std::int32_t slab = grid_->shape().slab();
  for (std::uint64_t slabs = where.slabs; slabs != 0; slabs &= slabs - 1) {
    for (std::uint32_t segments = where.segments; segments != 0; segments &= segments - 1) {
      const std::int32_t first =
          std::countr_zero(slabs) * slab + std::countr_zero(segments) * kSegment;
      if (nothing_in(*region.chunk, region.slots.data(), first)) continue;
      for (std::int32_t i = 0; i < kSegment; ++i) compare_cell(region, first + i);
    }
  }
}

void StreamCells::compare_cell(Region& region, std::int32_t index) {
  Chunk& chunk = *region.chunk;
  std::int32_t& slot = region.slots[static_cast<std::size_t>(index)];
  if (in_stream(chunk, index)) {
    if (slot < 0) {
      insert(region, index);
    } else {
      take_over((*this)[slot], chunk);
    }
    return;
  }
  if (mark_of(chunk, index) != 0) set_mark(chunk, index, 0);  // rock was put here
  if (slot >= 0) remove(slot);
  const std::int32_t now = dry_or_solid(chunk.cells[static_cast<std::size_t>(index)]);
  if (slot == now) return;
  slot = now;
  tell_around(region, index);
}

void StreamCells::take_over(StreamCell& cell, const Chunk& chunk) {
  const std::int32_t slot = slot_of(cell);
  const auto index = static_cast<std::size_t>(cell.index);
  const std::int32_t level = chunk.cells[index] / kUnitsPerLevel;
  if (level != cell.level) {
    cell.level = level;
    cell.old_level = static_cast<std::int8_t>(level);
    note_level(slot);
    touch(slot);
  }
  if (const Cell mark = mark_of(chunk, cell.index); mark != cell.old_mark) {
    cell.old_mark = mark;
    cell.mark = unpack(mark);
    note_level(slot);
    changed_here(slot);
  }
}

void StreamCells::insert(Region& region, std::int32_t index) {
  if (free_slots_.empty()) {
    free_slots_.push_back(size());
    cells_.emplace_back();
  }
  const std::int32_t slot = free_slots_.back();
  free_slots_.pop_back();
  Chunk& chunk = *region.chunk;
  StreamCell& cell = (*this)[slot];
  cell = {};
  cell.region = static_cast<std::int32_t>(chunk.pass_slot);
  cell.index = index;
  cell.at = grid_->shape().cell_at(chunk.coord, index);
  cell.level = chunk.cells[static_cast<std::size_t>(index)] / kUnitsPerLevel;
  cell.old_level = cell.found_level = static_cast<std::int8_t>(cell.level);
  cell.settling_level = static_cast<std::uint8_t>(cell.level);
  cell.old_mark = mark_of(chunk, index);
  cell.mark = unpack(cell.old_mark);
  cell.found_width = static_cast<std::int8_t>(cell.width());
  cell.found_firm = cell.firm();
  region.slots[static_cast<std::size_t>(index)] = slot;
  ++region.cells;
  set_masks(cell, cell.level, cell.firm());
  for (std::size_t face = 0; face < kFaces; ++face) {
    const Place there = beside(region, index, face);
    if (there.other != 0 || there.chunk == nullptr) {
      cell.beside[face] = there.other != 0 ? there.other : kDryThere;
      continue;
    }
    cell.beside[face] = found_in(*there.chunk, there.index);
    if (!there.chunk->in_pass && in_stream(*there.chunk, there.index)) {
      pending_.push_back(there.chunk);
    }
    if (cell.beside[face] < 0) continue;
    const StreamFace back = opposite(static_cast<StreamFace>(face));
    (*this)[cell.beside[face]].beside[back] = slot;
    if (!there.crosses) continue;
    ++region.links[face];
    ++region_of(*there.chunk).links[back];
  }
  changed_here(slot);
}

void StreamCells::remove(std::int32_t slot) {
  StreamCell& cell = (*this)[slot];
  Region& region = at(cell.region);
  forget_turn(cell);
  changed_here(slot);
  for (std::size_t face = 0; face < kFaces; ++face) {
    if (cell.beside[face] < 0) continue;
    const StreamCell& there = (*this)[cell.beside[face]];
    if (there.region == cell.region) continue;
    --region.links[face];
    --at(there.region).links[opposite(static_cast<StreamFace>(face))];
  }
  const auto index = static_cast<std::size_t>(cell.index);
  region.slots[index] = dry_or_solid(region.chunk->cells[index]);
  tell_around(region, cell.index);
  set_masks(cell, 0, false);
  --region.cells;
  cell.region = kUnreached;
  gone_slots_.push_back(slot);
}

// No stream that is kept reaches it, so nothing is told of what goes.
void StreamCells::drop(std::int32_t number) {
  Region& region = at(number);
  region.chunk->in_pass = false;
  region.chunk->pass_slot = region.cells == 0 ? kKnownDry : 0;
  for (std::size_t i = 0; i < kChunkCells && region.cells > 0; ++i) {
    const std::int32_t slot = region.slots[i];
    if (slot < 0) continue;
    (*this)[slot].region = kUnreached;
    (*this)[slot].quiet = false;
    relist(slot);
    gone_slots_.push_back(slot);
    --region.cells;
  }
  region.chunk = nullptr;
  spare_regions_.push_back(number);
  ++regions_version_;
}

void StreamCells::set_beside(std::int32_t slot, std::size_t face, std::int32_t what) {
  if ((*this)[slot].beside[face] == what) return;
  (*this)[slot].beside[face] = what;
  changed_here(slot);
}

void StreamCells::tell_around(Region& region, std::int32_t index) {
  const std::int32_t what = region.slots[static_cast<std::size_t>(index)];
  for (std::size_t face = 0; face < kFaces; ++face) {
    const Place there = beside(region, index, face);
    if (there.other != 0 || there.chunk == nullptr || !there.chunk->in_pass) continue;
    const std::int32_t slot = found_in(*there.chunk, there.index);
    if (slot >= 0) set_beside(slot, opposite(static_cast<StreamFace>(face)), what);
  }
}

// Of anything that a tick begins with.
void StreamCells::changed_here(std::int32_t slot) {
  StreamCell& cell = (*this)[slot];
  note_ways_around(slot, kAllWays);
  note_support(slot);
  doubt_around(cell);
  cell.new_parents = true;
  touch(slot);
  relist(slot);
  relist_around(cell);
  for (const std::int32_t there : cell.beside) {
    if (there < 0) continue;
    (*this)[there].new_parents = true;
    touch(there);
  }
}

void StreamCells::set_masks(const StreamCell& cell, std::int32_t level, bool firm) {
  Region& region = at(cell.region);
  const std::int32_t slab = grid_->shape().slab();
  const auto column = static_cast<std::size_t>(cell.index & (slab - 1));
  const std::uint64_t bit = std::uint64_t{1} << (cell.index / slab);
  const bool was_firm = (region.firm[column] & bit) != 0;
  const bool part_full = level > 0 && level < kStreamLevels;
  region.firm_cells += (firm ? 1 : 0) - (was_firm ? 1 : 0);
  region.part_full_cells += (part_full ? 1 : 0) - ((region.part_full[column] & bit) != 0 ? 1 : 0);
  region.firm[column] = (region.firm[column] & ~bit) | (firm ? bit : 0);
  region.part_full[column] = (region.part_full[column] & ~bit) | (part_full ? bit : 0);
  if (firm != was_firm) firm_changed_.push_back({&region, static_cast<std::int32_t>(column)});
}

void StreamCells::take_levels() {
  if (moved_.size() * kManyCells > cells_.size()) doubt_all();
  for (const std::int32_t slot : moved_) {
    StreamCell& cell = (*this)[slot];
    cell.moved = false;
    if (!cell.stored()) continue;
    shifted_.push_back(slot);
    const std::int32_t was = cell.found_level;
    const bool firms = cell.firm() != cell.found_firm;
    // Between two cells with water there is a way from springs; none to the edge depends on that.
    if ((cell.level == 0) != (was == 0)) {
      note_ways_around(slot, kWaysFromSprings | kWidthOfWays);
    } else if (cell.width() != cell.found_width) {
      note_ways_around(slot, kWidthOfWays);
    }
    cell.found_width = static_cast<std::int8_t>(cell.width());
    if (firms) {
      cell.found_firm = cell.firm();
      note_support(slot);
      doubt_around(cell);
    }
    if (cell.level != was || firms) set_masks(cell, cell.level, cell.firm());
    if (cell.level == was) continue;
    cell.found_level = static_cast<std::int8_t>(cell.level);
    relist(slot);
    relist_around(cell);
  }
  moved_.clear();
}

void StreamCells::tidy() {
  std::erase_if(busy_, [this](std::int32_t slot) { return !(*this)[slot].stored(); });
  free_slots_.insert(free_slots_.end(), gone_slots_.begin(), gone_slots_.end());
  gone_slots_.clear();
}

void StreamCells::keep_quiet_awake() {
  for (const std::unique_ptr<Region>& region : regions_) {
    region->stirs = region->stirs || region->quiet_cells > 0;
  }
}

}  // namespace sluice::sim
