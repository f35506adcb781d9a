// Which part of a world a terminal shows, and the drawing of it. No I/O.
#pragma once

#include <cstdint>
#include <functional>

#include "client_stub/screen.h"
#include "client_stub/surfaces.h"
#include "protocol/mirror.h"

namespace sluice::client {

/// What a cell's colour becomes, for what is laid over the picture.
using Tint = std::function<Colour(Vec3 cell, Colour base)>;

/// The camera and the cursor. Pixels count from the upper left, cells from the lower left.
struct Picture {
  double center_x = 0;  // in cells
  double center_y = 0;
  int zoom = 0;  // 2^zoom pixels a cell; below 0, 2^-zoom cells a pixel
  std::int32_t slice = 0;
  int level = 0;  // of detail (far.h), of the cells that are drawn
  std::int32_t cursor_x = 0;
  std::int32_t cursor_y = 0;
  std::int32_t brush = 1;  // cells along one side
  int width = 1;           // of the picture, in pixels
  int height = 1;

  [[nodiscard]] double pixels_per_cell() const;
  [[nodiscard]] std::int32_t cell_x(double pixel_x) const;
  [[nodiscard]] std::int32_t cell_y(double pixel_y) const;
  /// The character in which a place of the world lies, in cells; it may be off the screen.
  [[nodiscard]] int column_of(double x) const;
  [[nodiscard]] int row_of(double y) const;

  void fit(Vec3 size);
  void center_on(double x, double y, Vec3 size);
  /// By a share of the picture's size.
  void pan(double right, double up, Vec3 size);
  void change_zoom(int by, Vec3 size);
  /// Moves the cursor, and the picture after it.
  void move_cursor(std::int32_t x, std::int32_t y, Vec3 size);
  /// The cells that the brush covers, cut to the world; depth 1.
  [[nodiscard]] Box brush_box(Vec3 size) const;
  /// The cells on the picture, and some around them.
  [[nodiscard]] Box view(Vec3 size) const;

  /// Water is shaded by its depth under the surface that it hangs together with; where `surfaces`
  /// does not know (the view is too large), by the water over it in its column.
  void draw(const protocol::Mirror& mirror, const Surfaces& surfaces, const Tint& tint,
            Screen& screen) const;

  /// Along the inner edge of a rectangle of cells, wherever it lies.
  void outline(double left, double bottom, double right, double top, Colour colour,
               Screen& screen) const;

 private:
  void draw_column(const protocol::Mirror& mirror, const Surfaces& surfaces, const Tint& tint,
                   int pixel_x, Screen& screen) const;
};

}  // namespace sluice::client
