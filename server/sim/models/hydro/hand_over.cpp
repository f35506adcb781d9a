// Bodies that are open water leave the lists of what may move.
#include <algorithm>
#include <type_traits>

#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

// After finish(), of what that left. OpenWater looks at all that may have changed in the tick.
bool Flow::is_open_water(const Body& body) const {
  if (body.count < sizes_.open_runs || body.old() || body.still || body.rests) return false;
  if (body.busy || body.poured || body.fed || body.outcome.quiet()) return false;
  if (body.standing.presses || body.standing.falls) return false;
  return std::ranges::none_of(movers_of(body), [this](std::int32_t m) { return spills(m); });
}

bool Flow::spills(std::int32_t m) const {
  return std::ranges::any_of(ways_of(m),
                             [this](std::int32_t w) { return way_at(w).joint == Joint::kSpill; });
}

// Most of what they held may be open water's from now on, and an ocean's lists are hundreds of
// megabytes.
void Flow::release_lists() {
  const auto release = [](auto&... lists) { (std::decay_t<decltype(lists)>().swap(lists), ...); };
  release(movers_, places_, ways_, links_, members_, leaders_, member_counts_, first_way_,
          ways_of_movers_, by_ground_);
  clear();
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
  release_lists();
  bool taken = false;
  for (const OpenWater::Offered& one : offered) {
    // One before it may have joined it.
    if (columns_.run(one.runs.front()).in_open_water()) continue;
    taken = open_.take(one) || taken;
  }
  return taken;
}

}  // namespace sluice::sim::hydro
