// What a tick leaves: state, cells, and what is to be looked at in the next one.
#include <algorithm>
#include <numeric>

#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

namespace {

template <class T>
void append(const std::vector<T>& more, std::vector<T>& list) {
  list.insert(list.end(), more.begin(), more.end());
}

/// Whether parts of it may come to rest while the others go on.
bool settles(const Body& body) {
  return body.fed && !body.still && !body.rests;
}

}  // namespace

void Left::add(const Left& other) {
  drained += other.drained;
  heads_changed = heads_changed || other.heads_changed;
  append(other.awake, awake);
  append(other.falling, falling);
  append(other.changed, changed);
  append(other.kept_awake, kept_awake);
  append(other.waiting, waiting);
  append(other.others, others);
  append(other.unmet, unmet);
  append(other.perched, perched);
  append(other.resting, resting);
}

Left Flow::finish() {
  find_settled();
  in_pieces(ways_.size(), [this](std::size_t from, std::size_t to, std::size_t piece) {
    finish_ways(from, to, listed_[piece]);
  });
  for (const std::vector<std::int32_t>& piece : listed_) {
    for (const std::int32_t w : piece) {
      const HydroLinkState state = {way_at(w).flow, way_at(w).carry};
      columns_.store_link(links_[static_cast<std::size_t>(w)], state);
    }
  }
  Left all;
  if (ground_ends_.size() == 1) {
    finish_movers(by_ground_, all);
  } else {
    std::vector<Left> parts(ground_ends_.size());
    executor_->run(parts.size(), [&](std::size_t piece) {
      const std::size_t from = piece == 0 ? 0 : ground_ends_[piece - 1];
      const std::span<const std::int32_t> movers(by_ground_);
      finish_movers(movers.subspan(from, ground_ends_[piece] - from), parts[piece]);
    });
    for (const Left& part : parts) all.add(part);
  }
  for (const std::int32_t m : all.others) {
    const Mover& mover = mover_at(m);
    columns_.store_run(mover.id, {mover.pressure, mover.friction, mover.age});
  }
  list_perched(all);
  unlike_ = static_cast<std::int64_t>(all.awake.size()) < spread_count_ / 2 ||
            movers_.size() > gathered_ + gathered_ / 4;
  open_.finish(moves_, all);
  if (hand_over()) {
    std::erase_if(all.awake, [this](std::int32_t id) { return columns_.run(id).in_open_water(); });
  }
  return all;
}

// Free water of a body that is fed elsewhere, which lies as flat as what is beside it, and through
// whose links next to nothing flows. Any other body comes to rest as a whole.
bool Flow::is_settled(std::size_t m) const {
  const Mover& mover = movers_[m];
  if (mover.body == kNone || mover.full || mover.air > 0 || mover.volume == 0) return false;
  if ((mover.given | mover.taken) != 0) return false;
  const Body& body = bodies_[static_cast<std::size_t>(mover.body)];
  if (!settles(body)) return false;
  const Level level = mover.level_of(mover.volume);
  for (const std::int32_t w : ways_of(static_cast<std::int32_t>(m))) {
    const Way& way = ways_[static_cast<std::size_t>(w)];
    if (way.joint == Joint::kClosed) continue;
    if (way.joint == Joint::kSpill || absolute(way.flow) >= kIdleFlow) return false;
    const Mover& other = movers_[static_cast<std::size_t>(way.other(static_cast<std::int32_t>(m)))];
    if (other.full || absolute(level - other.level_of(other.volume)) > kCalm) return false;
  }
  return true;
}

// Of a body that rests: whether it would be one again, were it looked at. What such water joins is
// to know of it, as it would after a restore.
bool Flow::is_perched(std::int32_t m) const {
  const Mover& mover = movers_[static_cast<std::size_t>(m)];
  if (mover.body == kNone) return false;
  return std::ranges::any_of(ways_of(m), [this](std::int32_t w) {
    const Way& way = ways_[static_cast<std::size_t>(w)];
    const Mover& low = movers_[static_cast<std::size_t>(way.low)];
    const Mover& high = movers_[static_cast<std::size_t>(way.high)];
    if (way.joint != Joint::kContact || low.full || high.full) return way.joint == Joint::kSpill;
    return absolute(low.level_of(low.volume) - high.level_of(high.volume)) > kCalm;
  });
}

// When all movers have been finished: it looks at others, which a worker may be writing until then.
void Flow::list_perched(Left& left) {
  in_pieces(left.resting.size(), [&](std::size_t from, std::size_t to, std::size_t piece) {
    for (std::size_t i = from; i < to; ++i) {
      const std::int32_t m = left.resting[i];
      if (is_perched(m)) listed_[piece].push_back(mover_at(m).id);
    }
  });
  for (const std::vector<std::int32_t>& piece : listed_) append(piece, left.perched);
}

// Mostly nothing is fed: then no mover is looked at, unless some settled in the last tick.
void Flow::find_settled() {
  const bool any = std::ranges::any_of(bodies_, settles);
  if (!any && !any_settled_) return;
  any_settled_ = any;
  in_pieces(movers_.size(), [this](std::size_t from, std::size_t to, std::size_t /*piece*/) {
    for (std::size_t m = from; m < to; ++m) movers_[m].settled = is_settled(m);
  });
}

// Lists those whose state is to be stored where there was none, or the other way round.
void Flow::finish_ways(std::size_t from, std::size_t to, std::vector<std::int32_t>& others) {
  const auto wet = [](const Mover& mover) { return mover.volume > 0 && !mover.swallows; };
  for (std::size_t w = from; w < to; ++w) {
    Way& way = ways_[w];
    if (!way.open()) continue;
    const Mover& low = mover_at(way.low);
    const Mover& high = mover_at(way.high);
    // Between two dry runs nothing flows; and what lies beside no water need not be known.
    if ((!wet(low) && !wet(high)) || low.settled || high.settled) {
      way.flow = 0;
      way.carry = 0;
    }
    const bool stored = columns_.store_in_place(links_[w], way.along_z, {way.flow, way.carry});
    if (!stored) others.push_back(static_cast<std::int32_t>(w));
  }
}

Units Flow::drain(Run& run) {
  Units drained = 0;
  if (run.swallows()) {
    drained += run.volume;
    run.volume = 0;
  }
  if (run.open_top && run.volume + run.air > run.capacity()) {
    const Units over = run.volume + run.air - run.capacity();
    drained += over;
    run.volume -= over;
  }
  return drained;
}

void Flow::finish_movers(std::span<const std::int32_t> movers, Left& left) {
  left.awake.resize(movers.size());
  std::size_t awake = 0;
  for (const std::int32_t m : movers) {
    Mover& mover = mover_at(m);
    if (!mover.spread) continue;
    Run& run = run_of(mover);
    run.volume = mover.volume;
    if (mover.swallows || mover.open_top) left.drained += drain(run);
    mover.volume = run.volume;
    const bool wet = run.wet();
    const bool rests = mover.body == kNone ? !wet || !mover.moves : body_at(mover.body).rests;
    const bool moves = !rests && !mover.settled && wet;
    const bool asks = wet && mover.body != kNone && body_at(mover.body).asks;
    const bool stays = !rests || asks;
    if (!moves) mover.friction = 0;
    if (!moves || !mover.full) mover.pressure = 0;
    if (!moves && run.air == 0) mover.age = 0;
    if (!columns_.store_in_place(run, {mover.pressure, mover.friction, mover.age},
                                 left.heads_changed)) {
      left.others.push_back(m);
    }
    if (stays) left.awake[awake++] = mover.id;
    if (!stays) left.resting.push_back(m);
    if (mover.air > 0) left.falling.push_back(mover.id);
    if (!run.met && (wet || mover.air > 0)) left.unmet.push_back(mover.id);
    left.show(columns_, mover.id, stays);
  }
  left.awake.resize(awake);
}

// Movers sorted by ground, cut where a piece has enough of them.
void Flow::list_columns() {
  by_ground_.clear();
  ground_ends_.clear();
  if (movers_.size() <= sizes_.piece()) {
    by_ground_.resize(movers_.size());
    std::iota(by_ground_.begin(), by_ground_.end(), 0);
    ground_ends_.push_back(movers_.size());
    return;
  }
  std::vector<std::size_t> ends(columns_.block_count() + 1, 0);
  for (const Mover& mover : movers_) ++ends[run_of(mover).block->number + 1];
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const std::size_t from = ground_ends_.empty() ? 0 : ground_ends_.back();
    const bool last = i + 1 == ends.size();
    if (ends[i] - from >= sizes_.piece() / 4 || (last && ends[i] > from))
      ground_ends_.push_back(ends[i]);
  }
  by_ground_.resize(movers_.size());
  for (std::int32_t m = 0; m < mover_count(); ++m) {
    by_ground_[ends[run_at(m).block->number]++] = m;
  }
}

}  // namespace sluice::sim::hydro
