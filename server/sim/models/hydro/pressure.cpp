// Step 6: the heads of full runs, so that each takes in what it gives away. The equations are
// solved by conjugate gradients in integers, with the diagonal as a preconditioner: sums of
// integers do not depend on their order, so neither the mirror image nor the order of runs matters.
// Gauss-Seidel and its red-black kind depend on both.
#include <algorithm>

#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

namespace {

/// mantissa * 2^exponent
struct Wide {
  std::int64_t mantissa = 0;
  int exponent = 0;
};

/// Each factor to 20 bits, so that a million products fit.
template <class List, class A, class B>
Wide dot(const List& list, A a, B b) {
  std::int64_t most_a = 0;
  std::int64_t most_b = 0;
  for (const auto& one : list) {
    most_a = std::max(most_a, absolute(one.*a));
    most_b = std::max(most_b, absolute(one.*b));
  }
  const int shift_a = std::max(0, bits_of(most_a) - 20);
  const int shift_b = std::max(0, bits_of(most_b) - 20);
  std::int64_t sum = 0;
  for (const auto& one : list) sum += ((one.*a) >> shift_a) * ((one.*b) >> shift_b);
  return {sum, shift_a + shift_b};
}

/// a / b to 30 bits; both are positive.
Wide quotient(Wide a, Wide b) {
  const int up = 61 - bits_of(a.mantissa);
  const int down = std::max(0, bits_of(b.mantissa) - 31);
  const int up_b = std::max(0, 31 - bits_of(b.mantissa));
  const std::int64_t below = (b.mantissa >> down) << up_b;
  return {(a.mantissa << up) / below, a.exponent - up - b.exponent - down + up_b};
}

/// value * factor, toward zero.
std::int64_t times(std::int64_t value, Wide factor) {
  const auto size = static_cast<std::uint64_t>(absolute(value));
  const auto mantissa = static_cast<std::uint64_t>(factor.mantissa);
  const std::uint64_t high = (size >> 32) * mantissa;
  const std::uint64_t low = (size & 0xffffffffU) * mantissa;
  const int down = -factor.exponent;
  std::uint64_t product = 0;
  if (down >= 96) {
    product = 0;
  } else if (down >= 32) {
    product = (high + (low >> 32)) >> (down - 32);
  } else if (down >= 0) {
    product = (high << (32 - down)) + (low >> down);
  }
  const auto result = static_cast<std::int64_t>(product & INT64_MAX);
  return value < 0 ? -result : result;
}

std::int64_t divided(std::int64_t value, Q16 by) {
  return value / by * kOne + value % by * kOne / by;
}

}  // namespace

Q16 Flow::fastest(const Way& way, bool from_low) {
  const Mover& from = mover_at(from_low ? way.low : way.high);
  const Level level = std::max(from.full ? from.contact : from.level, way.sill);
  const Units depth = std::min(level - way.sill, way.opening);
  return std::min(depth * (kOne / 8 * 7), kMostFlow);
}

Q16 Flow::flow_of(const Way& way) {
  if (way.fixed) return way.flow;
  const std::int64_t sill = way.sill * kHeadOne;
  const std::int64_t across =
      std::max(head(mover_at(way.low)), sill) - std::max(head(mover_at(way.high)), sill);
  return scaled(way.share, way.push + way.conductance * across / kHeadOne);
}

// Round by round, and in a round one thing after the other for all bodies: what one spills may make
// a run of another full, and a full run below a spill presses against what spills. So each thing is
// found for all bodies from what was before it, and then done: bodies come in no order.
void Flow::find_pressures() {
  for (Body& body : bodies_) body.solves = !body.still && !body.old();
  for (int round = 0; round < kMostRounds; ++round) {
    list_full();
    for (const Body& body : bodies_) {
      if (round == 0 && body.solves) begin_pressures(body, body.full);
    }
    for (const Body& body : bodies_) {
      if (body.solves && !body.full.empty()) find_corrections(body.full);
    }
    for (const Body& body : bodies_) {
      if (!body.solves) continue;
      for (const std::int32_t m : body.full) mover_at(m).pressure += mover_at(m).correction;
    }
    free_or_fix();
    if (round + 1 == kMostRounds) break;
    std::vector<std::int32_t> over;
    for (std::int32_t m = 0; m < mover_count(); ++m) {
      if (runs_over(m)) over.push_back(m);
    }
    for (const std::int32_t m : over) {
      Mover& mover = mover_at(m);
      mover.full = true;
      mover.forced = true;
      mover.pressure = mover.top * kHeadOne;
      body_at(mover.body).solves = true;
    }
  }
}

void Flow::list_full() {
  for (Body& body : bodies_) {
    if (body.solves) body.full.clear();
  }
  for (std::int32_t m = 0; m < mover_count(); ++m) {
    const Mover& mover = mover_at(m);
    if (!mover.full || mover.body == kNone) continue;
    if (body_at(mover.body).solves) body_at(mover.body).full.push_back(m);
  }
}

// From the last tick's; of a body that knows none, from the level that it has when it rests.
void Flow::begin_pressures(const Body& body, std::span<const std::int32_t> full) {
  bool known = false;
  for (const std::int32_t m : full) known = known || mover_at(m).pressure != 0;
  Level level = 0;
  if (!known && !full.empty()) {
    Units units = 0;
    for (const std::int32_t m : movers_of(body)) units += mover_at(m).volume;
    level = fill_level(movers_of(body), units);
  }
  for (const std::int32_t m : full) {
    Mover& mover = mover_at(m);
    mover.pressure = std::max({mover.pressure, level * kHeadOne, mover.top * kHeadOne});
  }
}

void Flow::set_up(std::int32_t m, Unknown& unknown) {
  const Mover& mover = mover_at(m);
  unknown = {};
  unknown.diagonal = 4;
  Q16 outflow = 0;
  for (const std::int32_t w : ways_of(m)) {
    const Way& way = way_at(w);
    if (way.joint == Joint::kClosed) continue;
    const Q16 flow = flow_of(way);
    outflow += way.low == m ? flow : -flow;
    if (!way.fixed) unknown.diagonal += scaled(way.share, way.conductance);
  }
  const Units gap = mover.capacity() - mover.margin() - mover.volume;
  Units want =
      gap > 0 ? (gap + 7) / 8 : (mover.volume >= mover.capacity() && mover.margin() > 0 ? -1 : 0);
  if (mover.forced) want = gap;
  unknown.rest = -outflow - want * kOne;
  unknown.enough = kOne / 4 + mover.through * (kOne / 512);
}

void Flow::multiply(std::span<const std::int32_t> full) {
  for (std::size_t i = 0; i < full.size(); ++i) {
    Unknown& unknown = unknowns_[i];
    unknown.image = scaled(4, unknown.direction);
    for (const std::int32_t w : ways_of(full[i])) {
      const Way& way = way_at(w);
      if (way.fixed || way.joint == Joint::kClosed) continue;
      const std::int32_t beside = unknown_of_[static_cast<std::size_t>(way.other(full[i]))];
      const std::int64_t theirs =
          beside == kNone ? 0 : unknowns_[static_cast<std::size_t>(beside)].direction;
      unknown.image += scaled(scaled(way.share, way.conductance), unknown.direction - theirs);
    }
  }
}

void Flow::find_corrections(std::span<const std::int32_t> full) {
  unknowns_.resize(full.size());
  unknown_of_.resize(movers_.size(), kNone);
  for (std::size_t i = 0; i < full.size(); ++i) {
    unknown_of_[static_cast<std::size_t>(full[i])] = static_cast<std::int32_t>(i);
    set_up(full[i], unknowns_[i]);
    unknowns_[i].step = divided(unknowns_[i].rest, unknowns_[i].diagonal);
    unknowns_[i].direction = unknowns_[i].step;
  }
  Wide rests = dot(unknowns_, &Unknown::rest, &Unknown::step);
  for (int i = 0; i < kMostIterations && rests.mantissa > 0; ++i) {
    const bool done = std::all_of(unknowns_.begin(), unknowns_.end(),
                                  [](const Unknown& u) { return absolute(u.rest) <= u.enough; });
    if (done) break;
    multiply(full);
    const Wide images = dot(unknowns_, &Unknown::direction, &Unknown::image);
    if (images.mantissa <= 0) break;
    const Wide along = quotient(rests, images);
    for (Unknown& u : unknowns_) {
      u.correction += times(u.direction, along);
      u.rest -= times(u.image, along);
      u.step = divided(u.rest, u.diagonal);
    }
    const Wide next = dot(unknowns_, &Unknown::rest, &Unknown::step);
    if (next.mantissa <= 0) break;
    const Wide turn = quotient(next, rests);
    for (Unknown& u : unknowns_) u.direction = u.step + times(u.direction, turn);
    rests = next;
  }
  for (std::size_t i = 0; i < full.size(); ++i) {
    unknown_of_[static_cast<std::size_t>(full[i])] = kNone;
    mover_at(full[i]).correction = unknowns_[i].correction / (kOne / kHeadOne);
  }
}

// A body in which nothing was freed or fixed is solved.
void Flow::free_or_fix() {
  std::vector<std::int32_t> freed;
  for (const Body& body : bodies_) {
    if (!body.solves) continue;
    for (const std::int32_t m : body.full) {
      if (mover_at(m).pressure < mover_at(m).top * kHeadOne) freed.push_back(m);
    }
  }
  for (const std::int32_t m : freed) {
    mover_at(m).full = false;
    mover_at(m).forced = false;
  }
  std::vector<std::int32_t> too_fast;
  for (Body& body : bodies_) {
    if (!body.solves) continue;
    const std::size_t before = too_fast.size();
    list_too_fast(body, too_fast);
    body.solves = too_fast.size() > before;
  }
  for (const std::int32_t m : freed) body_at(mover_at(m).body).solves = true;
  for (const std::int32_t w : too_fast) {
    Way& way = way_at(w);
    if (way.fixed) continue;  // it is listed by both its ends
    const Q16 flow = flow_of(way);
    const Q16 most = fastest(way, flow > 0);
    way.fixed = true;
    way.flow = flow > 0 ? most : -most;
  }
}

void Flow::list_too_fast(const Body& body, std::vector<std::int32_t>& ways) {
  for (const std::int32_t m : movers_of(body)) {
    for (const std::int32_t w : ways_of(m)) {
      const Way& way = way_at(w);
      if (way.joint == Joint::kClosed) continue;
      const Mover& beside = mover_at(way.other(m));
      if (way.fixed || !(mover_at(m).full || beside.full)) continue;
      // A spill is settled by the body that spills.
      if (way.joint == Joint::kSpill && beside.contact > mover_at(m).contact) continue;
      const Q16 flow = flow_of(way);
      const Q16 most = fastest(way, flow > 0);
      if (absolute(flow) > most + most / 64) ways.push_back(w);
    }
  }
}

bool Flow::runs_over(std::int32_t m) {
  const Mover& mover = mover_at(m);
  if (!mover.near || mover.full || mover.body == kNone) return false;
  if (body_at(mover.body).still || body_at(mover.body).old()) return false;
  Q16 inflow = 0;
  for (const std::int32_t w : ways_of(m)) {
    const Way& way = way_at(w);
    if (way.joint == Joint::kClosed) continue;
    const Q16 flow = flow_of(way);
    const Q16 most = fastest(way, flow > 0);
    const Q16 bounded = std::clamp(flow, -most, most);
    inflow += way.low == m ? -bounded : bounded;
  }
  return mover.volume + (inflow >> 16) > mover.capacity();
}

}  // namespace sluice::sim::hydro
