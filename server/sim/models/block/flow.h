// How much of a group's water can get from its top to its places in one tick: what passes an
// opening is bounded by the opening. Each cell passes as many parts as it has.
//
// For each place a way is searched for through the group's water, to a cell of its top, past the
// ways of those before it. What a search has left without success leads nowhere for the next ones
// either, so that all searches of a tick together look at a cell once for each part that it passes.
// A search first goes straight on, away from its place, then up: ways from places one above the
// other then lie beside each other.
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/models/level_cells.h"

namespace sluice::sim {

class BlockFlow {
 public:
  explicit BlockFlow(LevelCells& cells) : cells_(cells) {}

  /// For one group in one tick: water is taken from its parts at `cut` and above.
  void begin(CellGroup group, std::int32_t cut);
  /// Lets a part pass from the top to `cell`, which was reached from a place through `from`; false
  /// where no way is left.
  bool pass(LevelCell cell, CellFace from);

 private:
  struct Step {
    LevelCell cell = kNoLevelCell;
    CellFace direction = CellFace::kAbove;
    std::uint8_t turn = 0;      // faces tried so far
    std::uint64_t passing = 0;  // parts that pass the cell by other ways
  };
  [[nodiscard]] std::uint64_t passing(LevelCell cell) const;
  [[nodiscard]] bool usable(LevelCell cell) const;
  [[nodiscard]] bool at_top(LevelCell cell) const;
  void enter(LevelCell cell, CellFace direction);

  LevelCells& cells_;
  CellGroup group_ = kNoGroup;
  std::int32_t cut_ = 0;
  std::uint64_t base_ = 0;  // of LevelCells::visit: so many parts pass, from here on
  std::vector<Step> way_;
};

}  // namespace sluice::sim
