// The pools of stream water as ports and springs see them: what stands over a cell, where water
// comes from that is taken there, and where it goes that is put in.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "server/sim/grid.h"
#include "server/sim/models/level_cells.h"
#include "server/sim/models/nearest_places.h"

namespace sluice::sim {

/// A pool is a set of firm cells that touch, and what stands on and beside them. It is walked
/// through when it is first asked for; after that what changes is followed, at the cost of what
/// changes and of the smaller part where a pool falls apart. After a tick without a question all is
/// forgotten.
class StreamPools {
 public:
  struct Limits {
    /// Changed cells that are followed; beyond, to walk anew is quicker.
    std::size_t most_followed = 16384;
    /// Pools that came and went: their numbers are still in some cells.
    std::size_t most_numbers = 65536;
    /// What a pool notes, beyond its cells and twice what its walk noted, until it is walked
    /// through again.
    std::int64_t few_notes = 1024;
  };
  StreamPools() : StreamPools(Limits{}) {}
  explicit StreamPools(const Limits& limits) : limits_(limits) {}

  void forget();
  /// Takes notice of all that Grid::changed() lists.
  void look(const Grid& grid);
  /// Takes notice of one cell.
  void follow(const Grid& grid, Vec3 at);
  /// Of what a tick's water did.
  void end_tick(const Grid& grid);

  /// In level units. That of a cell that is not firm is its own surface, or its floor.
  [[nodiscard]] std::int64_t head(const Grid& grid, Vec3 at);
  /// Of a firm cell, the highest water of its pool, of several cells the nearest.
  [[nodiscard]] std::optional<Vec3> giver(const Grid& grid, Vec3 at);
  /// Of a firm cell, the lowest room of its pool, likewise; of a swift one none.
  [[nodiscard]] std::optional<Vec3> taker(const Grid& grid, Vec3 at);
  /// Firm cells that walks came to so far: what it cost.
  [[nodiscard]] std::int64_t walked() const { return walked_; }

 private:
  /// By the height of their surfaces, in levels. Some are no longer what they were noted as; what
  /// is there counts.
  using Places = std::map<std::int32_t, NearestPlaces>;
  struct Pool {
    explicit Pool(std::int32_t number) : into(number) {}

    std::int32_t into;  // the one that it became a part of, or itself
    bool whole = true;  // false: it has to be walked through again
    std::int64_t notes = 0;
    std::int64_t most_notes = 0;  // beyond, it is walked through again
    Places givers;
    Places takers;
  };
  struct Highest {
    std::int32_t height;
    Vec3 at;
  };

  [[nodiscard]] Pool& of(std::int32_t pool) { return pools_[static_cast<std::size_t>(pool)]; }
  [[nodiscard]] bool is_firm(LevelCell cell) const;
  /// Open, in the world, and not full.
  [[nodiscard]] bool is_room(LevelCell cell) const;
  [[nodiscard]] bool stands(LevelCell cell);
  /// Of the surface, in levels above the world's floor.
  [[nodiscard]] std::int32_t height_of(LevelCell cell) const;

  void catch_up(const Grid& grid);
  void change(LevelCell cell, std::uint8_t level);
  void leave(LevelCell cell);
  void join(LevelCell cell);
  std::int32_t merge(std::int32_t a, std::int32_t b);
  void drop(Pool& pool);

  /// f(pool, whether it presses on the pool) for each known pool that touches a room, until it
  /// returns true.
  template <class F>
  bool any_pool_beside(LevelCell room, F&& f);
  void note(LevelCell cell);
  void add(Pool& pool, Places& places, LevelCell cell);

  /// The pool of a firm cell; kNoGroup where it has to be walked through first.
  std::int32_t known_pool(LevelCell cell);
  std::int32_t pool_at(const Grid& grid, Vec3 at);
  std::int32_t walk(LevelCell from);
  std::int32_t make(const std::vector<LevelCell>& cells);
  template <class IsTrue>
  std::optional<Vec3> nearest(NearestPlaces& places, std::int32_t height, Vec3 near,
                              IsTrue&& is_true);
  Highest highest(std::int32_t pool, Vec3 near);
  std::optional<Vec3> lowest(std::int32_t pool, Vec3 near);

  Limits limits_;
  std::unique_ptr<LevelCells> cells_;  // null: nothing is known
  std::vector<Pool> pools_;
  std::vector<ChunkCoord> stale_;  // chunks that may have changed, some of them twice
  std::int64_t walked_ = 0;
  bool asked_ = false;  // in this tick
};

}  // namespace sluice::sim
