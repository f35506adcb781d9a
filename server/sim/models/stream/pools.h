// The pools of stream water as ports and springs see them: what stands over a cell, where water
// comes from that is taken there, and where it goes that is put in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "server/sim/grid.h"
#include "server/sim/models/stream/cells.h"

namespace sluice::sim {

/// A pool is a set of full cells that touch, and what stands on and beside them. It is walked
/// through whole once until forget(), for its highest water and its lowest room; after that a cell
/// of it looks no farther than to the nearest of these.
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
  /// Of a whole pool: the heads of its highest water and of its lowest room.
  struct Pool {
    std::int64_t highest = INT64_MIN;
    std::int64_t lowest = INT64_MAX;  // INT64_MAX: it has no room
  };
  /// What a cell of it sees.
  struct Sight {
    std::int64_t head = 0;
    Vec3 giver;
    std::optional<Vec3> taker;
  };
  /// A chunk that walks have come to.
  struct Region {
    const Chunk* chunk = nullptr;
    std::array<std::int32_t, kFaces> beside{};
    std::array<std::uint32_t, kChunkCells> pool{};  // 1 + its place in pools_; 0: not known
    std::array<std::uint32_t, kChunkCells> walk{};  // the last one that came here
  };
  struct Place {
    std::int32_t region;
    std::int32_t index;
  };

  const Sight& sight_at(const Grid& grid, Vec3 at);
  const Pool& pool_of(const Grid& grid, Place at);
  template <class See>
  void walk(const Grid& grid, Place from, const See& see);
  template <class See>
  bool look_around(const Grid& grid, Place from, const See& see);
  [[nodiscard]] std::int32_t region_of(const Chunk& chunk);
  [[nodiscard]] std::int32_t region_beside(std::int32_t region, std::size_t face);
  [[nodiscard]] Region& at(std::int32_t region) {
    return *regions_[static_cast<std::size_t>(region)];
  }

  std::map<Vec3, Sight> known_;  // by the cell that was asked for
  std::vector<Pool> pools_;
  std::vector<std::unique_ptr<Region>> regions_;  // the first used_, the others are spare
  std::size_t used_ = 0;
  std::map<ChunkCoord, std::int32_t> places_;  // of chunks in regions_
  std::uint32_t walks_ = 0;
  std::vector<Place> queue_;
};

}  // namespace sluice::sim
