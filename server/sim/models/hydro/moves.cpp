// Steps 7 and 8: whole units move, as far as there is water and room.
#include <algorithm>

#include "server/sim/models/hydro/fall.h"
#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

namespace {

/// A flow cut by less than this keeps its momentum: it is rounding.
constexpr Units kSmallCut = 4;

}  // namespace

void Flow::move(std::span<const std::int32_t> landed) {
  for (const std::int32_t id : landed) {
    const std::int32_t mover = columns_.run(id).slot;
    if (mover != kNone && mover_at(mover).body != kNone) body_at(mover_at(mover).body).busy = true;
  }
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const Way& way = ways_[i];
    mover_at(way.low).inflow -= way.flow;
    mover_at(way.high).inflow += way.flow;
    mover_at(way.low).through += absolute(way.flow) >> 16;
    mover_at(way.high).through += absolute(way.flow) >> 16;
  }
  for (Mover& mover : movers_) {
    if (mover.through > 0) mover.margin = std::min(kMostMargin, 4 + mover.through / 64);
  }
  for (Body& body : bodies_) {
    if (!body.still) find_friction(body);
  }
  for (Way& way : ways_) {
    const bool from_low = mover_at(way.low).contact > mover_at(way.high).contact;
    const std::int32_t giver = mover_at(from_low ? way.low : way.high).body;
    const Body& body = body_at(giver);
    if (way.joint == Joint::kContact ? body.still || body.old() : body.old()) {
      way.fixed = true;
      way.flow = 0;
      way.carry = 0;
      way.direct = way.joint == Joint::kSpill;
    } else {
      find_push(way);
    }
  }
  find_pressures();
  for (Way& way : ways_) {
    if (!way.direct && !(way.fixed && way.flow == 0)) set_demand(way);
  }
  for (std::int32_t m = 0; m < static_cast<std::int32_t>(movers_.size()); ++m) set_demand_of_old(m);
  limit_givers();
  limit_direct();
  limit_takers();
  transfer();
}

void Flow::set_demand(Way& way) {
  Q16 flow = flow_of(way);
  const Q16 most = fastest(way, flow > 0);
  flow = std::clamp(flow, -most, most);
  way.flow = flow;
  const Q16 due = flow + way.carry;
  way.moved = due / kOne;
  way.carry = static_cast<std::int32_t>(due % kOne);
  if (way.joint == Joint::kSpill) {
    const bool from_low = mover_at(way.low).level > mover_at(way.high).level;
    const Units least = std::max<Units>(1, way.height / 32);
    if (from_low ? way.moved < least : way.moved > -least) {
      way.moved = from_low ? least : -least;
      way.carry = 0;
    }
  }
  way.demanded = way.moved;
}

// An old body spills over its lowest sill alone, and never more than what stands above it: what
// spills ends lower than it was.
void Flow::set_demand_of_old(std::int32_t m) {
  const Mover& mover = mover_at(m);
  if (mover.body == kNone || !body_at(mover.body).old()) return;
  Level lowest = INT64_MAX;
  std::int64_t ways = 0;
  const auto spills = [&](const Way& way) {
    return way.direct && mover.contact > mover_at(way.other(m)).contact;
  };
  for (const std::int32_t w : ways_of(m)) {
    if (!spills(way_at(w)) || way_at(w).sill > lowest) continue;
    ways = way_at(w).sill < lowest ? 1 : ways + 1;
    lowest = way_at(w).sill;
  }
  if (ways == 0) return;
  const Units height = mover.level - lowest;
  for (const std::int32_t w : ways_of(m)) {
    Way& way = way_at(w);
    if (!spills(way) || way.sill != lowest) continue;
    way.demanded = std::max<Units>(1, height / 8) * (way.low == m ? 1 : -1);
    // Fewer units than ways stay, but for the last unit of all (give_last_unit).
    way.moved = height >= ways ? way.demanded : 0;
  }
}

void Flow::cut(Way& way, Units most) const {
  const Units size = absolute(way.moved);
  way.moved = way.moved > 0 ? most : -most;
  if (size - most > kSmallCut && !way.direct) way.flow = way.moved * kOne;
  way.carry = 0;
}

void Flow::limit_givers() {
  for (Way& way : ways_) {
    if (way.moved != 0) mover_at(way.giver()).demanded += absolute(way.moved);
  }
  for (Way& way : ways_) {
    if (way.moved == 0) continue;
    const Mover& giver = mover_at(way.giver());
    const Units there = run_of(giver).volume;
    if (giver.demanded > there) cut(way, share_of(absolute(way.moved), there, giver.demanded));
  }
  for (std::int32_t m = 0; m < static_cast<std::int32_t>(movers_.size()); ++m) give_last_unit(m);
}

// A unit that cannot be divided goes to the lowest receiver, if a single one is lowest; on a peak
// between equals it stays, as in the mirror.
void Flow::give_last_unit(std::int32_t m) {
  if (!run_at(m).wet()) return;
  Way* best = nullptr;
  bool single = false;
  bool any = false;
  Level best_level = 0;
  for (const std::int32_t w : ways_of(m)) {
    Way& way = way_at(w);
    if (way.demanded == 0 || (way.demanded > 0) != (way.low == m)) continue;
    if (way.moved != 0) return;
    any = true;
    if (way.joint != Joint::kSpill) continue;
    const Level level = std::min(mover_at(way.other(m)).level, way.sill);
    const bool lower =
        best == nullptr || level < best_level || (level == best_level && way.sill < best->sill);
    const bool equal = !lower && level == best_level && way.sill == best->sill;
    if (lower) {
      best = &way;
      best_level = level;
    }
    single = lower || (single && !equal);
  }
  if (any && single) best->moved = best->demanded > 0 ? 1 : -1;
}

// What spills from old bodies finds its place below the sill that it came over.
void Flow::limit_direct() {
  for (std::int32_t m = 0; m < static_cast<std::int32_t>(movers_.size()); ++m) {
    Units coming = 0;
    Level lowest = INT64_MAX;
    const auto comes = [&](const Way& way) {
      return way.direct && way.moved != 0 && way.taker() == m;
    };
    for (const std::int32_t w : ways_of(m)) {
      if (!comes(way_at(w))) continue;
      coming += absolute(way_at(w).moved);
      lowest = std::min(lowest, way_at(w).sill);
    }
    if (coming == 0 || run_at(m).swallows()) continue;
    const Run& run = run_at(m);
    Units room = lowest - run.base() - run.volume;
    for (const Fall& fall : run.falls) {
      if (Level{fall.y} * kFull < lowest) room -= fall.amount;
    }
    room = std::max<Units>(room, 0);
    if (coming <= room) continue;
    for (const std::int32_t w : ways_of(m)) {
      Way& way = way_at(w);
      if (comes(way)) cut(way, share_of(absolute(way.moved), room, coming));
    }
  }
}

// In rounds, each of which looks at all runs before it changes any flow: what one cannot take, the
// one before it cannot give, and has so much less room.
void Flow::limit_takers() {
  std::vector<std::int32_t> looked_at;
  for (Way& way : ways_) {
    if (way.moved == 0) continue;
    mover_at(way.giver()).given += absolute(way.moved);
    Mover& taker = mover_at(way.taker());
    if (taker.taken == 0) looked_at.push_back(way.taker());
    taker.taken += absolute(way.moved);
  }
  const auto room = [this](const Mover& mover) {
    const Run& run = run_of(mover);
    if (run.swallows() || run.open_top) return INT64_MAX;
    return run.room() + mover.given;
  };
  struct Cut {
    std::int32_t way;
    Units most;
  };
  std::vector<Cut> cuts;
  while (!looked_at.empty()) {
    cuts.clear();
    for (const std::int32_t m : looked_at) {
      const Mover& mover = mover_at(m);
      const Units most = room(mover);
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

// Evenly over the height of the water in the opening.
void Flow::tell(const Way& way) {
  const Run& from = run_of(mover_at(way.giver()));
  const Run& to = run_of(mover_at(way.taker()));
  const Units height = std::clamp<Units>(way.height, 1, way.opening);
  Units done = 0;
  for (std::int32_t y = cell_of(way.sill); Level{y} * kFull < way.sill + height; ++y) {
    const Units below = std::min<Units>(Level{y + 1} * kFull - way.sill, height);
    const Units up_to = share_of(absolute(way.moved), below, height);
    moves_->add({from.x, y, from.z}, {to.x, y, to.z}, static_cast<std::int32_t>(up_to - done));
    done = up_to;
  }
}

void Flow::transfer() {
  struct Spilled {
    std::int32_t mover;
    std::int32_t cell;
    Units units;
  };
  std::vector<Spilled> spilled;
  for (Mover& mover : movers_) {
    // All of a body are as old as the body, but for what is still in the air over a still one.
    if (mover.body == kNone) continue;
    if (!body_at(mover.body).still) mover.age = body_at(mover.body).age;
  }
  for (Way& way : ways_) {
    if (way.joint == Joint::kSpill && way.moved == 0) {
      way.flow = 0;
      way.carry = 0;
    }
    if (way.moved == 0) continue;
    const Units units = absolute(way.moved);
    if (moves_ != nullptr) tell(way);
    Mover& giver = mover_at(way.giver());
    Mover& taker = mover_at(way.taker());
    run_of(giver).volume -= units;
    if (giver.body != kNone) body_at(giver.body).moved = true;
    if (way.joint == Joint::kSpill) {
      if (giver.body != kNone) body_at(giver.body).busy = true;
      if (taker.body != kNone) body_at(taker.body).busy = true;
      pass_age(giver, taker);
    }
    const bool falls = way.joint == Joint::kSpill && !way.direct &&
                       way.sill - taker.level > kFull && !run_of(taker).drain;
    if (falls) {
      spilled.push_back({way.taker(), cell_of(way.sill), units});
    } else {
      run_of(taker).volume += units;
    }
  }
  for (const Way& way : ways_) {
    if (way.moved != 0) run_of(mover_at(way.taker())).absorb();
  }
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
    pour(run_at(all.mover), all.cell, all.units);
  }
}

}  // namespace sluice::sim::hydro
