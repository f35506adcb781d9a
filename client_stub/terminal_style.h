// What a terminal can show, by what its environment says.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "client_stub/palette.h"

namespace sluice::client {

enum class ColourDepth { kTrue, k256, k16, kNone };

struct TerminalStyle {
  ColourDepth colours = ColourDepth::kTrue;
  /// Whether characters beyond ASCII are shown: half blocks, two cells a character.
  bool unicode = true;
};

/// A variable of the environment; null: it is not set.
using Environment = std::function<const char*(const char* name)>;

/// By NO_COLOR (https://no-color.org), COLORTERM, TERM and the locale. Nothing for a terminal that
/// cannot move its cursor.
[[nodiscard]] std::optional<TerminalStyle> style_of(const Environment& environment);

/// An escape sequence that chooses the colour of what is written (`ink`) or of what is behind it.
/// Empty without colours.
[[nodiscard]] std::string colour_sequence(ColourDepth depth, bool ink, Colour colour);

/// What a pixel is where there are no colours to tell: cells are told apart by their letters.
[[nodiscard]] char letter_of(Colour colour);

}  // namespace sluice::client
