#include "client_stub/picture.h"

#include <algorithm>
#include <cmath>

#include "client_stub/far.h"
#include "client_stub/palette.h"
#include "protocol/base/map_text.h"

namespace sluice::client {

namespace {

constexpr int kNearest = 4;
constexpr int kFarthest = -6;
/// Cells beyond the picture that are asked for, so that a small pan shows something at once.
constexpr std::int32_t kViewMargin = 32;

/// Of places far off the screen, too, which no int holds.
int floor_to_int(double value) {
  return static_cast<int>(std::floor(std::clamp(value, -1e9, 1e9)));
}

/// Whether the pixel, `from_bottom` of `pixels` in its cell, lies under the cell's level.
bool below_level(std::int32_t units, int from_bottom, int pixels) {
  if (from_bottom == 0) return true;
  return (from_bottom + 0.5) / pixels < units / double{kFull};
}

}  // namespace

double Picture::pixels_per_cell() const {
  return std::ldexp(1.0, zoom);
}

std::int32_t Picture::cell_x(double pixel_x) const {
  return floor_to_int(center_x + (pixel_x + 0.5 - width / 2) / pixels_per_cell());
}

std::int32_t Picture::cell_y(double pixel_y) const {
  return floor_to_int(center_y - (pixel_y + 0.5 - height / 2) / pixels_per_cell());
}

int Picture::column_of(double x) const {
  return floor_to_int((x - center_x) * pixels_per_cell() + width / 2);
}

int Picture::row_of(double y) const {
  return floor_to_int(((center_y - y) * pixels_per_cell() + height / 2) / 2);
}

void Picture::fit(Vec3 size) {
  zoom = kNearest;
  const auto too_large = [&] {
    return size.x * pixels_per_cell() > width || size.y * pixels_per_cell() > height;
  };
  while (zoom > kFarthest && too_large()) --zoom;
  center_on(size.x / 2.0, size.y / 2.0, size);
  cursor_x = size.x / 2;
  cursor_y = size.y / 2;
}

void Picture::center_on(double x, double y, Vec3 size) {
  // On whole pixels, so that a cell's pixels do not change their number while panning.
  const double step = zoom > 0 ? 1 / pixels_per_cell() : 1;
  center_x = std::round(std::clamp(x, 0.0, double(size.x)) / step) * step;
  center_y = std::round(std::clamp(y, 0.0, double(size.y)) / step) * step;
}

void Picture::pan(double right, double up, Vec3 size) {
  center_on(center_x + std::ceil(right * width / pixels_per_cell()),
            center_y + std::ceil(up * height / pixels_per_cell()), size);
}

void Picture::change_zoom(int by, Vec3 size) {
  zoom = std::clamp(zoom + by, kFarthest, kNearest);
  center_on(cursor_x + 0.5, cursor_y + 0.5, size);
}

void Picture::move_cursor(std::int32_t x, std::int32_t y, Vec3 size) {
  cursor_x = std::clamp(x, 0, size.x - 1);
  cursor_y = std::clamp(y, 0, size.y - 1);
  const double reach_x = (width / 2 - 2) / pixels_per_cell();
  const double reach_y = (height / 2 - 2) / pixels_per_cell();
  center_on(std::clamp(center_x, cursor_x - reach_x, cursor_x + reach_x),
            std::clamp(center_y, cursor_y - reach_y, cursor_y + reach_y), size);
}

Box Picture::brush_box(Vec3 size) const {
  const std::int32_t before = (brush - 1) / 2;
  const std::int32_t left = std::max(cursor_x - before, 0);
  const std::int32_t bottom = std::max(cursor_y - before, 0);
  const std::int32_t right = std::min(cursor_x - before + brush, size.x);
  const std::int32_t top = std::min(cursor_y - before + brush, size.y);
  return {{left, bottom, slice}, {right - left, top - bottom, 1}};
}

Box Picture::view(Vec3 size) const {
  const std::int32_t left = std::clamp(cell_x(0) - kViewMargin, 0, size.x - 1);
  const std::int32_t right = std::clamp(cell_x(width) + kViewMargin, left, size.x - 1);
  const std::int32_t bottom = std::clamp(cell_y(height) - kViewMargin, 0, size.y - 1);
  const std::int32_t top = std::clamp(cell_y(0) + kViewMargin, bottom, size.y - 1);
  return {{left, bottom, slice}, {right - left + 1, top - bottom + 1, 1}};
}

void Picture::draw(const protocol::Mirror& mirror, const Surfaces& surfaces, const Tint& tint,
                   Screen& screen) const {
  for (int x = 0; x < width; ++x) draw_column(mirror, surfaces, tint, x, screen);
  const Box box = brush_box(mirror.welcome().size);
  outline(box.from.x, box.from.y, box.end().x, box.end().y, kCursor, screen);
}

void Picture::draw_column(const protocol::Mirror& mirror, const Surfaces& surfaces,
                          const Tint& tint, int pixel_x, Screen& screen) const {
  const std::int32_t x = cell_x(pixel_x);
  const std::int32_t world_height = std::max(1, mirror.welcome().size.y);
  const int pixels = zoom > 0 ? 1 << zoom : 1;
  const auto cell_at = [&](std::int32_t y) { return shown_cell(mirror, level, {x, y, slice}); };
  std::int32_t before = cell_y(0) + 1;  // the row of cells that was drawn last
  int depth = 0;                        // of water down to and with that row
  while (depth < kDeepest && cell_at(before + depth) > 0) ++depth;
  std::int32_t above = cell_at(before);
  std::int32_t cell = above;
  int depth_above = depth;
  for (int pixel_y = 0; pixel_y < height; ++pixel_y) {
    const std::int32_t y = cell_y(pixel_y);
    if (y != before) {
      above = cell;
      depth_above = depth;
      cell = cell_at(y);
      depth = cell > 0 ? depth + before - y : 0;
      before = y;
    }
    // Under a roof a column's own water does not tell how deep it lies.
    const auto deep = cell > 0 ? surfaces.depth(x, y) : std::nullopt;
    const int shade = surfaces.known() ? static_cast<int>(deep.value_or(0)) : depth_above;
    CellLook look{cell, x, y, shade, std::clamp(y / double(world_height), 0.0, 1.0), above >= 0};
    if (cell > 0 && depth_above == 0 && pixels > 1) {
      // Where in its cell the pixel lies, from the cell's lower edge.
      const double lower = height / 2 - (y - center_y) * pixels - 1;
      const int from_bottom = std::clamp(static_cast<int>(lower) - pixel_y, 0, pixels - 1);
      if (!below_level(cell, from_bottom, pixels)) look.cell = 0;
    }
    const Colour colour = colour_of(look);
    // Over a cell's level there is air, on which nothing is laid.
    const bool is_cell = look.cell == cell;
    screen.pixel(pixel_x, pixel_y, is_cell ? tint({x, y, slice}, colour) : colour);
  }
}

void Picture::outline(double left, double bottom, double right, double top, Colour colour,
                      Screen& screen) const {
  const double scale = pixels_per_cell();
  const auto pixel_x = [&](double x) { return floor_to_int((x - center_x) * scale + width / 2); };
  const auto pixel_y = [&](double y) { return floor_to_int(height / 2 - (y - center_y) * scale); };
  const int from_x = pixel_x(left);
  const int to_x = std::max(from_x, pixel_x(right) - 1);
  const int to_y = pixel_y(bottom) - 1;
  const int from_y = std::min(to_y, pixel_y(top));
  const auto spot = [&](int x, int y) {
    if (x >= 0 && y >= 0 && x < width && y < height) screen.pixel(x, y, colour);
  };
  // No farther than the picture: what is outlined may be larger than any screen.
  for (int x = std::max(from_x, 0); x <= std::min(to_x, width - 1); ++x) {
    spot(x, from_y);
    spot(x, to_y);
  }
  for (int y = std::max(from_y, 0); y <= std::min(to_y, height - 1); ++y) {
    spot(from_x, y);
    spot(to_x, y);
  }
}

}  // namespace sluice::client
