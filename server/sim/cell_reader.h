// Single cells of a grid, one near the other, without a search for the chunk of each.
#pragma once

#include "server/sim/grid.h"

namespace sluice::sim {

/// Ends with the next change of the grid.
class CellReader {
 public:
  explicit CellReader(const Grid& grid) : grid_(grid) {}

  /// Gutters are read, too; kOutside where no water can be.
  [[nodiscard]] Cell operator()(Vec3 at) {
    const ChunkShape& shape = grid_.shape();
    const ChunkCoord coord = shape.chunk_of(at);
    if (!known_ || coord != coord_) {
      coord_ = coord;
      chunk_ = grid_.find(coord);
      known_ = true;
    }
    if (chunk_ != nullptr) return chunk_->cells[static_cast<std::size_t>(shape.index_of(at))];
    return grid_.open_box().contains(at) ? kAir : kOutside;
  }

 private:
  const Grid& grid_;
  ChunkCoord coord_;
  const Chunk* chunk_ = nullptr;
  bool known_ = false;
};

}  // namespace sluice::sim
