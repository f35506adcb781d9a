// Steps 4 and 5: conductances; friction of each body, nearly critical for its slowest wave; then
// what each link's flow would be without the heads.
#include <algorithm>

#include "server/sim/models/hydro/flow.h"
#include "server/sim/square_root.h"

namespace sluice::sim::hydro {

void Quotient::add(const Quotient& other) {
  count += other.count;
  sum += other.sum;
  squares += other.squares;
  links += other.links;
}

std::int64_t Quotient::spread() const {
  if (count == 0) return 0;
  const std::int64_t mean = sum / count;
  return squares - 2 * mean * sum + count * mean * mean;
}

std::int64_t Quotient::squared_frequency(int scale) const {
  std::int64_t below = spread();
  std::int64_t above = links;
  if (count < 2 || below <= 0 || above <= 0) return INT64_MAX;
  while (above >= std::int64_t{1} << (62 - scale)) {
    above >>= 1;
    below >>= 1;
  }
  return below == 0 ? INT64_MAX : (above << scale) / below;
}

void Flow::scale_conductance(Way& way) {
  const std::int32_t sum = std::max(mover_at(way.low).conductance, mover_at(way.high).conductance);
  if (sum <= kMostConductanceOfRun) return;
  way.conductance = static_cast<std::int32_t>(way.conductance * kMostConductanceOfRun / sum);
}

// A way counts to the run of the smaller x or z.
void Flow::add_to_quotients(std::int32_t m, const Body& body, Quotients& quotients) {
  const Mover& mover = mover_at(m);
  if (!mover.full) {
    const auto [x, z] = places_[static_cast<std::size_t>(m)];
    quotients.of_x.add(2 * std::int64_t{x} - body.x_from - body.x_to);
    if (solid_) quotients.of_z.add(2 * std::int64_t{z} - body.z_from - body.z_to);
    quotients.of_head.add((mover.level - body.standing.lowest_contact) >> body.head_shift);
  }
  for (const std::int32_t w : ways_of(m)) {
    const Way& way = way_at(w);
    if (way.low != m || way.joint != Joint::kContact) continue;
    (way.along_z ? quotients.of_z : quotients.of_x).links += way.conductance;
    const Level across = absolute(std::max(mover.contact, way.sill()) -
                                  std::max(mover_at(way.high).contact, way.sill())) >>
                         body.head_shift;
    quotients.of_head.links += (way.conductance * across >> 8) * across;
  }
}

void Flow::find_frictions() {
  for (Body& body : bodies_) {
    const Level across = body.standing.highest_contact - body.standing.lowest_contact;
    body.head_shift = std::max(0, bits_of(across) - 16);
  }
  sum_up<Quotients>(
      [this](std::int32_t m, Quotients& quotients) {
        for (const std::int32_t w : ways_of(m)) {
          if (way_at(w).low == m && way_at(w).joint != Joint::kClosed) scale_conductance(way_at(w));
        }
        const std::int32_t body = mover_at(m).body;
        if (body != kNone && !body_at(body).still) add_to_quotients(m, body_at(body), quotients);
      },
      [](Body& body, const Quotients& part) { body.quotients.add(part); });
  for (Body& body : bodies_) {
    if (body.still) continue;
    const std::int64_t square = std::min({body.quotients.of_x.squared_frequency(18),
                                          body.quotients.of_z.squared_frequency(18),
                                          body.quotients.of_head.squared_frequency(24)});
    Q16 target = kMostFriction;
    if (square < kOne * kOne) {
      target = std::min(target, scaled(kFrictionFactor, square_root(square)));
    }
    body.target_friction = static_cast<std::int32_t>(target);
  }
}

std::int32_t Flow::friction_of(const Mover& mover) const {
  if (mover.body == kNone) return mover.friction;
  const Body& body = bodies_[static_cast<std::size_t>(mover.body)];
  if (body.still) return mover.friction;
  if (mover.friction == 0) return body.target_friction;
  constexpr auto kInertia = static_cast<std::int32_t>(kFrictionInertia);
  return mover.friction + (body.target_friction - mover.friction) / kInertia;
}

// All friction divides: subtracted, it was unstable above an eighth.
void Flow::find_push(Way& way) {
  const Mover& low = mover_at(way.low);
  const Mover& high = mover_at(way.high);
  const bool contact = way.joint == Joint::kContact;
  const bool from_low = low.contact > high.contact;
  const auto blocked = [&way](Units depth) {
    // The part of a side's depth that the opening does not take up.
    return depth <= way.height ? 0 : kOne - quotient(way.height * kOne, depth);
  };
  const Q16 narrowing = std::max(blocked(low.volume), blocked(high.volume));
  const Q16 loss = contact ? scaled(narrowing, narrowing) : kOne;
  const Q16 friction =
      contact ? (friction_of(low) + friction_of(high)) / 2 : friction_of(from_low ? low : high);
  Q16 drag = scaled(kLoss, loss);
  if (!low.full && !high.full) {
    const Units height = way.height;
    drag +=
        height > kFull ? quotient(quotient(kBedDrag * kFull, height) * kFull, height) : kBedDrag;
  }
  const Q16 divisor = kOne + scaled(kOne - loss, friction) +
                      scaled(drag, std::min(quotient(absolute(way.flow), way.height), kOne << 20));
  way.share = static_cast<std::int32_t>(reciprocal(divisor));
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
