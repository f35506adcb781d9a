#include "protocol/map_text.h"

#include <cstddef>

#include "protocol/chunk.h"

namespace sluice::protocol {

char glyph_of(std::int32_t cell) {
  constexpr std::int32_t kEighth = kFull / 8;
  if (cell == -2) return ' ';
  if (cell == kTrappedAirCell) return 'o';
  if (cell <= kThinnestIceCell) return '*';
  if (cell < 0) return '#';
  if (cell == 0) return '.';
  if (cell >= kFull - kEighth / 2) return '~';
  const std::int32_t eighths = (cell + kEighth / 2) / kEighth;  // rounds halves up
  return eighths == 0 ? ',' : static_cast<char>('0' + eighths);
}

std::string print_map(std::int32_t width, std::int32_t height, std::int32_t depth,
                      const CellGetter& cell) {
  std::string text;
  if (width <= 0 || height <= 0 || depth <= 0) return text;
  const auto rows = static_cast<std::size_t>(height) * static_cast<std::size_t>(depth);
  text.reserve(rows * (static_cast<std::size_t>(width) + 1) + static_cast<std::size_t>(depth));
  for (std::int32_t z = 0; z < depth; ++z) {
    if (z > 0) text += '\n';
    for (std::int32_t y = height - 1; y >= 0; --y) {
      for (std::int32_t x = 0; x < width; ++x) text += glyph_of(cell(x, y, z));
      text += '\n';
    }
  }
  return text;
}

}  // namespace sluice::protocol
