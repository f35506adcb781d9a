// Steps 5 and 7: what flows through each way, and what of it is whole units to be moved. What one
// way needs of its body and of its runs' frictions the next mostly needs as well: it is kept.
#include <algorithm>

#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

namespace {

/// Of the ways of a piece looked at so far.
struct Known {
  std::int32_t low_friction = -1;
  std::int32_t high_friction = -1;
  std::int32_t body = kNone;  // neither still nor old
  std::int32_t friction = 0;  // of a contact between two such runs of that body
  Q16 divisor = 0;
  std::int32_t share = 0;  // by that divisor
};

/// The part of a side's depth that the opening does not take up.
Q16 blocked(Units height, Units depth) {
  return depth <= height ? 0 : kOne - quotient(height * kOne, depth);
}

/// Of the bed, by the height of the water over it.
Q16 bed_drag(Units height) {
  if (height <= kFull) return kBedDrag;
  return quotient(quotient(kBedDrag * kFull, height) * kFull, height);
}

/// Whether `bed_drag(height) * (size / height)` comes to one of Q16's units. It is at most
/// kBedDrag * kFull^2 / height^2 * size / height, and such a drag is less than one unit from 256
/// cells on. Most water is so deep and slow that this saves three divisions.
bool bed_brakes(Units height, Q16 size) {
  constexpr Units kDeep = 256 * kFull;
  static_assert(kBedDrag * kFull / kDeep * kFull / kDeep == 0);
  static_assert(kBedDrag * kFull * kFull == kOne << 23 && kDeep <= 1 << 20);
  if (height <= kFull) return size >= height;
  return height < kDeep && size >= height * height * height >> 23;
}

/// Of a step of the bed that water goes down, by the square of how fast it is beside its waves.
/// Without it a deeper part of a current down a slope outran the waves that would level it: rivers
/// gathered in surges, higher and higher (roll waves; Vedernikov gives when). At most kMostRapid
/// counts, since the drag follows from the flow of the tick before: more overshot in every tick.
Q16 rapid_drag(Units height, Q16 size) {
  const Q16 waves = conductance_of(height, kMostConductance);
  const Q16 speed = std::min(quotient(size, height), kOne);
  return kRapidDrag * std::min(quotient(speed * speed, waves), kMostRapid);
}

/// How much a way is a fall: the square of the part of the opening's water that stands above the
/// lower side's surface, where that side goes down below the sill. 1 of a spill. By it the rules of
/// a spill turn into those of a contact as the lower side rises over the sill: where they changed
/// at once, rivers down high steps surged, as one was drowned and free again.
Q16 overfall(const Mover& low, const Mover& high, const Way& way) {
  if (way.joint == Joint::kSpill) return kOne;
  if (low.full || high.full) return 0;
  const Mover& taker = low.contact > high.contact ? high : low;
  const Units above = way.sill() + way.height - taker.contact;
  if (above <= 0 || taker.base >= way.sill()) return 0;
  const Q16 part = above >= way.height ? kOne : quotient(above * kOne, way.height);
  return part * part / kOne;
}

/// All friction divides: subtracted, it was unstable above an eighth.
void find_push(const Mover& low, const Mover& high, Way& way, Known& known) {
  const bool contact = way.joint == Joint::kContact;
  const bool free = !low.full && !high.full;
  const Q16 falls = overfall(low, high, way);
  Q16 divisor = kOne;
  Q16 loss = kOne;
  if (contact) {
    const Q16 narrowing = blocked(way.height, std::max(low.volume, high.volume));
    loss = narrowing * narrowing / kOne;
    loss += (kOne - loss) * falls / kOne;
  }
  divisor += (kOne - loss) * known.friction / kOne;
  const Q16 size = absolute(way.flow);
  if (loss > 0 || (free && bed_brakes(way.height, size))) {
    const Q16 drag = kLoss * loss / kOne + (free ? bed_drag(way.height) : 0);
    divisor += drag * std::min(quotient(size, way.height), kOne << 20) / kOne;
  }
  const bool down = way.flow > 0 ? low.base > high.base : low.base < high.base;
  if (contact && free && down) {
    divisor += rapid_drag(way.height, size) * (kOne - falls) / kOne;
  }
  if (divisor != known.divisor) {
    known.divisor = divisor;
    known.share = static_cast<std::int32_t>(reciprocal(divisor));
  }
  way.share = known.share;
  way.push = way.flow;
  if (falls > 0) {
    // In the middle of what falls free the head is half as high.
    const Q16 half = way.conductance * (way.height * falls / (2 * kOne));
    way.push += low.contact > high.contact ? -half : half;
  }
  if (contact && free) {
    const Q16 lead = scaled(way.conductance, low.lead - high.lead);
    way.push += lead * (kOne - falls) / kOne;
  }
}

void set_demand(const Mover& low, const Mover& high, Way& way) {
  if (!way.open() || way.direct || (way.fixed && way.flow == 0)) return;
  Q16 flow = flow_between(low, high, way);
  const Q16 most = fastest(flow > 0 ? low : high, way);
  flow = std::clamp(flow, -most, most);
  way.flow = flow;
  const Q16 due = flow + way.carry;
  way.moved = due / kOne;
  way.carry = static_cast<std::int32_t>(due % kOne);
  if (way.joint == Joint::kSpill) {
    const bool from_low = low.level > high.level;
    const Units least = least_spill(way.height);
    if (from_low ? way.moved < least : way.moved > -least) {
      way.moved = from_low ? least : -least;
      way.carry = 0;
    }
  }
  way.demands = static_cast<std::int8_t>((way.moved > 0) - (way.moved < 0));
}

/// And what flows, as it does unless something is cut. Both ends of a contact are of one body.
void add_to_moves(const Way& way, bool apart, Mover& low, Mover& high) {
  const Units up = std::max<Units>(way.moved, 0);
  const Units down = up - way.moved;
  const bool flows = way.flow != 0;
  low.given += up;
  low.taken += down;
  low.flowed |= flows;
  low.fast |= way.fast();
  if (apart) return;
  high.given += down;
  high.taken += up;
  high.flowed |= flows;
}

}  // namespace

// It falls at once, as a wave spreads out, and rises slowly: where shelves of a river became one
// body and several again, all of its friction came and went, and surges with it.
std::int32_t Flow::friction_of(const Mover& mover) const {
  if (mover.body == kNone) return mover.friction;
  const Body& body = bodies_[static_cast<std::size_t>(mover.body)];
  if (body.still) return mover.friction;
  if (mover.friction == 0) return body.target_friction;
  const std::int32_t more = body.target_friction - mover.friction;
  return mover.friction +
         (more > 0 ? (more + kFrictionRises - 1) / kFrictionRises : more / kFrictionFalls);
}

// Through a way out of an old body, or within a still one, nothing flows.
bool Flow::is_at_rest(Way& way) {
  const bool from_low = mover_at(way.low).contact > mover_at(way.high).contact;
  const Body& body = body_at(mover_at(from_low ? way.low : way.high).body);
  if (!body.old() && !(body.still && way.joint == Joint::kContact)) return false;
  way.fixed = true;
  way.flow = 0;
  way.carry = 0;
  way.direct = way.joint == Joint::kSpill;
  return true;
}

void Flow::find_pushes(bool demands_too) {
  in_pieces(movers_.size(), [&](std::size_t from, std::size_t to, std::size_t /*piece*/) {
    Known known;
    for (std::size_t m = from; m < to; ++m) {
      Mover& low = movers_[m];
      for (const std::int32_t w : ways_up(m)) {
        Way& way = way_at(w);
        way.demands = 0;
        way.moved = 0;
        if (!way.open()) continue;
        Mover& high = mover_at(way.high);
        const bool contact = way.joint == Joint::kContact;
        if (!contact || low.body != known.body || low.friction != known.low_friction ||
            high.friction != known.high_friction) {
          if (is_at_rest(way)) continue;
          // Of a spill, at which all is lost, nothing is left for friction to brake.
          known.body = contact ? low.body : kNone;
          known.low_friction = low.friction;
          known.high_friction = high.friction;
          known.friction = (friction_of(low) + friction_of(high)) / 2;
          if (contact && body_at(low.body).runs_free()) known.friction /= kRunsFree;
        }
        find_push(low, high, way, known);
        if (!demands_too) continue;
        set_demand(low, high, way);
        add_to_moves(way, lies_apart(way), low, high);
      }
    }
  });
}

void Flow::set_demands() {
  in_pieces(movers_.size(), [this](std::size_t from, std::size_t to, std::size_t /*piece*/) {
    for (std::size_t m = from; m < to; ++m) {
      for (const std::int32_t w : ways_up(m)) {
        Mover& high = mover_at(way_at(w).high);
        set_demand(movers_[m], high, way_at(w));
        add_to_moves(way_at(w), lies_apart(way_at(w)), movers_[m], high);
      }
    }
  });
}

}  // namespace sluice::sim::hydro
