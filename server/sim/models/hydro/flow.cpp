// Steps 1 to 4: heads, links, bodies, conductances.
#include "server/sim/models/hydro/flow.h"

#include <algorithm>

namespace sluice::sim::hydro {

Flow::Flow(Columns& columns, const WorldConfig& config)
    : columns_(columns), solid_(!config.side_view()) {}

void Flow::gather(std::span<const std::int32_t> seeds) {
  movers_.clear();
  ways_.clear();
  bodies_.clear();
  for (const std::int32_t id : seeds) add_mover(id);
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(movers_.size()); ++i) add_ways(i);
  list_ways();
  find_conductances();
  find_bodies();
  for (Body& body : bodies_) look_at(body);
}

void Flow::add_mover(std::int32_t id) {
  if (columns_.run(id).slot != kNone || !columns_.run(id).alive) return;
  if (columns_.run(id).wet()) columns_.meet_neighbours(id);
  Run& run = columns_.run(id);
  run.slot = static_cast<std::int32_t>(movers_.size());
  Mover mover;
  mover.id = id;
  if (run.state != nullptr) {
    mover.pressure = run.state->pressure;
    mover.friction = run.state->friction;
    mover.age = run.state->age;
  }
  if (mover.age > 0) ++mover.age;
  if (run.event) mover.age = 1;
  run.event = false;
  mover.level = run.level();
  const Units capacity = run.capacity();
  const Units slack = std::min(kSlack, capacity / 4);
  mover.full = !run.swallows() && !run.open_top && run.volume >= capacity - slack;
  mover.contact = mover.full ? std::max(mover.level, run.top()) : mover.level;
  movers_.push_back(mover);
}

void Flow::add_ways(std::int32_t slot) {
  const std::int32_t id = mover_at(slot).id;
  for (std::size_t i = 0; i < columns_.run(id).links.size(); ++i) {
    const std::int32_t link_id = columns_.run(id).links[i];
    if (columns_.link(link_id).slot != kNone) continue;
    const std::int32_t beside = columns_.link(link_id).other(id);
    const Run& there = columns_.run(beside);
    const Units slack = std::min(kSlack, there.capacity() / 4);
    const bool full =
        !there.swallows() && !there.open_top && there.volume >= there.capacity() - slack;
    const Level theirs = full ? std::max(there.level(), there.top()) : there.level();
    const Level mine = mover_at(slot).contact;
    Link& link = columns_.link(link_id);
    const Units height = std::min(std::max(mine, theirs) - link.sill(), link.opening());
    if (height <= 0) {
      if (link.state != nullptr) columns_.store(link, {});
      continue;
    }
    Way way;
    way.id = link_id;
    way.along_z = link.along_z;
    way.sill = link.sill();
    way.opening = link.opening();
    way.height = height;
    way.joint = std::min(mine, theirs) >= way.sill ? Joint::kContact : Joint::kSpill;
    if (link.state != nullptr) {
      way.flow = link.state->flow;
      way.carry = link.state->carry;
    }
    link.slot = static_cast<std::int32_t>(ways_.size());
    add_mover(beside);
    way.low = columns_.run(columns_.link(link_id).low).slot;
    way.high = columns_.run(columns_.link(link_id).high).slot;
    ways_.push_back(way);
  }
}

void Flow::list_ways() {
  first_way_.assign(movers_.size() + 1, 0);
  for (const Way& way : ways_) {
    ++first_way_[static_cast<std::size_t>(way.low) + 1];
    ++first_way_[static_cast<std::size_t>(way.high) + 1];
  }
  for (std::size_t i = 1; i < first_way_.size(); ++i) first_way_[i] += first_way_[i - 1];
  ways_of_movers_.resize(2 * ways_.size());
  std::vector<std::int32_t> next(first_way_.begin(), first_way_.end() - 1);
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    for (const std::int32_t mover : {ways_[i].low, ways_[i].high}) {
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(mover)]++);
      ways_of_movers_[place] = static_cast<std::int32_t>(i);
    }
  }
}

void Flow::find_bodies() {
  for (std::int32_t root = 0; root < static_cast<std::int32_t>(movers_.size()); ++root) {
    if (mover_at(root).body != kNone || !run_at(root).wet()) continue;
    const auto number = static_cast<std::int32_t>(bodies_.size());
    Body& body = bodies_.emplace_back();
    mover_at(root).body = number;
    body.movers.push_back(root);
    for (std::size_t i = 0; i < body.movers.size(); ++i) {
      for (const std::int32_t w : ways_of(body.movers[i])) {
        const Way& way = way_at(w);
        Mover& next = mover_at(way.other(body.movers[i]));
        if (way.joint != Joint::kContact || next.body != kNone) continue;
        next.body = number;
        body.movers.push_back(way.other(body.movers[i]));
      }
    }
  }
}

void Flow::look_at(Body& body) {
  bool flows = false;
  for (const std::int32_t m : body.movers) {
    const Run& run = run_at(m);
    body.x_from = std::min(body.x_from, run.x);
    body.x_to = std::max(body.x_to, run.x);
    body.z_from = std::min(body.z_from, run.z);
    body.z_to = std::max(body.z_to, run.z);
    for (const std::int32_t w : ways_of(m)) {
      const Way& way = way_at(w);
      flows = flows || (way.joint == Joint::kContact && (way.flow != 0 || way.carry != 0));
    }
  }
  body.still = !flows && flat(body);
  take_age(body);
}

// The youngest water decides; what is at rest has no age.
void Flow::take_age(Body& body) {
  const std::int32_t extent =
      (body.x_to - body.x_from + 1) + (solid_ ? body.z_to - body.z_from + 1 : 0);
  for (const std::int32_t m : body.movers) {
    const std::int32_t age = mover_at(m).age;
    if (!run_at(m).wet() || age == 0) continue;
    body.age = body.age == 0 ? age : std::min(body.age, age);
  }
  if (body.age > kAgePerCell * extent + kAgeAtLeast) body.age = 0;
}

void Flow::find_conductances() {
  const Q16 most = solid_ ? kMostConductance / 2 : kMostConductance;
  for (Way& way : ways_) {
    way.conductance = std::min<Q16>(way.height * kGravity / kFull, most);
    mover_at(way.low).conductance += way.conductance;
    mover_at(way.high).conductance += way.conductance;
  }
  for (Way& way : ways_) {
    const Q16 sum = std::max(mover_at(way.low).conductance, mover_at(way.high).conductance);
    if (sum > kMostConductanceOfRun)
      way.conductance = way.conductance * kMostConductanceOfRun / sum;
  }
}

Units Flow::finish(std::vector<std::int32_t>& awake, std::vector<std::int32_t>& falling) {
  Units drained = 0;
  for (Way& way : ways_) {
    Link& link = columns_.link(way.id);
    link.slot = kNone;
    // Between two dry runs nothing flows; and what lies beside no water need not be known.
    const bool dry = !run_at(way.low).wet() && !run_at(way.high).wet();
    columns_.store(link, dry ? HydroLinkState{} : HydroLinkState{way.flow, way.carry});
  }
  for (Mover& mover : movers_) {
    Run& run = run_of(mover);
    run.slot = kNone;
    if (run.swallows()) {
      drained += run.volume;
      run.volume = 0;
    }
    if (run.open_top && run.volume + run.air > run.capacity()) {
      const Units over = run.volume + run.air - run.capacity();
      drained += over;
      run.volume -= over;
    }
    if (!run.swallows() && run.level() < mover.level) run.join_strand();
    const bool rests = mover.body == kNone ? !run.wet() : body_at(mover.body).rests;
    HydroRunState state;
    if (!rests) awake.push_back(mover.id);
    if (!rests && run.wet()) {
      state.friction = mover.friction;
      state.pressure = mover.full ? mover.pressure : 0;
    }
    if (run.air > 0) falling.push_back(mover.id);
    if ((!rests && run.wet()) || run.air > 0) state.age = mover.age;
    columns_.store(run, state);
    if (run.air > 0 || !run.stored_falls.empty()) columns_.store_falls(run);
    columns_.show(run);
  }
  return drained;
}

}  // namespace sluice::sim::hydro
