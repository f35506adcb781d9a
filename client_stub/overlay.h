// A quantity over the terminal's picture: of cells (amount, depth, head, temperature, waves,
// steam, tracers) or of chunks (awake, age, bytes), with a legend. Those of the browser viewer.
// Where there are no colours, cells are digits.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client_stub/known.h"
#include "client_stub/overlay_scales.h"
#include "client_stub/picture.h"
#include "client_stub/screen.h"
#include "client_stub/terminal_style.h"

namespace sluice::client {

enum class OverlayKind : std::uint8_t {
  kNone,
  kAmount,
  kDepth,
  kHead,
  kFlow,
  kTemperature,
  kWaves,
  kSteam,
  kTracer,  // one after the other
  kAwake,
  kAge,
  kBytes,
  kViews  // people.h draws it
};

/// One thing that a legend explains: a colour, or the digit in its place.
struct LegendEntry {
  Colour colour;
  std::string letters;  // where there are no colours; empty: left out there
  std::string text;
};

struct Legend {
  std::string title;
  std::vector<LegendEntry> entries;
};

class Overlay {
 public:
  explicit Overlay(ColourDepth colours = ColourDepth::kTrue, bool unicode = true)
      : colours_(colours), unicode_(unicode) {}

  [[nodiscard]] OverlayKind kind() const { return kind_; }
  /// Whether it is worked out from the cells themselves: not from coarse ones.
  [[nodiscard]] bool needs_cells(const protocol::Mirror& mirror) const {
    return colours_anything() && (layers(mirror) == 0 || !mirror.welcome().coarse_layers);
  }
  /// What it shows: the name of its kind, or of the tracer.
  [[nodiscard]] std::string name() const;
  /// The next one that the world has, or none after the last.
  void next(const protocol::Mirror& mirror);
  /// Layers that it shows, as SetView has them.
  [[nodiscard]] std::uint32_t layers(const protocol::Mirror& mirror) const;
  /// To be called before a picture: scales follow what is in view.
  void rescale(const Known& known);
  [[nodiscard]] double deepest_of_scale() const { return depth_; }

  /// The colour of a cell under the overlay.
  [[nodiscard]] Colour tint(const Known& known, Vec3 cell, Colour base) const;
  /// What stands for a cell where there are no colours; 0: the picture's own letter.
  [[nodiscard]] char letter(const Known& known, Vec3 cell) const;
  /// What is written into chunks, arrows, and the digits of cells where there are no colours.
  void write(const Known& known, const Picture& picture, Screen& screen) const;

  /// Empty title: there is nothing to explain.
  [[nodiscard]] Legend legend() const;
  /// In the picture's upper right corner.
  void draw_legend(Screen& screen) const;

 private:
  [[nodiscard]] bool colours_anything() const {
    return kind_ != OverlayKind::kNone && kind_ != OverlayKind::kViews;
  }
  [[nodiscard]] Colour between(const std::array<Colour, 5>& steps, double share) const;
  [[nodiscard]] Colour ramp(double share) const;
  [[nodiscard]] Colour arrow_ink(double share) const;
  [[nodiscard]] double reach() const;
  [[nodiscard]] Colour around_zero(double value) const;
  [[nodiscard]] std::optional<double> share_of(const Known& known, Vec3 cell) const;
  [[nodiscard]] std::optional<double> value_at(const Known& known, Vec3 cell) const;
  [[nodiscard]] bool of_cells() const;
  void write_digits(const Known& known, const Picture& picture, Screen& screen) const;
  void write_arrows(const Known& known, const Picture& picture, Screen& screen) const;
  void label_chunk(const Known& known, const Picture& picture, ChunkCoord chunk,
                   Screen& screen) const;

  ColourDepth colours_;
  bool unicode_;
  OverlayKind kind_ = OverlayKind::kNone;
  double depth_ = 10;  // cells, of the deepest colour
  Span span_;          // of heads
  // Of the colours farthest from zero.
  double degrees_ = 10;
  double wave_ = 0.5;    // cells
  double steam_ = 0.25;  // full cells' water, of the brightest colour
  // Of the tracer that is shown.
  std::size_t tracer_ = 0;  // its place in the welcome
  std::string tracer_name_;
  double share_ = 1;  // units in a unit of water, of the brightest colour
};

/// "none", "amount", "depth", "head", "flow", "temperature", "waves", "steam", "tracer", "awake
/// chunks", "age of chunks", "bytes per chunk", "what others see".
[[nodiscard]] std::string_view name_of(OverlayKind kind);

/// "880 B/s", "1.2 kB/s", "3.40 MB/s".
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace sluice::client
