#include "server/tools/picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include <png.h>

#include "client_stub/palette.h"
#include "server/sim/heat/field.h"
#include "server/sim/tracers/field.h"
#include "server/sim/waves/surfaces.h"
#include "server/tools/picture_front.h"

namespace sluice::tools {

namespace {

using client::CellLook;
using client::Colour;

constexpr Colour kSource{120, 230, 170};
constexpr Colour kDrain{240, 160, 90};
constexpr Colour kCasing{154, 167, 184};
constexpr Colour kEmptyPipe{42, 51, 66};
constexpr Colour kIce{206, 228, 240};
constexpr Colour kHotWater{236, 112, 74};
constexpr Colour kSteam{222, 226, 232};
constexpr std::int32_t kLongerSide = 1000;  // pixels, where no scale is given
constexpr std::int32_t kMostPixelsByDefault = 16;

class Painter {
 public:
  Painter(const sim::World& world, const Box& view, std::int32_t scale)
      : world_(world), view_(view), scale_(scale), front_(world, view) {
    picture_.width = view.size.x * scale;
    picture_.height = view.size.y * scale;
    picture_.bytes.resize(static_cast<std::size_t>(picture_.width) *
                          static_cast<std::size_t>(picture_.height) * 3);
  }

  Picture paint() {
    for (std::int32_t y = 0; y < view_.size.y; ++y) {
      for (std::int32_t x = 0; x < view_.size.x; ++x) paint_cell(x, y);
    }
    paint_waves();
    paint_heat();
    paint_steam();
    paint_tracers();
    for (const auto& [at, spring] : world_.sources()) mark(at, kSource);
    for (const auto& [at, spring] : world_.drains()) mark(at, kDrain);
    paint_pipes();
    return std::move(picture_);
  }

 private:
  /// `left` and `up` in pixels from the picture's lower left corner.
  void set(std::int32_t left, std::int32_t up, const Colour& colour) {
    if (left < 0 || up < 0 || left >= picture_.width || up >= picture_.height) return;
    const auto row = static_cast<std::size_t>(picture_.height - 1 - up);
    const std::size_t first =
        (row * static_cast<std::size_t>(picture_.width) + static_cast<std::size_t>(left)) * 3;
    picture_.bytes[first] = colour.red;
    picture_.bytes[first + 1] = colour.green;
    picture_.bytes[first + 2] = colour.blue;
  }

  [[nodiscard]] double height(std::int32_t y) const { return (y + 0.5) / view_.size.y; }
  [[nodiscard]] Colour air(std::int32_t y) const {
    return client::colour_of({.cell = kAir, .height = height(y)});
  }
  /// Of a full cell; at a depth of 0 that of a surface.
  [[nodiscard]] Colour water(std::int32_t y, int depth) const {
    return client::colour_of({.cell = kFull, .depth = depth, .height = height(y)});
  }
  [[nodiscard]] Colour dimmed(const Colour& colour, std::int32_t y, std::int32_t distance) const {
    return client::blend(colour, air(y),
                         std::min(0.7, distance / double(std::max(view_.size.z, 16))));
  }

  void paint_cell(std::int32_t x, std::int32_t y) {
    const Seen seen = front_.at(x, y);
    const Colour behind = air(y);
    if (seen.cell == kAir || seen.cell == kTrappedAir) return fill_cell(x, y, behind);
    if (is_ice(seen.cell)) return fill_cell(x, y, dimmed(kIce, y, seen.distance));
    if (seen.cell < 0) return paint_rock(x, y, seen);
    const double fill = std::min(1.0, double(seen.cell) / kFull);
    const Colour deep =
        dimmed(water(y, 1 + static_cast<int>(front_.depth(x, y))), y, seen.distance);
    if (scale_ == 1) return fill_cell(x, y, client::blend(behind, deep, 0.25 + 0.75 * fill));
    const Colour surface = dimmed(water(y, 0), y, seen.distance);
    if (front_.falls(x, y)) return paint_strand(x, y, y);
    const bool covered = front_.at(x, y + 1).cell != kAir && !front_.falls(x, y + 1);
    const auto high = static_cast<std::int32_t>(
        covered && fill > 0.99 ? scale_ : std::max(1L, std::lround(fill * scale_)));
    // What falls on a surface goes on down to it.
    if (front_.falls(x, y + 1)) {
      paint_strand(x, y, y + 1);
    } else {
      fill_cell(x, y, behind);
    }
    for (std::int32_t v = 0; v < high; ++v) {
      const Colour& row = !covered && v == high - 1 ? surface : deep;
      for (std::int32_t u = 0; u < scale_; ++u) set(x * scale_ + u, y * scale_ + v, row);
    }
  }

  // Over what was painted at rest: crests are water, troughs air.
  void paint_waves() {
    if (world_.waves() == nullptr) return;
    const auto surfaces = sim::drawn_surfaces(world_.config(), world_.grid(), world_.core().waves);
    for (const sim::DrawnSurface& surface : surfaces) {
      const Vec3 at = surface.at - view_.from;
      const bool seen = view_.contains(surface.at) && surface.height != 0 &&
                        front_.at(at.x, at.y).distance == at.z;
      if (seen) paint_wave(at, surface);
    }
  }

  void paint_wave(Vec3 at, const sim::DrawnSurface& surface) {
    const auto pixels = [this](std::int64_t level) {
      return static_cast<std::int32_t>(level * scale_ / kFull);  // rounded towards 0
    };
    const std::int32_t rest = at.y * scale_ + pixels(surface.rest);
    const std::int32_t crest = at.y * scale_ + pixels(std::int64_t{surface.rest} + surface.height);
    const std::int32_t end = std::min(std::max(rest, crest) + 1, view_.size.y * scale_);
    crests_[{at.x, at.y}] = crest;
    for (std::int32_t up = std::max(0, std::min(rest, crest) - 1); up < end; ++up) {
      const std::int32_t y = up / scale_;
      const Seen behind = front_.at(at.x, y);
      // Never over rock, or over what stands nearer.
      const bool own_ice = surface.ice && is_ice(behind.cell);
      if ((behind.cell < 0 && !own_ice) || (behind.cell != kAir && behind.distance < at.z)) {
        continue;
      }
      Colour colour = air(y);
      if (up < crest) {
        colour = dimmed(surface.ice ? kIce : water(y, up == crest - 1 ? 0 : 1), y, at.z);
      }
      for (std::int32_t u = 0; u < scale_; ++u) set(at.x * scale_ + u, up, colour);
    }
  }

  // Water that is warmer than 30 degrees glows, the more the hotter; over what boils stands steam.
  void paint_heat() {
    if (world_.heat() == nullptr) return;
    constexpr double kWarm = 30.0 * sim::kDegree;
    for (std::int32_t y = 0; y < view_.size.y; ++y) {
      for (std::int32_t x = 0; x < view_.size.x; ++x) {
        const Seen seen = front_.at(x, y);
        if (seen.cell <= 0) continue;
        const Vec3 at = view_.from + Vec3{x, y, seen.distance};
        const std::int32_t t = sim::temperature_at(world_.core().heat, world_.grid(), at);
        if (t > kWarm) tint(x, y, kHotWater, std::min(0.7, (t - kWarm) / (120.0 * sim::kDegree)));
        const bool boils = t >= sim::kBoiling - sim::kDegree;
        for (std::int32_t up = 1; boils && up <= 4 && front_.at(x, y + up).cell == kAir; ++up) {
          if (y + up < view_.size.y) tint(x, y + up, kSteam, 0.45 - 0.1 * up);
        }
      }
    }
  }

  // The more of it a cell of air holds, the whiter.
  void paint_steam() {
    for (const sim::SteamCell& steam : world_.core().heat.steam.cells) {
      const Vec3 at = steam.at - view_.from;
      if (!view_.contains(steam.at) || front_.at(at.x, at.y).cell != kAir) continue;
      const double full = std::min(1.0, double(steam.held.units) / kFull);
      tint(at.x, at.y, kSteam, 0.1 + 0.7 * std::sqrt(full));
    }
  }

  /// Foam is white, whatever its place.
  [[nodiscard]] static Colour colour_of_tracer(const sim::TracerState& state, std::size_t t) {
    const sim::TracerKind kind = state.tracers[t].options.kind;
    const bool foam = kind == sim::TracerKind::kFoam || kind == sim::TracerKind::kWhitecaps;
    return foam ? client::kFoam : client::kTracerColours.at(t);
  }

  // The more of a tracer a unit of water holds, the stronger its colour; one unit is nearly all.
  void paint_tracers() {
    const sim::TracerState& state = world_.core().tracers;
    for (std::size_t t = 0; t < static_cast<std::size_t>(state.count); ++t) {
      for (std::int32_t y = 0; y < view_.size.y; ++y) {
        for (std::int32_t x = 0; x < view_.size.x; ++x) {
          const Seen seen = front_.at(x, y);
          if (seen.cell <= 0) continue;
          const Vec3 at = view_.from + Vec3{x, y, seen.distance};
          const auto amount =
              static_cast<double>(sim::amount_at(state.tracers[t].pages, state.shape(), at));
          if (amount == 0) continue;
          tint(x, y, colour_of_tracer(state, t),
               0.85 * std::min(1.0, std::sqrt(amount / seen.cell)));
        }
      }
    }
  }

  /// A cell, and the crest of a wave that stands on it.
  void tint(std::int32_t x, std::int32_t y, const Colour& colour, double share) {
    const auto crest = crests_.find({x, y});
    const std::int32_t rows =
        crest == crests_.end() ? scale_ : std::max(scale_, crest->second - y * scale_);
    for (std::int32_t v = 0; v < rows && y * scale_ + v < picture_.height; ++v) {
      for (std::int32_t u = 0; u < scale_; ++u) {
        const auto row = static_cast<std::size_t>(picture_.height - 1 - (y * scale_ + v));
        const std::size_t first = (row * static_cast<std::size_t>(picture_.width) +
                                   static_cast<std::size_t>(x * scale_ + u)) *
                                  3;
        const std::uint8_t* const old = &picture_.bytes[first];
        // What a surface leaves of its cell's air stays as it is.
        const bool is_air = Colour{old[0], old[1], old[2]} == air(y + v / scale_);
        if (front_.at(x, y).cell > 0 && is_air) continue;
        set(x * scale_ + u, y * scale_ + v, client::blend({old[0], old[1], old[2]}, colour, share));
      }
    }
  }

  void paint_rock(std::int32_t x, std::int32_t y, const Seen& seen) {
    const Vec3 at = view_.from + Vec3{x, y, 0};
    CellLook look = {.cell = seen.cell, .x = at.x, .y = at.y};
    fill_cell(x, y, dimmed(client::colour_of(look), y, seen.distance));
    look.lit = front_.at(x, y + 1).cell >= 0 && y + 1 < view_.size.y;
    const Colour edge = dimmed(client::colour_of(look), y, seen.distance);
    for (std::int32_t u = 0; u < scale_; ++u) set(x * scale_ + u, (y + 1) * scale_ - 1, edge);
  }

  /// In a cell what falls through it, or through the one above, which is `from`. Falling water
  /// keeps together: the less there is, the narrower.
  void paint_strand(std::int32_t x, std::int32_t y, std::int32_t from) {
    const Seen seen = front_.at(x, from);
    const double fill = std::min(1.0, double(seen.cell) / kFull);
    const int depth = 1 + static_cast<int>(front_.depth(x, from));
    const Colour colour = client::blend(dimmed(water(from, depth), from, seen.distance),
                                        dimmed(water(from, 0), from, seen.distance), 0.35);
    const auto wide = std::max(1L, std::lround(fill * scale_));
    const auto first = static_cast<std::int32_t>((scale_ - wide) / 2);
    fill_cell(x, y, air(y));
    for (std::int32_t v = 0; v < scale_; ++v) {
      for (std::int32_t u = first; u < first + static_cast<std::int32_t>(wide); ++u) {
        set(x * scale_ + u, y * scale_ + v, colour);
      }
    }
  }

  void fill_cell(std::int32_t x, std::int32_t y, const Colour& colour) {
    for (std::int32_t v = 0; v < scale_; ++v) {
      for (std::int32_t u = 0; u < scale_; ++u) set(x * scale_ + u, y * scale_ + v, colour);
    }
  }

  /// A frame around a cell.
  void mark(Vec3 at, const Colour& colour) {
    if (!view_.contains(at)) return;
    const Vec3 place = at - view_.from;
    for (std::int32_t v = 0; v < scale_; ++v) {
      for (std::int32_t u = 0; u < scale_; ++u) {
        const bool frame = u == 0 || v == 0 || u == scale_ - 1 || v == scale_ - 1;
        if (frame) set(place.x * scale_ + u, place.y * scale_ + v, colour);
      }
    }
  }

  [[nodiscard]] bool shown(const sim::NodeView& node) const {
    return !(node.at == kNowhere) && view_.contains(node.at);
  }
  [[nodiscard]] std::int32_t middle(std::int32_t cell) const { return cell * scale_ + scale_ / 2; }

  void paint_pipes() {
    const sim::PipeNetwork& pipes = world_.pipes();
    pipes.for_each_link([&](const sim::LinkView& link) {
      const sim::NodeView from = pipes.node(link.from);
      const sim::NodeView to = pipes.node(link.to);
      if (shown(from) && shown(to)) line(from.at - view_.from, to.at - view_.from);
    });
    for (sim::Slot slot = 0; slot < pipes.slot_limit(); ++slot) {
      if (!pipes.used(slot)) continue;
      const sim::NodeView node = pipes.node(slot);
      if (shown(node)) paint_node(node);
    }
  }

  void line(Vec3 from, Vec3 to) {
    const std::int32_t dx = middle(to.x) - middle(from.x);
    const std::int32_t dy = middle(to.y) - middle(from.y);
    const std::int32_t steps = std::max({std::abs(dx), std::abs(dy), 1});
    for (std::int64_t i = 0; i <= steps; ++i) {
      set(static_cast<std::int32_t>(middle(from.x) + dx * i / steps),
          static_cast<std::int32_t>(middle(from.y) + dy * i / steps), kCasing);
    }
  }

  /// A box in the middle of its cell, as full as the node is.
  void paint_node(const sim::NodeView& node) {
    const Vec3 place = node.at - view_.from;
    const std::int32_t half = std::max(1, scale_ / 3);
    const double fill = node.capacity > 0 ? double(node.amount) / node.capacity : 0;
    for (std::int32_t v = -half; v <= half; ++v) {
      for (std::int32_t u = -half; u <= half; ++u) {
        const bool frame = std::abs(u) == half || std::abs(v) == half;
        const bool wet = v + half < fill * (2 * half + 1);
        set(middle(place.x) + u, middle(place.y) + v,
            frame ? kCasing
            : wet ? water(place.y, 1)
                  : kEmptyPipe);
      }
    }
  }

  const sim::World& world_;
  Box view_;
  std::int32_t scale_;
  Front front_;
  Picture picture_;
  // Of waves, by the cell of their surface in the view: pixels from the picture's lower edge.
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> crests_;
};

Box box_of(const sim::World& world, const PictureView& view) {
  return view.cells.value_or(world.config().box());
}

std::int32_t scale_of(const Box& box, const PictureView& view) {
  const std::int32_t fitting = kLongerSide / std::max(box.size.x, box.size.y);
  return view.scale.value_or(std::clamp(fitting, 1, kMostPixelsByDefault));
}

}  // namespace

Result<Box> parse_view(const std::string& text) {
  std::array<std::int32_t, 6> numbers{};
  int end = 0;
  const int read = std::sscanf(text.c_str(), "%d,%d,%d,%d,%d,%d%n", &numbers[0], &numbers[1],
                               &numbers[2], &numbers[3], &numbers[4], &numbers[5], &end);
  if (read != 6 || static_cast<std::size_t>(end) != text.size()) {
    return Error{"--view: '" + text + "' is not six whole numbers x,y,z,w,h,d"};
  }
  return Box{{numbers[0], numbers[1], numbers[2]}, {numbers[3], numbers[4], numbers[5]}};
}

Status check(const sim::World& world, const PictureView& view) {
  const Box box = box_of(world, view);
  if (box.empty() || !lies_in(box, world.config().box())) {
    return Error{"--view: the box at " + to_string(box.from) + " of size " + to_string(box.size) +
                 " is empty or leaves the world of size " + to_string(world.config().size)};
  }
  const std::int64_t scale = scale_of(box, view);
  if (std::int64_t{box.size.x} * box.size.y > kMaxPicturePixels / (scale * scale)) {
    return Error{"--png: " + std::to_string(box.size.x) + " x " + std::to_string(box.size.y) +
                 " cells of " + std::to_string(scale) + " x " + std::to_string(scale) +
                 " pixels are more than " + std::to_string(kMaxPicturePixels) +
                 " pixels; give a smaller --view or --scale"};
  }
  return Done{};
}

Picture draw(const sim::World& world, const PictureView& view) {
  const Box box = box_of(world, view);
  return Painter(world, box, scale_of(box, view)).paint();
}

Status write_png(const std::string& path, const Picture& picture) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, path.c_str(), 0, picture.bytes.data(), 0, nullptr) == 0) {
    return Error{path + ": cannot be written: " + image.message};
  }
  return Done{};
}

}  // namespace sluice::tools
