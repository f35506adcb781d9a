// Ice that floats (heat.md, "Floating ice"): which floes there are where something changed, and
// which of them move in a tick.
//
// All here is derived: whether a floe is looked at again never changes a result, since one that
// stays does so by a function of cells of which each would have told of a change.
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "server/sim/grid.h"
#include "server/sim/heat/floe.h"

namespace sluice::sim {

/// A run of a floe's cells that moves, all of it, by one cell.
struct FloeMove {
  Vec3 bottom;  // its lowest cell of ice
  std::int32_t cells = 0;
  std::int32_t step = 0;  // in y: 1 or -1
};

class FloeField {
 public:
  /// A floe of more than so many cells holds.
  explicit FloeField(const WorldConfig& config, std::int32_t most_cells = kMostFloeCells);

  /// What is known of the cells is forgotten: the next look is at all ice.
  void forget();
  /// What moves in a tick, all decided from the cells as they stand. `changed`: the chunks whose
  /// cells may differ from what they were at the last look, in any order.
  [[nodiscard]] std::vector<FloeMove> look(std::uint64_t tick, const Grid& grid,
                                           std::span<const ChunkCoord> changed);
  /// What look() told was done. Without it, ice that turned back into what it was before the next
  /// look would seem not to have changed.
  void moved(std::span<const FloeMove> moves);
  /// Whether look() would tell nothing, if nothing changes before. What it finds to move is found
  /// again.
  [[nodiscard]] bool at_rest(const Grid& grid, std::span<const ChunkCoord> changed);

  /// Cells of ice that looks so far went over, for tests of what they cost.
  [[nodiscard]] std::int64_t cells_searched() const { return cells_searched_; }

 private:
  /// What a chunk's cells were at the last look: the rest was open.
  struct Kinds {
    std::bitset<kChunkCells> ice;
    std::bitset<kChunkCells> solid;  // and no ice
  };
  /// A floe that is free and stays, by one of its cells.
  struct Staying {
    std::vector<ChunkCoord> read;  // what it was decided by
  };

  [[nodiscard]] Kinds kinds_of(const Grid& grid, ChunkCoord coord) const;
  void take_change(const Grid& grid, ChunkCoord coord);
  void start_around(FloeReader& reader, ChunkCoord coord,
                    const std::bitset<kChunkCells>& differing);
  [[nodiscard]] bool near_ice(ChunkCoord coord) const;
  void take_starts(const Grid& grid, std::span<const ChunkCoord> changed);
  void know_as_ice(Vec3 at, bool ice);
  void stay(Vec3 seed, std::vector<ChunkCoord> read);
  void forget_staying(Vec3 seed);

  ChunkShape shape_;
  FloeRule rule_;
  bool all_ = true;                               // the next look is at all ice
  std::map<ChunkCoord, Kinds> known_;             // of chunks that hold ice, and their neighbours
  std::map<Vec3, Staying> staying_;               // by the first of their cells
  std::map<ChunkCoord, std::set<Vec3>> readers_;  // of those, by what they were decided by
  std::vector<Vec3> starts_;  // cells of ice of which the floes are to be looked at
  std::int64_t cells_searched_ = 0;
};

}  // namespace sluice::sim
