#include "protocol/base/map_text.h"

#include <cstddef>

#include "protocol/base/limits.h"

namespace sluice {

namespace {

constexpr std::int32_t kEighth = kFull / 8;

}  // namespace

std::optional<Cell> cell_of_glyph(char glyph) {
  if (glyph == '#') return kRock;
  if (glyph == '.' || glyph == ' ') return kAir;
  if (glyph == '~') return kFull;
  if (glyph == 'o') return kTrappedAir;
  if (glyph >= '1' && glyph <= '7') return (glyph - '0') * kEighth;
  return std::nullopt;
}

char glyph_of(Cell cell) {
  if (cell == kOutside) return ' ';
  if (cell == kTrappedAir) return 'o';
  if (is_ice(cell)) return '*';
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

}  // namespace sluice
