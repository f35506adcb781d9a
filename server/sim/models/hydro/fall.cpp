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

void spread(Run& run, const Fall& fall, Stretch stretch) {
  const Level length = stretch.high - stretch.low;
  Units done = 0;
  for (std::int32_t y = cell_of(stretch.low); Level{y} * kFull < stretch.high; ++y) {
    const Level end = std::min<Level>(stretch.high, Level{y + 1} * kFull);
    const Units up_to = fall.amount * (end - stretch.low) / length;
    run.drop(y, up_to - done, fall.speed);
    done = up_to;
  }
}

}  // namespace

// Each edge between two cells of a strand moves with the water above it, which is slower: the
// strand is drawn out as it falls and does not tear.
bool fall(Run& run) {
  std::vector<Fall> falling = std::exchange(run.falls, {});
  run.air = 0;
  const Units before = run.volume;
  for (Fall& one : falling) one.speed = std::min(one.speed + kFallGravity, kFallFastest);
  for (std::size_t i = 0; i < falling.size(); ++i) {
    const Fall& one = falling[i];
    const bool joined = i + 1 < falling.size() && falling[i + 1].y == one.y + 1;
    Stretch stretch;
    stretch.low = Level{one.y} * kFull - one.speed;
    stretch.high = Level{one.y + 1} * kFull - (joined ? falling[i + 1].speed : one.speed);
    stretch.high = std::max(stretch.high, stretch.low + kFull);
    spread(run, one, stretch);
  }
  return run.volume != before;
}

void pour(Run& run, std::int32_t cell, Units units) {
  const std::int32_t speed = speed_of_jet(units);
  const std::int32_t cells = (speed + kFull - 1) / kFull;
  Units done = 0;
  for (std::int32_t i = 1; i <= cells; ++i) {
    const Units up_to = units * i / cells;
    run.drop(cell - cells + i, up_to - done, speed);
    done = up_to;
  }
}

}  // namespace sluice::sim::hydro
