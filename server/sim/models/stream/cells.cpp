#include "server/sim/models/stream/cells.h"

#include <algorithm>
#include <array>

namespace sluice::sim {

Cell pack(const StreamMark& mark) {
  return static_cast<Cell>(mark.direction | (mark.is_source ? kIsSourceBit : 0) |
                           (mark.has_source ? 1 << 4 : 0) | mark.largest << 5 | mark.active << 8 |
                           (mark.flow_out ? 1 << 11 : 0) | mark.parents << 12);
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

namespace {

/// A turn's key: a height of 0 to kMaxSide (a gutter's lies one below the world), then a draw.
constexpr int kDrawnBits = 43;
static_assert(kMaxSide + 1 < 1 << (64 - kDrawnBits));

Cell mark_of(const Chunk& chunk, std::int32_t index) {
  return chunk.marks == nullptr ? 0 : chunk.marks->cells[static_cast<std::size_t>(index)];
}

bool in_stream(const Chunk& chunk, std::int32_t index) {
  const Cell cell = chunk.cells[static_cast<std::size_t>(index)];
  return cell > 0 || (is_open(cell) && mark_of(chunk, index) != 0);
}

}  // namespace

void StreamCells::gather(Grid& grid, std::uint64_t seed, std::uint64_t tick, WaterMoves* moves) {
  moves_ = moves;
  grid_ = &grid;
  seed_ = seed;
  tick_ = tick;
  chunks_.clear();
  turns_.clear();
  for (Chunk* chunk : grid.awake()) {
    if (chunk->wake == 0) continue;
    chunk->wake = 0;
    add_chunk(*chunk);
  }
  // Streams that cross a border bring the chunk behind it along.
  for (std::size_t i = 0; i < chunks_.size(); ++i) scan(*chunks_[i]);
  take_turns();
  for (StreamCell& cell : cells_) meet_neighbours(cell);
}

void StreamCells::add_chunk(Chunk& chunk) {
  if (chunk.in_pass) return;
  chunk.in_pass = true;
  chunk.pass_slot = static_cast<std::uint32_t>(chunks_.size());
  chunks_.push_back(&chunk);
}

void StreamCells::scan(Chunk& chunk) {
  constexpr std::int32_t kBlock = 64;
  for (std::int32_t first = 0; first < kChunkCells; first += kBlock) {
    // Most blocks hold neither water nor marks: a look at 64 cells at a time passes over them.
    const Cell* const cells = chunk.cells.data() + first;
    Cell most = 0;
    for (std::int32_t i = 0; i < kBlock; ++i) most = std::max(most, cells[i]);
    Cell marks = 0;
    if (chunk.marks != nullptr) {
      const Cell* const all = chunk.marks->cells.data() + first;
      for (std::int32_t i = 0; i < kBlock; ++i) marks |= all[i];
    }
    if (most <= 0 && marks == 0) continue;
    for (std::int32_t i = 0; i < kBlock; ++i) scan_cell(chunk, first + i);
  }
}

void StreamCells::scan_cell(Chunk& chunk, std::int32_t index) {
  if (!in_stream(chunk, index)) {
    if (mark_of(chunk, index) != 0) set_mark(chunk, index, 0);  // rock was put here
    return;
  }
  const Vec3 at = grid_->shape().cell_at(chunk.coord, index);
  const std::uint64_t drawn = draw(seed_, tick_, at, DrawPurpose::kStreamOrder);
  turns_.push_back({static_cast<std::uint64_t>(at.y + 1) << kDrawnBits | drawn >> (64 - kDrawnBits),
                    chunk.pass_slot, index});
  reach_across(chunk, index, at);
}

void StreamCells::reach_across(Chunk& chunk, std::int32_t index, Vec3 at) {
  const ChunkShape& shape = grid_->shape();
  const std::int32_t x = at.x & (shape.width() - 1);
  const std::int32_t y = at.y & (shape.height() - 1);
  const std::int32_t z = at.z & (shape.depth() - 1);
  const std::int32_t rows = shape.slab();
  const auto look = [&](bool at_border, Chunk* neighbour, std::int32_t there) {
    if (at_border && neighbour != nullptr && !neighbour->in_pass && in_stream(*neighbour, there)) {
      add_chunk(*neighbour);
    }
  };
  look(x == 0, chunk.left, index + shape.width() - 1);
  look(x == shape.width() - 1, chunk.right, index - shape.width() + 1);
  look(y == 0, chunk.below, index + rows * (shape.height() - 1));
  look(y == shape.height() - 1, chunk.above, index - rows * (shape.height() - 1));
  look(z == 0, chunk.front, index + shape.width() * (shape.depth() - 1));
  look(z == shape.depth() - 1, chunk.back, index - shape.width() * (shape.depth() - 1));
}

// Draws are spread evenly over their layer: each turn goes straight to about its place, and a pass
// of insertions puts right what is left.
void StreamCells::sort_turns() {
  if (turns_.empty()) return;
  constexpr std::uint64_t kDraws = std::uint64_t{1} << kDrawnBits;
  const auto by_key = [](const Turn& a, const Turn& b) { return a.key < b.key; };
  const auto [first, last] = std::minmax_element(turns_.begin(), turns_.end(), by_key);
  const std::uint64_t bottom = first->key >> kDrawnBits;
  layers_.assign((last->key >> kDrawnBits) - bottom + 2, 0);
  for (const Turn& turn : turns_) ++layers_[(turn.key >> kDrawnBits) - bottom + 1];
  for (std::size_t i = 1; i < layers_.size(); ++i) layers_[i] += layers_[i - 1];
  const auto about = [&](const Turn& turn) {
    const std::uint64_t layer = (turn.key >> kDrawnBits) - bottom;
    const std::uint64_t count = layers_[layer + 1] - layers_[layer];
    // The upper bits of the draw, so that the product fits.
    const std::uint64_t drawn = (turn.key & (kDraws - 1)) >> (kDrawnBits - 32);
    return layers_[layer] + (drawn * count >> 32);
  };
  places_.assign(turns_.size() + 1, 0);
  for (const Turn& turn : turns_) ++places_[about(turn) + 1];
  for (std::size_t i = 1; i < places_.size(); ++i) places_[i] += places_[i - 1];
  sorted_.resize(turns_.size());
  for (const Turn& turn : turns_) sorted_[places_[about(turn)]++] = turn;
  std::swap(turns_, sorted_);
  const auto before = [this](const Turn& a, const Turn& b) {
    if (a.key != b.key) return a.key < b.key;
    const ChunkShape& shape = grid_->shape();
    return shape.cell_at(chunks_[a.chunk]->coord, a.index) <
           shape.cell_at(chunks_[b.chunk]->coord, b.index);
  };
  for (std::size_t i = 1; i < turns_.size(); ++i) {
    if (!before(turns_[i], turns_[i - 1])) continue;
    const Turn turn = turns_[i];
    std::size_t to = i;
    for (; to > 0 && before(turn, turns_[to - 1]); --to) turns_[to] = turns_[to - 1];
    turns_[to] = turn;
  }
}

void StreamCells::take_turns() {
  sort_turns();
  slots_.assign(chunks_.size() * static_cast<std::size_t>(kChunkCells), kDryThere);
  cells_.clear();
  cells_.reserve(turns_.size());
  for (const Turn& turn : turns_) put_in(turn, size());
}

void StreamCells::put_in(const Turn& turn, std::int32_t slot) {
  StreamCell& cell = cells_.emplace_back();
  cell.chunk = chunks_[turn.chunk];
  cell.index = turn.index;
  cell.at = grid_->shape().cell_at(cell.chunk->coord, turn.index);
  cell.key = turn.key;
  cell.level = cell.chunk->cells[static_cast<std::size_t>(turn.index)] / kUnitsPerLevel;
  cell.old_level = cell.level;
  cell.old_mark = mark_of(*cell.chunk, turn.index);
  cell.mark = unpack(cell.old_mark);
  slots_[turn.chunk * static_cast<std::size_t>(kChunkCells) +
         static_cast<std::size_t>(turn.index)] = slot;
}

void StreamCells::meet_neighbours(StreamCell& cell) const {
  const ChunkShape& shape = grid_->shape();
  const std::array<std::int32_t, 3> side = {shape.width(), shape.height(), shape.depth()};
  const std::array<std::int32_t, 3> stride = {1, shape.slab(), shape.width()};
  const std::array<std::int32_t, 3> local = {cell.at.x & (side[0] - 1), cell.at.y & (side[1] - 1),
                                             cell.at.z & (side[2] - 1)};
  const bool wholly_inside = cell.chunk->world_cells == kChunkCells;
  for (std::size_t face = 0; face < kFaces; ++face) {
    const std::size_t axis = face / 2;
    const bool up = face % 2 == 1;
    const std::int32_t inside = up ? stride[axis] : -stride[axis];
    const bool leaves = local[axis] == (up ? side[axis] - 1 : 0);
    if (wholly_inside && !leaves) {
      cell.beside[face] = found_in(*cell.chunk, cell.index + inside);
      continue;
    }
    const Vec3 there = cell.at + kFaceStep[face];
    if (!grid_->world_box().contains(there)) {
      cell.beside[face] = grid_->open_box().contains(there) ? kGutterThere : kSolidThere;
      continue;
    }
    const Chunk* const chunk = leaves ? chunk_beside(*cell.chunk, face) : cell.chunk;
    const std::int32_t index = cell.index + (leaves ? -inside * (side[axis] - 1) : inside);
    cell.beside[face] = chunk == nullptr ? kDryThere : found_in(*chunk, index);
  }
}

std::int32_t StreamCells::found_in(const Chunk& chunk, std::int32_t index) const {
  if (!is_open(chunk.cells[static_cast<std::size_t>(index)])) return kSolidThere;
  if (!chunk.in_pass) return kDryThere;
  return slots_[chunk.pass_slot * static_cast<std::size_t>(kChunkCells) +
                static_cast<std::size_t>(index)];
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

Cell StreamCells::value_at(const Chunk* near, Vec3 at) const {
  const Chunk* const chunk = chunk_at(near, at);
  return chunk == nullptr ? kAir
                          : chunk->cells[static_cast<std::size_t>(grid_->shape().index_of(at))];
}

std::int32_t StreamCells::fresh_level(const StreamCell& cell, StreamFace face) const {
  return value_at(cell.chunk, cell.at + kFaceStep[face]) / kUnitsPerLevel;
}

bool StreamCells::fresh_supported(const StreamCell& cell, StreamFace face) const {
  const Vec3 below = cell.at + kFaceStep[face] + kFaceStep[kBelow];
  if (!grid_->world_box().contains(below)) return !grid_->open_box().contains(below);
  const Chunk* const chunk = chunk_at(cell.chunk, below);
  if (chunk == nullptr) return false;
  const auto index = static_cast<std::size_t>(grid_->shape().index_of(below));
  if (!is_open(chunk->cells[index])) return true;
  const std::int32_t slot =
      chunk->in_pass ? slots_[chunk->pass_slot * static_cast<std::size_t>(kChunkCells) + index]
                     : kDryThere;
  // A stream's cell stands in the array while the tick runs, all others in their chunks.
  return (slot >= 0 ? (*this)[slot].level : chunk->cells[index] / kUnitsPerLevel) == kStreamLevels;
}

void StreamCells::wet(const StreamCell& from, StreamFace face, std::int32_t levels,
                      const StreamMark& mark) {
  const Vec3 at = from.at + kFaceStep[face];
  Chunk* chunk = chunk_at(from.chunk, at);
  if (chunk == nullptr) chunk = &grid_->obtain(grid_->shape().chunk_of(at));
  const std::int32_t index = grid_->shape().index_of(at);
  chunk->cells.edit()[static_cast<std::size_t>(index)] += levels * kUnitsPerLevel;
  note(*chunk, index, true);
  if (mark_of(*chunk, index) == 0) set_mark(*chunk, index, pack(mark));
}

void StreamCells::store(const StreamCell& cell) {
  if (cell.level != cell.old_level) {
    cell.chunk->cells.edit()[static_cast<std::size_t>(cell.index)] = cell.level * kUnitsPerLevel;
    note(*cell.chunk, cell.index, true);
  }
  if (const Cell mark = pack(cell.mark); mark != cell.old_mark) {
    set_mark(*cell.chunk, cell.index, mark);
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
  for (Chunk* chunk : chunks_) chunk->in_pass = false;
  for (Chunk* chunk : touched_) {
    const std::uint8_t changed = chunk->changed;
    chunk->changed = 0;
    grid_->note_change(*chunk, changed);
  }
  touched_.clear();
}

}  // namespace sluice::sim
