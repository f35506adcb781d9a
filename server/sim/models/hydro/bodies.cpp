// Step 2: bodies, from the ways that are open; what of a lake at rest moves with them.
#include <algorithm>
#include <numeric>
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
    std::vector<Lakes::Taken> taken;
    lakes_.check(asked, taken);
    take(taken);
    for (const Lakes::Taken& one : taken) filled.push_back(one.run);
    std::sort(filled.begin(), filled.end());
    if (!spread_all()) return false;
  }
  return true;
}

void Flow::take(std::span<const Lakes::Taken> taken) {
  for (const auto& [run, with] : taken) {
    const std::int32_t mover = add_mover(run);
    activate(mover);
    ties_.emplace_back(add_mover(with), mover);
  }
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
  std::vector<Lakes::Taken> taken;
  lakes_.forget_movers();
  for (const Body& body : bodies_) {
    if (!is_quiet(body)) continue;
    std::vector<std::int32_t> runs;
    for (const std::int32_t m : movers_of(body)) runs.push_back(mover_at(m).id);
    lakes_.surround(runs, taken);
  }
  const std::size_t asked = asked_.size();
  take(taken);
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
  const std::size_t piece = sizes_.piece();
  if (movers_.size() <= piece) return;
  apart_.resize((movers_.size() + piece - 1) / piece);
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    if (!lies_apart(ways_[i])) continue;
    apart_[static_cast<std::size_t>(ways_[i].high) / piece].push_back(static_cast<std::int32_t>(i));
  }
}

// Each mover leads to one of the same body before it, and so on to the first. In the order in which
// ways and movers lie in memory: a walk from each mover over its ways was a sixth of the work where
// many waves run out over a lake.
void Flow::find_bodies() {
  changed_bodies_ = false;
  bodies_.clear();
  spills_.clear();
  still_ways_.clear();
  leaders_.resize(movers_.size());
  std::iota(leaders_.begin(), leaders_.end(), 0);
  for (std::size_t w = 0; w < ways_.size(); ++w) {
    const Way& way = ways_[w];
    if (way.joint == Joint::kContact) join(way.low, way.high);
    if (way.joint == Joint::kStill) still_ways_.push_back(static_cast<std::int32_t>(w));
    if (way.joint == Joint::kSpill) spills_.push_back(static_cast<std::int32_t>(w));
  }
  for (const auto& [one, other] : ties_) join(one, other);
  list_members();
  for (const std::int32_t w : still_ways_) {
    for (const std::int32_t end : {way_at(w).low, way_at(w).high}) {
      if (mover_at(end).body != kNone) body_at(mover_at(end).body).whole = false;
    }
  }
}

std::int32_t Flow::leader_of(std::int32_t mover) {
  const auto leads_to = [this](std::int32_t m) -> std::int32_t& {
    return leaders_[static_cast<std::size_t>(m)];
  };
  while (leads_to(mover) != mover) {
    leads_to(mover) = leads_to(leads_to(mover));
    mover = leads_to(mover);
  }
  return mover;
}

void Flow::join(std::int32_t one, std::int32_t other) {
  one = leader_of(one);
  other = leader_of(other);
  leaders_[static_cast<std::size_t>(std::max(one, other))] = std::min(one, other);
}

// What leads to nobody, and to which nobody does, is a body if it is wet and moves.
void Flow::list_members() {
  member_counts_.assign(movers_.size(), 0);
  for (std::int32_t m = 0; m < mover_count(); ++m) {
    std::int32_t& leader = leaders_[static_cast<std::size_t>(m)];
    leader = leader_of(m);
    ++member_counts_[static_cast<std::size_t>(leader)];
  }
  std::size_t first = 0;
  for (std::int32_t m = 0; m < mover_count(); ++m) {
    Mover& mover = mover_at(m);
    const std::int32_t leader = leaders_[static_cast<std::size_t>(m)];
    const std::size_t count = member_counts_[static_cast<std::size_t>(m)];
    mover.body = leader == m ? kNone : mover_at(leader).body;
    if (leader != m || (count == 1 && !(mover.wet && mover.moves))) continue;
    mover.body = static_cast<std::int32_t>(bodies_.size());
    Body body;
    body.first = first;
    first += count;
    bodies_.push_back(std::move(body));
  }
  members_.resize(first);
  for (std::int32_t m = 0; m < mover_count(); ++m) {
    if (mover_at(m).body == kNone) continue;
    Body& body = body_at(mover_at(m).body);
    members_[body.first + body.count++] = m;
    const auto [x, z] = places_[static_cast<std::size_t>(m)];
    body.see(x, z);
  }
}

}  // namespace sluice::sim::hydro
