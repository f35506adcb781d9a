// Steps 5 and 7: what flows through each way of a mover, and what of it is to be moved.
#include "server/sim/models/hydro/flows.h"

#include <algorithm>

#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

namespace {

void set_demand(const Mover& low, const Mover& high, Way& way) {
  if (!way.open() || way.direct || (way.fixed && way.flow == 0)) return;
  set_flow(End(low), End(high), way, flow_between(low, high, way));
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

std::int32_t Flow::friction_of(const Mover& mover) const {
  if (mover.body == kNone) return mover.friction;
  const Body& body = bodies_[static_cast<std::size_t>(mover.body)];
  return body.still ? mover.friction : friction_towards(body.target_friction, mover.friction);
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
    Braking known;
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
        const Drive drive = drive_of(End(low), End(high), way, known);
        way.push = drive.push;
        way.share = drive.share;
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
