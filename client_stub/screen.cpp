#include "client_stub/screen.h"

#include <algorithm>
#include <optional>

namespace sluice::client {

namespace {

constexpr std::string_view kUpperHalf = "\u2580";

/// Bytes of the UTF-8 code point that begins with this byte.
std::size_t code_point_bytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

}  // namespace

void Screen::set_style(TerminalStyle style) {
  style_ = style;
  all_new_ = true;
}

void Screen::resize(int columns, int rows) {
  columns_ = std::max(1, columns);
  rows_ = std::max(1, rows);
  glyphs_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_), {});
  shown_.clear();
  all_new_ = true;
}

Screen::Glyph* Screen::at(int column, int row) {
  if (column < 0 || row < 0 || column >= columns_ || row >= rows_) return nullptr;
  return &glyphs_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                  static_cast<std::size_t>(column)];
}

void Screen::pixel(int x, int y, Colour colour) {
  Glyph* glyph = y < 0 ? nullptr : at(x, y / 2);
  if (glyph == nullptr) return;
  (y % 2 == 0 ? glyph->ink : glyph->paper) = colour;
  glyph->text.clear();
  glyph->is_line = false;
}

void Screen::text(int column, int row, std::string_view text, Colour ink, Colour paper) {
  while (!text.empty()) {
    const std::size_t bytes = std::min(code_point_bytes(text.front()), text.size());
    if (Glyph* glyph = at(column++, row)) {
      *glyph = {ink, paper, std::string(text.substr(0, bytes)), true};
    }
    text.remove_prefix(bytes);
  }
}

void Screen::mark(int column, int row, std::string_view character, Colour ink) {
  if (Glyph* glyph = at(column, row)) {
    *glyph = {ink, glyph->paper, std::string(character), glyph->is_line};
  }
}

void Screen::append(const Glyph& glyph, std::optional<Colour>& ink, std::optional<Colour>& paper,
                    std::string& out) const {
  Glyph shown = glyph;
  if (!style_.unicode && glyph.text.empty()) {
    // Without half blocks the upper pixel's colour is behind a space; the lower one's is lost.
    shown = {glyph.ink, glyph.ink, " ", false};
  } else if (!style_.unicode && static_cast<unsigned char>(glyph.text.front()) >= 0x80) {
    shown.text = "*";
  }
  if (ink != shown.ink) out += colour_sequence(style_.colours, true, *(ink = shown.ink));
  if (paper != shown.paper) out += colour_sequence(style_.colours, false, *(paper = shown.paper));
  out += shown.text.empty() ? kUpperHalf : std::string_view(shown.text);
}

// Without colours cells are letters, and the bars of text are reversed.
void Screen::append_plain(const Glyph& glyph, std::optional<bool>& reversed,
                          std::string& out) const {
  if (reversed != glyph.is_line) out += *(reversed = glyph.is_line) ? "\x1b[7m" : "\x1b[27m";
  if (glyph.text.empty()) {
    const char upper = letter_of(glyph.ink);
    const char lower = letter_of(glyph.paper);
    // What lies in one half only: water is what matters, then the cursor, then rock.
    const auto either = [&](char letter) { return upper == letter || lower == letter; };
    out += either('+') ? '+' : upper == lower ? upper : either('~') ? '-' : '.';
  } else if (!style_.unicode && static_cast<unsigned char>(glyph.text.front()) >= 0x80) {
    out += '*';
  } else {
    out += glyph.text;
  }
}

std::string Screen::take_changes() {
  std::string out;
  std::optional<bool> reversed;
  std::optional<Colour> ink;
  std::optional<Colour> paper;
  std::size_t cursor = SIZE_MAX;  // where the terminal would write next
  for (std::size_t i = 0; i < glyphs_.size(); ++i) {
    const Glyph& glyph = glyphs_[i];
    if (!all_new_ && glyph == shown_[i]) continue;
    const auto columns = static_cast<std::size_t>(columns_);
    // A line's last column leaves the cursor where terminals disagree.
    if (cursor != i || i % columns == 0) {
      out +=
          "\x1b[" + std::to_string(i / columns + 1) + ';' + std::to_string(i % columns + 1) + 'H';
    }
    if (style_.colours == ColourDepth::kNone) {
      append_plain(glyph, reversed, out);
    } else {
      append(glyph, ink, paper, out);
    }
    cursor = i + 1;
  }
  shown_ = glyphs_;
  all_new_ = false;
  return out;
}

}  // namespace sluice::client
