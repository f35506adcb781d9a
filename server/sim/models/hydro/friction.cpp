// Step 5: friction of each body, nearly critical for its slowest wave; then what each link's flow
// would be without the heads.
#include <algorithm>

#include "server/sim/models/hydro/flow.h"
#include "server/sim/square_root.h"

namespace sluice::sim::hydro {

namespace {

/// Sums over the free runs of a body of one quantity and of its square, and over its links of how
/// it differs across them, weighed by their conductance: by Rayleigh's quotient the square of the
/// slowest frequency is at most links / spread, whatever the quantity is.
struct Quotient {
  std::int64_t count = 0;
  std::int64_t sum = 0;
  std::int64_t squares = 0;
  std::int64_t links = 0;

  void add(std::int64_t value) {
    ++count;
    sum += value;
    squares += value * value;
  }
  [[nodiscard]] std::int64_t spread() const {
    if (count == 0) return 0;
    const std::int64_t mean = sum / count;
    return squares - 2 * mean * sum + count * mean * mean;
  }
  /// In Q32; `scale` is what the links lack.
  [[nodiscard]] std::int64_t squared_frequency(int scale) const {
    std::int64_t below = spread();
    std::int64_t above = links;
    if (count < 2 || below <= 0 || above <= 0) return INT64_MAX;
    while (above >= std::int64_t{1} << (62 - scale)) {
      above >>= 1;
      below >>= 1;
    }
    return below == 0 ? INT64_MAX : (above << scale) / below;
  }
};

}  // namespace

void Flow::find_friction(Body& body) {
  // Heads are scaled so that the squares of their differences fit 32 bits.
  Level lowest = INT64_MAX;
  Level highest = INT64_MIN;
  for (const std::int32_t m : body.movers) {
    lowest = std::min(lowest, mover_at(m).contact);
    highest = std::max(highest, mover_at(m).contact);
  }
  const int shift = std::max(0, bits_of(highest - lowest) - 16);
  Quotient of_x;
  Quotient of_z;
  Quotient of_head;
  for (const std::int32_t m : body.movers) {
    const Mover& mover = mover_at(m);
    const Run& run = run_of(mover);
    if (!mover.full) {
      of_x.add(2 * std::int64_t{run.x} - body.x_from - body.x_to);
      of_z.add(2 * std::int64_t{run.z} - body.z_from - body.z_to);
      of_head.add((mover.level - lowest) >> shift);
    }
    for (const std::int32_t w : ways_of(m)) {
      const Way& way = way_at(w);
      if (way.joint != Joint::kContact || way.low != m) continue;
      (way.along_z ? of_z : of_x).links += way.conductance;
      const Level across = absolute(std::max(mover_at(way.low).contact, way.sill) -
                                    std::max(mover_at(way.high).contact, way.sill)) >>
                           shift;
      of_head.links += (way.conductance * across >> 8) * across;
    }
  }
  const std::int64_t square = std::min(
      {of_x.squared_frequency(18), of_z.squared_frequency(18), of_head.squared_frequency(24)});
  Q16 target = kMostFriction;
  if (square < kOne * kOne) target = std::min(target, scaled(kFrictionFactor, square_root(square)));
  for (const std::int32_t m : body.movers) {
    std::int32_t& friction = mover_at(m).friction;
    const auto step = static_cast<std::int32_t>((target - friction) / kFrictionInertia);
    friction = friction == 0 ? static_cast<std::int32_t>(target) : friction + step;
  }
}

// All friction divides: subtracted, it was unstable above an eighth.
void Flow::find_push(Way& way) {
  const Mover& low = mover_at(way.low);
  const Mover& high = mover_at(way.high);
  const bool contact = way.joint == Joint::kContact;
  const bool from_low = low.contact > high.contact;
  const auto blocked = [&way](Units depth) {
    // The part of a side's depth that the opening does not take up.
    return depth <= way.height ? 0 : kOne - way.height * kOne / depth;
  };
  const Q16 narrowing = std::max(blocked(run_of(low).volume), blocked(run_of(high).volume));
  const Q16 loss = contact ? scaled(narrowing, narrowing) : kOne;
  const Q16 friction =
      contact ? (low.friction + high.friction) / 2 : (from_low ? low.friction : high.friction);
  Q16 drag = scaled(kLoss, loss);
  if (!low.full && !high.full) {
    drag += way.height > kFull ? kBedDrag * kFull / way.height * kFull / way.height : kBedDrag;
  }
  const Q16 divisor = kOne + scaled(kOne - loss, friction) +
                      scaled(drag, std::min(absolute(way.flow) / way.height, kOne << 20));
  way.share = kOne * kOne / divisor;
  way.push = way.flow;
  if (contact && !low.full && !high.full) {
    way.push += scaled(way.conductance, scaled(kSmoothing, low.inflow - high.inflow));
  }
  if (!contact) {
    const Q16 half = way.conductance * (way.height / 2);
    way.push += from_low ? -half : half;
  }
}

}  // namespace sluice::sim::hydro
