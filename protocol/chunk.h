// A chunk as both ends of a connection know it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>

#include "protocol/limits.h"

namespace sluice::protocol {

/// Cell values: 0 and more are units of water (4,096 fill a cell), -1 is rock, -2 lies outside the
/// world (a chunk that the world's edge cuts has such cells).
inline constexpr std::int32_t kRockCell = -1;
inline constexpr std::int32_t kOutsideCell = -2;
/// Air that cannot leave: solid to water, and looks like air.
inline constexpr std::int32_t kTrappedAirCell = -3;
/// Ice: this or less. The units of water in it are what it is below kIceBaseCell.
inline constexpr std::int32_t kIceBaseCell = -16;
inline constexpr std::int32_t kThinnestIceCell = kIceBaseCell - 1;

/// [y][z][x]. A chunk that was never sent is all air: zeros.
using ChunkCells = std::array<std::int32_t, kChunkCells>;

/// A position in cells, or (named `coord`) a chunk's place in chunks.
struct Position {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t z = 0;

  friend auto operator<=>(const Position&, const Position&) = default;
};

/// Half open: from <= p < from + size.
struct ViewBox {
  Position from;
  Position size;

  friend bool operator==(const ViewBox&, const ViewBox&) = default;
};

/// Logarithms (base two) of a chunk's sides; they sum to 12.
struct ChunkSides {
  std::uint8_t log_x = 6;
  std::uint8_t log_y = 6;
  std::uint8_t log_z = 0;

  friend bool operator==(const ChunkSides&, const ChunkSides&) = default;
  [[nodiscard]] bool valid() const {
    return log_x <= 12 && log_y <= 12 && log_z <= 12 && log_x + log_y + log_z == 12;
  }
  [[nodiscard]] Position chunk_of(Position cell) const {
    return {cell.x >> log_x, cell.y >> log_y, cell.z >> log_z};
  }
  /// Where the cell lies in its chunk's array.
  [[nodiscard]] std::size_t index_of(Position cell) const {
    const std::int32_t x = cell.x & ((1 << log_x) - 1);
    const std::int32_t y = cell.y & ((1 << log_y) - 1);
    const std::int32_t z = cell.z & ((1 << log_z) - 1);
    return static_cast<std::size_t>((((y << log_z) | z) << log_x) | x);
  }
  /// The cell at an index of the array of the chunk at `coord`, whose cells must lie in 32 bits.
  [[nodiscard]] Position cell_at(Position coord, std::size_t index) const {
    const auto i = static_cast<std::uint32_t>(index);
    const auto cell = [](std::int32_t chunk, std::uint8_t log, std::uint32_t local) {
      return static_cast<std::int32_t>((static_cast<std::uint32_t>(chunk) << log) | local);
    };
    return {cell(coord.x, log_x, i & ((1U << log_x) - 1)),
            cell(coord.y, log_y, i >> (log_x + log_z)),
            cell(coord.z, log_z, i >> log_x & ((1U << log_z) - 1))};
  }
};

}  // namespace sluice::protocol
