// What moves of runs and links, as the world's state lists it.
#include <utility>

#include "server/sim/models/hydro/columns.h"

namespace sluice::sim::hydro {

// What belongs to nothing that there is goes.
void Columns::load_states() {
  const auto runs = state_->runs.by_place();
  const auto falls = state_->falls.by_place();
  const auto links_x = state_->links_x.by_place();
  const auto links_z = state_->links_z.by_place();
  state_->runs.clear();
  state_->links_x.clear();
  state_->links_z.clear();
  std::vector<std::int32_t> falling;
  for (std::int32_t id = 0; id < run_count(); ++id) {
    if (const auto found = runs.find(run(id).key()); found != runs.end()) {
      store_run(id, found->second);
    }
    for (Fall& fall : run(id).falls) {
      const auto found = falls.find({run(id).x, fall.y, run(id).z});
      fall.speed = found == falls.end() ? 0 : found->second.speed;
    }
    if (run(id).air > 0) falling.push_back(id);
  }
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(links_.size()); ++id) {
    const auto& states = link(id).along_z ? links_z : links_x;
    if (const auto found = states.find(key_of(link(id))); found != states.end()) {
      store_link(id, found->second);
    }
  }
  store_falls(falling);
  state_->attached.set(true);
}

void Columns::store_falls(const std::vector<std::int32_t>& falling) {
  state_->falls.clear();
  for (const std::int32_t id : falling) {
    for (const Fall& fall : run(id).falls) {
      if (fall.speed == 0) continue;
      const Vec3 at = {run(id).x, fall.y, run(id).z};
      state_->falls.add(at, HydroState::digest_of_fall(at), id, {fall.speed});
    }
  }
}

void Columns::store_run(std::int32_t id, const HydroRunState& state) {
  Run& owner = run(id);
  if (owner.motion != kNone && state.nothing()) {
    const std::int32_t slot = std::exchange(owner.motion, kNone);
    const std::int32_t moved = state_->runs.remove(slot);
    if (moved != kNone) run(moved).motion = slot;
  } else if (owner.motion != kNone) {
    state_->runs.at(owner.motion) = state;
  } else if (!state.nothing()) {
    const Vec3 at = owner.key();
    owner.motion = state_->runs.add(at, HydroState::digest_of_run(at), id, state);
  }
}

void Columns::store_link(std::int32_t id, const HydroLinkState& state) {
  const Link& owner = link(id);
  HydroMotion<HydroLinkState>& states = states_of(owner.along_z);
  std::int32_t& motion = motion_of_link(id);
  if (motion != kNone && state.nothing()) {
    const std::int32_t slot = std::exchange(motion, kNone);
    const std::int32_t moved = states.remove(slot);
    if (moved != kNone) motion_of_link(moved) = slot;
  } else if (motion != kNone) {
    states.at(motion) = state;
  } else if (!state.nothing()) {
    const Vec3 at = key_of(owner);
    const Digest digest =
        owner.along_z ? HydroState::digest_of_link_z(at) : HydroState::digest_of_link_x(at);
    motion = states.add(at, digest, id, state);
  }
}

std::int64_t Columns::pressure_over(Vec3 floor) const {
  std::int64_t pressure = 0;
  if (!state_->attached.is()) {
    state_->runs.for_each([&](Vec3 at, const HydroRunState& state) {
      if (at == floor) pressure = state.pressure;
    });
    return pressure;
  }
  const ChunkCoord chunk = shape_.chunk_of(floor);
  const auto block = blocks_.find({chunk.x, chunk.z});
  if (block == blocks_.end()) return 0;
  for (const std::int32_t id : block->second.columns[column_in_block({floor.x, floor.z})]) {
    const Run& run = runs_[static_cast<std::size_t>(id)];
    if (run.floor == floor.y) pressure = state_of(run).pressure;
  }
  return pressure;
}

}  // namespace sluice::sim::hydro
