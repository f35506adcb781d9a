// Which blocks of a group move: those at the top, from the end that is farther from where they go.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "server/sim/models/block_groups.h"

namespace sluice::sim {

/// A place that a group won, where it lies.
struct BlockMove {
  BlockCell to = kNoBlockCell;
  std::int32_t height = 0;  // of the place, in parts
  Vec3 at;
};

/// Takes a part for each of `moves` from the group's topmost rows, as block.md says, and appends
/// their cells to `from`, as often as they give. Where less stands above the places than they are,
/// fewer moves are left in `moves`. Reads the group, changes nothing.
void take_from_top(const BlockCells& cells, const std::map<std::int32_t, BlockRow>& rows,
                   std::vector<BlockMove>& moves, std::vector<BlockCell>& from);

}  // namespace sluice::sim
