// The alphabet in which a world's cells are printed, and the printing.
//
//   '#' rock    '.' air    ',' some water, under a sixteenth of a full cell
//   '1' to '7' eighths of a full cell, to the nearest    '~' full, or more under pressure
//   'o' trapped air
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sluice::protocol {

/// The character for a cell of the wire (units of water, -1 rock, -3 trapped air, -2 outside the
/// world, which is printed as a space). Any other negative value is a solid and printed as rock.
[[nodiscard]] char glyph_of(std::int32_t cell);

/// The cell at x, y (up), z.
using CellGetter = std::function<std::int32_t(std::int32_t, std::int32_t, std::int32_t)>;

/// A box of `width` x `height` x `depth` cells, one block a z layer (front first, an empty line
/// between blocks), the top row first, every row ended by a newline.
[[nodiscard]] std::string print_map(std::int32_t width, std::int32_t height, std::int32_t depth,
                                    const CellGetter& cell);

}  // namespace sluice::protocol
