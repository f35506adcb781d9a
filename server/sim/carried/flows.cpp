// The model says what moved between columns; what moved within one then follows from what its cells
// held before and hold now: over each face, the sum of what came in below it and did not stay.
#include "server/sim/carried/flows.h"

#include <algorithm>
#include <utility>

#include "server/sim/spec.h"

namespace sluice::sim {

void FlowFinder::find(const WaterMoves& moves, const Grid& grid) {
  moves_ = &moves;
  grid_ = &grid;
  slots_.clear();
  surplus_.clear();
  layers_.clear();
  flows_.list.clear();
  last_slot_ = 0;
  find_slots();
  if (slots_.empty()) return;
  note_moves();
  for (std::size_t i = 0; i < touched_;) i = climb_stack(i);
  list_layers();
  merge_flows();
}

void FlowFinder::find_slots() {
  coords_.clear();
  for (const Chunk* chunk : grid_->changed()) {
    if (chunk->world_cells > 0) coords_.push_back(chunk->coord);
  }
  for (const WaterMove& move : moves_->list()) {
    for (const Vec3 at : {move.from, move.to}) {
      if (!water_.world_.contains(at)) continue;
      const ChunkCoord coord = shape_.chunk_of(at);
      if (coords_.empty() || coords_.back() != coord) coords_.push_back(coord);
    }
  }
  std::sort(coords_.begin(), coords_.end());
  coords_.erase(std::unique(coords_.begin(), coords_.end()), coords_.end());
  for (const ChunkCoord coord : coords_) add_slot(coord);
  touched_ = slots_.size();
}

std::size_t FlowFinder::add_slot(ChunkCoord coord) {
  static const CellPage kAllAir;
  FlowSlot slot;
  slot.coord = coord;
  const Chunk* const chunk = grid_->find(coord);
  slot.before = water_.know(coord).cells.data();
  slot.after = (chunk != nullptr ? chunk->cells : kAllAir).data();
  slot.surplus.fill(FlowSlot::kNone);
  slot.places.fill(FlowSlot::kNone);
  const std::size_t layers = slot.before == slot.after ? 0 : kChunkCells / slab_;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    const Cell* const before = slot.before + layer * slab_;
    const Cell* const after = slot.after + layer * slab_;
    if (std::equal(before, before + slab_, after)) continue;
    std::int64_t* const surplus = add_surplus(slot, layer);
    for (std::size_t c = 0; c < slab_; ++c) {
      surplus[c] = std::int64_t{held_in(before[c])} - held_in(after[c]);
    }
  }
  slots_.push_back(slot);
  return slots_.size() - 1;
}

std::int64_t* FlowFinder::add_surplus(FlowSlot& slot, std::size_t layer) {
  const std::size_t begin = surplus_.size();
  slot.surplus[layer] = static_cast<std::int32_t>(begin);
  surplus_.resize(begin + slab_);
  return &surplus_[begin];
}

std::int32_t FlowFinder::node_at(Vec3 at) {
  if (WaterMoves::is_pool(at)) return kPoolBit | at.z;
  if (!water_.world_.contains(at)) return kOutsideNode;
  const ChunkCoord coord = shape_.chunk_of(at);
  if (last_slot_ >= touched_ || slots_[last_slot_].coord != coord) {
    const auto found =
        std::lower_bound(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(touched_),
                         coord, [](const FlowSlot& slot, ChunkCoord c) { return slot.coord < c; });
    last_slot_ = static_cast<std::size_t>(found - slots_.begin());
  }
  return id_of(last_slot_, static_cast<std::size_t>(shape_.index_of(at)));
}

void FlowFinder::note_moves() {
  for (const WaterMove& move : moves_->list()) {
    const std::int32_t from = node_at(move.from);
    const std::int32_t to = node_at(move.to);
    if (from == to) continue;
    add_flow(from, to, move.units);
    if (from != kOutsideNode && !is_pool(from)) surplus(from) -= move.units;
    if (to != kOutsideNode && !is_pool(to)) surplus(to) += move.units;
  }
}

std::int64_t& FlowFinder::surplus(std::int32_t id) {
  FlowSlot& slot = slots_[slot_of(id)];
  const std::size_t layer = layer_of(index_of(id));
  if (slot.surplus[layer] == FlowSlot::kNone) add_surplus(slot, layer);
  return surplus_[static_cast<std::size_t>(slot.surplus[layer]) + column_of(index_of(id))];
}

void FlowFinder::add_flow(std::int32_t from, std::int32_t to, std::int64_t units) {
  if (units < 0) return add_flow(to, from, -units);
  if (units > 0) flows_.list.push_back({from, to, units});
}

// One stack of chunks, from its first touched slot on. What stands on an open floor leaves
// downwards, so there the way goes from the top down. Returns the next stack's first slot.
std::size_t FlowFinder::climb_stack(std::size_t first) {
  const ChunkCoord stack = slots_[first].coord;
  std::size_t end = first;
  while (end < touched_ && slots_[end].coord.x == stack.x && slots_[end].coord.z == stack.z) ++end;
  const bool down = water_.edges_.bottom == Edge::kOpen;
  const std::int32_t step = down ? -1 : 1;
  rising_.assign(slab_, 0);
  any_rises_ = false;
  for (std::size_t i = 0; i < end - first; ++i) {
    const std::size_t slot = down ? end - 1 - i : first + i;
    climb_slot(slot, down);
    const bool more = i + 1 < end - first;
    ChunkCoord next = slots_[slot].coord;
    next.y += step;
    const std::int32_t stop = more ? slots_[down ? slot - 1 : slot + 1].coord.y : INT32_MIN;
    // What passes through chunks in which nothing changed.
    while (any_rises_ && next.y != stop && grid_->find(next) != nullptr &&
           grid_->find(next)->world_cells > 0) {
      climb_slot(add_slot(next), down);
      next.y += step;
    }
    if (any_rises_ && next.y != stop) end_all();
  }
  return end;
}

void FlowFinder::climb_slot(std::size_t number, bool down) {
  const std::size_t layers = kChunkCells / slab_;
  for (std::size_t i = 0; i < layers; ++i) {
    const std::size_t layer = down ? layers - 1 - i : i;
    if (any_rises_ || slots_[number].surplus[layer] != FlowSlot::kNone) climb_layer(number, layer);
    last_layer_ = id_of(number, layer * slab_);
  }
}

void FlowFinder::climb_layer(std::size_t number, std::size_t layer) {
  FlowSlot& slot = slots_[number];
  slot.places[layer] = 0;  // list_layers() says which
  const Cell* const cells = slot.after + layer * slab_;
  const std::int64_t* const surpluses =
      slot.surplus[layer] == FlowSlot::kNone
          ? nullptr
          : &surplus_[static_cast<std::size_t>(slot.surplus[layer])];
  const std::int32_t first = id_of(number, layer * slab_);
  std::int64_t any = 0;
  for (std::size_t c = 0; c < slab_; ++c) {
    std::int64_t& rises = rising_[c];
    const std::int64_t surplus = surpluses == nullptr ? 0 : surpluses[c];
    if (rises == 0 && surplus == 0) continue;
    if (!is_open(cells[c])) {
      end_column(c);
      continue;
    }
    const auto column = static_cast<std::int32_t>(c);
    if (rises != 0) add_flow(last_layer_ + column, first + column, rises);
    rises += surplus;
    any |= rises;
  }
  any_rises_ = any != 0;
}

void FlowFinder::list_layers() {
  for (std::size_t number = 0; number < slots_.size(); ++number) {
    for (std::size_t layer = 0; layer < kChunkCells / slab_; ++layer) {
      std::int32_t& place = slots_[number].places[layer];
      if (place == FlowSlot::kNone) continue;
      place = static_cast<std::int32_t>(layers_.size() * slab_);
      layers_.push_back(id_of(number, layer * slab_));
    }
  }
}

// What is left at the end of a column's run left it: over an open edge, or into the air.
void FlowFinder::end_column(std::size_t column) {
  const std::int64_t rest = std::exchange(rising_[column], 0);
  if (rest < 0) water_.unexplained_ -= rest;
  add_flow(last_layer_ + static_cast<std::int32_t>(column), kOutsideNode, rest);
}

void FlowFinder::end_all() {
  for (std::size_t c = 0; c < rising_.size(); ++c) end_column(c);
  any_rises_ = false;
}

// One flow for each pair of nodes.
void FlowFinder::merge_flows() {
  std::vector<Flow>& flows = flows_.list;
  for (Flow& flow : flows) {
    if (flow.from > flow.to) flow = {flow.to, flow.from, -flow.units};
  }
  // Few leave each node, so that what is left to sort is short.
  const auto place_of = [this](std::int32_t id) { return place_in_table(id); };
  std::size_t kept = 0;
  std::size_t i = 0;
  for (const std::uint32_t end : flows_.group_by_from(table_size(), place_of)) {
    if (end - i > 1) {
      std::sort(flows.begin() + static_cast<std::ptrdiff_t>(i),
                flows.begin() + static_cast<std::ptrdiff_t>(end),
                [](const Flow& a, const Flow& b) { return a.to < b.to; });
    }
    while (i < end) {
      Flow sum = flows[i];
      for (++i; i < end && flows[i].to == sum.to; ++i) sum.units += flows[i].units;
      if (sum.units < 0) sum = {sum.to, sum.from, -sum.units};
      if (sum.units != 0) flows[kept++] = sum;
    }
  }
  flows.resize(kept);
}

}  // namespace sluice::sim
