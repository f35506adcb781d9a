// Pockets of trapped air (kTrappedAir). To water they are solid. A pocket opens, as a whole, when
// air comes to lie beside one of its cells, as when one of them is dug: all of it is air then.
//
// What is kept here is derived from the cells and from what changed; after a restore every pocket
// is looked at once.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "server/sim/grid.h"
#include "server/sim/limits.h"

namespace sluice::sim {

class TrappedAir {
 public:
  /// A tick opens no more cells than `most_at_once`.
  explicit TrappedAir(std::int64_t most_at_once = kMostOpenedAtOnce)
      : most_at_once_(most_at_once) {}

  /// The chunk, which changes in this tick, may hold some now.
  void note(ChunkCoord chunk) { chunks_.insert(chunk); }
  /// Opens the pockets beside air that look() found, and those in the chunks that the grid knows to
  /// have changed.
  void open(Grid& grid);
  /// At the end of a tick: looks at the chunks that it changed. Whether open() will find any.
  bool look(const Grid& grid, std::span<const ChunkCoord> changed);

  /// Cells that were looked at so far.
  [[nodiscard]] std::int64_t steps() const { return steps_; }

 private:
  /// Adds the cells beside air of the chunk and of those around it to `pending_`.
  void look_around(const Grid& grid, ChunkCoord chunk);
  void look_at(const Grid& grid, ChunkCoord chunk);
  /// Forgets pending cells that are no trapped air beside air.
  void keep_those_that_open(const Grid& grid);

  std::int64_t most_at_once_;
  std::set<ChunkCoord> chunks_;  // that may hold some
  std::vector<Vec3> pending_;    // that lay beside air, with all that they are joined to
  bool look_at_all_ = true;
  std::int64_t steps_ = 0;
};

}  // namespace sluice::sim
