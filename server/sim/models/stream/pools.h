// The pools of stream water as ports and springs see them: what stands over a cell, where water
// comes from that is taken there, and where it goes that is put in.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "server/sim/grid.h"

namespace sluice::sim {

/// A pool is a set of full cells that touch, and what stands on and beside them. What was found
/// of one is kept until forget().
class StreamPools {
 public:
  /// Has to be called when any cell changed.
  void forget();
  /// In level units. That of a cell that is not full is its own surface, or its floor.
  [[nodiscard]] std::int64_t head(const Grid& grid, Vec3 at);
  /// Of a full cell, the highest water of its pool, of several cells the nearest by way of the
  /// pool.
  [[nodiscard]] std::optional<Vec3> giver(const Grid& grid, Vec3 at);
  /// Of a full cell, the lowest room of its pool, likewise.
  [[nodiscard]] std::optional<Vec3> taker(const Grid& grid, Vec3 at);

 private:
  struct Pool {
    std::int64_t head = 0;
    Vec3 highest;
    std::optional<Vec3> lowest;
    std::int64_t lowest_head = 0;
  };
  using Seen = std::array<bool, kChunkCells>;

  const Pool& pool_at(const Grid& grid, Vec3 at);
  [[nodiscard]] bool first_visit(const Grid& grid, Vec3 at);

  std::map<Vec3, Pool> known_;  // by the cell that was asked for
  std::map<ChunkCoord, std::unique_ptr<Seen>> seen_;
  std::vector<Vec3> queue_;
};

}  // namespace sluice::sim
