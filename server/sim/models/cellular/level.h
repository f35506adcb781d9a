// Levelling: bodies of cellular water at rest are brought to one head, which flow from face to face
// leaves open by a unit a face. models/cellular/cellular.md says when, and why that ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "server/sim/carried/moves.h"
#include "server/sim/grid.h"
#include "server/sim/limits.h"
#include "server/sim/models/cellular/body.h"
#include "server/sim/models/cellular/fill_order.h"
#include "server/sim/models/cellular/rule.h"

namespace sluice::sim {

/// Ticks from one levelling to the next: what moves is not asked more often whether it still does.
inline constexpr std::uint64_t kLevelEvery = 16;
/// Whether bodies at rest are levelled in that tick. In a world's first one, too, so that what is
/// drawn at rest is so at once.
constexpr bool levels_in(std::uint64_t tick) {
  return tick % kLevelEvery == 1;
}

/// Larger bodies stay as they are, so that no tick waits for one: as much as one command fills.
inline constexpr std::int64_t kMostLevelledCells = kMostLevelCells;

/// A part of a chunk.
struct ChunkPart {
  ChunkCoord coord;
  ChunkRegion region;
};

class Leveller {
 public:
  /// `rule` must outlive it, and have pressure with a depth (FillOrder::has_depth).
  explicit Leveller(const CellularRule& rule, std::int64_t most_cells = kMostLevelledCells);

  /// Levels every body at rest of which a cell lies in one of these parts, or beside one, also by
  /// an edge or a corner. Its result depends on the cells alone, as long as no other body needs
  /// levelling. `moves`: to be told; null where nobody asks.
  void level(std::span<const ChunkPart> parts, Grid& grid, WaterMoves* moves);

 private:
  void look_around(const ChunkShape& shape, const ChunkPart& part);
  void merge_parts();
  [[nodiscard]] std::uint32_t segments_below(const ChunkShape& shape, const Chunk& chunk) const;

  const CellularRule& rule_;
  BodySearch search_;
  FillOrder order_;
  std::vector<ChunkPart> around_;  // the parts, and what lies beside them
};

}  // namespace sluice::sim
