// A look at the grid of a model whose water moves in parts of a cell: a level and a group for each
// cell, with quick steps to neighbours. All of it follows from the grid.
#pragma once

#include <algorithm>
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
using LevelCell = std::int64_t;
inline constexpr LevelCell kNoLevelCell = -1;

/// A set of cells that touch each other, by a number that whoever keeps them gives it.
using CellGroup = std::int32_t;
inline constexpr CellGroup kNoGroup = -1;

enum class CellFace : std::uint8_t { kAbove, kLeft, kRight, kFront, kBack, kBelow };

/// The faces that a world's cells have, in the order in which they take precedence.
[[nodiscard]] std::span<const CellFace> faces_of(const ChunkShape& shape);
/// Those beside a cell.
[[nodiscard]] std::span<const CellFace> sides_of(const ChunkShape& shape);

/// What is known of a chunk that nobody has told of yet.
enum class FirstLook : std::uint8_t {
  kEmpty,   // what stands there is found by comparing
  kAsItIs,  // what the grid holds at that moment
};

/// Cells around one.
struct CellsAround {
  std::array<LevelCell, kFaces> cells{};
  std::size_t count = 0;
};

class LevelCells {
 public:
  /// A cell's level is its number of parts, 0 to parts(), or one of these: kMarked that of a full
  /// cell whose mark has one of the bits that the constructor was given.
  static constexpr std::uint8_t kSolid = 0xff;
  static constexpr std::uint8_t kMarked = 0xfe;

  LevelCells(const Grid& grid, std::int32_t parts, FirstLook first_look, Cell marked = 0);

  [[nodiscard]] std::int32_t parts() const { return parts_; }
  /// Chunks that are known here. They stay known when the grid has dropped them, until a rebuild.
  [[nodiscard]] std::size_t slot_count() const { return slots_.size(); }
  [[nodiscard]] const ChunkShape& shape() const { return shape_; }

  /// Forgets everything and takes over the grid's chunks; no cell has a group then.
  void rebuild(const Grid& grid);
  /// Calls f(cell, level) for each cell of a chunk whose level is not the one known here.
  template <class F>
  void compare(const Chunk& chunk, F&& f);

  /// kNoLevelCell where there can never be any water.
  [[nodiscard]] LevelCell cell_at(Vec3 at) {
    const std::int32_t number = obtain(shape_.chunk_of(at));
    return number < 0 ? kNoLevelCell : LevelCell{number} * kChunkCells + shape_.index_of(at);
  }
  /// Whether any cell of that chunk was come to.
  [[nodiscard]] bool knows(ChunkCoord coord) const { return index_.contains(coord); }
  /// What the grid's cell comes to.
  [[nodiscard]] std::uint8_t level_in_grid(const Grid& grid, Vec3 at) const {
    const Chunk* const chunk = marked_ == 0 ? nullptr : grid.find(shape_.chunk_of(at));
    if (chunk == nullptr) return level_of(grid.cell(at));
    return level_of(*chunk, static_cast<std::size_t>(shape_.index_of(at)));
  }
  /// Open, and without water; so is what lies beyond an open edge.
  [[nodiscard]] bool is_air(LevelCell cell) const {
    return cell != kNoLevelCell && level(cell) == 0;
  }

  [[nodiscard]] std::uint8_t level(LevelCell cell) const { return slot(cell).level[index(cell)]; }
  void set_level(LevelCell cell, std::uint8_t level) { slot(cell).level[index(cell)] = level; }
  [[nodiscard]] bool has_water(LevelCell cell) const {
    const std::uint8_t held = level(cell);
    return held != 0 && held != kSolid;
  }
  [[nodiscard]] CellGroup group(LevelCell cell) const { return slot(cell).group[index(cell)]; }
  void set_group(LevelCell cell, CellGroup group) { slot(cell).group[index(cell)] = group; }
  /// A number for whoever walks over the cells; nothing is kept in it between walks.
  [[nodiscard]] std::uint64_t& visit(LevelCell cell) { return slot(cell).visit[index(cell)]; }

  /// Room for a walk: `size` numbers that no cell has been visited with.
  [[nodiscard]] std::uint64_t new_visits(std::uint64_t size) {
    const std::uint64_t first = visits_ + 1;
    visits_ += size;
    return first;
  }

  /// The cell behind a face; kNoLevelCell where there can never be any water.
  [[nodiscard]] LevelCell neighbor(LevelCell cell, CellFace face) {
    const auto at = static_cast<std::int32_t>(cell & (kChunkCells - 1));
    const Step& step = steps_[static_cast<std::size_t>(face)];
    if ((at & step.mask) != step.border) return cell + step.inside;
    const std::int32_t other = beside(static_cast<std::int32_t>(cell / kChunkCells), face);
    return other < 0 ? kNoLevelCell : LevelCell{other} * kChunkCells + at + step.across;
  }
  [[nodiscard]] Vec3 at(LevelCell cell) const {
    return shape_.cell_at(slot(cell).coord, static_cast<std::int32_t>(cell & (kChunkCells - 1)));
  }
  [[nodiscard]] ChunkCoord coord(LevelCell cell) const { return slot(cell).coord; }
  [[nodiscard]] static std::size_t slot_number(LevelCell cell) {
    return static_cast<std::size_t>(cell / kChunkCells);
  }
  [[nodiscard]] static std::size_t index(LevelCell cell) {
    return static_cast<std::size_t>(cell & (kChunkCells - 1));
  }
  /// The height of a cell's part `level` (the lowest is 0), in parts from the world's bottom.
  [[nodiscard]] std::int32_t height(LevelCell cell, std::int32_t level) const {
    return at(cell).y * parts_ + level;
  }
  /// Whether water that enters the cell has left the world.
  [[nodiscard]] bool in_gutter(LevelCell cell) const {
    return slot(cell).has_gutter && !world_.contains(at(cell));
  }

  /// Of the cells around one for which `holds` is true, one of each part: those that meet by way of
  /// a cell at a corner of the one are in one part.
  template <class Holds>
  [[nodiscard]] CellsAround parts_around(LevelCell cell, Holds&& holds);

  /// Calls f(cell) for each cell that holds water.
  template <class F>
  void for_each_water(F&& f) {
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      for (std::size_t i = 0; i < kChunkCells; ++i) {
        const std::uint8_t held = slots_[s]->level[i];
        if (held != 0 && held != kSolid) f(static_cast<LevelCell>(s * kChunkCells + i));
      }
    }
  }

 private:
  struct Slot {
    ChunkCoord coord;
    bool has_gutter = false;
    std::array<std::int32_t, kFaces> beside{};  // slots; kUnknown, kNone
    std::array<std::uint8_t, kChunkCells> level{};
    std::array<CellGroup, kChunkCells> group{};
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

  [[nodiscard]] Slot& slot(LevelCell cell) {
    return *slots_[static_cast<std::size_t>(cell / kChunkCells)];
  }
  [[nodiscard]] const Slot& slot(LevelCell cell) const {
    return *slots_[static_cast<std::size_t>(cell / kChunkCells)];
  }
  [[nodiscard]] std::int32_t beside(std::int32_t slot, CellFace face) {
    const std::int32_t known =
        slots_[static_cast<std::size_t>(slot)]->beside[static_cast<std::size_t>(face)];
    return known != kUnknown ? known : look_beside(slot, face);
  }
  std::int32_t look_beside(std::int32_t slot, CellFace face);
  /// kNone where the grid reaches nothing.
  std::int32_t obtain(ChunkCoord coord);
  [[nodiscard]] std::uint8_t level_of(Cell cell) const {
    return is_open(cell) ? static_cast<std::uint8_t>(cell >> quantum_log_) : kSolid;
  }
  [[nodiscard]] std::uint8_t level_of(const Chunk& chunk, std::size_t index) const {
    const std::uint8_t level = level_of(chunk.cells[index]);
    if (marked_ == 0 || level != parts_ || chunk.marks == nullptr) return level;
    return (chunk.marks->cells[index] & marked_) != 0 ? kMarked : level;
  }

  const Grid* grid_;
  FirstLook first_look_;
  std::int32_t parts_;
  Cell marked_;
  std::int32_t quantum_log_;
  ChunkShape shape_;
  Box world_;
  std::array<Step, kFaces> steps_{};
  std::vector<std::unique_ptr<Slot>> slots_;
  std::map<ChunkCoord, std::int32_t> index_;
  std::uint64_t visits_ = 0;
};

template <class F>
void LevelCells::compare(const Chunk& chunk, F&& f) {
  const std::int32_t number = obtain(chunk.coord);
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const std::uint8_t level = level_of(chunk, i);
    if (level == slots_[static_cast<std::size_t>(number)]->level[i]) continue;
    f(LevelCell{number} * kChunkCells + static_cast<LevelCell>(i), level);
  }
}

template <class Holds>
CellsAround LevelCells::parts_around(LevelCell cell, Holds&& holds) {
  CellsAround around;
  for (const CellFace face : faces_of(shape_)) {
    const LevelCell next = neighbor(cell, face);
    if (next != kNoLevelCell && holds(next)) around.cells[around.count++] = next;
  }
  std::array<std::size_t, kFaces> part{};
  for (std::size_t i = 0; i < around.count; ++i) part[i] = i;
  const auto root = [&part](std::size_t i) {
    while (part[i] != i) i = part[i];
    return i;
  };
  const LevelCell* const end = around.cells.data() + around.count;
  for (std::size_t i = 0; i < around.count; ++i) {
    for (const CellFace face : faces_of(shape_)) {
      const LevelCell corner = neighbor(around.cells[i], face);
      if (corner == kNoLevelCell || corner == cell || !holds(corner)) continue;
      for (const CellFace back : faces_of(shape_)) {
        const LevelCell met = neighbor(corner, back);
        const LevelCell* const found = std::find<const LevelCell*>(around.cells.data(), end, met);
        if (found == end || met == kNoLevelCell) continue;
        part[root(static_cast<std::size_t>(found - around.cells.data()))] = root(i);
      }
    }
  }
  CellsAround parts;
  for (std::size_t i = 0; i < around.count; ++i) {
    if (part[i] == i) parts.cells[parts.count++] = around.cells[i];
  }
  return parts;
}

}  // namespace sluice::sim
