// The alphabet in which cells are drawn and printed.
//
//   '#' rock    '.' air    ',' some water, under a sixteenth of a full cell (printed only)
//   '1' to '7' eighths of a full cell, to the nearest    '~' full, or more under pressure
//   'o' trapped air    '*' ice (printed only)
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "protocol/base/cell.h"

namespace sluice {

inline constexpr const char* kAllowedGlyphs =
    "'#' rock, '.' or ' ' air, '~' full, '1' to '7' eighths of a full cell, 'o' trapped air";

/// The cell that a character draws; none where it draws none.
[[nodiscard]] std::optional<Cell> cell_of_glyph(char glyph);

/// The character for a cell; outside the world it is a space. A solid of another kind is printed as
/// rock.
[[nodiscard]] char glyph_of(Cell cell);

/// The cell at x, y (up), z.
using CellGetter = std::function<std::int32_t(std::int32_t, std::int32_t, std::int32_t)>;

/// A box of `width` x `height` x `depth` cells, one block a z layer (front first, an empty line
/// between blocks), the top row first, every row ended by a newline.
[[nodiscard]] std::string print_map(std::int32_t width, std::int32_t height, std::int32_t depth,
                                    const CellGetter& cell);

}  // namespace sluice
