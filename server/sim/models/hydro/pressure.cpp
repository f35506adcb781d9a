// Step 6: the heads of full runs, so that each takes in what it gives away.
#include <algorithm>

#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

// Round by round, and in a round one thing after the other for all bodies: what one spills may make
// a run of another full, and a full run below a spill presses against what spills. So each thing is
// found for all bodies from what was before it, and then done: bodies come in no order.
void Flow::find_pressures() {
  for (Body& body : bodies_) body.solves = !body.still && !body.old();
  for (int round = 0; round < kMostRounds; ++round) {
    list_full();
    for (const Body& body : bodies_) {
      if (round == 0 && body.solves) begin_pressures(body, body.full);
    }
    for (Body& body : bodies_) {
      if (body.solves && !body.full.empty()) find_corrections(body);
    }
    for (const Body& body : bodies_) {
      if (!body.solves) continue;
      for (std::size_t i = 0; i < body.full.size(); ++i) {
        mover_at(body.full[i]).pressure += body.corrections[i];
      }
    }
    free_or_fix();
    if (round + 1 == kMostRounds) break;
    std::vector<std::int32_t> over;
    for (std::int32_t m = 0; m < mover_count(); ++m) {
      if (runs_over(m)) over.push_back(m);
    }
    for (const std::int32_t m : over) {
      Mover& mover = mover_at(m);
      mover.full = true;
      mover.forced = true;
      mover.pressure = mover.top * kHeadOne;
      body_at(mover.body).solves = true;
    }
  }
}

Q16 flow_by_pressure(const Mover& low, const Mover& high, const Way& way) {
  const auto head = [](const Mover& mover) {
    return mover.full ? mover.pressure : mover.level * kHeadOne;
  };
  const std::int64_t sill = way.sill() * kHeadOne;
  const std::int64_t across = std::max(head(low), sill) - std::max(head(high), sill);
  return scaled(way.share, way.push + way.conductance * across / kHeadOne);
}

void Flow::list_full() {
  for (Body& body : bodies_) {
    if (body.solves) body.full.clear();
  }
  for (std::int32_t m = 0; m < mover_count(); ++m) {
    const Mover& mover = mover_at(m);
    if (!mover.full || mover.body == kNone) continue;
    if (body_at(mover.body).solves) body_at(mover.body).full.push_back(m);
  }
}

// From the last tick's; of a body that knows none, from the level that it has when it rests.
void Flow::begin_pressures(const Body& body, std::span<const std::int32_t> full) {
  bool known = false;
  for (const std::int32_t m : full) known = known || mover_at(m).pressure != 0;
  Level level = 0;
  if (!known && !full.empty()) {
    Units units = 0;
    for (const std::int32_t m : movers_of(body)) units += mover_at(m).volume;
    level = fill_level(movers_of(body), units);
  }
  for (const std::int32_t m : full) {
    Mover& mover = mover_at(m);
    mover.pressure = std::max({mover.pressure, level * kHeadOne, mover.top * kHeadOne});
  }
}

// What a run is to take in more than its ways bring now.
Q16 Flow::wanted(std::int32_t m) {
  const Mover& mover = mover_at(m);
  Q16 outflow = 0;
  for (const std::int32_t w : ways_of(m)) {
    const Way& way = way_at(w);
    if (!way.open()) continue;
    const Q16 flow = flow_of(way);
    outflow += way.low == m ? flow : -flow;
  }
  const Units gap = mover.capacity() - mover.margin() - mover.volume;
  Units want =
      gap > 0 ? (gap + 7) / 8 : (mover.volume >= mover.capacity() && mover.margin() > 0 ? -1 : 0);
  if (mover.forced) want = gap;
  return -outflow - want * kOne;
}

void Flow::find_corrections(Body& body) {
  solver_.clear();
  for (const std::int32_t m : body.full) {
    const Q16 enough = kOne / 4 + mover_at(m).through * (kOne / 512);
    mover_at(m).unknown = solver_.add(wanted(m), enough);
  }
  for (const std::int32_t m : body.full) {
    for (const std::int32_t w : ways_of(m)) {
      const Way& way = way_at(w);
      if (way.fixed || !way.open()) continue;
      const Q16 conductance = scaled(way.share, way.conductance);
      const Mover& beside = mover_at(way.other(m));
      if (beside.unknown == kNone) {
        solver_.hold(mover_at(m).unknown, conductance);
      } else if (way.low == m) {
        solver_.join(mover_at(m).unknown, beside.unknown, conductance);
      }
    }
  }
  solver_.solve();
  body.corrections.clear();
  for (const std::int32_t m : body.full) {
    body.corrections.push_back(solver_.correction(mover_at(m).unknown) / (kOne / kHeadOne));
    mover_at(m).unknown = kNone;
  }
}

// A body in which nothing was freed or fixed is solved.
void Flow::free_or_fix() {
  std::vector<std::int32_t> freed;
  for (const Body& body : bodies_) {
    if (!body.solves) continue;
    for (const std::int32_t m : body.full) {
      if (mover_at(m).pressure < mover_at(m).top * kHeadOne) freed.push_back(m);
    }
  }
  for (const std::int32_t m : freed) {
    mover_at(m).full = false;
    mover_at(m).forced = false;
  }
  std::vector<std::int32_t> too_fast;
  for (Body& body : bodies_) {
    if (!body.solves) continue;
    const std::size_t before = too_fast.size();
    list_too_fast(body, too_fast);
    body.solves = too_fast.size() > before;
  }
  for (const std::int32_t m : freed) body_at(mover_at(m).body).solves = true;
  for (const std::int32_t w : too_fast) {
    Way& way = way_at(w);
    if (way.fixed) continue;  // it is listed by both its ends
    const Q16 flow = flow_of(way);
    const Q16 most = fastest(way, flow > 0);
    way.fixed = true;
    way.flow = flow > 0 ? most : -most;
  }
}

void Flow::list_too_fast(const Body& body, std::vector<std::int32_t>& ways) {
  for (const std::int32_t m : movers_of(body)) {
    for (const std::int32_t w : ways_of(m)) {
      const Way& way = way_at(w);
      if (!way.open()) continue;
      const Mover& beside = mover_at(way.other(m));
      if (way.fixed || !(mover_at(m).full || beside.full)) continue;
      // A spill is settled by the body that spills.
      if (way.joint == Joint::kSpill && beside.contact > mover_at(m).contact) continue;
      const Q16 flow = flow_of(way);
      const Q16 most = fastest(way, flow > 0);
      if (absolute(flow) > most + most / 64) ways.push_back(w);
    }
  }
}

bool Flow::runs_over(std::int32_t m) {
  const Mover& mover = mover_at(m);
  if (!mover.near || mover.full || mover.body == kNone) return false;
  if (body_at(mover.body).still || body_at(mover.body).old()) return false;
  Q16 inflow = 0;
  for (const std::int32_t w : ways_of(m)) {
    const Way& way = way_at(w);
    if (!way.open()) continue;
    const Q16 flow = flow_of(way);
    const Q16 most = fastest(way, flow > 0);
    const Q16 bounded = std::clamp(flow, -most, most);
    inflow += way.low == m ? -bounded : bounded;
  }
  return mover.volume + (inflow >> 16) > mover.capacity();
}

}  // namespace sluice::sim::hydro
