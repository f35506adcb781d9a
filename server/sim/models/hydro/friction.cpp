// Steps 4 and 5: conductances; friction of each body, nearly critical for its slowest wave.
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

std::int32_t target_friction(const Quotients& quotients) {
  const std::int64_t square =
      std::min({quotients.of_x.squared_frequency(18), quotients.of_z.squared_frequency(18),
                quotients.of_head.squared_frequency(24)});
  Q16 target = kMostFriction;
  if (square < kOne * kOne) {
    target = std::min(target, scaled(kFrictionFactor, square_root(square)));
  }
  return static_cast<std::int32_t>(target);
}

// So that those of neither end add up to more than a run has.
void Flow::scale_conductance(const Mover& low, Way& way) {
  const std::int32_t sum = std::max(low.conductance, mover_at(way.high).conductance);
  if (sum <= kMostConductanceOfRun) return;
  way.conductance = static_cast<std::int32_t>(way.conductance * kMostConductanceOfRun / sum);
}

// A way counts to the run of the smaller x or z. Both heads at a contact reach its sill.
Quotients Flow::quotients_of(std::size_t from, std::size_t to, const Body& body) {
  Quotients sums;
  const std::int64_t two_x = std::int64_t{body.x_from} + body.x_to;
  const std::int64_t two_z = std::int64_t{body.z_from} + body.z_to;
  const Level lowest = body.standing.lowest_contact;
  const int shift = body.head_shift;
  for (std::size_t m = from; m < to; ++m) {
    const Mover& mover = movers_[m];
    if (!mover.full) {
      const auto [x, z] = places_[m];
      sums.of_x.add(2 * std::int64_t{x} - two_x);
      if (solid_) sums.of_z.add(2 * std::int64_t{z} - two_z);
      sums.of_head.add((mover.level - lowest) >> shift);
    }
    for (const std::int32_t w : ways_up(m)) {
      Way& way = way_at(w);
      scale_conductance(mover, way);
      if (way.joint != Joint::kContact) continue;
      (way.along_z ? sums.of_z : sums.of_x).links += way.conductance;
      sums.of_head.links += head_across(way, mover.contact - mover_at(way.high).contact, shift);
    }
  }
  return sums;
}

void Flow::find_frictions() {
  for (Body& body : bodies_) {
    const Level across = body.standing.highest_contact - body.standing.lowest_contact;
    body.head_shift = head_shift_of(across);
  }
  sum_up<Quotients>(
      [this](std::size_t from, std::size_t to, std::int32_t body) {
        if (body != kNone && !body_at(body).still) return quotients_of(from, to, body_at(body));
        for (std::size_t m = from; m < to; ++m) {
          for (const std::int32_t w : ways_up(m)) scale_conductance(movers_[m], way_at(w));
        }
        return Quotients{};
      },
      [](Body& body, const Quotients& part) { body.quotients.add(part); });
  for (Body& body : bodies_) {
    if (!body.still) body.target_friction = target_friction(body.quotients);
  }
}

}  // namespace sluice::sim::hydro
