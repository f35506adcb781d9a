// The map alphabet, read: `#` rock, `.` or space air, `~` full, `1` to `7` eighths of a full cell,
// `o` trapped air.
// (protocol/map_text.h prints it.)
#pragma once

#include <optional>

#include "server/sim/cell.h"
#include "server/sim/limits.h"

namespace sluice::formats {

inline constexpr const char* kAllowedGlyphs =
    "'#' rock, '.' or ' ' air, '~' full, '1' to '7' eighths of a full cell, 'o' trapped air";

[[nodiscard]] inline std::optional<sim::Cell> cell_of_glyph(char glyph) {
  if (glyph == '#') return sim::kRock;
  if (glyph == '.' || glyph == ' ') return sim::kAir;
  if (glyph == '~') return kFull;
  if (glyph == 'o') return sim::kTrappedAir;
  if (glyph >= '1' && glyph <= '7') return (glyph - '0') * (kFull / 8);
  return std::nullopt;
}

}  // namespace sluice::formats
