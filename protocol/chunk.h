// A chunk as both ends of a connection know it.
#pragma once

#include <array>
#include <cstdint>

#include "protocol/base/cell.h"
#include "protocol/base/geometry.h"
#include "protocol/base/limits.h"

namespace sluice::protocol {

/// [y][z][x]. A chunk that was never sent is all air: zeros.
using ChunkCells = std::array<Cell, kChunkCells>;

}  // namespace sluice::protocol
