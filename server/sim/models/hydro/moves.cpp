// Steps 7 and 8: whole units move, as far as there is water and room.
#include <algorithm>

#include "server/sim/models/hydro/fall.h"
#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

void Flow::move(std::span<const std::int32_t> landed) {
  for (const std::int32_t id : landed) {
    const std::int32_t mover = columns_.run(id).slot;
    if (mover == kNone || mover_at(mover).body == kNone) continue;
    Body& body = body_at(mover_at(mover).body);
    body.busy = true;
    body.fed = true;
  }
  find_frictions();
  // Where no run is full, or could become so, nothing waits for pressures.
  find_pushes(!presses_);
  if (presses_) {
    find_pressures();
    set_demands();
  }
  const bool any_old =
      std::any_of(bodies_.begin(), bodies_.end(), [](const Body& body) { return body.old(); });
  const bool free = !presses_ && !any_old && !falls_ && spills_.empty();
  for_each_apart([](const Way& way, Mover& high) {
    (way.moved > 0 ? high.taken : high.given) += absolute(way.moved);
    high.flowed |= way.flow != 0;
  });
  if (!free || !transfer_freely()) {
    limit(any_old, !free);
    transfer();
  }
  if (moves_ == nullptr) return;
  for (const Way& way : ways_) {
    if (way.moved != 0) hydro::tell(*moves_, run_at(way.low), run_at(way.high), way);
  }
}

// Where nothing is full, old, falling or spilled, what is to move mostly can: then it does in the
// look that finds that out. False, and nothing has moved, where somebody cannot give or take it.
bool Flow::transfer_freely() {
  sum_up<Outcome>(
      [this](std::size_t from, std::size_t to, std::int32_t /*body*/) {
        Outcome outcome;
        TakenAfter last;
        for (std::size_t m = from; m < to; ++m) {
          Mover& mover = movers_[m];
          take_after_body(mover, last);
          outcome.over |= mover.over();
          mover.volume += mover.taken - mover.given;
          outcome.add(mover);
        }
        return outcome;
      },
      [](Body& body, const Outcome& part) { body.outcome.add(part); });
  const auto is_over = [](const Body& body) { return body.outcome.over; };
  if (std::none_of(bodies_.begin(), bodies_.end(), is_over)) return true;
  for (Body& body : bodies_) body.outcome = {};
  for (Mover& mover : movers_) mover.volume -= mover.taken - mover.given;
  return false;
}

// An old body spills over its lowest sill alone, and never more than what stands above it: what
// spills ends lower than it was.
void Flow::set_demand_of_old(std::int32_t m) {
  const Mover& mover = mover_at(m);
  Level lowest = INT64_MAX;
  std::int64_t ways = 0;
  const auto spills = [&](const Way& way) {
    return way.direct && mover.contact > mover_at(way.other(m)).contact;
  };
  for (const std::int32_t w : ways_of(m)) {
    if (!spills(way_at(w)) || way_at(w).sill() > lowest) continue;
    ways = way_at(w).sill() < lowest ? 1 : ways + 1;
    lowest = way_at(w).sill();
  }
  if (ways == 0) return;
  const Units height = mover.level - lowest;
  for (const std::int32_t w : ways_of(m)) {
    Way& way = way_at(w);
    if (!spills(way) || way.sill() != lowest) continue;
    way.demands = way.low == m ? 1 : -1;
    // Fewer units than ways stay, but for the last unit of all (give_last_unit).
    way.moved = height >= ways ? std::max<Units>(1, height / (2 * ways)) * way.demands : 0;
  }
}

void Flow::cut(Way& way, Units most) {
  const Units size = absolute(way.moved);
  way.moved = way.moved > 0 ? most : -most;
  if (size - most > kSmallCut && !way.direct) way.flow = way.moved * kOne;
  way.carry = 0;
}

// Anew, where add_to_moves() did not see it.
void Flow::add_up_moves(std::size_t m) {
  Units given = 0;
  Units taken = 0;
  for (const std::int32_t w : ways_of(static_cast<std::int32_t>(m))) {
    const Way& way = way_at(w);
    if (way.moved == 0) continue;
    (way.giver() == static_cast<std::int32_t>(m) ? given : taken) += absolute(way.moved);
  }
  movers_[m].given = given;
  movers_[m].taken = taken;
}

// All of a body are as old as the body, but for what is still in the air over a still one. Most
// have the friction of the mover before them: what that came to is kept.
void Flow::take_after_body(Mover& mover, TakenAfter& last) const {
  if (mover.body == kNone) return;
  if (mover.body != last.body || mover.friction != last.before) {
    const Body& body = bodies_[static_cast<std::size_t>(mover.body)];
    last = {mover.body, mover.friction, friction_of(mover), body.age, body.still};
  }
  mover.friction = last.friction;
  if (!last.still) mover.age = last.age;
}

// Whoever is asked for more than it has, or brought more than it can take, or is old, is listed and
// looked at once more: few are.
void Flow::limit(bool any_old, bool first_look) {
  const auto is_old = [&](const Mover& mover) {
    return any_old && mover.body != kNone && body_at(mover.body).old();
  };
  for (std::int32_t m = 0; any_old && m < mover_count(); ++m) {
    if (is_old(mover_at(m))) set_demand_of_old(m);
  }
  std::vector<std::int32_t> takers;
  const auto list_all = [&](bool first, bool anew) {
    in_pieces(movers_.size(), [&](std::size_t from, std::size_t to, std::size_t piece) {
      TakenAfter last;
      for (std::size_t i = from; i < to; ++i) {
        if (anew) add_up_moves(i);
        Mover& mover = movers_[i];
        if (first) take_after_body(mover, last);
        if (mover.over() || is_old(mover)) listed_[piece].push_back(static_cast<std::int32_t>(i));
      }
    });
    takers.clear();
    for (const std::vector<std::int32_t>& piece : listed_) {
      takers.insert(takers.end(), piece.begin(), piece.end());
    }
  };
  list_all(first_look, any_old);
  cuts_ = !takers.empty();
  bool cut_any = any_old;
  for (const std::int32_t m : takers) {
    if (mover_at(m).given <= mover_at(m).volume && !is_old(mover_at(m))) continue;
    limit_giver(m);
    cut_any = true;
  }
  cut_any = limit_direct() || cut_any;
  cuts_ = cuts_ || cut_any;
  if (cut_any) list_all(false, true);
  limit_takers(takers);
}

void Flow::limit_giver(std::int32_t m) {
  Mover& mover = mover_at(m);
  if (mover.given > mover.volume) {
    for (const std::int32_t w : ways_of(m)) {
      Way& way = way_at(w);
      if (way.moved == 0 || way.giver() != m) continue;
      cut(way, share_of(absolute(way.moved), mover.volume, mover.given));
    }
  }
  give_last_unit(m);
}

// A unit that cannot be divided goes to the lowest receiver, if a single one is lowest; on a peak
// between equals it stays, as in the mirror.
void Flow::give_last_unit(std::int32_t m) {
  if (!mover_at(m).wet) return;
  Way* best = nullptr;
  bool single = false;
  bool any = false;
  Level best_level = 0;
  for (const std::int32_t w : ways_of(m)) {
    Way& way = way_at(w);
    if (way.demands == 0 || (way.demands > 0) != (way.low == m)) continue;
    if (way.moved != 0) return;
    any = true;
    if (way.joint != Joint::kSpill) continue;
    const Level level = std::min(mover_at(way.other(m)).level, way.sill());
    const bool lower =
        best == nullptr || level < best_level || (level == best_level && way.sill() < best->sill());
    const bool equal = !lower && level == best_level && way.sill() == best->sill();
    if (lower) {
      best = &way;
      best_level = level;
    }
    single = lower || (single && !equal);
  }
  if (any && single) best->moved = best->demands;
}

// What spills from old bodies finds its place below the sill that it came over.
bool Flow::limit_direct() {
  const bool any = std::any_of(spills_.begin(), spills_.end(), [this](std::int32_t w) {
    return way_at(w).direct && way_at(w).moved != 0;
  });
  if (!any) return false;
  for (std::int32_t m = 0; m < mover_count(); ++m) {
    Units coming = 0;
    Level lowest = INT64_MAX;
    const auto comes = [&](const Way& way) {
      return way.direct && way.moved != 0 && way.taker() == m;
    };
    for (const std::int32_t w : ways_of(m)) {
      if (!comes(way_at(w))) continue;
      coming += absolute(way_at(w).moved);
      lowest = std::min(lowest, way_at(w).sill());
    }
    if (coming == 0 || run_at(m).swallows()) continue;
    const Run& run = run_at(m);
    Units room = lowest - run.base() - run.volume;
    for (const Fall& fall : run.falls) {
      if (Level{fall.y} * kFull < lowest) room -= fall.amount;
    }
    room = std::max<Units>(room, 0);
    if (coming <= room) continue;
    Units shared = 0;
    Units ways = 0;
    Units least_height = INT64_MAX;
    for (const std::int32_t w : ways_of(m)) {
      const Way& way = way_at(w);
      if (!comes(way)) continue;
      shared += share_of(absolute(way.moved), room, coming);
      ++ways;
      least_height = std::min(least_height, way.height);
    }
    // Room for fewer units than ways, of which none may come first: each brings one, and all stand
    // above the sill together. What they bring still ends lower than it was.
    const Units more = shared == 0 && room > 0 && least_height >= ways ? 1 : 0;
    for (const std::int32_t w : ways_of(m)) {
      Way& way = way_at(w);
      if (comes(way)) cut(way, share_of(absolute(way.moved), room, coming) + more);
    }
  }
  return true;
}

// A run that is sent more water than it has room for refuses the rest. Those who sent it keep that
// water, so they have less room themselves and may have to refuse some in turn: the next round
// looks at them. A round decides on all cuts before it makes any, so that the order of runs means
// nothing.
void Flow::limit_takers(std::vector<std::int32_t>& looked_at) {
  std::vector<Cut> cuts;
  while (!looked_at.empty()) {
    cuts.clear();
    for (const std::int32_t m : looked_at) {
      const Mover& mover = mover_at(m);
      const Units most = mover.room() + mover.given;
      if (mover.taken <= most) continue;
      for (const std::int32_t w : ways_of(m)) {
        const Way& way = way_at(w);
        if (way.moved == 0 || way.taker() != m) continue;
        cuts.push_back({w, share_of(absolute(way.moved), std::max<Units>(most, 0), mover.taken)});
      }
    }
    looked_at.clear();
    for (const Cut& one : cuts) {
      Way& way = way_at(one.way);
      const Units less = absolute(way.moved) - one.most;
      const std::int32_t giver = way.giver();
      mover_at(giver).given -= less;
      mover_at(way.taker()).taken -= less;
      cut(way, one.most);
      if (less > 0) looked_at.push_back(giver);
    }
    std::sort(looked_at.begin(), looked_at.end());
    looked_at.erase(std::unique(looked_at.begin(), looked_at.end()), looked_at.end());
  }
}

void Flow::pass_age(const Mover& giver, Mover& taker) const {
  const std::int32_t age =
      giver.body == kNone ? giver.age : bodies_[static_cast<std::size_t>(giver.body)].age;
  if (age > 0 && (taker.age == 0 || age < taker.age)) taker.age = age;
}

void tell(WaterMoves& moves, const Run& low, const Run& high, const Way& way) {
  const Run& from = way.moved > 0 ? low : high;
  const Run& to = way.moved > 0 ? high : low;
  const Units height = std::clamp<Units>(way.height, 1, way.opening());
  Units done = 0;
  for (std::int32_t y = cell_of(way.sill()); Level{y} * kFull < way.sill() + height; ++y) {
    const Units below = std::min<Units>(Level{y + 1} * kFull - way.sill(), height);
    const Units up_to = share_of(absolute(way.moved), below, height);
    moves.add({from.x, y, from.z}, {to.x, y, to.z}, static_cast<std::int32_t>(up_to - done));
    done = up_to;
  }
}

void Flow::transfer() {
  std::vector<Spilled> spilled;
  for (const std::int32_t w : spills_) spill(way_at(w), spilled);
  if (cuts_) look_at_flows();
  sum_up<Outcome>(
      [this](std::size_t from, std::size_t to, std::int32_t /*body*/) {
        Outcome outcome;
        for (std::size_t m = from; m < to; ++m) {
          Mover& mover = movers_[m];
          if ((mover.given | mover.taken) != 0 || mover.air > 0) transfer(mover);
          outcome.add(mover);
        }
        return outcome;
      },
      [](Body& body, const Outcome& part) { body.outcome.add(part); });
  // What comes over equal sills is one stream: first they are added up.
  std::sort(spilled.begin(), spilled.end(), [](const Spilled& a, const Spilled& b) {
    return a.mover != b.mover ? a.mover < b.mover : a.cell < b.cell;
  });
  for (std::size_t i = 0; i < spilled.size();) {
    Spilled all = spilled[i];
    for (++i; i < spilled.size() && spilled[i].mover == all.mover && spilled[i].cell == all.cell;
         ++i) {
      all.units += spilled[i].units;
    }
    Mover& mover = mover_at(all.mover);
    Run& run = run_of(mover);
    run.volume = mover.volume;
    pour(run, all.cell, all.units);
    mover.volume = run.volume;
    mover.air = run.air;
    if (mover.body != kNone) body_at(mover.body).poured = true;
  }
}

// After a cut, once more.
void Flow::look_at_flows() {
  in_pieces(movers_.size(), [this](std::size_t from, std::size_t to, std::size_t /*piece*/) {
    for (std::size_t m = from; m < to; ++m) {
      Outcome outcome;
      add_flows(m, outcome);
      movers_[m].flowed = outcome.flows;
      movers_[m].fast = outcome.fast;
    }
  });
}

void Flow::transfer(Mover& mover) {
  mover.volume += mover.taken - mover.given;
  if (mover.air == 0) return;
  Run& run = run_of(mover);
  run.volume = mover.volume;
  run.absorb();
  mover.volume = run.volume;
  mover.air = run.air;
}

// What falls from the sill does not come to the taker's surface.
void Flow::spill(Way& way, std::vector<Spilled>& spilled) {
  if (way.moved == 0) {
    way.flow = 0;
    way.carry = 0;
    return;
  }
  Mover& giver = mover_at(way.giver());
  Mover& taker = mover_at(way.taker());
  if (giver.body != kNone) body_at(giver.body).busy = true;
  if (taker.body != kNone) {
    body_at(taker.body).busy = true;
    body_at(taker.body).fed = true;
  }
  pass_age(giver, taker);
  if (way.direct || way.sill() - taker.level <= kFull || run_of(taker).drain) return;
  taker.taken -= absolute(way.moved);
  spilled.push_back({way.taker(), cell_of(way.sill()), absolute(way.moved)});
}

}  // namespace sluice::sim::hydro
