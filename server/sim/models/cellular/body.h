// Bodies of cellular water in which nothing moves: what hangs together, run by run.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "server/sim/grid.h"
#include "server/sim/models/cellular/rule.h"

namespace sluice::sim {

/// Wet cells of one column, one above the other, on a floor.
struct WaterRun {
  std::int32_t x = 0;
  std::int32_t z = 0;
  std::int32_t floor = 0;
  std::int32_t top = 0;      // the first row above it, dry or solid
  std::int32_t ceiling = 0;  // the first row above it that is not open, as far as somebody looked
  std::int64_t units = 0;
};

/// A body: runs that share faces at which both cells are wet, as many as there are.
using WaterBody = std::vector<WaterRun>;

/// Finds bodies at rest: no face of any of their cells would move anything in a sweep that leaves
/// out no flow. Looks at each cell of what moves about once, however often it is asked.
class BodySearch {
 public:
  /// Bodies of more than `most_cells` are found by nobody.
  BodySearch(const CellularRule& rule, std::int64_t most_cells);

  /// Searches that grid from now on, until its next change.
  void begin(Grid& grid);
  /// The body of a wet cell, written to `body`. False where something moves, where it was found
  /// already, and where it is too large.
  [[nodiscard]] bool find(Vec3 seed, WaterBody& body);
  /// Whether something moves over a face of that wet cell to one of its own chunk: then find()
  /// finds nothing there. Most searches in moving water end here, before they have begun.
  [[nodiscard]] bool moves_within(const Chunk& chunk, std::int32_t index) const;

 private:
  /// Which search came to a cell; before first_: none since begin().
  struct SeenPage {
    const Chunk* chunk = nullptr;
    std::array<std::uint32_t, kChunkCells> search{};
  };
  /// Pages that are kept from one begin() to the next, 16 KiB each.
  static constexpr std::size_t kKeptPages = 64;
  /// A cell and where it lies in memory.
  struct Place {
    Vec3 at;
    Chunk* chunk = nullptr;
    std::int32_t index = 0;
  };
  /// The neighbours on one side of a column's cells, as far as one chunk goes.
  struct Side {
    Vec3 step;
    Chunk* chunk = nullptr;   // null where none is stored
    Cell missing = kOutside;  // what its cells count as then
    std::int32_t offset = 0;  // from a cell's index to its neighbour's
    bool in_contact = false;  // the cell below has a wet neighbour: it belongs to the same run
  };
  static constexpr std::size_t kSides = 4;

  [[nodiscard]] Place place_of(Vec3 at) const;
  [[nodiscard]] static Cell cell(const Place& place) {
    return place.chunk->cells[static_cast<std::size_t>(place.index)];
  }
  [[nodiscard]] std::uint32_t& seen(Chunk& chunk, std::int32_t index);
  [[nodiscard]] Cell missing(ChunkCoord coord) const {
    return grid_->reaches(coord) ? kAir : kOutside;
  }
  /// What lies below (-1) or above it (+1).
  [[nodiscard]] Cell beyond(const Place& place, std::int32_t step) const;
  [[nodiscard]] bool find_floor(Place& place) const;
  [[nodiscard]] bool take_run(Vec3 at, WaterBody& body);
  void look_beside(const Place& place);
  [[nodiscard]] bool still_beside(const Place& place, Cell amount);

  const CellularRule& rule_;
  std::int32_t kept_;  // units of difference that a sideways face keeps
  std::int64_t most_cells_;
  Grid* grid_ = nullptr;
  std::int64_t cells_ = 0;  // of the body so far
  std::size_t side_count_ = 0;
  std::array<Side, kSides> sides_;
  std::vector<std::unique_ptr<SeenPage>> pages_;  // by Chunk::pass_slot
  std::size_t used_pages_ = 0;
  std::uint32_t search_ = 0;   // its number
  std::uint32_t first_ = 0;    // since begin()
  std::vector<Vec3> pending_;  // wet neighbours
};

}  // namespace sluice::sim
