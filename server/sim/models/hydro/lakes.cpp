#include "server/sim/models/hydro/lakes.h"

#include <algorithm>
#include <utility>

#include "server/sim/models/hydro/body.h"

namespace sluice::sim::hydro {

namespace {

/// Lakes more than runs that are kept: beyond, what is known is forgotten.
constexpr std::size_t kSpareLakes = 1024;

/// Runs that lie flat together look for lower ones among so many times as many.
constexpr Units kReach = 2;

/// Never flat.
constexpr Levels kUnknown = {INT64_MAX / 4, INT64_MIN / 4};

bool has_room(const Run& run) {
  return run.volume < run.capacity() || run.open_top;
}

void see(const Run& run, Levels& levels) {
  if (run.wet()) levels.see_wet(run.level());
  if (has_room(run)) levels.see_room(run.level());
}

void join(const Levels& more, Levels& levels) {
  levels.see_wet(more.highest_wet);
  levels.see_room(more.lowest_room);
}

}  // namespace

void Lakes::Heap::add(const Run& run) {
  if (run.full()) return;
  const Level level = sign * run.level();
  if (level < lowest && count > 0) off += count * (lowest - level);
  lowest = std::min(lowest, level);
  off += level - lowest;
  ++count;
}

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
  if (lakes_.size() > count + kSpareLakes) {
    for (std::int32_t id = 0; id < columns_.run_count(); ++id) columns_.run(id).lake = kNone;
    lakes_.clear();
  }
  for (const std::int32_t id : asked) columns_.run(id).lake = kNone;
  for (const std::int32_t id : asked) set_mark(id, kAsked);
  // What moves is asked of what rests.
  for (const bool moving : {false, true}) {
    for (const std::int32_t id : asked) {
      if (mark(id) == kAsked && moves(columns_.run(id)) == moving) look_at_group(id, to_fill);
    }
  }
  forget_marks();
}

void Lakes::forget_marks() {
  for (const std::int32_t id : marked_) mark(id) = kUnseen;
  marked_.clear();
}

// One ring of runs more. What it finds depends on no order.
void Lakes::grow(Heap& heap, std::vector<std::int32_t>& ring, std::vector<std::int32_t>& taken) {
  for (const std::int32_t id : std::exchange(ring, {})) {
    for_each_beside(id, [&](std::int32_t beside) {
      const Run& run = columns_.run(beside);
      if (around_[static_cast<std::size_t>(beside)] || !heap.takes(run)) return;
      if (heap.rests && (run.full() || moves(run) || is_open(beside))) return;
      around_[static_cast<std::size_t>(beside)] = true;
      ring.push_back(beside);
      taken.push_back(beside);
      heap.add(run);
    });
  }
}

void Lakes::surround(std::span<const std::int32_t> runs, Heap heap,
                     std::vector<std::int32_t>& taken) {
  around_.resize(static_cast<std::size_t>(columns_.run_count()), false);
  for (const std::int32_t id : runs) {
    around_[static_cast<std::size_t>(id)] = true;
    heap.add(columns_.run(id));
  }
  const std::size_t before = taken.size();
  std::vector<std::int32_t> ring(runs.begin(), runs.end());
  while (!heap.flat() && !ring.empty()) grow(heap, ring, taken);
  std::size_t needed = taken.size();
  if (heap.rests) {
    // It may lie on a plateau.
    const Level level = heap.lowest;
    const Units most = kReach * heap.count;
    while (heap.lowest == level && heap.count < most && !ring.empty()) grow(heap, ring, taken);
    if (heap.lowest < level) {
      while (!heap.flat() && !ring.empty()) grow(heap, ring, taken);
      needed = taken.size();
    }
  }
  for (const std::int32_t id : std::span(taken).subspan(before)) {
    around_[static_cast<std::size_t>(id)] = false;
  }
  for (const std::int32_t id : runs) around_[static_cast<std::size_t>(id)] = false;
  taken.resize(needed);
}

// Those asked about that touch each other and all move, or all rest, by what is known of what else
// they touch.
void Lakes::look_at_group(std::int32_t first, std::vector<std::int32_t>& to_fill) {
  const bool moving = moves(columns_.run(first));
  std::vector<std::int32_t> group = {first};
  std::vector<std::int32_t> touched;
  Levels levels;
  bool known = true;
  set_mark(first, kGrouped);
  const auto touch = [&](std::int32_t id) {
    Run& run = columns_.run(id);
    const bool is_own = !moving && mark(id) == kGrouped && run.lake == kNone;
    if (!run.wet() || moves(run) || is_own) return;
    const std::int32_t lake = lake_of(run);
    known = known && lake != kNone;
    if (lake != kNone) touched.push_back(lake);
  };
  for (std::size_t i = 0; i < group.size(); ++i) {
    see(columns_.run(group[i]), levels);
    for_each_beside(group[i], [&](std::int32_t id) {
      const Run& run = columns_.run(id);
      if (mark(id) == kAsked && moves(run) == moving) {
        set_mark(id, kGrouped);
        group.push_back(id);
      } else if (run.wet()) {
        touch(id);
      } else {
        // Water on both sides of dry ground that it touches is one lake.
        see(run, levels);
        for_each_beside(id, touch);
      }
    });
  }
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (const std::int32_t lake : touched) {
    join(lakes_[static_cast<std::size_t>(lake)].levels, levels);
  }
  if (!known) levels = kUnknown;
  if (moving) {
    // Whatever else moves beside that lake is to know of these.
    for (const std::int32_t lake : touched) {
      join(levels, lakes_[static_cast<std::size_t>(lake)].levels);
    }
  } else {
    // Whoever comes to rest in that lake later, too.
    const auto lake = static_cast<std::int32_t>(lakes_.size());
    for (const std::int32_t one : touched) lakes_[static_cast<std::size_t>(one)].joined = lake;
    add(group, levels);
  }
  if (!levels.flat()) flood(first, to_fill);
}

// All of a lake. Nothing is to be done where something stirs in it: it will come to rest.
void Lakes::flood(std::int32_t first, std::vector<std::int32_t>& to_fill) {
  std::vector<std::int32_t> lake = {first};
  Levels levels;
  bool stirred = false;
  set_mark(first, kFlooded);
  for (std::size_t i = 0; i < lake.size() && !stirred; ++i) {
    const Run& here = columns_.run(lake[i]);
    see(here, levels);
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
  } else if (levels.flat()) {
    add(lake, levels);
  } else {
    find_heaps(lake, levels, to_fill);
  }
}

// What stands above all else in a lake at rest, or what lacks below it, whichever are fewer runs,
// and what else it takes to fill those flat.
void Lakes::find_heaps(std::span<const std::int32_t> lake, const Levels& levels,
                       std::vector<std::int32_t>& to_fill) {
  std::vector<std::int32_t> high;
  std::vector<std::int32_t> low;
  for (const std::int32_t id : lake) {
    const Run& run = columns_.run(id);
    if (run.wet() && run.level() > levels.lowest_room + 1) high.push_back(id);
    if (has_room(run) && run.level() < levels.highest_wet - 1) low.push_back(id);
  }
  const bool above = high.size() <= low.size();
  const std::vector<std::int32_t>& off = above ? high : low;
  const Heap heap = {.sign = above ? 1 : -1,
                     .lowest = above ? levels.lowest_room : -levels.highest_wet,
                     .rests = false};
  std::vector<std::int32_t> taken(off);
  for (const std::int32_t id : off) set_mark(id, kOff);
  for (const std::int32_t first : off) {
    if (mark(first) != kOff) continue;
    std::vector<std::int32_t> group = {first};
    set_mark(first, kFlooded);
    for (std::size_t i = 0; i < group.size(); ++i) {
      for_each_beside(group[i], [&](std::int32_t id) {
        if (mark(id) != kOff) return;
        set_mark(id, kFlooded);
        group.push_back(id);
      });
    }
    surround(group, heap, taken);
  }
  std::sort(taken.begin(), taken.end());
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  to_fill.insert(to_fill.end(), taken.begin(), taken.end());
  std::vector<std::int32_t> others;
  Levels known;
  for (const std::int32_t id : lake) {
    if (std::binary_search(taken.begin(), taken.end(), id)) continue;
    others.push_back(id);
    see(columns_.run(id), known);
  }
  add(others, known);
}

}  // namespace sluice::sim::hydro
