// Steps 2 and 3: heads, openings, bodies; what there is of them is kept from tick to tick.
#include <algorithm>
#include <utility>

#include "server/sim/models/hydro/flow.h"

namespace sluice::sim::hydro {

namespace {

/// Whether nothing goes through a contact, since not both of its runs move. A full run passes on at
/// once what moves beside it.
bool calm(const Mover& low, const Mover& high, const Way& way) {
  if ((way.flow | way.carry) != 0) return false;
  if (low.full || high.full) return !low.moves && !high.moves;
  return absolute(low.level - high.level) <= kCalm;
}

/// Whether one of its runs, of which not both move, is to move or to be looked at.
bool wakes(const Mover& low, const Mover& high, Joint joint) {
  if (joint != Joint::kStill) return joint != Joint::kClosed;
  return low.moves != high.moves && !(low.spread && high.spread);
}

}  // namespace

Flow::Flow(Columns& columns, const WorldConfig& config)
    : columns_(columns), size_(config.size), solid_(!config.side_view()) {}

void Flow::clear() {
  movers_.clear();
  places_.clear();
  ways_.clear();
  links_.clear();
  bodies_.clear();
  members_.clear();
  spills_.clear();
  to_spread_.clear();
  ties_.clear();
  apart_.clear();
  sorted_ways_ = 0;
  first_way_.assign(1, 0);
  spread_count_ = 0;
  changed_movers_ = true;
  changed_ways_ = true;
  changed_bodies_ = true;
}

void Flow::restart() {
  clear();
  asked_.clear();
  lakes_.clear();
  open_.clear();
}

void Flow::forget() {
  for (const Way& way : ways_) {
    if (way.joint != Joint::kStill) continue;
    for (const std::int32_t end : {way.low, way.high}) asked_.push_back(mover_at(end).id);
  }
  for (const Mover& mover : movers_) columns_.run(mover.id).slot = kNone;
  for (const std::int32_t link : links_) columns_.link(link).slot = kNone;
  clear();
}

// What was one body is several now. Those of them that go on moving are to be known to those that
// rest.
void Flow::untie() {
  for (const auto& [one, other] : ties_) {
    if (mover_at(one).body == kNone || body_at(mover_at(one).body).asks_anew) continue;
    body_at(mover_at(one).body).asks_anew = true;
    for (const std::int32_t m : movers_of(body_at(mover_at(one).body))) {
      asked_.push_back(mover_at(m).id);
    }
  }
  changed_bodies_ = changed_bodies_ || !ties_.empty();
  ties_.clear();
}

void Flow::gather(std::span<const std::int32_t> seeds, std::size_t known) {
  untie();
  if (unlike_ || seeds.empty() || columns_.shape_version() != shape_version_) forget();
  returned_.clear();
  open_.advance(returned_);
  // Movers of the last tick are movers still.
  bool done = !movers_.empty() && gather_bodies(seeds.subspan(known));
  if (!done) {
    // In the order in which the columns were made, as they lie in memory.
    std::vector<std::int32_t> sorted(seeds.begin(), seeds.end());
    std::sort(sorted.begin(), sorted.end());
    for (; !done; done = gather_bodies(sorted)) forget();
    gathered_ = movers_.size();
  }
  asked_.clear();
  if (std::exchange(changed_movers_, false)) list_columns();
  look_at_bodies();
}

bool Flow::gather_bodies(std::span<const std::int32_t> seeds) {
  ties_.clear();
  lakes_.forget_movers();
  if (!gather_all(seeds)) return false;
  list_bodies();
  if (!enlarge_quiet_parts()) return false;
  list_bodies();
  return true;
}

// False when columns came to be meanwhile: with other links than were listed.
bool Flow::gather_all(std::span<const std::int32_t> seeds) {
  shape_version_ = columns_.shape_version();
  late_.clear();
  seeded_ = 0;
  for (const std::int32_t id : seeds) seed(id);
  seed_returned();
  if (!look_at_runs()) return false;
  look_at_openings();
  return spread_all() && look_at_lakes(0);
}

void Flow::seed(std::int32_t id) {
  if (!columns_.run(id).alive) return;
  const std::int32_t mover = add_mover(id);
  mover_at(mover).stale = true;
  if (mover_at(mover).spread) return;
  look_at_states(mover_at(mover));
  to_spread_.push_back(mover);
  asked_.push_back(id);
}

// What open water gave back in this tick, so far.
void Flow::seed_returned() {
  for (; seeded_ < returned_.size(); ++seeded_) seed(returned_[seeded_]);
}

bool Flow::spread_all() {
  for (seed_returned(); !to_spread_.empty(); seed_returned()) {
    const std::int32_t mover = to_spread_.back();
    to_spread_.pop_back();
    spread(mover);
    if (columns_.shape_version() != shape_version_) return false;
  }
  return true;
}

void Flow::take_up_flow(std::int32_t link) {
  // Where the ground has another shape all is gathered anew, and slots mean nothing.
  if (columns_.shape_version() != shape_version_) return;
  const std::int32_t slot = columns_.link(link).slot;
  if (slot > kNone) way_at(slot).flow = columns_.state_of_link(link).flow;
}

std::int32_t Flow::add_mover(std::int32_t id) {
  Run& run = columns_.run(id);
  if (run.in_open_water()) open_.give_back(run, returned_);
  if (run.slot != kNone) return run.slot;
  run.slot = mover_count();
  lakes_.forget(id);
  Mover mover;
  mover.id = id;
  look_at_states(mover);
  mover.base = run.base();
  mover.top = run.top();
  mover.swallows = run.swallows();
  mover.open_top = run.open_top;
  read(mover);
  look_at(mover);
  movers_.push_back(mover);
  places_.emplace_back(run.x, run.z);
  changed_movers_ = true;
  changed_ways_ = true;
  changed_bodies_ = true;
  return run.slot;
}

void Flow::look_at_states(Mover& mover) {
  const HydroRunState state = columns_.state_of(columns_.run(mover.id));
  mover.pressure = state.pressure;
  mover.friction = state.friction;
  mover.age = state.age;
}

// Lists its links as ways, the runs behind them as fringe. Ways that were still may be so no more.
void Flow::spread(std::int32_t slot) {
  const std::int32_t id = mover_at(slot).id;
  if (!mover_at(slot).spread) {
    mover_at(slot).spread = true;
    look_at_states(mover_at(slot));  // water that falls grows older without a mover
    ++spread_count_;
    if (mover_at(slot).wet) columns_.meet_neighbours(id);
  }
  for (const std::int32_t link_id : columns_.run(id).links) {
    Link& link = columns_.link(link_id);
    if (link.slot > kNone) {
      if (way_at(link.slot).joint != Joint::kStill) continue;
      take_joint(link.slot, measure(way_at(link.slot)));
      if (way_at(link.slot).open()) late_.push_back(link.slot);
      continue;
    }
    link.slot = static_cast<std::int32_t>(ways_.size());
    const HydroLinkState moving = columns_.state_of_link(link_id);
    Way way;
    way.along_z = link.along_z;
    way.sill_cell = link.sill_cell;
    way.top_cell = link.top_cell;
    way.flow = moving.flow;
    way.carry = moving.carry;
    way.low = add_mover(link.low);
    way.high = add_mover(link.high);
    ways_.push_back(way);
    links_.push_back(link_id);
    changed_ways_ = true;
    take_joint(link.slot, measure(ways_.back()));
    if (way_at(link.slot).open()) late_.push_back(link.slot);
  }
}

void Flow::read(Mover& mover) {
  const Run& run = columns_.run(mover.id);
  mover.volume = run.volume;
  mover.air = run.air;
  mover.event = run.event;
  mover.stale = false;
}

void Flow::look_at(Mover& mover) {
  const Units volume = mover.volume;
  mover.level = mover.level_of(volume);
  mover.wet = volume > 0 && !mover.swallows;
  const bool closed = !mover.swallows && !mover.open_top;
  mover.full = closed && volume >= mover.capacity() - kSlack;
  mover.near = closed && mover.air == 0 && volume > mover.capacity() - kNear;
  mover.contact = mover.full ? std::max(mover.level, mover.top) : mover.level;
  mover.falls = mover.air > 0;
  mover.takes = volume < mover.capacity() || mover.open_top;
  mover.lead = 0;
  mover.conductance = 0;
  mover.given = 0;
  mover.taken = 0;
  mover.forced = false;
  mover.stirs = mover.stirs_itself();
  mover.moves = mover.stirs;
  mover.flows = false;
  mover.flowed = false;
  mover.fast = false;
}

// False when a run that became wet met new columns.
bool Flow::look_at_runs() {
  in_pieces(movers_.size(), [this](std::size_t from, std::size_t to, std::size_t piece) {
    for (std::size_t m = from; m < to; ++m) {
      Mover& mover = movers_[m];
      const bool was_wet = mover.wet;
      // Any other run holds what it did when the last tick ended.
      if (mover.stale || mover.air > 0) read(mover);
      look_at(mover);
      const bool same = mover.moves == (mover.body != kNone) || !(mover.wet || mover.moves);
      if (mover.wet != was_wet || !same) listed_[piece].push_back(static_cast<std::int32_t>(m));
    }
  });
  for (const std::vector<std::int32_t>& piece : listed_) {
    for (const std::int32_t m : piece) {
      changed_bodies_ = true;
      asked_.push_back(mover_at(m).id);
      if (mover_at(m).wet && mover_at(m).spread) columns_.meet_neighbours(mover_at(m).id);
    }
  }
  return columns_.shape_version() == shape_version_;
}

inline Joint Flow::measure(const Mover& low, const Mover& high, Way& way) const {
  const Level sill = way.sill();
  way.height = std::min(std::max(low.contact, high.contact) - sill, way.opening());
  if (way.height <= 0) {
    way.conductance = 0;
    return Joint::kClosed;
  }
  const bool contact = std::min(low.contact, high.contact) >= sill;
  if (contact && !(low.moves && high.moves) && calm(low, high, way)) {
    way.conductance = 0;
    return Joint::kStill;
  }
  const Q16 most = most_conductance(solid_);
  way.conductance = static_cast<std::int32_t>(conductance_of(way.height, most));
  return contact ? Joint::kContact : Joint::kSpill;
}

Joint Flow::measure(Way& way) {
  return measure(mover_at(way.low), mover_at(way.high), way);
}

void Flow::look_at_openings() {
  // Movers that came just now have no ways yet.
  in_pieces(first_way_.size() / 2, [this](std::size_t from, std::size_t to, std::size_t piece) {
    for (std::size_t m = from; m < to; ++m) {
      Mover& low = movers_[m];
      for (const std::int32_t w : ways_up(m)) {
        Way& way = way_at(w);
        Mover& high = mover_at(way.high);
        way.fixed = false;
        way.direct = false;
        const Joint joint = measure(low, high, way);
        if (joint == way.joint && ((low.moves && high.moves) || !wakes(low, high, joint))) {
          add_to_sums(way, low, high);
        } else {
          listed_[piece].push_back(w);
        }
      }
    }
  });
  // It grows no more while these are taken.
  for (const std::vector<std::int32_t>& piece : listed_) {
    for (const std::int32_t w : piece) {
      take_joint(w, measure(way_at(w)));
      if (way_at(w).open()) late_.push_back(w);
    }
  }
}

void Flow::take_joint(std::int32_t w, Joint joint) {
  Way& way = way_at(w);
  if (joint != way.joint) {
    changed_bodies_ = true;
    // Dry ground that it joined may have water at rest on its other side.
    if (way.joint == Joint::kStill || joint == Joint::kClosed) {
      for (const std::int32_t end : {way.low, way.high}) asked_.push_back(mover_at(end).id);
    }
  }
  way.joint = joint;
  Mover& low = mover_at(way.low);
  Mover& high = mover_at(way.high);
  if (joint == Joint::kStill) {
    // Whether something else wakes what rests here is to be known.
    if (low.moves && !high.spread) to_spread_.push_back(way.high);
    if (high.moves && !low.spread) to_spread_.push_back(way.low);
    return;
  }
  if (joint == Joint::kClosed) {
    if (way.flow != 0 || way.carry != 0)
      columns_.store_link(links_[static_cast<std::size_t>(w)], {});
    way.flow = 0;
    way.carry = 0;
    return;
  }
  if (joint == Joint::kSpill) {
    const bool from_low = low.contact > high.contact;
    Mover& taker = from_low ? high : low;
    taker.stirs = taker.stirs || (from_low ? low : high).stirs_itself();
  }
  for (const std::int32_t end : {way.low, way.high}) activate(end);
}

// What it brings to ways that were still is looked at with all else that is to be spread.
void Flow::activate(std::int32_t m) {
  Mover& mover = mover_at(m);
  if (mover.moves && mover.spread) return;
  if (!mover.moves) {
    asked_.push_back(mover.id);
    if (mover.wet && mover.body == kNone) changed_bodies_ = true;
  }
  mover.moves = true;
  to_spread_.push_back(m);
}

}  // namespace sluice::sim::hydro
