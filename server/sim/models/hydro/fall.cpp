#include "server/sim/models/hydro/fall.h"

#include <algorithm>
#include <utility>

namespace sluice::sim::hydro {

namespace {

/// Where the water of a cell is after a tick: from `low` up to `high`, evenly.
struct Stretch {
  Level low = 0;
  Level high = 0;
};

/// Returns what of it arrives at the foot.
Units spread(Run& run, const Fall& fall, Stretch stretch) {
  const Level length = stretch.high - stretch.low;
  Units done = 0;
  Units arrived = 0;
  for (std::int32_t y = cell_of(stretch.low); Level{y} * kFull < stretch.high; ++y) {
    const Level end = std::min<Level>(stretch.high, Level{y + 1} * kFull);
    const Units up_to = fall.amount * (end - stretch.low) / length;
    arrived += run.drop(y, up_to - done, fall.speed);
    done = up_to;
  }
  return arrived;
}

// Where the surface has sunk into the next cell, what was its strand's foot is in the cell over the
// new one now. What that held beyond what it holds now goes on as the foot. Returns how much.
Units follow_surface(Run& run, const Fall& lowest, Units arrived) {
  const std::int32_t y = run.foot_cell();
  if (lowest.y != y + 1) return 0;
  const bool goes_on = !run.falls.empty() && run.falls.front().y == y + 1;
  const Units more = lowest.amount - (goes_on ? run.falls.front().amount : 0);
  return run.add_falling(y, std::clamp<Units>(more, 0, arrived), lowest.speed);
}

}  // namespace

// Each edge between two cells of a strand moves with the water above it, which is slower: the
// strand is drawn out as it falls and does not tear. Its foot only lets water through.
bool fall(Run& run) {
  std::vector<Fall> falling = std::exchange(run.falls, {});
  if (falling.empty()) return false;
  run.air = 0;
  for (Fall& one : falling) one.speed = std::min(one.speed + kFallGravity, kFallFastest);
  const Fall lowest = falling.front();
  const bool has_foot = lowest.y == run.foot_cell();
  if (has_foot) run.add_falling(lowest.y, lowest.amount, lowest.speed);
  Units arrived = 0;
  for (std::size_t i = has_foot ? 1 : 0; i < falling.size(); ++i) {
    const Fall& one = falling[i];
    const bool joined = i + 1 < falling.size() && falling[i + 1].y == one.y + 1;
    Stretch stretch;
    stretch.low = Level{one.y} * kFull - one.speed;
    stretch.high = Level{one.y + 1} * kFull - (joined ? falling[i + 1].speed : one.speed);
    stretch.high = std::max(stretch.high, stretch.low + kFull);
    arrived += spread(run, one, stretch);
  }
  if (!run.swallows()) arrived -= follow_surface(run, lowest, arrived);
  const Units before = run.volume;
  run.arrive(arrived, lowest.speed);
  run.has_near_jet = false;
  return run.volume != before;
}

void pour(Run& run, std::int32_t cell, Units units) {
  const std::int32_t speed = speed_of_jet(units);
  const std::int32_t cells = (speed + kFull - 1) / kFull;
  Units done = 0;
  Units arrived = 0;
  for (std::int32_t i = 1; i <= cells; ++i) {
    const Units up_to = units * i / cells;
    arrived += run.drop(cell - cells + i, up_to - done, speed);
    done = up_to;
  }
  if (arrived > 0) run.arrive(arrived, speed);
  run.absorb();
}

}  // namespace sluice::sim::hydro
