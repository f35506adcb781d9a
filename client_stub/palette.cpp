#include "client_stub/palette.h"

#include <algorithm>
#include <cmath>

#include "protocol/base/map_text.h"
#include "protocol/chunk.h"

namespace sluice::client {

namespace {

constexpr Colour kAirTop{17, 23, 35};
constexpr Colour kAirBottom{9, 12, 20};
constexpr Colour kSurface{130, 205, 243};
constexpr Colour kShallow{84, 176, 234};
constexpr Colour kDeep{36, 98, 192};
constexpr Colour kIce{206, 228, 240};

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

/// Even noise of a place: 0 to 255.
int noise(std::int32_t x, std::int32_t y) {
  std::uint32_t h =
      static_cast<std::uint32_t>(x) * 0x27d4eb2dU ^ static_cast<std::uint32_t>(y) * 0x165667b1U;
  h = (h ^ h >> 15) * 0x85ebca6bU;
  return static_cast<int>((h ^ h >> 13) & 0xff);
}

Colour rock(const CellLook& look) {
  const double band = std::sin(look.y * 0.35 + std::sin(look.x * 0.07) * 2.2) * 6;
  const double value = band + (noise(look.x, look.y) - 128) * 0.07 + (look.lit ? 20 : 0);
  return {to_byte(118 + value), to_byte(106 + value * 0.95), to_byte(97 + value * 0.88)};
}

}  // namespace

Colour blend(Colour a, Colour b, double share) {
  const auto mix = [share](std::uint8_t p, std::uint8_t q) { return to_byte(p + (q - p) * share); };
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

Colour colour_of(const CellLook& look) {
  if (look.cell == kOutside) return kBeyond;
  const Colour air = blend(kAirBottom, kAirTop, look.height);
  if (look.cell == 0 || look.cell == kTrappedAir) return air;
  if (look.cell <= kThinnestIce) return kIce;
  if (look.cell < 0) return rock(look);
  if (look.depth > 0) {
    const double share = std::pow(std::min(look.depth, kDeepest) / double{kDeepest}, 0.7);
    return blend(kShallow, kDeep, share);
  }
  const double full = std::min(1.0, look.cell / double{kFull});
  return blend(air, kSurface, 0.25 + 0.75 * full);
}

}  // namespace sluice::client
