// The constants of hydro water, and its arithmetic: 64 bits throughout, products of Q16 numbers
// rounded toward zero, so that a flow and its mirror image are rounded alike.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "server/sim/limits.h"

namespace sluice::sim::hydro {

using Level = std::int64_t;  // level units above the world's floor; kFull one cell
using Units = std::int64_t;
using Q16 = std::int64_t;

inline constexpr Q16 kOne = 1 << 16;
inline constexpr std::int64_t kHeadOne = 1 << 8;  // heads in the solver have 8 fractional bits

inline constexpr Q16 kGravity = kOne / 16;
inline constexpr Units kFilm = kFull / 2;  // what is thinner flows as easily, and so drains
inline constexpr Q16 kMostConductance = kOne * 3 / 4;  // of one link; half of it in 3D
inline constexpr Q16 kMostConductanceOfRun = kOne * 3 / 2;
inline constexpr Q16 kSmoothing = kOne / 8;
inline constexpr Q16 kLoss = kOne * 26 / 10;
inline constexpr Q16 kBedDrag = kOne / 2;
inline constexpr std::int64_t kRapidDrag = 2;
inline constexpr Q16 kMostRapid = kOne / 2;
inline constexpr Q16 kFrictionFactor = kOne * 16 / 10;
inline constexpr Q16 kMostFriction = kOne * 4 / 10;
inline constexpr std::int32_t kRunsFree = 4;        // a part of its friction brakes what runs free
inline constexpr std::int32_t kFrictionFalls = 16;  // a part of the way in each tick
inline constexpr std::int32_t kFrictionRises = 2048;

inline constexpr Units kSlack = 256;         // a run so near its capacity counts as full
static_assert(kSlack <= kFull / 4);          // and so never when it holds less than three quarters
inline constexpr Units kNear = 3 * kFull;    // so near its capacity a run could run over
inline constexpr Units kCalm = 1;            // heads that differ so little move no water that rests
inline constexpr Q16 kIdleFlow = kOne / 64;  // so little brings nothing into water that rests
inline constexpr Units kQuiet = 256;         // heads and flows below which a body is filled exactly
inline constexpr Units kMostMargin = 64;     // room that the solver leaves in a full run that flows
inline constexpr int kMostIterations = 100;
inline constexpr int kMostEliminations = 4;
inline constexpr int kMostRounds = 3;
inline constexpr std::int32_t kAgePerCell = 16;
inline constexpr std::int32_t kAgeAtLeast = 1024;

inline constexpr std::int32_t kFallGravity = kFull / 4;  // level units a tick, each tick
inline constexpr std::int32_t kFallFastest = 4 * kFull;
inline constexpr Units kFootInertia = 32;    // of what the foot of a strand holds
inline constexpr Units kLeastOfFoot = 64;    // that lands of it where nothing comes
inline constexpr std::int32_t kNearJet = 2;  // cells over the surface's: no way to fall

/// The most that a link carries in a tick; a Q16 flow stays below 2^48.
inline constexpr Q16 kMostFlow = std::int64_t{1} << 47;

constexpr std::int64_t absolute(std::int64_t v) {
  return v < 0 ? -v : v;
}

/// scaled() in two products.
constexpr std::int64_t scaled_large(Q16 a, std::int64_t v) {
  const auto size = static_cast<std::uint64_t>(absolute(v));
  const auto factor = static_cast<std::uint64_t>(a);
  const auto product =
      static_cast<std::int64_t>((size >> 16) * factor + ((size & 0xffff) * factor >> 16));
  return v < 0 ? -product : product;
}

/// Of a link in whose opening water stands so high: the square of the speed of waves there.
constexpr Q16 conductance_of(Units height, Q16 most) {
  static_assert(kGravity == kFull);
  return std::min<Q16>(std::max(height, kFilm), most);
}

/// Of one link.
constexpr Q16 most_conductance(bool solid) {
  return solid ? kMostConductance / 2 : kMostConductance;
}

/// Units that a spill moves at least.
constexpr Units least_spill(Units height) {
  constexpr Units kMostOfFilm = 64;
  return std::max<Units>({1, height / 32, std::min(height / 8, kMostOfFilm)});
}

/// a * v with a from 0 to 2^20 in Q16, toward zero.
constexpr std::int64_t scaled(Q16 a, std::int64_t v) {
  // Most numbers are small enough for one product.
  constexpr std::int64_t kSmall = std::int64_t{1} << 42;
  return v > -kSmall && v < kSmall ? a * v / kOne : scaled_large(a, v);
}

/// a / b, rounded down; a is not negative, b positive. Most are small, and a division of 32 bits
/// takes a third of the time of one of 64 on many processors.
constexpr std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if (((a | b) >> 32) != 0) return a / b;
  return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
}

/// 2^32 / b, rounded down; b is at least 2.
constexpr std::int64_t reciprocal(std::int64_t b) {
  const std::int64_t below = quotient(UINT32_MAX, b);
  return (below + 1) * b == std::int64_t{1} << 32 ? below + 1 : below;
}

/// Bits that a number takes that is not negative.
constexpr int bits_of(std::int64_t v) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(v)));
}

/// amount * part / whole, rounded down or a little less; none is negative, part at most whole.
constexpr Units share_of(Units amount, Units part, Units whole) {
  if (part >= whole) return amount;
  const int bits = bits_of(amount) + bits_of(part);
  if (bits <= 62) return amount * part / whole;
  const int shift = bits - 62;
  return amount * (part >> shift) / ((whole >> shift) + 1);
}

/// The cell that holds a level.
constexpr std::int32_t cell_of(Level level) {
  return static_cast<std::int32_t>(level >> 12);
}
static_assert(kFull == 1 << 12);

}  // namespace sluice::sim::hydro
