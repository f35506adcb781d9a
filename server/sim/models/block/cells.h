// The block model's own look at the grid: a level and a group for each cell, with quick steps to
// neighbours. All of it follows from the grid.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "server/sim/grid.h"

namespace sluice::sim {

/// A cell by slot and place in its chunk. Means nothing beyond the engine that gave it.
using BlockCell = std::int64_t;
inline constexpr BlockCell kNoBlockCell = -1;

using BlockGroup = std::int32_t;
inline constexpr BlockGroup kNoGroup = -1;

enum class BlockFace : std::uint8_t { kAbove, kLeft, kRight, kFront, kBack, kBelow };
inline constexpr std::size_t kFaces = 6;

/// The faces that a world's cells have, in the order in which they take precedence.
[[nodiscard]] std::span<const BlockFace> faces_of(const ChunkShape& shape);
/// Those beside a cell.
[[nodiscard]] std::span<const BlockFace> sides_of(const ChunkShape& shape);

class BlockCells {
 public:
  /// A cell's level is its number of parts, 0 to parts(), or kSolid.
  static constexpr std::uint8_t kSolid = 0xff;

  BlockCells(const Grid& grid, std::int32_t parts);

  [[nodiscard]] std::int32_t parts() const { return parts_; }
  /// Chunks that are known here. They stay known when the grid has dropped them, until a rebuild.
  [[nodiscard]] std::size_t slot_count() const { return slots_.size(); }
  [[nodiscard]] const ChunkShape& shape() const { return shape_; }

  /// Forgets everything and takes over the grid's chunks; no cell has a group then.
  void rebuild(const Grid& grid);
  /// Calls f(cell, level) for each cell of a chunk whose level is not the one known here.
  template <class F>
  void compare(const Chunk& chunk, F&& f);

  /// kNoBlockCell where there can never be any water.
  [[nodiscard]] BlockCell cell_at(Vec3 at) {
    const std::int32_t number = obtain(shape_.chunk_of(at));
    return number < 0 ? kNoBlockCell : BlockCell{number} * kChunkCells + shape_.index_of(at);
  }
  /// What the grid's cell comes to.
  [[nodiscard]] std::uint8_t level_in_grid(Cell cell) const { return level_of(cell); }
  /// Open, and without water; so is what lies beyond an open edge.
  [[nodiscard]] bool is_air(BlockCell cell) const {
    return cell != kNoBlockCell && level(cell) == 0;
  }

  [[nodiscard]] std::uint8_t level(BlockCell cell) const { return slot(cell).level[index(cell)]; }
  void set_level(BlockCell cell, std::uint8_t level) { slot(cell).level[index(cell)] = level; }
  [[nodiscard]] bool has_water(BlockCell cell) const {
    const std::uint8_t held = level(cell);
    return held != 0 && held != kSolid;
  }
  [[nodiscard]] BlockGroup group(BlockCell cell) const { return slot(cell).group[index(cell)]; }
  void set_group(BlockCell cell, BlockGroup group) { slot(cell).group[index(cell)] = group; }
  /// A number for whoever walks over the cells; nothing is kept in it between walks.
  [[nodiscard]] std::uint64_t& visit(BlockCell cell) { return slot(cell).visit[index(cell)]; }

  /// The cell behind a face; kNoBlockCell where there can never be any water.
  [[nodiscard]] BlockCell neighbor(BlockCell cell, BlockFace face) {
    const auto at = static_cast<std::int32_t>(cell & (kChunkCells - 1));
    const Step& step = steps_[static_cast<std::size_t>(face)];
    if ((at & step.mask) != step.border) return cell + step.inside;
    const std::int32_t other = beside(static_cast<std::int32_t>(cell / kChunkCells), face);
    return other < 0 ? kNoBlockCell : BlockCell{other} * kChunkCells + at + step.across;
  }
  [[nodiscard]] Vec3 at(BlockCell cell) const {
    return shape_.cell_at(slot(cell).coord, static_cast<std::int32_t>(cell & (kChunkCells - 1)));
  }
  [[nodiscard]] ChunkCoord coord(BlockCell cell) const { return slot(cell).coord; }
  [[nodiscard]] static std::size_t slot_number(BlockCell cell) {
    return static_cast<std::size_t>(cell / kChunkCells);
  }
  [[nodiscard]] static std::size_t index(BlockCell cell) {
    return static_cast<std::size_t>(cell & (kChunkCells - 1));
  }
  /// The height of a cell's part `level` (the lowest is 0), in parts from the world's bottom.
  [[nodiscard]] std::int32_t height(BlockCell cell, std::int32_t level) const {
    return at(cell).y * parts_ + level;
  }
  /// Whether water that enters the cell has left the world.
  [[nodiscard]] bool in_gutter(BlockCell cell) const {
    return slot(cell).has_gutter && !world_.contains(at(cell));
  }

  /// Calls f(cell) for each cell that holds water.
  template <class F>
  void for_each_water(F&& f) {
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      for (std::size_t i = 0; i < kChunkCells; ++i) {
        const std::uint8_t held = slots_[s]->level[i];
        if (held != 0 && held != kSolid) f(static_cast<BlockCell>(s * kChunkCells + i));
      }
    }
  }

 private:
  struct Slot {
    ChunkCoord coord;
    bool has_gutter = false;
    std::array<std::int32_t, kFaces> beside{};  // slots; kUnknown, kNone
    std::array<std::uint8_t, kChunkCells> level{};
    std::array<BlockGroup, kChunkCells> group{};
    std::array<std::uint64_t, kChunkCells> visit{};
  };
  /// How to go through a face: within a chunk, or over its border.
  struct Step {
    std::int32_t mask = 0;    // the bits of a place that say whether it lies at the border
    std::int32_t border = 0;  // their value there
    std::int32_t inside = 0;
    std::int32_t across = 0;
  };
  static constexpr std::int32_t kUnknown = -1;
  static constexpr std::int32_t kNone = -2;

  [[nodiscard]] Slot& slot(BlockCell cell) {
    return *slots_[static_cast<std::size_t>(cell / kChunkCells)];
  }
  [[nodiscard]] const Slot& slot(BlockCell cell) const {
    return *slots_[static_cast<std::size_t>(cell / kChunkCells)];
  }
  [[nodiscard]] std::int32_t beside(std::int32_t slot, BlockFace face) {
    const std::int32_t known =
        slots_[static_cast<std::size_t>(slot)]->beside[static_cast<std::size_t>(face)];
    return known != kUnknown ? known : look_beside(slot, face);
  }
  std::int32_t look_beside(std::int32_t slot, BlockFace face);
  /// kNone where the grid reaches nothing.
  std::int32_t obtain(ChunkCoord coord);
  [[nodiscard]] std::uint8_t level_of(Cell cell) const {
    return is_open(cell) ? static_cast<std::uint8_t>(cell >> quantum_log_) : kSolid;
  }

  const Grid* grid_;
  std::int32_t parts_;
  std::int32_t quantum_log_;
  ChunkShape shape_;
  Box world_;
  std::array<Step, kFaces> steps_{};
  std::vector<std::unique_ptr<Slot>> slots_;
  std::map<ChunkCoord, std::int32_t> index_;
};

template <class F>
void BlockCells::compare(const Chunk& chunk, F&& f) {
  const std::int32_t number = obtain(chunk.coord);
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const std::uint8_t level = level_of(chunk.cells[i]);
    if (level == slots_[static_cast<std::size_t>(number)]->level[i]) continue;
    f(BlockCell{number} * kChunkCells + static_cast<BlockCell>(i), level);
  }
}

}  // namespace sluice::sim
