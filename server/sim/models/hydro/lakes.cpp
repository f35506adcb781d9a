#include "server/sim/models/hydro/lakes.h"

#include <algorithm>
#include <utility>

#include "server/sim/models/hydro/body.h"

namespace sluice::sim::hydro {

namespace {

/// Never flat.
constexpr Levels kUnknown = {INT64_MAX / 4, INT64_MIN / 4};

}  // namespace

void Lakes::set(Mark mark, std::int32_t run) {
  std::uint8_t& marks = marks_[static_cast<std::size_t>(run)];
  if (marks == 0) marked_.push_back(run);
  marks = static_cast<std::uint8_t>(marks | mark);
}

void Lakes::clear() {
  lakes_.clear();
  at_rest_.clear();
}

bool Lakes::stirs(const Run& run) const {
  const Mover* const mover = at_rest_.mover_of(run);
  return mover != nullptr ? mover->stirs : run.in_open_water() || run.event || run.air > 0;
}

// The run and all lakes on the way are told, so that the next one who asks goes one step.
std::int32_t Lakes::lake_of(Run& run) {
  if (run.lake == kNone) return kNone;
  const auto joined = [this](std::int32_t lake) -> std::int32_t& {
    return lakes_[static_cast<std::size_t>(lake)].joined;
  };
  std::int32_t last = run.lake;
  while (joined(last) != kNone) last = joined(last);
  for (std::int32_t lake = std::exchange(run.lake, last); lake != last;) {
    lake = std::exchange(joined(lake), last);
  }
  return last;
}

void Lakes::add(std::span<const std::int32_t> runs, const Levels& levels, Level lowest) {
  for (const std::int32_t id : runs)
    columns_.run(id).lake = static_cast<std::int32_t>(lakes_.size());
  lakes_.push_back({levels, lowest, kNone});
}

// Those of them that hold water and do not stir, and where one is dry, such as have room in it.
std::vector<std::int32_t> Lakes::at_rest(std::span<const std::int32_t> runs) {
  std::vector<std::int32_t> resting;
  const auto add = [&](std::int32_t id) {
    if (columns_.run(id).wet() && !stirs(columns_.run(id))) resting.push_back(id);
  };
  for (const std::int32_t id : runs) {
    if (!columns_.run(id).alive) continue;
    add(id);
    if (!columns_.run(id).wet()) at_rest_.for_each_beside(id, add);
  }
  return resting;
}

void Lakes::check(std::span<const std::int32_t> runs, std::vector<Taken>& to_fill) {
  const std::vector<std::int32_t> asked = at_rest(runs);
  if (asked.empty()) return;
  const auto count = static_cast<std::size_t>(columns_.run_count());
  marks_.resize(count, 0);
  if (lakes_.size() > count + sizes_.spare_lakes) {
    for (std::int32_t id = 0; id < columns_.run_count(); ++id) columns_.run(id).lake = kNone;
    lakes_.clear();
  }
  for (const std::int32_t id : asked) columns_.run(id).lake = kNone;
  for (const std::int32_t id : asked) set(kAsked, id);
  // What moves is asked of what rests.
  for (const bool moving : {false, true}) {
    for (const std::int32_t id : asked) {
      const bool known = is(kGrouped, id) || (is(kFlooded, id) && !is(kStirred, id));
      if (!known && moves(columns_.run(id)) == moving) look_at_group(id, to_fill);
    }
  }
  forget_marks();
}

void Lakes::forget_marks() {
  for (const std::int32_t id : marked_) marks_[static_cast<std::size_t>(id)] = 0;
  marked_.clear();
}

// Those asked about that touch each other and all move, or all rest, by what is known of what else
// they touch.
void Lakes::look_at_group(std::int32_t first, std::vector<Taken>& to_fill) {
  const bool moving = moves(columns_.run(first));
  std::vector<std::int32_t> group = {first};
  std::vector<std::int32_t> touched;
  Levels levels;
  Level lowest = INT64_MAX;
  bool known = true;
  set(kGrouped, first);
  const auto touch = [&](std::int32_t id) {
    Run& run = columns_.run(id);
    const bool is_own = !moving && is(kGrouped, id) && run.lake == kNone;
    if (!run.wet() || moves(run) || is_own) return;
    const std::int32_t lake = lake_of(run);
    known = known && lake != kNone;
    if (lake != kNone) touched.push_back(lake);
  };
  for (std::size_t i = 0; i < group.size(); ++i) {
    see(columns_.run(group[i]), levels);
    lowest = std::min(lowest, columns_.run(group[i]).level());
    at_rest_.for_each_beside(group[i], [&](std::int32_t id) {
      const Run& run = columns_.run(id);
      if (is(kAsked, id) && !is(kGrouped, id) && moves(run) == moving) {
        set(kGrouped, id);
        group.push_back(id);
      } else if (run.wet()) {
        touch(id);
      } else {
        // Water on both sides of dry ground that it touches is one lake.
        see(run, levels);
        at_rest_.for_each_beside(id, touch);
      }
    });
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (const std::int32_t lake : touched) {
    levels.see(lakes_[static_cast<std::size_t>(lake)].levels);
    lowest = std::min(lowest, lakes_[static_cast<std::size_t>(lake)].lowest);
  }
  if (!known) levels = kUnknown;
  if (!known) lowest = INT64_MIN;
  if (moving) {
    // Whatever else moves beside that lake is to know of these.
    for (const std::int32_t lake : touched) {
      lakes_[static_cast<std::size_t>(lake)].levels.see(levels);
    }
  } else {
    // Whoever comes to rest in that lake later, too.
    const auto lake = static_cast<std::int32_t>(lakes_.size());
    for (const std::int32_t one : touched) lakes_[static_cast<std::size_t>(one)].joined = lake;
    add(group, levels, lowest);
  }
  if (!levels.flat() && !is(kStirred, first)) flood(first, to_fill);
}

// All of a lake. Nothing is to be done where something stirs in it: it will come to rest.
void Lakes::flood(std::int32_t first, std::vector<Taken>& to_fill) {
  std::vector<std::int32_t> lake = {first};
  Levels levels;
  bool stirred = false;
  set(kFlooded, first);
  for (std::size_t i = 0; i < lake.size() && !stirred; ++i) {
    const Run& here = columns_.run(lake[i]);
    see(here, levels);
    at_rest_.for_each_beside(lake[i], [&](std::int32_t id) {
      const Run& run = columns_.run(id);
      stirred = stirred || is(kStirred, id) || (run.wet() && stirs(run));
      if (is(kFlooded, id)) return;
      set(kFlooded, id);
      lake.push_back(id);
    });
  }
  if (stirred) {
    for (const std::int32_t id : lake) set(kStirred, id);
  } else if (levels.flat()) {
    add(lake, levels);
  } else {
    find_heaps(lake, levels, to_fill);
  }
}

}  // namespace sluice::sim::hydro
