// A terminal's picture: two pixels a character by half blocks, and lines of text over it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client_stub/palette.h"
#include "client_stub/terminal_style.h"

namespace sluice::client {

/// Draw, then take what has to be written: only the characters that differ from the last picture.
class Screen {
 public:
  /// What the terminal can show. Forgets what it shows.
  void set_style(TerminalStyle style);
  /// In characters. Forgets what the terminal shows.
  void resize(int columns, int rows);
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int pixel_rows() const { return rows_ * 2; }

  /// Pixels count from the upper left; those outside are left out.
  void pixel(int x, int y, Colour colour);
  /// One line of printable text, cut at the edge. UTF-8; one column a code point.
  void text(int column, int row, std::string_view text, Colour ink, Colour paper);
  /// One character over what is there, of which the lower pixel or the paper stays behind it.
  void mark(int column, int row, std::string_view character, Colour ink);
  /// Escape sequences that turn the last picture into this one.
  [[nodiscard]] std::string take_changes();

 private:
  struct Glyph {
    Colour ink;            // of the text, or the upper pixel
    Colour paper;          // behind the text, or the lower pixel
    std::string text;      // empty: a half block
    bool is_line = false;  // of a line of text, whose paper is a bar

    friend bool operator==(const Glyph&, const Glyph&) = default;
  };
  [[nodiscard]] Glyph* at(int column, int row);

  void append(const Glyph& glyph, std::optional<Colour>& ink, std::optional<Colour>& paper,
              std::string& out) const;
  void append_plain(const Glyph& glyph, std::optional<bool>& reversed, std::string& out) const;

  TerminalStyle style_;
  int columns_ = 0;
  int rows_ = 0;
  std::vector<Glyph> glyphs_;
  std::vector<Glyph> shown_;
  bool all_new_ = true;
};

}  // namespace sluice::client
