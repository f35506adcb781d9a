// Pockets of trapped air (kTrappedAir). To water they are solid. A pocket opens, as a whole, when
// one of its cells is dug or when air comes to lie beside one: all of it is air then.
//
// What is kept here is derived from the cells and from what changed; after a restore every pocket
// is looked at once.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "server/sim/grid.h"

namespace sluice::sim {

class TrappedAir {
 public:
  /// A tick opens no more cells than `most_at_once`; the next one goes on.
  explicit TrappedAir(std::int64_t most_at_once = std::int64_t{1} << 16)
      : most_at_once_(most_at_once) {}

  /// The chunk may hold some now.
  void note(ChunkCoord chunk);
  /// The cells of `part`, which lies in the chunk, are about to be dug.
  void dig(const Chunk& chunk, const Box& part, const ChunkShape& shape);
  /// Opens the pockets that were dug, and those beside air in chunks that changed: those listed,
  /// and those that the grid knows.
  void open(Grid& grid, std::span<const ChunkCoord> changed);
  /// Whether open() would find any in the next tick.
  [[nodiscard]] bool opens(const Grid& grid, std::span<const ChunkCoord> changed) const;

 private:
  [[nodiscard]] std::vector<ChunkCoord> touched(const Grid& grid,
                                                std::span<const ChunkCoord> changed) const;
  /// f(cell) for each cell of the chunk that lies beside air, until f returns false.
  template <class F>
  static bool for_each_beside_air(const Grid& grid, ChunkCoord chunk, F&& f);

  std::int64_t most_at_once_;
  std::set<ChunkCoord> chunks_;  // that may hold some
  std::vector<Vec3> dug_;        // in the tick under way
  bool look_at_all_ = true;
};

}  // namespace sluice::sim
