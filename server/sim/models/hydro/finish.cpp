// What a tick leaves: state, cells, and what is to be looked at in the next one.
#include <algorithm>

#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

Units Flow::finish(std::vector<std::int32_t>& awake, std::vector<std::int32_t>& falling) {
  Units drained = 0;
  for (Way& way : ways_) {
    if (way.joint == Joint::kClosed) continue;
    // Between two dry runs nothing flows; and what lies beside no water need not be known.
    if (!run_at(way.low).wet() && !run_at(way.high).wet()) {
      way.flow = 0;
      way.carry = 0;
    }
    columns_.store_link(way.id, {way.flow, way.carry});
  }
  for (std::int32_t m = 0; m < mover_count(); ++m) {
    Mover& mover = mover_at(m);
    if (!mover.spread) continue;
    drained += finish_mover(m);
    const Run& run = run_of(mover);
    const bool rests = mover.body == kNone ? !run.wet() : body_at(mover.body).rests;
    if (!rests) awake.push_back(mover.id);
    if (run.air > 0) falling.push_back(mover.id);
  }
  sleepy_ = static_cast<std::int64_t>(awake.size()) < spread_count_ / 2;
  return drained;
}

Units Flow::drain(Run& run) {
  Units drained = 0;
  if (run.swallows()) {
    drained += run.volume;
    run.volume = 0;
  }
  if (run.open_top && run.volume + run.air > run.capacity()) {
    const Units over = run.volume + run.air - run.capacity();
    drained += over;
    run.volume -= over;
  }
  return drained;
}

Units Flow::finish_mover(std::int32_t m) {
  Mover& mover = mover_at(m);
  Run& run = run_of(mover);
  const Units drained = drain(run);
  if (!mover.swallows && run.air > 0 && run.level() < mover.level) run.join_strand();
  const bool wet = run.wet();
  const bool rests = mover.body == kNone ? !wet : body_at(mover.body).rests;
  HydroRunState state;
  if (!rests && wet) {
    state.friction = mover.friction;
    state.pressure = mover.full ? mover.pressure : 0;
  }
  if ((!rests && wet) || run.air > 0) state.age = mover.age;
  mover.friction = state.friction;
  mover.pressure = state.pressure;
  mover.age = state.age;
  columns_.store_run(mover.id, state);
  columns_.show(run);
  return drained;
}

}  // namespace sluice::sim::hydro
