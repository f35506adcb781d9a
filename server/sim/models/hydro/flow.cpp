// Steps 3 and 4: what runs and bodies are, from what they hold and what flowed.
#include "server/sim/models/hydro/flow.h"

#include <algorithm>

namespace sluice::sim::hydro {

void Standing::add(const Standing& other) {
  see_wet(other.highest_wet);
  see_room(other.lowest_room);
  lowest_contact = std::min(lowest_contact, other.lowest_contact);
  highest_contact = std::max(highest_contact, other.highest_contact);
  before_ = std::min(before_, other.before_);
  flows = flows || other.flows;
  presses = presses || other.presses;
}

// Its age, and what its ways add up to: those that are closed have no flow and no conductance.
void Flow::add_up(std::size_t m) {
  Mover& mover = movers_[m];
  Q16 inflow = 0;
  std::int32_t conductance = 0;
  bool flows = false;
  if (mover.spread) {
    for (const std::int32_t w : ways_up(m)) {
      const Way& way = way_at(w);
      conductance += way.conductance;
      inflow -= way.flow;
      flows |= way.flows();
    }
    for (const std::int32_t w : ways_down(m)) {
      const Way& way = way_at(w);
      conductance += way.conductance;
      inflow += way.flow;
      flows |= way.flows();
    }
  }
  mover.inflow = inflow;
  mover.conductance = conductance;
  mover.flows = flows;
  mover.through = 0;
  mover.forced = false;
  if (!mover.spread) return;
  if (mover.age > 0) ++mover.age;
  if (mover.event) {
    mover.age = 1;
    run_of(mover).event = false;
  }
  if (!mover.full && !mover.near) return;
  for (const std::int32_t w : ways_of(static_cast<std::int32_t>(m))) {
    mover.through += absolute(way_at(w).flow) >> 16;
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
      [this](std::size_t from, std::size_t to, std::int32_t /*body*/) {
        Standing standing;
        for (std::size_t m = from; m < to; ++m) {
          add_up(m);
          standing.add(movers_[m]);
        }
        return standing;
      },
      [](Body& body, const Standing& part) { body.standing.add(part); });
  presses_ = false;
  for (Body& body : bodies_) {
    const Standing& standing = body.standing;
    body.still = !standing.flows && standing.flat();
    const std::int32_t extent =
        (body.x_to - body.x_from + 1) + (solid_ ? body.z_to - body.z_from + 1 : 0);
    const std::int32_t youngest = standing.youngest();
    body.age = youngest > kAgePerCell * extent + kAgeAtLeast ? 0 : youngest;
    presses_ = presses_ || (standing.presses && !body.still && !body.old());
  }
}

}  // namespace sluice::sim::hydro
