// How the phases of a tick read the cells around streams, write, and note what the next tick has to
// look at.
#include "server/sim/models/stream/cells.h"

namespace sluice::sim {

Cell pack(const StreamMark& mark) {
  return static_cast<Cell>(mark.direction | (mark.is_source ? kIsSourceBit : 0) |
                           (mark.has_source ? 1 << 4 : 0) | mark.largest << 5 | mark.active << 8 |
                           (mark.flow_out ? 1 << 11 : 0) | mark.parents << 12 | mark.held << 18 |
                           (mark.swift ? kSwiftBit : 0));
}

StreamMark unpack(Cell mark) {
  StreamMark out;
  // A snapshot may hold any bits here, and there are six faces only.
  out.direction = static_cast<std::uint8_t>((mark & 7) % 7);
  out.is_source = (mark & kIsSourceBit) != 0;
  out.has_source = (mark >> 4 & 1) != 0;
  out.largest = static_cast<std::uint8_t>(mark >> 5 & 7);
  out.active = static_cast<std::uint8_t>(mark >> 8 & 7);
  out.flow_out = (mark >> 11 & 1) != 0;
  out.parents = static_cast<std::uint8_t>(mark >> 12 & 63);
  out.held = static_cast<std::uint8_t>(mark >> 18 & 3);
  out.swift = (mark & kSwiftBit) != 0;
  return out;
}

Chunk* chunk_beside(const Chunk& chunk, std::size_t face) {
  switch (face) {
    case kLeft:
      return chunk.left;
    case kRight:
      return chunk.right;
    case kBelow:
      return chunk.below;
    case kAbove:
      return chunk.above;
    case kFront:
      return chunk.front;
    default:
      return chunk.back;
  }
}

StreamCells::Place StreamCells::beside(Chunk& chunk, std::int32_t index, std::size_t face) const {
  const ChunkShape& shape = grid_->shape();
  const std::array<std::int32_t, 3> logs = {shape.log_x, shape.log_y, shape.log_z};
  const std::array<std::int32_t, 3> shift = {0, shape.log_x + shape.log_z, shape.log_x};
  const std::size_t axis = face / 2;
  const bool up = face % 2 == 1;
  const std::int32_t last = (1 << logs[axis]) - 1;
  const std::int32_t inside = up ? 1 << shift[axis] : -(1 << shift[axis]);
  const bool leaves = (index >> shift[axis] & last) == (up ? last : 0);
  if (chunk.world_cells != kChunkCells || leaves) {
    const Vec3 there = shape.cell_at(chunk.coord, index) + kFaceStep[face];
    if (!grid_->world_box().contains(there)) {
      return {nullptr, 0, grid_->open_box().contains(there) ? kGutterThere : kSolidThere, false};
    }
  }
  if (!leaves) return {&chunk, index + inside, 0, false};
  return {chunk_beside(chunk, face), index - inside * last, 0, true};
}

std::int32_t StreamCells::found_in(const Chunk& chunk, std::int32_t index) const {
  if (chunk.in_pass) return regions_[chunk.pass_slot]->slots[static_cast<std::size_t>(index)];
  return is_open(chunk.cells[static_cast<std::size_t>(index)]) ? kDryThere : kSolidThere;
}

Chunk* StreamCells::chunk_at(const Chunk* near, Vec3 at) const {
  const ChunkCoord coord = grid_->shape().chunk_of(at);
  const std::int32_t steps[3] = {coord.x - near->coord.x, coord.y - near->coord.y,
                                 coord.z - near->coord.z};
  std::size_t axis = 3;
  std::int32_t apart = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (steps[i] == 0) continue;
    axis = i;
    apart += steps[i] < 0 ? -steps[i] : steps[i];
  }
  if (apart == 0) return const_cast<Chunk*>(near);
  if (apart == 1) return chunk_beside(*near, 2 * axis + (steps[axis] > 0 ? 1 : 0));
  return grid_->find(coord);
}

std::int32_t StreamCells::fresh_level(const StreamCell& cell, StreamFace face) const {
  const Place here = beside(at(cell.region), cell.index, face);
  if (here.chunk == nullptr) return 0;
  return here.chunk->cells[static_cast<std::size_t>(here.index)] / kUnitsPerLevel;
}

bool StreamCells::supports_dry(const StreamCell& cell, StreamFace face) const {
  const Region& region = at(cell.region);
  const Place here = beside(region, cell.index, face);
  if (here.chunk != nullptr) return carries(beside(*here.chunk, here.index, kBelow));
  // Nothing is stored there; what lies below may be.
  const Vec3 below = cell.at + kFaceStep[face] + kFaceStep[kBelow];
  if (!grid_->world_box().contains(below)) return !grid_->open_box().contains(below);
  Chunk* const chunk = chunk_at(region.chunk, below);
  return chunk != nullptr && carries({chunk, grid_->shape().index_of(below), 0, true});
}

/// Whether water rests on that place.
bool StreamCells::carries(const Place& place) const {
  if (place.other != 0) return place.other == kSolidThere;
  if (place.chunk == nullptr) return false;
  if (!is_open(place.chunk->cells[static_cast<std::size_t>(place.index)])) return true;
  // A stream's cell stands in the array while the tick runs, all others in their chunks.
  const std::int32_t slot = found_in(*place.chunk, place.index);
  return slot >= 0 ? (*this)[slot].firm() : firm_in(*place.chunk, place.index);
}

void StreamCells::wet(const StreamCell& from, StreamFace face, std::int32_t levels,
                      const StreamMark& mark) {
  const Vec3 at = from.at + kFaceStep[face];
  Chunk* chunk = chunk_at(this->at(from.region).chunk, at);
  if (chunk == nullptr) chunk = &grid_->obtain(grid_->shape().chunk_of(at));
  const std::int32_t index = grid_->shape().index_of(at);
  chunk->cells.edit()[static_cast<std::size_t>(index)] += levels * kUnitsPerLevel;
  note(*chunk, index, true);
  if (!chunk->in_pass) chunk->pass_slot = 0;
  wetted_.push_back({chunk, index});
  if (mark_of(*chunk, index) == 0) set_mark(*chunk, index, pack(mark));
}

// A turn looks at the cell itself, and at some of those below and beside it and of what these rest
// on.
void StreamCells::doubt_around(StreamCell& cell) {
  if (all_doubted_) return;
  cell.doubted = true;
  const auto doubt = [this](std::int32_t slot, std::uint8_t looked) {
    if (slot < 0) return;
    StreamCell& there = (*this)[slot];
    there.doubted = there.doubted || (there.looked & looked) != 0;
  };
  for (const StreamFace face : kSideways) {
    doubt(cell.beside[face], static_cast<std::uint8_t>(1 << opposite(face)));
  }
  if (const std::int32_t below = cell.beside[kBelow]; below >= 0) {
    for (const StreamFace face : kSideways) doubt((*this)[below].beside[face], kLookedAboveSides);
  }
  const std::int32_t over = cell.beside[kAbove];
  if (over < 0) return;
  doubt(over, 1 << kBelow);
  for (const StreamFace face : kSideways) doubt((*this)[over].beside[face], kLookedBelowSides);
}

void StreamCells::doubt_turn(StreamCell& cell, StreamGiven given) {
  doubt_around(cell);
  touch(slot_of(cell));
  for (std::size_t face = 0; face < kFaces; ++face) {
    const std::int32_t there = cell.beside[face];
    if (there < 0 || (given >> kGivenBits * face & kGivenMask) == 0) continue;
    doubt_around((*this)[there]);
    touch(there);
  }
}

void StreamCells::forget_turn(StreamCell& cell) {
  if (cell.given != kGivenUnknown) doubt_turn(cell, cell.given);
  cell.given = kGivenUnknown;
  cell.doubted = true;
  cell.emptied = false;
}

void StreamCells::compare_levels() {
  for (const std::int32_t slot : passing_) doubt_around((*this)[slot]);
  passing_.clear();
  const std::size_t shifted = shifted_.size();
  shifted_.insert(shifted_.end(), pressed_.begin(), pressed_.end());
  for (const std::int32_t slot : shifted_) {
    StreamCell& cell = (*this)[slot];
    if (!cell.stored() || cell.level == cell.settling_level) continue;
    doubt_around(cell);
    cell.settling_level = static_cast<std::uint8_t>(cell.level);
  }
  // What pressure changed now may be as before in the next tick.
  shifted_.erase(shifted_.begin(), shifted_.begin() + static_cast<std::ptrdiff_t>(shifted));
  pressed_.clear();
}

void StreamCells::wake(StreamCell& cell) {
  if (cell.woken) return;
  cell.woken = true;
  woken_.push_back(slot_of(cell));
}

void StreamCells::wake_around(StreamCell& cell) {
  cell.near_still = false;
  for (std::size_t face = 0; face < kFaces; ++face) {
    const std::int32_t there = cell.beside[face];
    if (face == kBelow || there < 0) continue;
    StreamCell& still = (*this)[there];
    if (!still.still) continue;
    cell.near_still = true;
    if (still.level == 0) continue;
    if (face == kAbove || still.in_river() || still.level > cell.level) wake(still);
  }
}

void StreamCells::note_ways(std::int32_t slot, std::uint8_t which) {
  if (slot < 0) return;
  std::uint8_t& changed = (*this)[slot].changed;
  if (changed == 0) changed_.push_back(slot);
  changed |= which;
}

// A cell decides what flows between it and those around it.
void StreamCells::note_ways_around(std::int32_t slot, std::uint8_t which) {
  note_ways(slot, which);
  for (const std::int32_t there : (*this)[slot].beside) note_ways(there, which);
}

// And, if it is full, that water rises from it, and that the one above is supported. Whether a cell
// comes nearer to the edge by a neighbour depends on itself alone (FromEdges in paths.cpp).
void StreamCells::note_support(std::int32_t slot) {
  note_ways(slot, kWaysToEdges);
  const std::int32_t over = (*this)[slot].beside[kAbove];
  if (over < 0) return;
  note_ways_around(over, kWaysFromSprings | kWidthOfWays);
  note_ways(over, kWaysToEdges);
  touch(over);  // how much it is held to pass depends on it
}

// Those that see how much this one holds.
void StreamCells::relist_around(const StreamCell& cell) {
  for (std::size_t face = 0; face < kFaces; ++face) {
    if (face != kBelow && cell.beside[face] >= 0) relist(cell.beside[face]);
  }
}

void StreamCells::note_level(std::int32_t slot) {
  StreamCell& cell = (*this)[slot];
  if (cell.moved) return;
  cell.moved = true;
  moved_.push_back(slot);
}

void StreamCells::store(StreamCell& cell) {
  Chunk& chunk = *at(cell.region).chunk;
  const std::int32_t slot = slot_of(cell);
  if (cell.level != cell.old_level) {
    chunk.cells.edit()[static_cast<std::size_t>(cell.index)] = cell.level * kUnitsPerLevel;
    note(chunk, cell.index, true);
    cell.old_level = static_cast<std::int8_t>(cell.level);
    note_level(slot);
  }
  if (const Cell mark = pack(cell.mark); mark != cell.old_mark) {
    const StreamMark was = unpack(cell.old_mark);
    cell.old_mark = mark;
    set_mark(chunk, cell.index, mark);
    if (was.held != cell.mark.held || was.swift != cell.mark.swift) note_level(slot);
  }
}

void StreamCells::note(Chunk& chunk, std::int32_t index, bool seen_beside) {
  if (chunk.changed == 0) touched_.push_back(&chunk);
  int flags = chunk.changed | kChangedInside;
  if (seen_beside) {
    const ChunkShape& shape = grid_->shape();
    const Vec3 at = shape.cell_at({}, index);
    flags |= (at.x == 0 ? kChangedLeft : 0) | (at.x == shape.width() - 1 ? kChangedRight : 0) |
             (at.y == 0 ? kChangedBottom : 0) | (at.y == shape.height() - 1 ? kChangedTop : 0) |
             (at.z == 0 ? kChangedFront : 0) | (at.z == shape.depth() - 1 ? kChangedBack : 0);
  }
  chunk.changed = static_cast<std::uint8_t>(flags);
}

void StreamCells::set_mark(Chunk& chunk, std::int32_t index, Cell mark) {
  if (chunk.marks == nullptr) chunk.marks = std::make_unique<Marks>();
  Cell& stored = chunk.marks->cells[static_cast<std::size_t>(index)];
  // Where a bed begins or ends, a stream behind the border may gain or lose its way.
  const bool joins = stored == 0 || mark == 0;
  stored = mark;
  note(chunk, index, joins);
}

void StreamCells::release() {
  for (const Wetted& wetted : wetted_) {
    if (wetted.chunk->in_pass) compare_cell(region_of(*wetted.chunk), wetted.index);
  }
  wetted_.clear();
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    Region& region = *regions_[i];
    if (region.chunk == nullptr) continue;
    if (region.stirs) grid_->wake(*region.chunk, kWakeAll);
    region.stirs = false;
  }
  for (Chunk* chunk : touched_) {
    const std::uint8_t changed = chunk->changed;
    chunk->changed = 0;
    grid_->note_change(*chunk, changed);
    chunk->regions.level = {};  // nobody else has written to it since it was compared
  }
  touched_.clear();
  // What is awake is looked at in the next tick; else the grid may let go of an empty chunk.
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = *regions_[i];
    if (region.chunk == nullptr || region.cells > 0 || region.chunk->wake != 0) continue;
    drop(static_cast<std::int32_t>(i));
  }
}

}  // namespace sluice::sim
