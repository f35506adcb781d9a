// How far up the cells of a column are full: what heads are read from. Chunks are climbed as a
// whole, and what was climbed is remembered until a cell of it may hold less, so that many who ask
// about one column climb it once.
//
// Nothing of this is state; what it remembers saves work and changes no answer.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "server/sim/chunk.h"

namespace sluice::sim {

class Grid;

class FullColumns {
 public:
  /// The first cell at or above `from` that holds less than `full`: an open one, rock, or the one
  /// over the world. Marks every chunk on the way as watched. `full` is one number for each world.
  [[nodiscard]] Vec3 top_over(const Grid& grid, Vec3 from, Cell full);

  /// A cell holds less than it did.
  void lowered(const Grid& grid, const Chunk& chunk, Vec3 at);
  /// Any cell of the chunk may be another.
  void changed(const Chunk& chunk);
  /// Nobody watches any more what was climbed.
  void forget() { climbed_.clear(); }

  /// Cells and chunks that were looked at, ever.
  [[nodiscard]] std::int64_t steps() const { return steps_; }

 private:
  using Place = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  // x, z, lowest y

  static Place place_of(Vec3 at) { return {at.x, at.z, at.y}; }
  /// The climbed stretch that holds the cell or ends under it; climbed_.end() where there is none.
  std::map<Place, std::int32_t>::iterator stretch_at(Vec3 at);
  bool is_full(const Chunk& chunk, const ChunkShape& shape, std::int32_t column, Cell full);

  std::map<Place, std::int32_t> climbed_;  // lowest cell: first one above it that is not known full
  std::int64_t steps_ = 0;
};

}  // namespace sluice::sim
