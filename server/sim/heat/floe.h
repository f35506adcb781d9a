// One floe: the cells of ice that are joined by faces, and which way it goes (heat.md, "Floating
// ice").
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "server/sim/cell_reader.h"
#include "server/sim/grid.h"

namespace sluice::sim {

/// A floe of more cells holds where it is.
inline constexpr std::int32_t kMostFloeCells = 4096;
/// Cells beside a floe for each cell that it may have: one with more (long and bent) holds.
inline constexpr std::int64_t kRimOfACell = 16;
/// Cells of the water around, for each of a floe's runs, by which its level is measured.
inline constexpr std::int64_t kWaterOfARun = 4;

/// What a cell of ice weighs at the most, as units of water: ice is lighter than its water by as
/// much as water's own, also where it had no room to grow.
inline constexpr std::int32_t kHeaviestIce = kFull * 1024 / (1024 + 92);

/// Reads cells, and remembers in which chunks. Ends with the next change of the grid.
class FloeReader {
 public:
  explicit FloeReader(const Grid& grid) : grid_(grid), cells_(grid) {}

  /// kOutside beyond the world, where edges are open, too.
  [[nodiscard]] Cell operator()(Vec3 at) {
    if (!grid_.world_box().contains(at)) return kOutside;
    const ChunkCoord coord = grid_.shape().chunk_of(at);
    if (read_.empty() || read_.back() != coord) read_.push_back(coord);
    return cells_(at);
  }
  [[nodiscard]] const Grid& grid() const { return grid_; }
  /// The chunks that were read since the last call, in their order, each once.
  [[nodiscard]] std::vector<ChunkCoord> take_read();

 private:
  const Grid& grid_;
  CellReader cells_;
  std::vector<ChunkCoord> read_;
};

/// A set of cells that lie near each other.
class CellSet {
 public:
  explicit CellSet(const ChunkShape& shape) : shape_(shape) {}

  /// Whether it was not in it before.
  bool add(Vec3 at) {
    std::bitset<kChunkCells>& bits = bits_[shape_.chunk_of(at)];
    const auto index = static_cast<std::size_t>(shape_.index_of(at));
    if (bits[index]) return false;
    bits.set(index);
    ++size_;
    return true;
  }
  [[nodiscard]] bool contains(Vec3 at) const {
    const auto found = bits_.find(shape_.chunk_of(at));
    return found != bits_.end() && found->second[static_cast<std::size_t>(shape_.index_of(at))];
  }
  [[nodiscard]] std::int64_t size() const { return size_; }

 private:
  ChunkShape shape_;
  std::int64_t size_ = 0;
  std::map<ChunkCoord, std::bitset<kChunkCells>> bits_;
};

/// Cells of a floe that stand on each other.
struct FloeRun {
  Vec3 bottom;
  std::int32_t cells = 0;

  [[nodiscard]] Vec3 below() const { return bottom - Vec3{0, 1, 0}; }
  [[nodiscard]] Vec3 above() const { return bottom + Vec3{0, cells, 0}; }
};

/// One that touches nothing solid.
struct Floe {
  std::vector<FloeRun> runs;  // in the order of x, z and y
  Vec3 first;                 // of its cells
};

/// Which way a floe goes.
struct FloeWay {
  std::int32_t step = 0;  // in y: 1, -1, or 0 where it stays
  bool at_level = false;  // by a part of it that the water's level decides about
};

/// What holds floes, and what moves those that nothing holds. Every answer is a function of the
/// cells, and the same for a mirror image.
class FloeRule {
 public:
  FloeRule(const WorldConfig& config, std::int32_t most_cells);

  /// The floe of a cell of ice; false where it holds. `seen` has all cells of floes that earlier
  /// calls looked at, and gets those of this one, as far as it had to look.
  [[nodiscard]] bool find(Vec3 start, FloeReader& reader, CellSet& seen, Floe& floe) const;
  [[nodiscard]] FloeWay way(const Floe& floe, FloeReader& reader) const;

 private:
  [[nodiscard]] bool holds(Vec3 beyond) const;

  Box world_;
  Edges edges_;
  std::vector<Vec3> sides_;  // steps to neighbours that lie as high
  std::int32_t most_cells_;
};

}  // namespace sluice::sim
