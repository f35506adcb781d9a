#include <algorithm>
#include <tuple>

#include "server/sim/models/stream/phases.h"

namespace sluice::sim {

void StreamPaths::find(StreamCells& cells) {
  if (!cells.ways_changed() && !drawn_) return;
  cells.found_ways();
  for (StreamCell& cell : cells.cells()) {
    cell.mark.has_source = false;
    cell.mark.largest = 0;
    cell.mark.flow_out = false;
    cell.to_source = cell.to_edge = cell.from_source = kUnreached;
    cell.source_height = 0;
  }
  reach_from_springs(cells);
  widen(cells);
  reach_from_edges(cells);
  bool explores = false;
  for (std::int32_t slot = 0; slot < cells.size(); ++slot) {
    const StreamCell& cell = cells[slot];
    if (!cell.stored()) continue;
    explores = explores || (cell.mark.has_source && !cell.mark.flow_out);
    if (pack(cell.mark) != cell.old_mark) cells.touch(slot);
    const bool was_river = cell.listed == StreamList::kRiver;
    if (was_river != cell.in_river() || (was_river && cell.listed_edge != cell.to_edge)) {
      cells.relist(slot);
    }
  }
  drawn_ = explores && springs_.size() > 1;
}

// From the highest springs first: a cell that several reach can rise as high as the highest lets
// it.
void StreamPaths::reach_from_springs(StreamCells& cells) {
  springs_.clear();
  for (std::int32_t slot = 0; slot < cells.size(); ++slot) {
    if (cells[slot].stored() && cells[slot].mark.is_source) springs_.push_back(slot);
  }
  std::sort(springs_.begin(), springs_.end(), [&](std::int32_t a, std::int32_t b) {
    return std::tuple(cells.turn_of(cells[a]), cells[a].at) <
           std::tuple(cells.turn_of(cells[b]), cells[b].at);
  });
  // Turns go bottom up, so that from behind the springs stand highest first.
  for (auto last = springs_.rbegin(); last != springs_.rend();) {
    const std::int32_t height = cells[*last].at.y;
    queue_.clear();
    for (; last != springs_.rend() && cells[*last].at.y == height; ++last) {
      StreamCell& spring = cells[*last];
      if (spring.to_source != kUnreached) {
        // Fed by a higher one as well; its own water is nearer all the same.
        spring.to_source = 0;
        continue;
      }
      spring.to_source = 0;
      spring.source_height = height;
      spring.mark.has_source = true;
      queue_.push_back(*last);
    }
    for (std::size_t next = 0; next < queue_.size(); ++next) spread_from(cells, queue_[next]);
  }
}

namespace {

/// Whether a spring's water can get from a cell to the neighbour behind a face: water that touches
/// joined water is joined; how high the spring stands decides only where water enters dry cells.
bool leads(const StreamCells& cells, const StreamCell& from, std::size_t face) {
  if (from.beside[face] < 0) return false;
  if (from.level > 0 && cells[from.beside[face]].level > 0) return true;
  if (face == kBelow) return true;
  if (face == kAbove) return from.level == kStreamLevels && from.source_height > from.at.y + 1;
  return cells.supported(from);
}

}  // namespace

void StreamPaths::spread_from(StreamCells& cells, std::int32_t slot) {
  const StreamCell& from = cells[slot];
  for (std::size_t face = 0; face < kFaces; ++face) {
    if (!leads(cells, from, face)) continue;
    StreamCell& to = cells[from.beside[face]];
    if (to.to_source != kUnreached) continue;
    to.to_source = from.to_source + 1;
    to.from_source = slot;
    to.source_height = from.source_height;
    to.mark.has_source = true;
    queue_.push_back(from.beside[face]);
  }
}

// The widest of all ways from a spring, each as wide as its narrowest cell: widest cells first, so
// that a cell's first width is its last. Falling water is as thin as it is fast: it throttles
// nothing.
void StreamPaths::widen(StreamCells& cells) {
  for (const std::int32_t slot : springs_) {
    cells[slot].mark.largest = kMostCapacity;
    by_width_[kMostCapacity].push_back(slot);
  }
  for (std::size_t width = kMostCapacity; width > 0; --width) {
    std::vector<std::int32_t>& queue = by_width_[width];
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const StreamCell& from = cells[queue[next]];
      if (from.mark.largest != width) continue;  // a wider way was found meanwhile
      const std::int32_t through = cells.supported(from) ? capacity_of(from.level) : kMostCapacity;
      const std::int32_t largest = std::min<std::int32_t>(from.mark.largest, through);
      for (std::size_t face = 0; face < kFaces; ++face) {
        if (!leads(cells, from, face)) continue;
        StreamCell& to = cells[from.beside[face]];
        if (to.mark.largest >= largest) continue;
        to.mark.largest = static_cast<std::uint8_t>(largest);
        by_width_[static_cast<std::size_t>(largest)].push_back(from.beside[face]);
      }
    }
    queue.clear();
  }
}

// Backwards, against the ways that water can take.
void StreamPaths::reach_from_edges(StreamCells& cells) {
  queue_.clear();
  for (std::int32_t slot = 0; slot < cells.size(); ++slot) {
    StreamCell& cell = cells[slot];
    if (!cell.stored()) continue;
    bool at_edge = cell.beside[kBelow] == kGutterThere;
    for (const StreamFace face : {kLeft, kRight, kFront, kBack}) {
      at_edge = at_edge || (cell.beside[face] == kGutterThere && cells.supported(cell));
    }
    if (!at_edge) continue;
    cell.to_edge = 1;
    queue_.push_back(slot);
  }
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const StreamCell& to = cells[queue_[next]];
    for (std::size_t face = 0; face < kFaces; ++face) {
      const std::int32_t there = to.beside[face];
      if (there < 0) continue;
      StreamCell& from = cells[there];
      if (from.to_edge != kUnreached) continue;
      if (face == kBelow) {  // it would have to rise
        if (from.level < kStreamLevels || from.source_height <= from.at.y + 1 ||
            from.to_source == kUnreached) {
          continue;
        }
      } else if (face != kAbove && !cells.supported(from)) {
        continue;
      }
      from.to_edge = to.to_edge + 1;
      queue_.push_back(there);
    }
  }
  for (StreamCell& cell : cells.cells()) cell.mark.flow_out = cell.to_edge != kUnreached;
}

}  // namespace sluice::sim
