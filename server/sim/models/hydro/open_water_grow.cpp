// What open water is made of: bodies that are taken, runs at rest that waves come to, and all of it
// given back.
#include <algorithm>
#include <numeric>

#include "server/sim/models/hydro/flows.h"
#include "server/sim/models/hydro/open_water.h"

namespace sluice::sim::hydro {

namespace {

/// What a link is to open water (Link::slot): one of its ways, or an edge.
constexpr std::int32_t kOpenWay = -2;
constexpr std::int32_t kOpenEdge = -3;

/// Up to which a run is far from full.
Level most_level(const Run& run) {
  return run.open_top ? run.top() : run.top() - kNear;
}

}  // namespace

void OpenWater::clear() {
  bodies_.clear();
  places_.clear();
  free_places_.clear();
  run_count_ = 0;
  lakes_.note_open_water(false);
  changed_ = true;
}

bool OpenWater::take(const Offered& offered) {
  lakes_.note_open_water(true);
  std::size_t number = 0;
  while (number < bodies_.size() && bodies_[number] != nullptr) ++number;
  if (number == bodies_.size()) bodies_.emplace_back();
  bodies_[number] = std::make_unique<OpenBody>(number, solid_);
  OpenBody& body = *bodies_[number];
  body.age = offered.age;
  const Run& first = columns_.run(offered.runs.front());
  body.origin_x = 2 * std::int64_t{first.x};
  body.origin_z = 2 * std::int64_t{first.z};
  bool fits = true;
  for (const std::int32_t id : offered.runs) fits = fits && join(body, id);
  if (!fits || !grow(body)) {
    std::vector<std::int32_t> left_alone;
    dissolve(number, left_alone);
    return false;
  }
  sort(body);
  return true;
}

// A run that nothing else moves. Its links are looked at by grow().
bool OpenWater::join(OpenBody& body, std::int32_t id) {
  Run& run = columns_.run(id);
  if (run.slot != kNone || run.air > 0 || (run.wet() && !run.met)) return false;
  const HydroRunState state = columns_.state_of(run);
  if (state.age != 0 && state.age != body.age) return false;
  const std::int32_t number = body.add_run(run, id, state);
  if (free_places_.empty()) {
    free_places_.push_back(static_cast<std::int32_t>(places_.size()));
    places_.emplace_back();
  }
  const std::int32_t place = free_places_.back();
  free_places_.pop_back();
  run.slot = kNone - 1 - place;
  place_of(run) = {&body, number};
  body.taken_places.push_back(place);
  body.to_spread.push_back(number);
  body.places.of_x.add(2 * std::int64_t{run.x} - body.origin_x);
  if (solid_) body.places.of_z.add(2 * std::int64_t{run.z} - body.origin_z);
  if (body.blocks.empty() || body.blocks.back().first != run.block) {
    body.blocks.emplace_back(run.block, run.block->shape_version);
  }
  ++run_count_;
  // Of what moves, and of what lies beside it, nothing is kept.
  lakes_.forget(id);
  for (const std::int32_t link : run.links) lakes_.forget(columns_.link(link).other(id));
  return true;
}

// What the waves have come to joins. False where anything else is to happen.
bool OpenWater::grow(OpenBody& body) {
  for (const OpenBody::Edge edge : body.edges) {
    if (!spread_over(body, edge.run, edge.link)) return false;
  }
  for (std::size_t i = 0; i < body.to_spread.size(); ++i) {
    if (!spread(body, body.to_spread[i])) return false;
  }
  body.to_spread.clear();
  std::erase_if(body.edges, [this](const OpenBody::Edge& edge) {
    return columns_.link(edge.link).slot != kOpenEdge;
  });
  const std::size_t tail = body.run_count() - body.sorted_runs;
  if (tail > sizes_.open_tail + body.sorted_runs / 16) sort(body);
  return true;
}

bool OpenWater::spread(OpenBody& body, std::int32_t number) {
  const Run& run = columns_.run(body.id_of(number));
  const auto m = static_cast<std::size_t>(number);
  const Level level = body.runs.level[m];
  if (level > most_level(run)) return false;
  body.runs.most[m] = most_level(run);
  if (level > run.base()) body.runs.least[m] = std::max(body.runs.least[m], run.base());
  for (const std::int32_t link : run.links) {
    if (!spread_over(body, number, link)) return false;
  }
  return true;
}

bool OpenWater::spread_over(OpenBody& body, std::int32_t number, std::int32_t id) {
  const Link& link = columns_.link(id);
  if (link.slot == kOpenWay) return true;
  const std::int32_t other_id = link.other(body.id_of(number));
  const Run& other = columns_.run(other_id);
  if (other.full()) return false;
  const bool is_own = other.in_open_water() && place_of(other).body == &body;
  const bool moves = other.in_open_water() || columns_.state_of(other).age > 0;
  const Joint joint = joint_of(id, moves);
  if (joint == Joint::kClosed) {
    columns_.link(id).slot = kNone;
    Level& most = body.runs.most[static_cast<std::size_t>(number)];
    most = std::min(most, link.sill());
    return columns_.state_of_link(id).nothing();
  }
  if (joint == Joint::kSpill) return false;
  if (joint == Joint::kStill) {
    if (other.in_open_water()) return false;
    if (link.slot != kOpenEdge) body.edges.push_back({number, id});
    columns_.link(id).slot = kOpenEdge;
    return true;
  }
  return is_own ? add_way(body, id) : join(body, other_id);
}

// As Flow::measure() finds it.
Joint OpenWater::joint_of(std::int32_t id, bool both_move) {
  const Link& link = columns_.link(id);
  const Level low = columns_.run(link.low).contact();
  const Level high = columns_.run(link.high).contact();
  if (std::max(low, high) <= link.sill()) return Joint::kClosed;
  if (std::min(low, high) < link.sill()) return Joint::kSpill;
  const bool calm = absolute(low - high) <= kCalm && columns_.state_of_link(id).nothing();
  return calm && !both_move ? Joint::kStill : Joint::kContact;
}

// Of so many contacts the conductances never add up to more than a run has.
bool OpenWater::add_way(OpenBody& body, std::int32_t id) {
  Link& link = columns_.link(id);
  link.slot = kOpenWay;
  static_assert(2 * kMostConductance <= kMostConductanceOfRun);
  return body.add_way(place_of(columns_.run(link.low)).run, place_of(columns_.run(link.high)).run,
                      link, id, columns_.state_of_link(id));
}

// By blocks, and in a block as they were made: as they lie in memory.
void OpenWater::sort(OpenBody& body) {
  const std::size_t count = body.run_count();
  const auto block_of = [this](std::int32_t id) { return columns_.run(id).block->number; };
  std::vector<std::int32_t> next(columns_.block_count() + 1, 0);
  for (const std::int32_t id : body.runs.id) ++next[block_of(id) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::int32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t place = next[block_of(body.runs.id[i])]++;
    order[static_cast<std::size_t>(place)] = static_cast<std::int32_t>(i);
  }
  auto from = order.begin();
  for (const std::int32_t end : next) {
    const auto to = std::max(from, order.begin() + end);
    std::sort(from, to,
              [&body](std::int32_t a, std::int32_t b) { return body.id_of(a) < body.id_of(b); });
    from = to;
  }
  body.sort(order);
  for (std::size_t i = 0; i < count; ++i) {
    place_of(columns_.run(body.runs.id[i])).run = static_cast<std::int32_t>(i);
  }
  std::ranges::sort(body.blocks, {}, [](const auto& block) { return block.first->number; });
  body.blocks.erase(std::unique(body.blocks.begin(), body.blocks.end()), body.blocks.end());
  changed_ = true;
}

void OpenWater::give_back(const Run& run, std::vector<std::int32_t>& returned) {
  dissolve(place_of(run).body->number, returned);
}

// Runs and links that the ground lost are not its own any more, though others may have their
// numbers.
void OpenWater::dissolve(std::size_t number, std::vector<std::int32_t>& returned) {
  const std::unique_ptr<OpenBody> body = std::move(bodies_[number]);
  for (const std::int32_t id : body->runs.id) {
    Run& run = columns_.run(id);
    if (!run.alive || !run.in_open_water() || place_of(run).body != body.get()) continue;
    run.slot = kNone;
    returned.push_back(id);
  }
  free_places_.insert(free_places_.end(), body->taken_places.begin(), body->taken_places.end());
  const auto release = [this](std::int32_t id) {
    Link& link = columns_.link(id);
    if (link.slot < kNone) link.slot = kNone;
  };
  for (std::size_t w = 1; w < body->way_count(); ++w) release(body->ways.link[w]);
  for (const OpenBody::Edge& edge : body->edges) release(edge.link);
  run_count_ -= static_cast<std::int64_t>(body->run_count());
  constexpr std::int64_t kMostPatience = 64;
  const std::int64_t longer = std::min(2 * patience_, kMostPatience * sizes_.open_ticks);
  patience_ = body->ticks < patience_ ? longer : sizes_.open_ticks;
  lakes_.note_open_water(!empty());
  changed_ = true;
}

}  // namespace sluice::sim::hydro
