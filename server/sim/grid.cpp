#include "server/sim/grid.h"

#include <algorithm>
#include <bit>

#include "protocol/base/assert.h"

namespace sluice::sim {

namespace {

Box with_gutters(const WorldConfig& config) {
  const Edges& edges = config.edges;
  const auto layer = [](Edge edge) { return edge == Edge::kOpen ? 1 : 0; };
  Box box = config.box();
  box.from.x -= layer(edges.left);
  box.size.x += layer(edges.left) + layer(edges.right);
  box.from.y -= layer(edges.bottom);
  box.size.y += layer(edges.bottom) + layer(edges.top);
  if (!config.side_view()) {
    box.from.z -= layer(edges.front);
    box.size.z += layer(edges.front) + layer(edges.back);
  }
  return box;
}

/// The layers of cells behind the open edges.
std::vector<Box> gutters_of(const Box& world, const Box& open) {
  const Vec3 end = world.end();
  const Vec3 open_end = open.end();
  const Vec3 size = world.size;
  std::vector<Box> gutters;
  if (open.from.x < 0) gutters.push_back({{-1, 0, 0}, {1, size.y, size.z}});
  if (open_end.x > end.x) gutters.push_back({{end.x, 0, 0}, {1, size.y, size.z}});
  if (open.from.y < 0) gutters.push_back({{0, -1, 0}, {size.x, 1, size.z}});
  if (open_end.y > end.y) gutters.push_back({{0, end.y, 0}, {size.x, 1, size.z}});
  if (open.from.z < 0) gutters.push_back({{0, 0, -1}, {size.x, size.y, 1}});
  if (open_end.z > end.z) gutters.push_back({{0, 0, end.z}, {size.x, size.y, 1}});
  return gutters;
}

template <class F>
void for_each_cell(const Box& box, F&& f) {
  const Vec3 end = box.end();
  for (std::int32_t y = box.from.y; y < end.y; ++y) {
    for (std::int32_t z = box.from.z; z < end.z; ++z) {
      for (std::int32_t x = box.from.x; x < end.x; ++x) f(Vec3{x, y, z});
    }
  }
}

/// Whether a cell is neither air nor outside; some at a time, as a vector unit can look at them.
bool any_holds(const CellPage& cells) {
  constexpr std::size_t kBatch = 64;
  static_assert(kChunkCells % kBatch == 0);
  for (std::size_t first = 0; first < kChunkCells; first += kBatch) {
    std::uint32_t holds = 0;
    for (std::size_t i = first; i < first + kBatch; ++i) {
      holds |= static_cast<std::uint32_t>(cells[i] != kAir && cells[i] != kOutside);
    }
    if (holds != 0) return true;
  }
  return false;
}

}  // namespace

Grid::Grid(const WorldConfig& config)
    : shape_(config.shape()),
      passes_((config.side_view() ? kWakeX | kWakeVertical : kWakeAll) | kWakeLevel),
      world_(config.box()),
      open_(with_gutters(config)),
      first_(shape_.chunk_of(open_.from)),
      last_(shape_.chunk_of(open_.end() - Vec3{1, 1, 1})),
      gutters_(gutters_of(world_, open_)) {
  const std::vector<Cell> air(kChunkCells + kOverread, kAir);
  air_digest_ = digest_cells(air.data());
}

const Chunk* Grid::find(ChunkCoord coord) const {
  const auto found = chunks_.find(coord);
  return found == chunks_.end() ? nullptr : found->second.get();
}

Chunk* Grid::find(ChunkCoord coord) {
  return const_cast<Chunk*>(static_cast<const Grid*>(this)->find(coord));
}

Chunk& Grid::obtain(ChunkCoord coord) {
  Chunk* stored = find(coord);
  return stored != nullptr ? *stored : adopt(make(coord));
}

std::unique_ptr<Chunk> Grid::make(ChunkCoord coord) const {
  SLUICE_ASSERT(reaches(coord));
  auto chunk = std::make_unique<Chunk>();
  chunk->coord = coord;
  const Box box = shape_.box(coord);
  const Box inside = intersect(box, world_);
  chunk->world_cells = static_cast<std::int32_t>(inside.volume());
  if (inside == box) {
    chunk->pristine = air_digest_;
  } else {
    fill_pristine(*chunk);
    chunk->pristine = digest_cells(chunk->cells.data());
  }
  chunk->digest = chunk->pristine;
  return chunk;
}

Chunk& Grid::adopt(std::unique_ptr<Chunk> chunk) {
  auto& slot = chunks_[chunk->coord];
  SLUICE_ASSERT(slot == nullptr);
  slot = std::move(chunk);
  ++chunks_version_;
  link(*slot);
  wake(*slot, kWakeAll);
  return *slot;
}

void Grid::fill_pristine(Chunk& chunk) const {
  const Box box = shape_.box(chunk.coord);
  Cell* const cells = chunk.cells.edit();
  std::fill_n(cells, kChunkCells, kOutside);
  const auto open_up = [&](const Box& part) {
    for_each_cell(intersect(box, part),
                  [&](Vec3 p) { cells[static_cast<std::size_t>(shape_.index_of(p))] = kAir; });
  };
  open_up(world_);
  for (const Box& gutter : gutters_) {
    open_up(gutter);
    if (!intersect(box, gutter).empty()) chunk.has_gutter = true;
  }
}

void Grid::link(Chunk& chunk) {
  const ChunkCoord c = chunk.coord;
  const auto join = [this](ChunkCoord at, Chunk*& mine, Chunk* Chunk::*theirs, Chunk& self) {
    mine = find(at);
    if (mine != nullptr) mine->*theirs = &self;
  };
  join({c.x - 1, c.y, c.z}, chunk.left, &Chunk::right, chunk);
  join({c.x + 1, c.y, c.z}, chunk.right, &Chunk::left, chunk);
  join({c.x, c.y - 1, c.z}, chunk.below, &Chunk::above, chunk);
  join({c.x, c.y + 1, c.z}, chunk.above, &Chunk::below, chunk);
  join({c.x, c.y, c.z - 1}, chunk.front, &Chunk::back, chunk);
  join({c.x, c.y, c.z + 1}, chunk.back, &Chunk::front, chunk);
}

void Grid::unlink(Chunk& chunk) {
  if (chunk.left != nullptr) chunk.left->right = nullptr;
  if (chunk.right != nullptr) chunk.right->left = nullptr;
  if (chunk.below != nullptr) chunk.below->above = nullptr;
  if (chunk.above != nullptr) chunk.above->below = nullptr;
  if (chunk.front != nullptr) chunk.front->back = nullptr;
  if (chunk.back != nullptr) chunk.back->front = nullptr;
}

Cell Grid::cell(Vec3 at) const {
  if (!world_.contains(at)) return kOutside;
  const Chunk* chunk = find(shape_.chunk_of(at));
  return chunk == nullptr ? kAir : chunk->cells[static_cast<std::size_t>(shape_.index_of(at))];
}

void Grid::wake(Chunk& chunk, std::uint8_t passes, const ChunkRegion& where) {
  chunk.wake = static_cast<std::uint8_t>(chunk.wake | (passes & passes_));
  if ((passes & (kWakeX | kWakeZ)) != 0) chunk.regions.sideways.add(where);
  if ((passes & kWakeVertical) != 0) chunk.regions.vertical.add(where);
  if ((passes & kWakeLevel) != 0) chunk.regions.level.add(where);
  if (!chunk.awake_listed) {
    chunk.awake_listed = true;
    awake_.push_back(&chunk);
  }
}

void Grid::wake_all() {
  for (auto& [coord, chunk] : chunks_) wake(*chunk, kWakeAll);
}

// What flows through a cell counts as a change of it, even if as much comes as goes.
void Grid::note_change(Chunk& chunk, std::uint8_t changed, const ChunkRegion& where,
                       std::uint32_t beside) {
  if (changed == 0) return;
  full_columns_.changed(chunk);
  list_change(chunk, changed, where, beside);
}

// A sideways flow between two cells depends on both and, because falling water does not spread,
// on the two cells below them. A vertical flow depends on its two cells alone. So a changed border
// is seen by the neighbour behind it, and a changed top by the chunk above and, at a corner, by
// that chunk's own neighbours. A neighbour that is not stored holds nothing that could flow; what
// flows into it is found by the chunk that it leaves.
void Grid::list_change(Chunk& chunk, std::uint8_t changed, const ChunkRegion& where,
                       std::uint32_t beside_segments) {
  if (!chunk.changed_listed) {
    chunk.changed_listed = true;
    changed_.push_back(&chunk);
  }
  chunk.stale_slabs |= where.slabs;
  const ChunkRegion beside = {widened(where, shape_).slabs, beside_segments};
  wake(chunk, kWakeX | kWakeZ, beside);
  wake(chunk, kWakeVertical | kWakeLevel, where);
  const auto wake_if = [this](Chunk* neighbour, bool seen, int passes, const ChunkRegion& region) {
    if (neighbour != nullptr && seen) wake(*neighbour, static_cast<std::uint8_t>(passes), region);
  };
  const bool top = (changed & kChangedTop) != 0;
  const bool at_left = (changed & kChangedLeft) != 0;
  const bool at_right = (changed & kChangedRight) != 0;
  const bool at_front = (changed & kChangedFront) != 0;
  const bool at_back = (changed & kChangedBack) != 0;
  // The neighbours' segments that lie behind the borders.
  constexpr std::uint32_t kFirst = 1;
  const std::uint32_t last = last_segment(shape_);
  const bool across_x = shape_.depth() > 1;  // a segment is as wide as the chunk
  const std::uint32_t in_left = across_x ? where.segments : last;
  const std::uint32_t in_right = across_x ? where.segments : kFirst;
  wake_if(chunk.left, at_left, kWakeX, {beside.slabs, in_left});
  wake_if(chunk.right, at_right, kWakeX, {beside.slabs, in_right});
  wake_if(chunk.front, at_front, kWakeZ, {beside.slabs, last});
  wake_if(chunk.back, at_back, kWakeZ, {beside.slabs, kFirst});
  wake_if(chunk.below, (changed & kChangedBottom) != 0, kWakeVertical,
          {top_slab(shape_), where.segments});
  constexpr std::uint64_t kLowest = 1;
  wake_if(chunk.above, top, kWakeAll, {kLowest, beside.segments});
  if (!top) return;
  // By way of a neighbour where there is one: a search for each change would be felt.
  const auto wake_beside_above = [&](bool seen, Chunk* Chunk::*side, ChunkCoord coord, int passes,
                                     std::uint32_t segments) {
    if (!seen) return;
    Chunk* const neighbour = chunk.*side;
    wake_if(chunk.above != nullptr ? chunk.above->*side
            : neighbour != nullptr ? neighbour->above
                                   : find(coord),
            true, passes, {kLowest, segments});
  };
  const ChunkCoord c = chunk.coord;
  wake_beside_above(at_left, &Chunk::left, {c.x - 1, c.y + 1, c.z}, kWakeX, in_left);
  wake_beside_above(at_right, &Chunk::right, {c.x + 1, c.y + 1, c.z}, kWakeX, in_right);
  wake_beside_above(at_front, &Chunk::front, {c.x, c.y + 1, c.z - 1}, kWakeZ, last);
  wake_beside_above(at_back, &Chunk::back, {c.x, c.y + 1, c.z + 1}, kWakeZ, kFirst);
}

void Grid::add_to_cell(Vec3 at, std::int32_t units) {
  Chunk& chunk = obtain(shape_.chunk_of(at));
  chunk.cells.edit()[static_cast<std::size_t>(shape_.index_of(at))] += units;
  if (units < 0) full_columns_.lowered(*this, chunk, at);
  const ChunkRegion where = region_of({at, {1, 1, 1}}, shape_);
  list_change(chunk, kChangedAll, where, widened(where, shape_).segments);
}

void Grid::set_digests(Chunk& chunk, Digest cells, Digest marks) {
  if (chunk.claimed) --claimed_;
  chunk.claimed = false;
  holding_ -= chunk.holds() ? 1 : 0;
  holding_ += cells != chunk.pristine || marks != 0 ? 1 : 0;
  cells_digest_ -= chunk_contribution(chunk.coord, chunk.digest, chunk.pristine);
  chunk.digest = cells;
  cells_digest_ += chunk_contribution(chunk.coord, chunk.digest, chunk.pristine);
  if (chunk.marks_digest == marks) return;
  marks_digest_ -= chunk_contribution(chunk.coord, chunk.marks_digest, 0);
  chunk.marks_digest = marks;
  marks_digest_ += chunk_contribution(chunk.coord, chunk.marks_digest, 0);
}

std::vector<Chunk*> Grid::take_changed() {
  std::vector<Chunk*> taken;
  taken.swap(changed_);
  for (Chunk* chunk : taken) chunk->changed_listed = false;
  return taken;
}

void Grid::settle(const std::vector<Chunk*>& candidates) {
  std::erase_if(awake_, [](Chunk* chunk) {
    if (chunk->wake != 0) return false;
    chunk->awake_listed = false;
    chunk->sums.reset();  // a world at rest keeps none
    chunk->digests = 0;
    return true;
  });
  for (Chunk* chunk : candidates) {
    // The digest is a cheap first look; the cells decide.
    if (chunk->wake != 0 || chunk->changed_listed || chunk->digest != chunk->pristine) continue;
    if (!chunk->cells.is_shared_air() && any_holds(chunk->cells)) continue;
    if (chunk->marks != nullptr &&
        std::any_of(chunk->marks->cells.begin(), chunk->marks->cells.end(),
                    [](Cell mark) { return mark != 0; })) {
      continue;
    }
    unlink(*chunk);
    ++chunks_version_;
    chunks_.erase(chunk->coord);
  }
}

std::int64_t Grid::drain_gutter(Chunk& chunk, std::uint64_t slabs) const {
  std::int64_t drained = 0;
  const Box box = shape_.box(chunk.coord);
  Cell* const cells = chunk.cells.edit();
  for (; slabs != 0; slabs &= slabs - 1) {
    const Vec3 from = {box.from.x, box.from.y + std::countr_zero(slabs), box.from.z};
    const Box slab = {from, {box.size.x, 1, box.size.z}};
    for (const Box& gutter : gutters_) {
      for_each_cell(intersect(slab, gutter), [&](Vec3 p) {
        Cell& cell = cells[static_cast<std::size_t>(shape_.index_of(p))];
        drained += water_of(cell);
        cell = kAir;
      });
    }
  }
  return drained;
}

}  // namespace sluice::sim
