#include "server/sim/models/hydro/lakes.h"

#include <algorithm>
#include <utility>

#include "server/sim/models/hydro/body.h"

namespace sluice::sim::hydro {

namespace {

/// Never flat.
constexpr Levels kUnknown = {INT64_MAX / 4, INT64_MIN / 4};

void see(const Run& run, Levels& levels) {
  if (run.wet()) levels.see_wet(run.level());
  if (run.volume < run.capacity() || run.open_top) levels.see_room(run.level());
}

void join(const Levels& more, Levels& levels) {
  levels.see_wet(more.highest_wet);
  levels.see_room(more.lowest_room);
}

}  // namespace

void Lakes::set_mark(std::int32_t run, Mark value) {
  if (mark(run) == kUnseen) marked_.push_back(run);
  mark(run) = value;
}

const Mover* Lakes::mover_of(const Run& run) const {
  return run.slot == kNone ? nullptr : &movers_[static_cast<std::size_t>(run.slot)];
}

bool Lakes::stirs(const Run& run) const {
  const Mover* const mover = mover_of(run);
  return mover != nullptr ? mover->stirs : run.event || run.air > 0;
}

bool Lakes::moves(const Run& run) const {
  const Mover* const mover = mover_of(run);
  return mover != nullptr && mover->moves;
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

/// f(run) for each that a contact joins to it.
template <class F>
void Lakes::for_each_beside(std::int32_t id, F&& f) {
  ++looks_;
  const Level here = columns_.run(id).contact();
  for (const std::int32_t link_id : columns_.run(id).links) {
    const Link& link = columns_.link(link_id);
    const std::int32_t other = link.other(id);
    const Level there = columns_.run(other).contact();
    if (std::max(here, there) > link.sill() && std::min(here, there) >= link.sill()) f(other);
  }
}

// Whether something goes, or could go, through a link of it, as it stands.
bool Lakes::is_open(std::int32_t id) {
  const Level here = columns_.run(id).contact();
  for (const std::int32_t link_id : columns_.run(id).links) {
    const Link& link = columns_.link(link_id);
    const Run& other = columns_.run(link.other(id));
    const Level there = other.contact();
    if (std::max(here, there) <= link.sill()) continue;
    if (std::min(here, there) < link.sill()) return true;
    if (!other.full() && absolute(here - there) > kCalm) return true;
  }
  return false;
}

void Lakes::add(std::span<const std::int32_t> runs, const Levels& levels) {
  for (const std::int32_t id : runs)
    columns_.run(id).lake = static_cast<std::int32_t>(lakes_.size());
  lakes_.push_back({levels, kNone});
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
    if (!columns_.run(id).wet()) for_each_beside(id, add);
  }
  return resting;
}

void Lakes::check(std::span<const std::int32_t> runs, std::vector<std::int32_t>& to_fill) {
  const std::vector<std::int32_t> asked = at_rest(runs);
  if (asked.empty()) return;
  const auto count = static_cast<std::size_t>(columns_.run_count());
  marks_.resize(count, kUnseen);
  if (lakes_.size() > count + 1024) {
    for (std::int32_t id = 0; id < columns_.run_count(); ++id) columns_.run(id).lake = kNone;
    lakes_.clear();
  }
  for (const std::int32_t id : asked) columns_.run(id).lake = kNone;
  for (const std::int32_t id : asked) {
    if (mark(id) == kUnseen && moves(columns_.run(id))) flood(id, to_fill);
  }
  for (const std::int32_t id : asked) {
    if (!moves(columns_.run(id)) && mark(id) != kFlooded) set_mark(id, kAsked);
  }
  for (const std::int32_t id : asked) {
    if (mark(id) == kAsked) look_at_group(id, to_fill);
  }
  forget_marks();
}

void Lakes::forget_marks() {
  for (const std::int32_t id : marked_) mark(id) = kUnseen;
  marked_.clear();
}

void Lakes::surround(std::span<const std::int32_t> runs, std::vector<std::int32_t>& taken) {
  marks_.resize(static_cast<std::size_t>(columns_.run_count()), kUnseen);
  Level lowest = INT64_MAX;
  Units over = 0;  // `lowest`, of all that are free
  Units count = 0;
  std::vector<std::int32_t> ring;
  const auto take = [&](std::int32_t id) {
    set_mark(id, kGrouped);
    ring.push_back(id);
    const Run& run = columns_.run(id);
    if (run.full()) return;
    const Level level = run.level();
    if (level < lowest && count > 0) over += count * (lowest - level);
    lowest = std::min(lowest, level);
    over += level - lowest;
    ++count;
  };
  for (const std::int32_t id : runs) take(id);
  while (over > count && !ring.empty()) {
    for (const std::int32_t id : std::exchange(ring, {})) {
      for_each_beside(id, [&](std::int32_t beside) {
        const Run& run = columns_.run(beside);
        if (mark(beside) != kUnseen || !run.wet() || run.full() || moves(run)) return;
        if (is_open(beside)) return;
        take(beside);
        taken.push_back(beside);
      });
    }
  }
  forget_marks();
}

// Those asked about that touch each other, by what is known of what else they touch.
void Lakes::look_at_group(std::int32_t first, std::vector<std::int32_t>& to_fill) {
  std::vector<std::int32_t> group = {first};
  std::vector<std::int32_t> touched;
  Levels levels;
  bool known = true;
  set_mark(first, kGrouped);
  for (std::size_t i = 0; i < group.size(); ++i) {
    see(columns_.run(group[i]), levels);
    for_each_beside(group[i], [&](std::int32_t id) {
      Run& run = columns_.run(id);
      if (mark(id) == kAsked) {
        set_mark(id, kGrouped);
        group.push_back(id);
      } else if (!run.wet()) {
        see(run, levels);
      } else if (mark(id) != kGrouped && !moves(run)) {
        const std::int32_t lake = lake_of(run);
        known = known && lake != kNone;
        if (lake != kNone) touched.push_back(lake);
      }
    });
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (const std::int32_t lake : touched)
    join(lakes_[static_cast<std::size_t>(lake)].levels, levels);
  if (!known) levels = kUnknown;
  // Whoever comes to rest in that lake later is to know of these.
  const auto lake = static_cast<std::int32_t>(lakes_.size());
  for (const std::int32_t one : touched) lakes_[static_cast<std::size_t>(one)].joined = lake;
  add(group, levels);
  if (!levels.flat()) flood(first, to_fill);
}

// All of a lake. Nothing is to be done where something stirs in it: it will come to rest.
void Lakes::flood(std::int32_t first, std::vector<std::int32_t>& to_fill) {
  std::vector<std::int32_t> lake = {first};
  Levels levels;
  bool rests = true;
  bool stirred = false;
  set_mark(first, kFlooded);
  for (std::size_t i = 0; i < lake.size() && !stirred; ++i) {
    const Run& here = columns_.run(lake[i]);
    see(here, levels);
    rests = rests && !moves(here);
    for_each_beside(lake[i], [&](std::int32_t id) {
      const Run& run = columns_.run(id);
      stirred = stirred || mark(id) == kStirred || (run.wet() && stirs(run));
      if (mark(id) == kFlooded) return;
      set_mark(id, kFlooded);
      lake.push_back(id);
    });
  }
  if (stirred) {
    for (const std::int32_t id : lake) set_mark(id, kStirred);
  } else if (rests && levels.flat()) {
    add(lake, levels);
  } else {
    to_fill.insert(to_fill.end(), lake.begin(), lake.end());
  }
}

}  // namespace sluice::sim::hydro
