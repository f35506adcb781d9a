// The phase of springs (tick.cpp): sources give, then drains take, cell by cell. Those that can do
// nothing sleep until a chunk changes that they were told of.
#include <algorithm>
#include <optional>
#include <utility>

#include "server/sim/heat/field.h"
#include "server/sim/int_math.h"
#include "server/sim/models/registry.h"
#include "server/sim/tracers/field.h"
#include "server/sim/world.h"

namespace sluice::sim {

// The head up to which a source gives (models/*.md say why).
std::int64_t World::head_of_source(Vec3 at) const {
  if (const auto told = core_.source_heads.find(at); told != core_.source_heads.end()) {
    return told->second;
  }
  if (measure_.springs_give_to_their_cell) return (std::int64_t{at.y} + 1) * kFull;
  return std::int64_t{core_.config.size.y} * kFull;
}

// Where a source's water comes to lie, and what there is room for, in whole quanta: below its head,
// and of what the world still takes in.
World::SourceRoom World::room_for_source(Vec3 at) {
  const std::int64_t head = head_of_source(at);
  if (!is_open(grid_.cell(at))) return {at, 0};
  const std::optional<Vec3> place =
      measure_.springs_give_to_their_cell && !core_.source_heads.contains(at)
          ? std::optional(at)
          : water_->taker(grid_, at);
  if (!place) return {at, 0};
  const std::int64_t most =
      std::min<std::int64_t>(water_->most_at(grid_, *place, head), measure_.cell_max);
  const std::int64_t left = core_.limits.units - core_.totals.taken_in();
  const std::int64_t room = std::min(most - grid_.cell(*place), left);
  return {*place, round_down_to(static_cast<std::int32_t>(std::max<std::int64_t>(room, 0)),
                                measure_.quantum)};
}

// What a source gives of so many units before it has to look again.
void World::gifts_of_source(Vec3 at, const SourceRoom& room, std::int32_t units,
                            std::vector<WaterGift>& gifts) {
  gifts.clear();
  if (!measure_.spreads) {
    gifts.push_back({room.at, std::min(units, room.units)});
    return;
  }
  const std::int64_t left = core_.limits.units - core_.totals.taken_in();
  const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(units, left));
  water_->spread(grid_, at, most, head_of_source(at), gifts);
}

// What the units bring along that a source gives at once, from the `begin`-th to before the
// `end`-th: so shares that are less than a unit add up over many cells.
Load World::load_of_source(Vec3 at, std::int32_t begin, std::int32_t end) const {
  Load load = carried_->usual_load(end - begin);
  if (const auto told = core_.heat.springs.find(at); told != core_.heat.springs.end()) {
    load[kHeatCargo] = heat_->energy_of(end - begin, told->second.temperature, core_.heat);
  }
  if (const auto told = core_.tracers.springs.find(at); told != core_.tracers.springs.end()) {
    const auto shares = by_number(core_.tracers, told->second.shares);
    for (std::size_t t = 0; t < static_cast<std::size_t>(core_.tracers.count); ++t) {
      const std::int64_t some = shares[t] * end / kFull - shares[t] * begin / kFull;
      load[first_tracer_cargo() + t] = std::min(some, core_.tracers.room(t));
    }
  }
  return load;
}

// Chunks that changed since the springs were last looked at.
void World::wake_springs(const std::vector<Chunk*>& changed) {
  grid_.forget_tops();
  for (Chunk* chunk : changed) {
    if (!std::exchange(chunk->watched, false)) continue;
    source_schedule_.wake(chunk->coord);
    drain_schedule_.wake(chunk->coord);
  }
}

// `run(cell of the spring, units due)` returns the units that it moved, and whether it could move
// any.
template <class Run>
void World::run_kind(Springs& springs, SpringSchedule& schedule, Run&& run) {
  const std::int32_t quantum = measure_.quantum;
  const auto note_missed = [this](SpringState& spring, std::int32_t missed) {
    if (spring.missed == missed) return;
    spring.missed = missed;
    springs_digest_known_ = false;
  };
  const auto due = [&](const SpringState& spring) {
    return due_in_tick(spring.rate, core_.tick, quantum);
  };
  if (!run_options_.sleep || !springs_known_) schedule.wake_all(springs);
  schedule.count_asleep(quantum,
                        [&](auto& spring) { note_missed(spring.second, due(spring.second)); });
  // Water that several give to one body comes to lie alike in mirror images.
  if (measure_.spreads && &springs == &core_.sources) {
    schedule.arrange([this](const auto& a, const auto& b) {
      return std::pair(head_of_source(a.first), a.second.rate) <
             std::pair(head_of_source(b.first), b.second.rate);
    });
  }
  schedule.run_awake(grid_.shape(), [&](auto& spring) {
    const std::int32_t units = due(spring.second);
    const auto [moved, possible] = run(spring.first, units);
    note_missed(spring.second, std::max(units - moved, 0));  // it may give for several ticks
    // One that waits for its rate to add up to a quantum is active, too.
    springs_active_ = springs_active_ || possible > 0;
    return possible == 0;
  });
}

void World::run_springs() {
  springs_active_ = false;
  wake_springs(grid_.changed());
  const bool bodies = measure_.heads_of_bodies &&
                      (!measure_.springs_give_to_their_cell || !core_.source_heads.empty());
  if (bodies && !core_.sources.empty()) {
    water_->look(grid_);
    // What one gives in this tick can make room for those after it, wherever its body reaches.
    const auto gives = [&](const auto& spring) {
      return due_in_tick(spring.second.rate, core_.tick, measure_.quantum) > 0 &&
             room_for_source(spring.first).units > 0;
    };
    if (!changed_.empty() || !grid_.changed().empty() || source_schedule_.any_awake(gives)) {
      source_schedule_.wake_all(core_.sources);
    }
  }
  const auto move = [&](Vec3 at, std::int32_t units) {
    grid_.add_to_cell(at, units);
    core_.totals.water += units;
    if (bodies) water_->follow(grid_, at);
  };
  std::vector<WaterGift> gifts;
  run_kind(core_.sources, source_schedule_, [&](Vec3 place, std::int32_t due) {
    watch(place);
    SourceRoom room = room_for_source(place);
    const std::int32_t possible = room.units;
    std::int32_t given = 0;
    while (given < due && room.units > 0) {
      gifts_of_source(place, room, due - given, gifts);
      // Too few for places that are alike come in one of several ticks.
      if (gifts.empty() && given == 0) {
        due = due_in_tick(due, core_.tick, WaterModelState::kMostAlike);
        gifts_of_source(place, room, due, gifts);
      }
      if (gifts.empty()) break;
      std::int32_t laid = 0;
      for (const auto& [at, units] : gifts) {
        move(at, units);
        if (at == place) water_->gushed(at, units);
        if (carried_) {
          carried_->exchanged(grid_, at, {units, 0}, load_of_source(place, laid, laid + units));
        }
        laid += units;
      }
      core_.totals.sourced += laid;
      given += laid;
      if (!bodies || given == due) break;
      room = room_for_source(place);  // the next places of its body
    }
    return std::pair(given, possible);
  });
  wake_springs(grid_.changed());  // drains take from what sources have just given
  run_kind(core_.drains, drain_schedule_, [&](Vec3 place, std::int32_t due) {
    watch(place);
    const std::int32_t possible = water_of(grid_.cell(place));
    const std::int32_t units = std::min(due, possible);
    if (units > 0) move(place, -units);
    if (units > 0 && carried_) carried_->exchanged(grid_, place, {0, units}, {});
    core_.totals.drained += units;
    return std::pair(units, possible);
  });
  springs_known_ = true;
}

// A spring that may sleep has to hear of changes in its chunk, and in those that its head was read
// from (Grid::top_over). Where none is stored, one that is made is watched.
void World::watch(Vec3 at) {
  if (Chunk* chunk = grid_.find(grid_.shape().chunk_of(at))) chunk->watched = true;
}

}  // namespace sluice::sim
