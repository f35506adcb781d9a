// How the tracers of a world behave: the keys of [[tracer]] and their bounds (tracers.md).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::sim {

/// Of one world.
inline constexpr std::size_t kMostTracers = 4;
inline constexpr std::size_t kMostTracerName = 32;
/// Units of one tracer that a world takes in over its life.
inline constexpr std::int64_t kMostTracerUnits = std::int64_t{1} << 44;

/// Spread, overturn, sink and fade are parts of 4,096 a tick.
inline constexpr std::int32_t kLogTracerParts = 12;
inline constexpr std::int32_t kMostSpread = 256;
inline constexpr std::int32_t kMostOverturn = 768;
inline constexpr std::int32_t kMostSink = 768;
inline constexpr std::int32_t kMostFade = 1024;
/// Level units: no wave is sharper than eight times its most height.
inline constexpr std::int32_t kMostCrest = 1 << 17;
inline constexpr std::int32_t kMostWhip = 1024;
/// `whip` is units of foam for so many level units.
inline constexpr std::int32_t kWhipParts = 64;
// A cell never gives more than it has: through five faces by spread and one by overturn, or else by
// sinking; and by fading, which rounds up.
static_assert(5 * kMostSpread + kMostOverturn + kMostFade < 1 << kLogTracerParts);
static_assert(kMostSink + kMostFade < 1 << kLogTracerParts);
// What spreads comes to rest if all faces together have at most half.
static_assert(5 * kMostSpread + kMostOverturn <= 1 << (kLogTracerParts - 1));

/// What a tracer usually does: the options that a world file leaves out.
enum class TracerKind : std::uint8_t { kDye, kSalt, kSilt, kFoam, kWhitecaps };
inline constexpr std::array<std::string_view, 5> kTracerKinds = {"dye", "salt", "silt", "foam",
                                                                 "whitecaps"};

struct TracerOptions {
  std::string name;  // [a-z][a-z0-9_]*, also a column of dumps
  TracerKind kind = TracerKind::kDye;
  std::int32_t spread = 0;    // through each face, of what the cells' shares in their water differ
  std::int32_t overturn = 0;  // instead, to the cell below where that has the lesser share
  std::int32_t sink = 0;      // of what a cell holds, to the cell below; less than 0: above
  std::int32_t fade = 0;      // of what a cell holds, out of the world
  // Of whitecaps alone: waves sharper than `crest` level units whip up `whip` units for each
  // kWhipParts level units beyond, in a column and tick.
  std::int32_t crest = 0;
  std::int32_t whip = 0;

  /// Whether it does anything but go with the water.
  [[nodiscard]] bool moves() const {
    return spread != 0 || overturn != 0 || sink != 0 || fade != 0;
  }
  friend bool operator==(const TracerOptions&, const TracerOptions&) = default;
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("name", self.name);
    v.choice("kind", self.kind, kTracerKinds);
    v.field("spread", self.spread);
    v.field("overturn", self.overturn);
    v.field("sink", self.sink);
    v.field("fade", self.fade);
    if (self.kind != TracerKind::kWhitecaps) return;
    v.field("crest", self.crest);
    v.field("whip", self.whip);
  }
};

/// Dye goes with the water; salt spreads, and sinks through water that is less salty; silt settles;
/// foam rises and fades, and so do whitecaps, the foam that waves make.
[[nodiscard]] constexpr TracerOptions usual_options(TracerKind kind) {
  TracerOptions options;
  options.kind = kind;
  if (kind == TracerKind::kSalt) options.overturn = 256;
  if (kind == TracerKind::kSalt) options.spread = 16;
  if (kind == TracerKind::kSilt) options.sink = 64;
  if (kind == TracerKind::kFoam || kind == TracerKind::kWhitecaps) options.sink = -512;
  if (kind == TracerKind::kFoam || kind == TracerKind::kWhitecaps) options.fade = 16;
  if (kind == TracerKind::kWhitecaps) options.crest = 512;
  if (kind == TracerKind::kWhitecaps) options.whip = 64;
  return options;
}

}  // namespace sluice::sim
