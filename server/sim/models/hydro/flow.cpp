// Steps 3 and 4: what runs and bodies are, from what they hold and what flowed.
#include "server/sim/models/hydro/flow.h"

#include <algorithm>

namespace sluice::sim::hydro {

void Standing::add(const Standing& other) {
  see(other);
  lowest_contact = std::min(lowest_contact, other.lowest_contact);
  highest_contact = std::max(highest_contact, other.highest_contact);
  before_ = std::min(before_, other.before_);
  flows = flows || other.flows;
  presses = presses || other.presses;
  falls = falls || other.falls;
}

// What look_at_openings() has not added up.
void Flow::add_up() {
  for (const std::int32_t w : late_) {
    add_to_sums(way_at(w), mover_at(way_at(w).low), mover_at(way_at(w).high));
  }
  for_each_apart([](const Way& way, Mover& high) {
    high.conductance += way.conductance;
    high.lead += way.lead();
  });
}

void Flow::grow_older(Mover& mover) {
  if (mover.age > 0) ++mover.age;
  if (!mover.event) return;
  mover.age = 1;
  mover.event = false;
  run_of(mover).event = false;
}

void Flow::add_through(std::size_t m) {
  Units through = 0;
  for (const std::int32_t w : ways_of(static_cast<std::int32_t>(m))) {
    through += absolute(way_at(w).flow) >> 16;
  }
  movers_[m].through = through;
}

void Flow::look_at_bodies() {
  add_up();
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
          Mover& mover = movers_[m];
          if (mover.spread) grow_older(mover);
          if (mover.full || mover.near) add_through(m);
          standing.add(mover);
        }
        return standing;
      },
      [](Body& body, const Standing& part) { body.standing.add(part); });
  presses_ = false;
  falls_ = false;
  for (Body& body : bodies_) {
    const Standing& standing = body.standing;
    body.still = !standing.flows && standing.flat();
    const std::int32_t youngest = standing.youngest();
    body.age = youngest > most_age(body, solid_) ? 0 : youngest;
    body.fed = youngest == 1;
    presses_ = presses_ || (standing.presses && !body.still && !body.old());
    falls_ = falls_ || standing.falls;
  }
}

}  // namespace sluice::sim::hydro
