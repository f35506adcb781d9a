#include <algorithm>

#include "server/sim/models/stream_phases.h"

namespace sluice::sim {

void StreamPaths::find(StreamCells& cells) {
  for (StreamCell& cell : cells.cells()) {
    cell.mark.has_source = false;
    cell.mark.largest = 0;
    cell.mark.flow_out = false;
  }
  reach_from_springs(cells);
  reach_from_edges(cells);
}

// From the highest springs first: a cell that several reach can rise as high as the highest lets
// it.
void StreamPaths::reach_from_springs(StreamCells& cells) {
  springs_.clear();
  for (std::int32_t slot = 0; slot < cells.size(); ++slot) {
    if (cells[slot].mark.is_source) springs_.push_back(slot);
  }
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
      spring.mark.largest = static_cast<std::uint8_t>(capacity_of(kStreamLevels));
      queue_.push_back(*last);
    }
    for (std::size_t next = 0; next < queue_.size(); ++next) spread_from(cells, queue_[next]);
  }
}

void StreamPaths::spread_from(StreamCells& cells, std::int32_t slot) {
  const StreamCell& from = cells[slot];
  const bool supported = cells.supported(from);
  // Falling water is as thin as it is fast: it throttles nothing.
  const std::int32_t through = supported ? capacity_of(from.level) : capacity_of(kStreamLevels);
  const auto largest =
      static_cast<std::uint8_t>(std::min<std::int32_t>(from.mark.largest, through));
  for (std::size_t face = 0; face < kFaces; ++face) {
    const std::int32_t there = from.beside[face];
    if (there < 0) continue;
    if (face == kAbove) {
      if (from.level < kStreamLevels || from.source_height <= from.at.y) continue;
    } else if (face != kBelow && !supported) {
      continue;
    }
    StreamCell& to = cells[there];
    if (to.to_source == kUnreached) {
      to.to_source = from.to_source + 1;
      to.source_height = from.source_height;
      to.mark.has_source = true;
      to.mark.largest = largest;
      queue_.push_back(there);
    } else if (to.to_source == from.to_source + 1) {
      to.mark.largest = std::max(to.mark.largest, largest);
    }
  }
}

// Backwards, against the ways that water can take.
void StreamPaths::reach_from_edges(StreamCells& cells) {
  queue_.clear();
  for (std::int32_t slot = 0; slot < cells.size(); ++slot) {
    StreamCell& cell = cells[slot];
    bool at_edge = cell.beside[kBelow] == kGutterThere;
    for (const Face face : {kLeft, kRight, kFront, kBack}) {
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
        if (from.level < kStreamLevels || from.source_height <= from.at.y ||
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
