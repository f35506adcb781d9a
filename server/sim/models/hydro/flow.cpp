// Steps 3 and 4: what runs and bodies are, from what they hold and what flowed.
#include "server/sim/models/hydro/flow.h"

#include <algorithm>

namespace sluice::sim::hydro {

void Standing::add(const Mover& mover) {
  if (mover.wet) {
    see_wet(mover.level);
    add_age(mover.age);
  }
  if (mover.volume < mover.capacity() || mover.open_top) see_room(mover.level);
  lowest_contact = std::min(lowest_contact, mover.contact);
  highest_contact = std::max(highest_contact, mover.contact);
  flows = flows || mover.flows;
  presses = presses || mover.full || mover.near;
}

// The youngest water decides; what is at rest has no age.
void Standing::add_age(std::int32_t age) {
  if (age != 0) youngest = youngest == 0 ? age : std::min(youngest, age);
}

void Standing::add(const Standing& other) {
  see_wet(other.highest_wet);
  see_room(other.lowest_room);
  lowest_contact = std::min(lowest_contact, other.lowest_contact);
  highest_contact = std::max(highest_contact, other.highest_contact);
  add_age(other.youngest);
  flows = flows || other.flows;
  presses = presses || other.presses;
}

// Its age, and what its ways add up to.
void Flow::add_up(std::int32_t m) {
  Mover& mover = mover_at(m);
  mover.inflow = 0;
  mover.conductance = 0;
  mover.through = 0;
  mover.flows = false;
  mover.forced = false;
  if (!mover.spread) return;
  if (mover.age > 0) ++mover.age;
  if (mover.event) {
    mover.age = 1;
    run_of(mover).event = false;
  }
  const bool presses = mover.full || mover.near;
  for (const std::int32_t w : ways_of(m)) {
    const Way& way = way_at(w);
    if (way.joint == Joint::kClosed) continue;
    mover.conductance += way.conductance;
    mover.inflow += way.low == m ? -way.flow : way.flow;
    if (presses) mover.through += absolute(way.flow) >> 16;
    const bool moves = way.flow != 0 || way.carry != 0;
    mover.flows = mover.flows || (moves && way.joint == Joint::kContact);
  }
}

void Flow::look_at_bodies() {
  for (Body& body : bodies_) {
    body.standing = {};
    body.outcome = {};
    body.quotients = {};
    body.busy = false;
    body.poured = false;
    body.rests = false;
    body.solves = false;
  }
  sum_up<Standing>(
      [this](std::int32_t m, Standing& standing) {
        add_up(m);
        standing.add(mover_at(m));
      },
      [](Body& body, const Standing& part) { body.standing.add(part); });
  presses_ = false;
  for (Body& body : bodies_) {
    const Standing& standing = body.standing;
    body.still = !standing.flows && standing.flat();
    const std::int32_t extent =
        (body.x_to - body.x_from + 1) + (solid_ ? body.z_to - body.z_from + 1 : 0);
    body.age = standing.youngest > kAgePerCell * extent + kAgeAtLeast ? 0 : standing.youngest;
    presses_ = presses_ || (standing.presses && !body.still && !body.old());
  }
}

}  // namespace sluice::sim::hydro
