// Step 9: what is almost flat, or old, is filled exactly, and what is flat rests.
#include <algorithm>
#include <array>

#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

/// A run of a body in the body's own orientation. Runs that some symmetry of the body exchanges
/// have the same key: they are an orbit, and get the same.
struct Flow::Place {
  std::int32_t mover = 0;
  std::array<std::int32_t, 3> key{};
  Units volume = 0;
  Units target = 0;
  Units gift = 0;  // what moves in, or out where it is negative
};

void Outcome::add(const Outcome& other) {
  see(other);
  highest_free = std::max(highest_free, other.highest_free);
  lowest_free = std::min(lowest_free, other.lowest_free);
  fast = fast || other.fast;
  flows = flows || other.flows;
  air = air || other.air;
  moved = moved || other.moved;
  over = over || other.over;
}

void Flow::add_flows(std::size_t m, Outcome& outcome) {
  for (const std::int32_t w : ways_of(static_cast<std::int32_t>(m))) {
    outcome.flows |= way_at(w).flow != 0;
    outcome.fast |= way_at(w).fast();
  }
}

void Flow::settle() {
  for (Body& body : bodies_) {
    if (body.poured) {
      body.outcome = {};
      for (const std::int32_t m : movers_of(body)) {
        Mover& mover = mover_at(m);
        mover.flowed = false;
        mover.fast = false;
        body.outcome.add(mover);
        add_flows(static_cast<std::size_t>(m), body.outcome);
      }
    }
    body.asks = settle(body) && !body.whole;
    if (body.rests && body.whole && body.standing.flat()) {
      std::vector<std::int32_t> runs;
      for (const std::int32_t m : movers_of(body)) runs.push_back(mover_at(m).id);
      lakes_.add(runs, body.standing);
    }
  }
}

// Whether it came to rest, and did not rest already: what became old in this tick did not.
bool Flow::settle(Body& body) {
  const Outcome& outcome = body.outcome;
  const bool had_age = body.standing.youngest() != 0;
  body.rests = body.still && !body.busy && !outcome.moved;
  if (body.rests) return had_age;
  if (body.busy && !body.old()) return false;
  if (!outcome.quiet() && !body.old() && outcome.moved) return false;
  if (outcome.flat()) {
    stop(body);
    return false;
  }
  if (outcome.air) return false;
  const Filling filling = fill(body);
  stop(body);
  // As flat as its symmetry lets it be. Together with what rests beside it it may have none.
  const bool idle = !filling.changed && !outcome.flows && !outcome.moved && body.old();
  body.rests = !body.busy && (idle || (!filling.even && !body.whole));
  return body.rests && (had_age || !idle);
}

void Flow::stop(const Body& body) {
  for (const std::int32_t m : movers_of(body)) {
    for (const std::int32_t w : ways_of(m)) {
      Way& way = way_at(w);
      if (way.joint != Joint::kContact) continue;
      way.flow = 0;
      way.carry = 0;
    }
  }
}

Units Flow::holds_at(std::int32_t mover, Level level) {
  const Run& run = run_at(mover);
  const Units most = run.open_top ? INT64_MAX : run.capacity();
  return std::clamp<Units>(level - run.base(), 0, most);
}

// The highest level at which so much water is enough.
Level Flow::fill_level(std::span<const std::int32_t> movers, Units units) {
  Level low = INT64_MAX;
  Level high = 0;
  for (const std::int32_t m : movers) {
    low = std::min(low, run_at(m).base());
    high = std::max(high, run_at(m).top() + (run_at(m).open_top ? units : 0));
  }
  while (low < high) {
    const Level middle = low + (high - low + 1) / 2;
    Units sum = 0;
    for (const std::int32_t m : movers) sum += holds_at(m, middle);
    if (sum <= units) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// The body as seen from left and from right (in 3D from eight sides). From the side of the least
// digest it looks the same wherever left is; sides with equal ones see the same. Those may differ
// `in_the_world`, by how far the body is from its edges.
std::vector<Flow::Place> Flow::places_in(const Body& body, bool in_the_world) {
  const auto seen = [&](const Run& run, int number) {
    std::int32_t x = (number & 1) != 0 ? body.x_to - run.x : run.x - body.x_from;
    std::int32_t z = (number & 2) != 0 ? body.z_to - run.z : run.z - body.z_from;
    if ((number & 4) != 0) std::swap(x, z);
    return std::array<std::int32_t, 3>{x, z, run.floor};
  };
  Digest least = UINT64_MAX;
  std::vector<int> views;
  for (int number = 0; number < (solid_ ? 8 : 2); ++number) {
    Digest digest = 0;
    for (const std::int32_t m : movers_of(body)) {
      const Run& run = run_at(m);
      const auto [x, z, y] = seen(run, number);
      const Digest place = HydroState::digest_of_run({x, y, z});
      digest += combine(combine(place, static_cast<std::uint64_t>(run.ceiling)),
                        static_cast<std::uint64_t>(run.volume));
    }
    if (digest < least) views.clear();
    if (digest <= least) views.push_back(number);
    least = std::min(least, digest);
  }
  if (in_the_world) {
    const auto from_edges = [&](int number) {
      std::array<std::int32_t, 2> x = {(number & 1) != 0 ? size_.x - 1 - body.x_to : body.x_from,
                                       size_.x};
      std::array<std::int32_t, 2> z = {(number & 2) != 0 ? size_.z - 1 - body.z_to : body.z_from,
                                       size_.z};
      if ((number & 4) != 0) std::swap(x, z);
      return std::pair(x, z);
    };
    const auto nearest = std::ranges::min(views, {}, from_edges);
    std::erase_if(views, [&](int number) { return from_edges(number) != from_edges(nearest); });
  }
  std::vector<Place> places;
  for (const std::int32_t m : movers_of(body)) {
    Place place;
    place.mover = m;
    place.volume = run_at(m).volume;
    place.key = seen(run_at(m), views.front());
    for (const int view : views) place.key = std::min(place.key, seen(run_at(m), view));
    places.push_back(place);
  }
  std::sort(places.begin(), places.end(), [this](const Place& a, const Place& b) {
    const Level here = run_at(a.mover).level();
    const Level there = run_at(b.mover).level();
    return here != there ? here > there : a.key < b.key;
  });
  return places;
}

// What is left over above the level goes to the fullest first, one unit to each of an orbit.
bool Flow::find_targets(const Body& body, std::vector<Place>& places, bool& even) {
  Units rest = 0;
  for (const Place& place : places) rest += place.volume;
  const Level level = fill_level(movers_of(body), rest);
  for (Place& place : places) {
    place.target = holds_at(place.mover, level);
    rest -= place.target;
  }
  const auto orbit_end = [&places](std::size_t i) {
    std::size_t end = i + 1;
    while (end < places.size() && places[end].key == places[i].key) ++end;
    return end;
  };
  const auto give = [&](std::size_t from, std::size_t end, Units more) {
    const Place& first = places[from];
    const bool takes = holds_at(first.mover, level + 1) > holds_at(first.mover, level);
    const Run& run = run_at(first.mover);
    if (!takes || (!run.open_top && first.target + more > run.capacity())) return;
    for (std::size_t i = from; i < end; ++i) places[i].target += more;
    rest -= more * static_cast<Units>(end - from);
  };
  // Large orbits first, or a single run between pairs would take what only they can share.
  for (std::size_t size = solid_ ? 8 : 2; size > 0; size /= 2) {
    for (std::size_t i = 0, end = 0; i < places.size() && rest > 0; i = end) {
      end = orbit_end(i);
      if (end - i == size && static_cast<Units>(size) <= rest) give(i, end, 1);
    }
  }
  // In 3D a symmetric body may hold what cannot be shared out so.
  even = rest == 0;
  for (std::size_t i = 0, end = 0; i < places.size() && rest > 0; i = end) {
    end = orbit_end(i);
    const auto size = static_cast<Units>(end - i);
    if (rest % size == 0) give(i, end, rest / size);
  }
  return rest == 0;
}

Flow::Filling Flow::fill(const Body& body) {
  for (const std::int32_t m : movers_of(body)) run_at(m).volume = mover_at(m).volume;
  std::vector<Place> places = places_in(body, false);
  Filling filling;
  bool possible = find_targets(body, places, filling.even);
  if (!filling.even) {
    places = places_in(body, true);
    possible = find_targets(body, places, filling.even);
  }
  if (!possible) return filling;
  if (!move_some(places)) {
    for (Place& place : places) place.gift = place.target - place.volume;
  }
  if (moves_ != nullptr) tell(places);
  for (const Place& place : places) {
    mover_at(place.mover).volume += place.gift;
    filling.changed = filling.changed || place.gift != 0;
  }
  return filling;
}

// What a body evens out at its surfaces is mixed.
void Flow::tell(const std::vector<Place>& places) {
  const Vec3 pool = moves_->new_pool();
  for (const Place& place : places) {
    const Run& run = run_at(place.mover);
    const std::int32_t surface = cell_of(run.base() + std::max<Units>(run.volume - 1, 0));
    const Vec3 at = {run.x, std::min(surface, run.ceiling - 1), run.z};
    const auto units = static_cast<std::int32_t>(absolute(place.gift));
    if (place.gift < 0) moves_->add(at, pool, units);
    if (place.gift > 0) moves_->add(pool, at, units);
  }
}

// At most kQuiet from each run. False if all may move at once, or cannot be shared out in parts.
bool Flow::move_some(std::vector<Place>& places) {
  Units most = 0;
  Units given = 0;
  Units missing = 0;
  for (Place& place : places) {
    const Units over = place.volume - place.target;
    most = std::max(most, over);
    missing += std::max<Units>(-over, 0);
    place.gift = -std::clamp<Units>(over, 0, kQuiet);
    given -= place.gift;
  }
  if (most <= kQuiet) return false;
  Units taken = 0;
  for (Place& place : places) {
    if (place.volume >= place.target) continue;
    place.gift = share_of(given, place.target - place.volume, missing);
    taken += place.gift;
  }
  // Givers keep what the rounding left over.
  while (given > taken) {
    const Units before = given;
    for (std::size_t i = 0, end = 0; i < places.size(); i = end) {
      for (end = i + 1; end < places.size() && places[end].key == places[i].key;) ++end;
      const auto size = static_cast<Units>(end - i);
      if (places[i].gift >= 0 || size > given - taken) continue;
      for (std::size_t j = i; j < end; ++j) ++places[j].gift;
      given -= size;
    }
    if (given == before) return false;
  }
  return taken > 0;
}

}  // namespace sluice::sim::hydro
