// The colours of overlays that are on no ramp, and how far ramps reach: scales of round numbers, of
// which the smallest is taken that suits what is in view.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "client_stub/palette.h"

namespace sluice::client {

inline constexpr Colour kOverlayInk{235, 240, 248};
inline constexpr Colour kOverlayPaper{10, 14, 20};
inline constexpr Colour kAwakeChunk{255, 176, 60};
inline constexpr Colour kRestingChunk{140, 165, 200};

/// Degrees, and cells of waves, of the colours farthest from zero: the smallest that suits.
inline constexpr std::array<double, 6> kReachesOfDegrees = {5, 10, 20, 50, 100, 200};
inline constexpr std::array<double, 6> kReachesOfWaves = {0.125, 0.25, 0.5, 1, 2, 4};
inline constexpr std::array<double, 6> kReachesOfSteam = {0.0625, 0.25, 0.5, 1, 4, 16};
/// Units of a tracer in a unit of water, of the brightest colour.
inline constexpr std::array<double, 6> kReachesOfShares = {0.0625, 0.25, 0.5, 1, 4, 16};
/// Depths of the deepest colour: the smallest that suits what is in view is taken.
inline constexpr std::array<double, 9> kDepths = {2, 5, 10, 20, 50, 100, 200, 500, 1000};
/// Cells from the lowest to the highest colour of heads.
inline constexpr std::array<double, 15> kSpans = {1,   2,    5,    10,   20,    50,    100,  200,
                                                  500, 1000, 2000, 5000, 10000, 20000, 50000};

/// The scale that suits, of rising ones; it shrinks only when it is far too large, so that it does
/// not flicker.
template <std::size_t kSteps>
double fitting(const std::array<double, kSteps>& steps, double farthest, double now) {
  const auto* const fits =
      std::find_if(steps.begin(), steps.end(), [&](double step) { return step >= farthest; });
  const double scale = fits == steps.end() ? steps.back() : *fits;
  return scale > now || farthest <= now * 0.3 ? scale : now;
}

/// Heights over the world's floor: where the colours of heads begin, and how far they go.
struct Span {
  double from = 0;
  double size = 1;

  friend bool operator==(const Span&, const Span&) = default;
};

/// Of round numbers, from `least` to `most` and not much beyond; `now` for as long as that holds
/// both and is not far too large.
inline Span span_of(double least, double most, Span now) {
  const bool holds = least >= now.from && most <= now.from + now.size;
  if (holds && (now.size == kSpans.front() || most - least > now.size * 0.2)) return now;
  Span fits;
  for (const double size : kSpans) {
    fits = {std::floor(least / (size / 2)) * (size / 2), size};
    if (most <= fits.from + size) break;
  }
  return fits;
}

}  // namespace sluice::client
