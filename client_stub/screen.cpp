#include "client_stub/screen.h"

#include <algorithm>
#include <optional>

namespace sluice::client {

namespace {

constexpr std::string_view kUpperHalf = "\u2580";

void append_colour(const char* kind, Colour colour, std::string& out) {
  out += "\x1b[";
  out += kind;
  out += ";2;" + std::to_string(colour.red) + ';' + std::to_string(colour.green) + ';' +
         std::to_string(colour.blue) + 'm';
}

/// Bytes of the UTF-8 code point that begins with this byte.
std::size_t code_point_bytes(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

}  // namespace

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
}

void Screen::text(int column, int row, std::string_view text, Colour ink, Colour paper) {
  while (!text.empty()) {
    const std::size_t bytes = std::min(code_point_bytes(text.front()), text.size());
    if (Glyph* glyph = at(column++, row)) *glyph = {ink, paper, std::string(text.substr(0, bytes))};
    text.remove_prefix(bytes);
  }
}

void Screen::mark(int column, int row, std::string_view character, Colour ink) {
  if (Glyph* glyph = at(column, row)) *glyph = {ink, glyph->paper, std::string(character)};
}

std::string Screen::take_changes() {
  std::string out;
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
    if (ink != glyph.ink) append_colour("38", *(ink = glyph.ink), out);
    if (paper != glyph.paper) append_colour("48", *(paper = glyph.paper), out);
    out += glyph.text.empty() ? kUpperHalf : std::string_view(glyph.text);
    cursor = i + 1;
  }
  shown_ = glyphs_;
  all_new_ = false;
  return out;
}

}  // namespace sluice::client
