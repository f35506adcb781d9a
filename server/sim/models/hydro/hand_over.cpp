// Bodies that are open water leave the lists of what may move.
#include <algorithm>

#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

// After finish(), of what that left. OpenWater looks at all that may have changed in the tick.
bool Flow::is_open_water(const Body& body) const {
  if (body.count < sizes_.open_runs || body.old() || body.still || body.rests) return false;
  if (body.busy || body.poured || body.fed || body.outcome.quiet()) return false;
  if (body.standing.presses || body.standing.falls) return false;
  return std::ranges::all_of(movers_of(body), [this](std::int32_t m) { return is_open_water(m); });
}

bool Flow::is_open_water(std::int32_t m) const {
  if (mover_at(m).swallows) return false;
  return std::ranges::none_of(ways_of(m),
                              [this](std::int32_t w) { return way_at(w).joint == Joint::kSpill; });
}

bool Flow::hand_over() {
  if (++waited_ < open_.patience() || !ties_.empty()) return false;
  waited_ = 0;
  std::vector<OpenWater::Offered> offered;
  for (const Body& body : bodies_) {
    if (!is_open_water(body)) continue;
    OpenWater::Offered& one = offered.emplace_back();
    // Dry ground joins them if water comes over it in the next tick, too.
    for (const std::int32_t m : movers_of(body)) {
      if (run_at(m).wet()) one.runs.push_back(mover_at(m).id);
      one.age = std::max(one.age, mover_at(m).age);
    }
    if (one.runs.empty()) offered.pop_back();
  }
  if (offered.empty()) return false;
  forget();
  bool taken = false;
  for (const OpenWater::Offered& one : offered) taken = open_.take(one) || taken;
  return taken;
}

}  // namespace sluice::sim::hydro
