#include "server/sim/models/stream/paths.h"

#include <algorithm>
#include <functional>

namespace sluice::sim {

namespace {

/// Whether a spring's water can get from a cell to the neighbour behind a face: water that touches
/// joined water is joined; how high the spring stands decides only where water enters dry cells.
bool leads(const StreamCells& cells, const StreamCell& from, std::size_t face) {
  if (from.beside[face] < 0) return false;
  if (from.level > 0 && cells[from.beside[face]].level > 0) return true;
  if (face == kBelow) return true;
  if (face == kAbove) return from.firm() && from.reached_from_above(from.at.y + 1);
  return cells.supported(from);
}

/// From springs, the highest first: a cell that several reach can rise as high as the highest lets
/// it.
struct FromSprings {
  static constexpr std::uint8_t kWays = kWaysFromSprings;
  static std::uint64_t get(const StreamCell& cell) { return cell.reach; }
  static void set(StreamCell& cell, std::uint64_t reach) { cell.reach = reach; }
  static std::uint64_t begin(const StreamCells& /*cells*/, const StreamCell& cell) {
    return cell.mark.is_source ? reach_of_spring(cell.at.y) : kNoReach;
  }
  /// Whether the way goes from a cell to the neighbour behind a face.
  static bool goes(const StreamCells& cells, const StreamCell& from, std::size_t face) {
    return leads(cells, from, face);
  }
};

/// From open edges, against the ways that water can take.
struct FromEdges {
  static constexpr std::uint8_t kWays = kWaysToEdges;
  static std::uint64_t get(const StreamCell& cell) {
    return cell.to_edge == kUnreached ? kNoReach : static_cast<std::uint64_t>(cell.to_edge);
  }
  static void set(StreamCell& cell, std::uint64_t distance) {
    cell.to_edge = distance == kNoReach ? kUnreached : static_cast<std::int32_t>(distance);
  }
  static std::uint64_t begin(const StreamCells& cells, const StreamCell& cell) {
    bool at_edge = cell.beside[kBelow] == kGutterThere;
    for (const StreamFace face : kSideways) {
      at_edge = at_edge || (cell.beside[face] == kGutterThere && cells.supported(cell));
    }
    return at_edge ? 1 : kNoReach;
  }
  static bool goes(const StreamCells& cells, const StreamCell& to, std::size_t face) {
    if (to.beside[face] < 0) return false;
    const StreamCell& from = cells[to.beside[face]];
    if (face == kAbove) return true;
    if (face == kBelow) return from.firm() && from.reached_from_above(from.at.y + 1);
    return cells.supported(from);
  }
};

/// What a cell knows from its neighbours, or for itself.
template <class Ways>
std::uint64_t best(const StreamCells& cells, const StreamCell& cell) {
  std::uint64_t least = Ways::begin(cells, cell);
  for (std::size_t face = 0; face < kFaces; ++face) {
    if (cell.beside[face] < 0) continue;
    const StreamCell& there = cells[cell.beside[face]];
    const std::uint64_t distance = Ways::get(there);
    if (distance >= least || distance == kNoReach) continue;
    if (!Ways::goes(cells, there, opposite(static_cast<StreamFace>(face)))) continue;
    least = std::min(least, distance + 1);
  }
  return least;
}

}  // namespace

void StreamPaths::repair(StreamCells& cells) {
  looked_at_ = 0;
  if (cells.changed().empty()) return;
  std::erase_if(cells.changed(), [&](std::int32_t slot) { return !cells[slot].stored(); });
  repair_ways(cells, FromSprings{});
  widen(cells);
  repair_ways(cells, FromEdges{});
  write_marks(cells);
}

void StreamPaths::push(std::uint64_t distance, std::int32_t slot) {
  heap_.emplace_back(distance, slot);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

StreamPaths::Entry StreamPaths::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
  const Entry entry = heap_.back();
  heap_.pop_back();
  return entry;
}

template <class Ways>
void StreamPaths::repair_ways(StreamCells& cells, Ways ways) {
  moved_.clear();
  nearer_.clear();
  heap_.clear();
  // Most cells that changed know what they knew. What one found nearer may yet be lost, and what it
  // knew, too.
  for (const std::int32_t slot : cells.changed()) {
    const StreamCell& cell = cells[slot];
    if ((cell.changed & Ways::kWays) == 0) continue;
    ++looked_at_;
    const std::uint64_t known = Ways::get(cell);
    const std::uint64_t found = best<Ways>(cells, cell);
    if (found != known && known != kNoReach) heap_.emplace_back(known, slot);
    if (found < known) nearer_.push_back(slot);
  }
  lose(cells, ways);
  find(cells, ways);
  for (const std::int32_t slot : moved_) cells.note_ways(slot, kAllWays);
}

/// What no nearer neighbour explains is forgotten. That makes no cell nearer: those that will be
/// are among those that were lost, or known as such before.
template <class Ways>
void StreamPaths::lose(StreamCells& cells, Ways /*ways*/) {
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  while (!heap_.empty()) {
    const auto [distance, slot] = pop();
    StreamCell& cell = cells[slot];
    if (Ways::get(cell) != distance || best<Ways>(cells, cell) <= distance) continue;
    Ways::set(cell, kNoReach);
    moved_.push_back(slot);
    nearer_.push_back(slot);
    for (const std::int32_t there : cell.beside) {
      if (there >= 0 && Ways::get(cells[there]) == distance + 1) push(distance + 1, there);
    }
  }
}

template <class Ways>
void StreamPaths::find(StreamCells& cells, Ways /*ways*/) {
  for (const std::int32_t slot : nearer_) {
    StreamCell& cell = cells[slot];
    const std::uint64_t distance = best<Ways>(cells, cell);
    if (distance >= Ways::get(cell)) continue;
    Ways::set(cell, distance);
    moved_.push_back(slot);
    heap_.emplace_back(distance, slot);
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  while (!heap_.empty()) {
    const auto [distance, slot] = pop();
    const StreamCell& cell = cells[slot];
    if (Ways::get(cell) != distance) continue;
    for (std::size_t face = 0; face < kFaces; ++face) {
      if (!Ways::goes(cells, cell, face)) continue;
      StreamCell& there = cells[cell.beside[face]];
      if (Ways::get(there) <= distance + 1) continue;
      Ways::set(there, distance + 1);
      moved_.push_back(cell.beside[face]);
      push(distance + 1, cell.beside[face]);
    }
  }
}

// The widest of the shortest ways from a spring, each as wide as its narrowest cell, from the
// spring on.
void StreamPaths::widen(StreamCells& cells) {
  const std::size_t known = cells.changed().size();
  for (std::size_t i = 0; i < known; ++i) {
    const std::int32_t slot = cells.changed()[i];
    if ((cells[slot].changed & kWidthOfWays) != 0) widen_at(cells, slot);
  }
  // Where a cell is on the way from a spring decides what its neighbours find, too.
  for (const std::int32_t slot : moved_) {
    for (const std::int32_t there : cells[slot].beside) {
      if (there >= 0 && (cells[there].changed & kWidthOfWays) == 0) widen_at(cells, there);
    }
  }
  while (!heap_.empty()) widen_at(cells, pop().second);
}

void StreamPaths::widen_at(StreamCells& cells, std::int32_t slot) {
  ++looked_at_;
  StreamCell& cell = cells[slot];
  if (!find_widest(cells, cell)) return;
  cells.note_ways(slot, kWidthOfWays);
  for (const std::int32_t there : cell.beside) {
    if (there >= 0 && cells[there].reach == cell.reach + 1) push(cell.reach + 1, there);
  }
}

/// Whether it is not as wide as it was.
bool StreamPaths::find_widest(StreamCells& cells, StreamCell& cell) const {
  std::int32_t widest = 0;
  for (std::size_t face = 0; face < kFaces && cell.reach != kNoReach; ++face) {
    if (cell.beside[face] < 0) continue;
    const StreamCell& from = cells[cell.beside[face]];
    if (from.reach + 1 != cell.reach) continue;
    if (!leads(cells, from, opposite(static_cast<StreamFace>(face)))) continue;
    widest = std::max(widest, std::min<std::int32_t>(from.mark.largest, cells.passes(from)));
  }
  if (cell.mark.is_source) widest = kMostCapacity;
  if (widest == cell.mark.largest) return false;
  cell.mark.largest = static_cast<std::uint8_t>(widest);
  cell.doubted = true;
  return true;
}

/// Which ways from a cell, sideways, come nearer to the edge. Those beside it look at that, too.
void StreamPaths::find_onward(StreamCells& cells, StreamCell& cell) {
  std::uint32_t onward = 0;
  for (const StreamFace face : kSideways) {
    const std::int32_t there = cell.beside[face];
    const bool nearer =
        there >= 0 && cells[there].to_edge != kUnreached && cells[there].to_edge < cell.to_edge;
    if (nearer || there == kGutterThere) onward |= 1U << face;
  }
  if (cell.onward == onward) return;
  cell.onward = static_cast<std::uint8_t>(onward);
  cell.doubted = true;
  for (const StreamFace face : kSideways) {
    if (cell.beside[face] >= 0) cells[cell.beside[face]].doubted = true;
  }
}

void StreamPaths::write_marks(StreamCells& cells) {
  for (const std::int32_t slot : moved_) {
    for (const StreamFace face : kSideways) {
      const std::int32_t there = cells[slot].beside[face];
      if (there >= 0) find_onward(cells, cells[there]);
    }
  }
  for (const std::int32_t slot : cells.changed()) {
    StreamCell& cell = cells[slot];
    if ((cell.changed & kWaysToEdges) != 0) find_onward(cells, cell);
    cell.changed = 0;
    const bool has_source = cell.reach != kNoReach;
    const bool flow_out = cell.to_edge != kUnreached;
    if (cell.mark.has_source != has_source || cell.mark.flow_out != flow_out) cell.doubted = true;
    cell.mark.has_source = has_source;
    cell.mark.flow_out = flow_out;
    if (pack(cell.mark) != cell.old_mark) cells.touch(slot);
    const bool was_river = cell.listed == StreamList::kRiver;
    if (was_river != cell.in_river() || (was_river && cell.listed_edge != cell.to_edge)) {
      cells.relist(slot);
    }
  }
  cells.changed().clear();
}

}  // namespace sluice::sim
