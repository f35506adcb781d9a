// The block water model: water in whole blocks (or parts of them), moved by the pressure of the
// group of blocks that touch each other. The rule, its order and the proof that it comes to rest
// stand in block.md. Here is what a tick does; groups.h keeps the groups, take.h
// chooses the blocks that move.
//
// A tick reads the state before it, lets every group that may move claim the places of its largest
// pressure, gives each place to one group, and then changes all cells at once. So no order of
// groups, chunks or workers can matter.
#pragma once

#include "server/sim/models/registry.h"

namespace sluice::sim {

[[nodiscard]] WaterModelRow block_water();

}  // namespace sluice::sim
