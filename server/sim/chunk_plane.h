// How a chunk's cells lie in memory with a layer of their neighbours around them, so that a loop
// over the chunk's rows finds what is beside each cell at a fixed distance.
#pragma once

#include <cstddef>

#include "protocol/base/geometry.h"

namespace sluice::sim {

struct ChunkPlane {
  /// Of a chunk of any shape.
  static constexpr std::size_t kMost = 18 * 18 * 18;
  static_assert(kMost >= 66 * 66);

  explicit ChunkPlane(const ChunkShape& shape)
      : stride(static_cast<std::size_t>(shape.width()) + 2),
        layer(stride * static_cast<std::size_t>(shape.depth() > 1 ? shape.depth() + 2 : 1)),
        first(layer + (shape.depth() > 1 ? stride : 0) + 1) {}
  /// Of a chunk's cell, or of one beside the chunk.
  [[nodiscard]] std::size_t at(std::ptrdiff_t x, std::ptrdiff_t y, std::ptrdiff_t z) const {
    const auto back = static_cast<std::ptrdiff_t>(stride);
    const auto up = static_cast<std::ptrdiff_t>(layer);
    return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(first) + x + z * back + y * up);
  }

  std::size_t stride;  // from a cell to the one behind it
  std::size_t layer;   // and to the one above
  std::size_t first;   // of the chunk's cells
};

}  // namespace sluice::sim
