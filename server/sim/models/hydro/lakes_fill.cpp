// Water in a lake that is to be filled flat, and what else of the lake it takes for that.
#include <algorithm>
#include <utility>

#include "server/sim/models/hydro/lakes.h"

namespace sluice::sim::hydro {

void Lakes::Heap::add(const Run& run) {
  if (run.full()) return;
  const Level level = sign * run.level();
  if (level < lowest && count > 0) off += count * (lowest - level);
  lowest = std::min(lowest, level);
  off += level - lowest;
  ++count;
}

void Lakes::Heap::add(const Heap& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const Level least = std::min(lowest, other.lowest);
  off += count * (lowest - least) + other.off + other.count * (other.lowest - least);
  count += other.count;
  lowest = least;
}

// Ring by ring around all parts at once. Those that come to the same run are filled as one, so each
// run is looked at once, however many parts there are, and what they take depends on no order.
void Lakes::surround(std::span<const std::vector<std::int32_t>> parts, const Heap& heap,
                     std::vector<Taken>& taken) {
  searched_.resize(static_cast<std::size_t>(columns_.run_count()), kNone);
  searches_.clear();
  for (const std::vector<std::int32_t>& part : parts) {
    Search search;
    search.heap = heap;
    search.part = part.front();
    search.ring = part;
    for (const std::int32_t id : part) {
      claim(id, static_cast<std::int32_t>(searches_.size()));
      search.heap.add(columns_.run(id));
      search.ground.see(columns_.run(id).x, columns_.run(id).z);
    }
    searches_.push_back(std::move(search));
  }
  while (choose_searches()) {
    grow_searches(taken);
    take_found(taken);
  }
  for (const std::int32_t id : all_searched_) searched_[static_cast<std::size_t>(id)] = kNone;
  all_searched_.clear();
}

void Lakes::surround(std::span<const std::int32_t> part, std::vector<Taken>& taken) {
  const std::vector<std::int32_t> runs(part.begin(), part.end());
  surround(std::span(&runs, 1), Heap{}, taken);
}

void Lakes::claim(std::int32_t run, std::int32_t search) {
  searched_[static_cast<std::size_t>(run)] = search;
  all_searched_.push_back(run);
}

std::int32_t Lakes::search_of(std::int32_t run) const {
  std::int32_t search = searched_[static_cast<std::size_t>(run)];
  while (search != kNone && search_at(search).joined != kNone) search = search_at(search).joined;
  return search;
}

// Whether another ring may come to runs that stand lower than what is to be filled will.
bool Lakes::may_go_on(Search& search) {
  if (search.heap.count == 0) return false;
  if (!search.heap.rests) return !search.heap.flat();
  if (search.rings >= most_rings(search.heap)) return false;
  if (std::ssize(all_searched_) >= most_looks(search.heap)) return false;
  return may_find(search);
}

// By what is known of the lakes beside its ring, then by the blocks of columns in its reach. Runs
// at rest that touch differ by a unit at the most: so in so many rings none can be come to that
// lies more than so many units below the lowest.
bool Lakes::may_find(Search& search) {
  const Level wanted = search.heap.wanted();
  if (wanted == search.found_below) return true;
  search.found_below = wanted;
  bool may = false;
  for (const std::int32_t id : search.ring) {
    at_rest_.for_each_beside(id, [&](std::int32_t beside) {
      if (may || searched_[static_cast<std::size_t>(beside)] != kNone) return;
      may = at_rest_.passes(beside) && lowest_of_lake(beside) < wanted;
    });
    if (may) break;
  }
  if (!may) return false;
  const Units rings = most_rings(search.heap);
  const Level from = search.heap.lowest - rings;
  const Units looks = most_looks(search.heap);
  return at_rest_.any_between(search.ground, from, wanted, looks) ||
         at_rest_.any_between(search.ground.with_margin(rings), from, wanted, looks);
}

Level Lakes::lowest_of_lake(std::int32_t id) {
  const std::int32_t lake = lake_of(columns_.run(id));
  return lake == kNone ? INT64_MIN : lakes_[static_cast<std::size_t>(lake)].lowest;
}

// False where none is to go on.
bool Lakes::choose_searches() {
  bool any = false;
  for (Search& search : searches_) {
    search.goes_on = search.joined == kNone && !search.ring.empty() && may_go_on(search);
    any = any || search.goes_on;
  }
  return any;
}

// One ring more of each that goes on; then those that met are joined.
void Lakes::grow_searches(std::vector<Taken>& taken) {
  std::vector<std::pair<std::int32_t, std::int32_t>> met;
  for (std::size_t i = 0; i < searches_.size(); ++i) {
    if (!searches_[i].goes_on) continue;
    const auto own = static_cast<std::int32_t>(i);
    ++searches_[i].rings;
    for (const std::int32_t id : std::exchange(searches_[i].ring, {})) {
      at_rest_.for_each_beside(id, [&](std::int32_t beside) {
        const std::int32_t other = search_of(beside);
        if (other != kNone && other != own) met.emplace_back(own, other);
        if (other != kNone || !passes(searches_[i].heap, beside)) return;
        claim(beside, own);
        searches_[i].found.push_back(beside);
      });
    }
  }
  for (auto [one, other] : met) {
    while (search_at(one).joined != kNone) one = search_at(one).joined;
    while (search_at(other).joined != kNone) other = search_at(other).joined;
    if (one != other) join(std::min(one, other), std::max(one, other), taken);
  }
}

void Lakes::join(std::int32_t into, std::int32_t other, std::vector<Taken>& taken) {
  Search& all = searches_[static_cast<std::size_t>(into)];
  Search& more = searches_[static_cast<std::size_t>(other)];
  more.joined = into;
  all.heap.add(more.heap);
  all.ring.insert(all.ring.end(), more.ring.begin(), more.ring.end());
  all.found.insert(all.found.end(), more.found.begin(), more.found.end());
  taken.push_back({more.part, all.part});
}

// Of what the last ring came to what stands lower than all will. What lies between stays as it is.
void Lakes::take_found(std::vector<Taken>& taken) {
  for (Search& search : searches_) {
    if (search.joined != kNone) continue;
    const Level wanted = search.heap.count > 0 ? search.heap.wanted() : INT64_MIN;
    for (const std::int32_t id : search.found) {
      if (search.heap.sign * at_rest_.level(id) >= wanted) continue;
      taken.push_back({id, search.part});
      search.heap.add(columns_.run(id));
    }
    search.ring.insert(search.ring.end(), search.found.begin(), search.found.end());
    search.found.clear();
  }
}

// Dry ground takes what stands above it, and has nothing for what lacks.
bool Lakes::passes(const Heap& heap, std::int32_t id) {
  return heap.rests ? at_rest_.passes(id) : heap.sign > 0 || columns_.run(id).wet();
}

// What stands above all else in a lake at rest, or what lacks below it, whichever are fewer runs,
// and what else it takes to fill those flat.
void Lakes::find_heaps(std::span<const std::int32_t> lake, const Levels& levels,
                       std::vector<Taken>& to_fill) {
  std::vector<std::int32_t> high;
  std::vector<std::int32_t> low;
  for (const std::int32_t id : lake) {
    const Run& run = columns_.run(id);
    if (run.wet() && run.level() > levels.lowest_room + 1) high.push_back(id);
    if (has_room(run) && run.level() < levels.highest_wet - 1) low.push_back(id);
  }
  const bool above = high.size() <= low.size();
  const Heap heap = {.sign = above ? 1 : -1,
                     .lowest = above ? levels.lowest_room : -levels.highest_wet,
                     .rests = false};
  const std::size_t before = to_fill.size();
  surround(list_groups(above ? high : low, to_fill), heap, to_fill);
  for (const Taken& taken : std::span(to_fill).subspan(before)) set(kTaken, taken.run);
  std::vector<std::int32_t> others;
  Levels known;
  for (const std::int32_t id : lake) {
    if (is(kTaken, id)) continue;
    others.push_back(id);
    see(columns_.run(id), known);
  }
  add(others, known);
}

// Those that touch each other.
std::vector<std::vector<std::int32_t>> Lakes::list_groups(std::span<const std::int32_t> runs,
                                                          std::vector<Taken>& taken) {
  std::vector<std::vector<std::int32_t>> groups;
  for (const std::int32_t id : runs) set(kOff, id);
  for (const std::int32_t first : runs) {
    if (!is(kOff, first)) continue;
    std::vector<std::int32_t>& group = groups.emplace_back(1, first);
    unset(kOff, first);
    for (std::size_t i = 0; i < group.size(); ++i) {
      at_rest_.for_each_beside(group[i], [&](std::int32_t id) {
        if (!is(kOff, id)) return;
        unset(kOff, id);
        group.push_back(id);
      });
    }
    for (const std::int32_t id : group) taken.push_back({id, first});
  }
  return groups;
}

}  // namespace sluice::sim::hydro
