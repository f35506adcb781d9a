// A world as a picture: rock with grain, air, water by its depth below the surface that it is
// joined to, strands where it falls, springs, drains and pipes. Seen from the front; in 3D the
// first thing that is not air, the darker the farther.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/sim/world.h"

namespace sluice::tools {

/// Pixels that a picture has at the most.
inline constexpr std::int64_t kMaxPicturePixels = std::int64_t{1} << 26;
inline constexpr std::int32_t kMaxPixelsPerCell = 64;

struct Picture {
  std::int32_t width = 0;
  std::int32_t height = 0;
  std::vector<std::uint8_t> bytes;  // red, green, blue; rows from the top
};

struct PictureView {
  std::optional<Box> cells;           // default: the whole world
  std::optional<std::int32_t> scale;  // pixels a cell; default: what makes the longer side 1,000
};

/// Of "x,y,z,w,h,d".
[[nodiscard]] Result<Box> parse_view(const std::string& text);

/// An error where the view leaves the world or the picture would be too large.
[[nodiscard]] Status check(const sim::World& world, const PictureView& view);

/// The view has passed check().
[[nodiscard]] Picture draw(const sim::World& world, const PictureView& view);

[[nodiscard]] Status write_png(const std::string& path, const Picture& picture);

}  // namespace sluice::tools
