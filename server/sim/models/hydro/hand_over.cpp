// Bodies that are open water leave the lists of what may move.
#include <algorithm>
#include <numeric>

#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

// After finish(), of what that left.
bool Flow::is_open_water(const Body& body) const {
  if (body.count < sizes_.open_runs || body.old() || !body.whole) return false;
  if (body.still || body.busy || body.poured || body.rests || body.fed) return false;
  if (body.standing.presses || body.standing.falls || body.outcome.quiet()) return false;
  const std::int32_t age = mover_at(movers_of(body).front()).age;
  return std::ranges::all_of(movers_of(body), [&](std::int32_t m) {
    return mover_at(m).age == age && is_open_water(m);
  });
}

// Of so many contacts conductances never add up to more than a run has.
bool Flow::is_open_water(std::int32_t m) const {
  const Mover& mover = mover_at(m);
  if (!mover.spread || mover.swallows || mover.event || mover.settled) return false;
  if (mover.air > 0 || !columns_.run(mover.id).met) return false;
  const std::int32_t most_contacts = solid_ ? 4 : 2;
  static_assert(2 * kMostConductance <= kMostConductanceOfRun);
  std::int32_t contacts = 0;
  for (const std::int32_t w : ways_of(m)) {
    const Way& way = way_at(w);
    if (way.joint == Joint::kClosed) continue;
    if (way.joint != Joint::kContact || mover_at(way.other(m)).body != mover.body) return false;
    ++contacts;
  }
  return contacts <= most_contacts;
}

// By the ground they stand on, as cells are written.
OpenBody Flow::open_body_of(const Body& body) {
  OpenBody open;
  static_cast<Ground&>(open) = body;
  std::vector<std::int32_t> members(movers_of(body).begin(), movers_of(body).end());
  const auto order = [this](std::int32_t m) {
    return std::pair(run_at(m).block->number, mover_at(m).id);
  };
  std::sort(members.begin(), members.end(),
            [&](std::int32_t a, std::int32_t b) { return order(a) < order(b); });
  std::vector<std::int32_t>& numbers = leaders_;  // of movers; made anew with the bodies
  for (std::size_t i = 0; i < members.size(); ++i) {
    numbers[static_cast<std::size_t>(members[i])] = static_cast<std::int32_t>(i);
  }
  open.age = mover_at(members.front()).age;
  open.lowest = INT64_MAX;
  open.highest = INT64_MIN;
  for (const std::int32_t m : members) {
    const Mover& mover = mover_at(m);
    const Run& run = run_of(mover);
    OpenRun one;
    one.id = mover.id;
    one.base = mover.base;
    one.level = mover.base + run.volume;
    one.least = mover.base;
    one.most = mover.open_top ? mover.top : mover.top - kNear;
    one.friction = mover.friction;
    for (const std::int32_t w : ways_of(m)) {
      const Level sill = way_at(w).sill();
      if (way_at(w).joint == Joint::kClosed) {
        one.most = std::min(one.most, sill);
      } else {
        one.least = std::max(one.least, sill);
      }
    }
    open.places.of_x.add(2 * std::int64_t{run.x} - (std::int64_t{body.x_from} + body.x_to));
    if (solid_) {
      open.places.of_z.add(2 * std::int64_t{run.z} - (std::int64_t{body.z_from} + body.z_to));
    }
    open.lowest = std::min(open.lowest, one.level);
    open.highest = std::max(open.highest, one.level);
    open.first_way.push_back(static_cast<std::int32_t>(open.ways.size()));
    for (const std::int32_t w : ways_up(static_cast<std::size_t>(m))) {
      if (way_at(w).joint != Joint::kContact) continue;
      Way way = way_at(w);
      way.low = static_cast<std::int32_t>(open.runs.size());
      way.high = numbers[static_cast<std::size_t>(way.high)];
      way.fixed = false;
      way.direct = false;
      open.flows = open.flows || way.flows();
      open.ways.push_back(way);
      open.links.push_back(links_[static_cast<std::size_t>(w)]);
    }
    open.runs.push_back(one);
    if (open.blocks.empty() || open.blocks.back().first != run.block) {
      open.blocks.emplace_back(run.block, run.block->shape_version);
    }
  }
  open.first_way.push_back(static_cast<std::int32_t>(open.ways.size()));
  return open;
}

bool Flow::hand_over() {
  if (++waited_ < open_.patience() || !ties_.empty()) return false;
  waited_ = 0;
  std::vector<OpenBody> taken;
  for (const Body& body : bodies_) {
    if (!is_open_water(body)) continue;
    OpenBody open = open_body_of(body);
    const bool fits = std::ranges::all_of(open.runs, [](const OpenRun& run) {
      return run.least < run.level && run.level <= run.most;
    });
    if (fits) taken.push_back(std::move(open));
  }
  if (taken.empty()) return false;
  forget();
  for (OpenBody& open : taken) open_.take(std::move(open));
  return true;
}

}  // namespace sluice::sim::hydro
