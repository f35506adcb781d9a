// The colours of cells on a terminal: those of the browser viewer.
#pragma once

#include <array>
#include <cstdint>

namespace sluice::client {

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Colour&, const Colour&) = default;
};

inline constexpr Colour kBeyond{8, 10, 14};
inline constexpr Colour kCursor{255, 214, 102};

/// Cells below the surface at which water is as dark as it gets.
inline constexpr int kDeepest = 40;

/// `share` of 0 is `a`, of 1 is `b`.
[[nodiscard]] Colour blend(Colour a, Colour b, double share);

/// The cell at a place of its slice. `depth`: cells of water above it; `height`: 0 the world's
/// bottom, 1 its top; `lit`: the cell above is open.
struct CellLook {
  std::int32_t cell = 0;
  std::int32_t x = 0;
  std::int32_t y = 0;
  int depth = 0;
  double height = 0;
  bool lit = false;
};
[[nodiscard]] Colour colour_of(const CellLook& look);

inline constexpr Colour kFoam{236, 244, 250};
/// Of a world's tracers, in their order: told apart by hue and by how dark they are.
inline constexpr std::array<Colour, 4> kTracerColours = {
    {{214, 39, 78}, {240, 200, 60}, {122, 82, 50}, {176, 110, 220}}};

}  // namespace sluice::client
