// Step 2: bodies, from the ways that are open; what of a lake at rest moves with them.
#include <algorithm>
#include <utility>

#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

void Flow::list_bodies() {
  if (changed_ways_) list_ways();
  if (changed_bodies_) find_bodies();
}

// Of those asked about from `done` on: where nothing stirs in a lake that is not flat, what makes
// it so moves. False when columns came to be meanwhile.
bool Flow::look_at_lakes(std::size_t done) {
  std::vector<std::int32_t> filled;
  while (done < asked_.size()) {
    std::vector<std::int32_t> asked(asked_.begin() + static_cast<std::ptrdiff_t>(done),
                                    asked_.end());
    done = asked_.size();
    // Of what is filled already it is known, and of what that wakes the rest of its lake.
    std::erase_if(asked, [&](std::int32_t id) {
      return std::binary_search(filled.begin(), filled.end(), id);
    });
    const std::size_t before = filled.size();
    lakes_.check(asked, filled);
    for (std::size_t i = before; i < filled.size(); ++i) activate(add_mover(filled[i]));
    std::sort(filled.begin(), filled.end());
    if (!spread_all()) return false;
  }
  return true;
}

// Whether it is to be filled, and nothing flows in it yet.
bool Flow::is_quiet(const Body& body) const {
  if (body.whole) return false;
  Level lowest = INT64_MAX;
  Level highest = INT64_MIN;
  for (const std::int32_t m : movers_of(body)) {
    const Mover& mover = movers_[static_cast<std::size_t>(m)];
    if (mover.event || mover.air > 0) return false;
    for (const std::int32_t w : ways_of(m)) {
      const Way& way = ways_[static_cast<std::size_t>(w)];
      if (way.flows() || way.joint == Joint::kSpill) return false;
    }
    lowest = std::min(lowest, mover.level);
    highest = std::max(highest, mover.level);
    if (highest - lowest > kQuiet) return false;
  }
  return true;
}

// False when columns came to be meanwhile.
bool Flow::enlarge_quiet_parts() {
  std::vector<std::int32_t> taken;
  for (const Body& body : bodies_) {
    if (!is_quiet(body)) continue;
    std::vector<std::int32_t> runs;
    for (const std::int32_t m : movers_of(body)) runs.push_back(mover_at(m).id);
    lakes_.surround(runs, taken);
  }
  const std::size_t asked = asked_.size();
  for (const std::int32_t id : taken) activate(add_mover(id));
  asked_.resize(asked);  // of these parts it is known
  return spread_all() && look_at_lakes(asked);
}

// By their `low` ends, as loops over movers come to them: in the order in which they were found,
// the ways of an ocean took a third of its time.
void Flow::sort_ways() {
  std::vector<std::int32_t> places(movers_.size() + 1, 0);
  for (const Way& way : ways_) ++places[static_cast<std::size_t>(way.low) + 1];
  for (std::size_t i = 1; i < places.size(); ++i) places[i] += places[i - 1];
  const std::vector<Way> found = ways_;
  const std::vector<std::int32_t> links = links_;
  std::vector<std::int32_t> moved(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    moved[i] = places[static_cast<std::size_t>(found[i].low)]++;
    const auto place = static_cast<std::size_t>(moved[i]);
    ways_[place] = found[i];
    links_[place] = links[i];
    columns_.link(links[i]).slot = moved[i];
  }
  for (std::int32_t& w : late_) w = moved[static_cast<std::size_t>(w)];
  sorted_ways_ = ways_.size();
  changed_bodies_ = true;  // with them stands what spills
}

void Flow::list_ways() {
  changed_ways_ = false;
  if (ways_.size() > sorted_ways_ + sorted_ways_ / 4) sort_ways();
  first_way_.assign(2 * movers_.size() + 1, 0);
  for (const Way& way : ways_) {
    ++first_way_[2 * static_cast<std::size_t>(way.low) + 1];
    ++first_way_[2 * static_cast<std::size_t>(way.high) + 2];
  }
  for (std::size_t i = 1; i < first_way_.size(); ++i) first_way_[i] += first_way_[i - 1];
  ways_of_movers_.resize(2 * ways_.size());
  std::vector<std::int32_t> next(first_way_.begin(), first_way_.end() - 1);
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const auto low = 2 * static_cast<std::size_t>(ways_[i].low);
    const auto high = 2 * static_cast<std::size_t>(ways_[i].high) + 1;
    for (const std::size_t list : {low, high}) {
      ways_of_movers_[static_cast<std::size_t>(next[list]++)] = static_cast<std::int32_t>(i);
    }
  }
  apart_.clear();
  if (movers_.size() <= kPiece) return;
  apart_.resize((movers_.size() + kPiece - 1) / kPiece);
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (!lies_apart(ways_[i])) continue;
    apart_[static_cast<std::size_t>(ways_[i].high) / kPiece].push_back(
        static_cast<std::int32_t>(i));
  }
}

void Flow::find_bodies() {
  changed_bodies_ = false;
  bodies_.clear();
  members_.clear();
  spills_.clear();
  for (std::size_t w = 0; w < ways_.size(); ++w) {
    if (ways_[w].joint == Joint::kSpill) spills_.push_back(static_cast<std::int32_t>(w));
  }
  for (Mover& mover : movers_) mover.body = kNone;
  for (std::int32_t root = 0; root < mover_count(); ++root) {
    const Mover& first = mover_at(root);
    if (first.body != kNone || !first.wet || !first.moves) continue;
    const auto number = static_cast<std::int32_t>(bodies_.size());
    Body body;
    body.first = members_.size();
    mover_at(root).body = number;
    members_.push_back(root);
    for (std::size_t i = body.first; i < members_.size(); ++i) {
      const std::int32_t here = members_[i];
      const auto [x, z] = places_[static_cast<std::size_t>(here)];
      body.x_from = std::min(body.x_from, x);
      body.x_to = std::max(body.x_to, x);
      body.z_from = std::min(body.z_from, z);
      body.z_to = std::max(body.z_to, z);
      for (const std::int32_t w : ways_of(here)) {
        body.whole = body.whole && way_at(w).joint != Joint::kStill;
        if (way_at(w).joint != Joint::kContact) continue;
        const std::int32_t there = way_at(w).other(here);
        if (mover_at(there).body != kNone) continue;
        mover_at(there).body = number;
        members_.push_back(there);
      }
    }
    body.count = members_.size() - body.first;
    bodies_.push_back(std::move(body));
  }
}

}  // namespace sluice::sim::hydro
