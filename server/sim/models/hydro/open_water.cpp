// The tick of open water, in three loops: heads and conductances, flows, volumes; and when all else
// of the tick is done, cells and state.
#include "server/sim/models/hydro/open_water.h"

#include <algorithm>

#include "server/sim/models/hydro/flows.h"

namespace sluice::sim::hydro {

namespace {

End end_of(const OpenRun& run) {
  return {run.level, run.base, run.lead};
}

/// As if all had been added relative to the middle of the body, from its first to its last column.
Quotient around_the_middle(const Quotient& sums, std::int64_t middle) {
  Quotient moved = sums;
  moved.sum -= sums.count * middle;
  moved.squares += middle * (sums.count * middle - 2 * sums.sum);
  return moved;
}

}  // namespace

void OpenWater::begin(Executor& executor, const WaterSizes& sizes) {
  changed_ = changed_ || sizes.piece_bits != sizes_.piece_bits;
  if (sizes.open_ticks != sizes_.open_ticks || patience_ == 0) patience_ = sizes.open_ticks;
  executor_ = &executor;
  sizes_ = sizes;
}

// Whether nothing but its own waves moves it in the tick that begins, as far as that is known
// before they do. Where they are over, nothing will move (Result::goes_on).
bool OpenWater::begins(OpenBody& body) {
  if (!grow(body)) return false;
  ++body.age;
  ++body.ticks;
  body.head_shift = head_shift_of(body.highest - body.lowest);
  return body.age <= most_age(body, solid_);
}

void OpenWater::advance(std::vector<std::int32_t>& returned) {
  // Numbers of links that are gone go to others: all bodies that had them go before others grow.
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const auto is_as_it_was = [](const auto& block) {
      return block.first->shape_version == block.second;
    };
    if (bodies_[i] == nullptr || std::ranges::all_of(bodies_[i]->blocks, is_as_it_was)) continue;
    dissolve(i, returned);
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i] != nullptr && !begins(*bodies_[i])) dissolve(i, returned);
  }
  if (empty()) return;
  list_pieces();
  in_pieces([this](Piece& piece) { measure(piece); });
  for_each_apart([](const Way& way, OpenRun& high) { high.lead += way.lead(); });
  in_tails([this](Piece& piece) { measure(piece); });
  find_frictions();
  in_pieces([this](Piece& piece) { move(piece); });
  for_each_apart([](const Way& way, OpenRun& high) {
    (way.moved > 0 ? high.taken : high.given) += absolute(way.moved);
  });
  in_tails([this](Piece& piece) { move(piece); });
  in_pieces([this](Piece& piece) { fill(piece); });
  in_tails([this](Piece& piece) { fill(piece); });
  sum_up(returned);
}

void OpenWater::find_frictions() {
  for_each_body([](OpenBody& body) {
    body.quotients.of_x =
        around_the_middle(body.places.of_x, body.x_from + body.x_to - body.origin_x);
    body.quotients.of_z =
        around_the_middle(body.places.of_z, body.z_from + body.z_to - body.origin_z);
    body.quotients.of_head = {};
  });
  for (const std::vector<Piece>* const list : {&pieces_, &tails_}) {
    for (const Piece& piece : *list) piece.body->quotients.add(piece.quotients);
  }
  for_each_body([](OpenBody& body) { body.target_friction = target_friction(body.quotients); });
}

void OpenWater::sum_up(std::vector<std::int32_t>& returned) {
  std::vector<Result> results(bodies_.size());
  for (std::vector<Piece>* const list : {&pieces_, &tails_}) {
    for (Piece& piece : *list) {
      results[piece.body->number].add(piece.result);
      std::vector<std::int32_t>& to_spread = piece.body->to_spread;
      to_spread.insert(to_spread.end(), piece.to_spread.begin(), piece.to_spread.end());
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (bodies_[i] == nullptr) continue;
    OpenBody& body = *bodies_[i];
    body.lowest = results[i].lowest;
    body.highest = results[i].highest;
    if (!results[i].goes_on()) dissolve(i, returned);
  }
}

void OpenWater::Result::add(const Result& other) {
  lowest = std::min(lowest, other.lowest);
  highest = std::max(highest, other.highest);
  fast = fast || other.fast;
  moved = moved || other.moved;
  fits = fits && other.fits;
}

// Heights in openings, conductances, and what friction follows from.
void OpenWater::measure(Piece& piece) const {
  OpenBody& body = *piece.body;
  const Q16 most = most_conductance(solid_);
  Quotients sums;
  for (std::size_t m = piece.from; m < piece.to; ++m) {
    sums.of_head.add((body.runs[m].level - body.lowest) >> body.head_shift);
  }
  for (std::size_t w = piece.first_way; w < piece.end_way; ++w) {
    Way& way = body.ways[w];
    OpenRun& low = body.run_at(way.low);
    OpenRun& high = body.run_at(way.high);
    way.height = std::min(std::max(low.level, high.level) - way.sill(), way.opening());
    way.conductance = static_cast<std::int32_t>(conductance_of(way.height, most));
    (way.along_z ? sums.of_z : sums.of_x).links += way.conductance;
    sums.of_head.links += head_across(way, low.level - high.level, body.head_shift);
    const Q16 lead = way.lead();
    low.lead -= lead;
    if (piece.has(way.high)) high.lead += lead;
  }
  piece.quotients = sums;
}

void OpenWater::move(Piece& piece) const {
  OpenBody& body = *piece.body;
  Braking known;
  Result result;
  for (std::size_t w = piece.first_way; w < piece.end_way; ++w) {
    Way& way = body.ways[w];
    OpenRun& low = body.run_at(way.low);
    OpenRun& high = body.run_at(way.high);
    if (low.friction != known.low_friction || high.friction != known.high_friction) {
      known.low_friction = low.friction;
      known.high_friction = high.friction;
      known.friction = (friction_towards(body.target_friction, low.friction) +
                        friction_towards(body.target_friction, high.friction)) /
                       2;
      if (!body.edges.empty()) known.friction /= kRunsFree;
    }
    const End low_end = end_of(low);
    const End high_end = end_of(high);
    const Drive drive = drive_of<true>(low_end, high_end, way, known);
    set_flow(low_end, high_end, way, flow_by_levels(low_end, high_end, way, drive));
    const Units up = std::max<Units>(way.moved, 0);
    const Units down = up - way.moved;
    low.given += up;
    low.taken += down;
    result.fast |= way.fast();
    if (!piece.has(way.high)) continue;
    high.given += down;
    high.taken += up;
  }
  piece.result = result;
}

void OpenWater::fill(Piece& piece) const {
  OpenBody& body = *piece.body;
  Result result = piece.result;
  piece.to_spread.clear();
  std::int32_t before = -1;
  std::int32_t after = 0;
  for (std::size_t m = piece.from; m < piece.to; ++m) {
    OpenRun& run = body.runs[m];
    const bool was_wet = run.wet();
    const bool can_give = run.given <= run.level - run.base;
    run.level += run.taken - run.given;
    result.fits &= can_give && run.least < run.level;
    result.moved |= run.given > 0;
    result.lowest = std::min(result.lowest, run.level);
    result.highest = std::max(result.highest, run.level);
    if (run.level > run.most || was_wet != run.wet()) {
      // Beyond its ceiling it takes less than was to come.
      result.fits &= run.level <= columns_.run(run.id).top();
      piece.to_spread.push_back(static_cast<std::int32_t>(m));
    }
    if (run.friction != before) {
      before = run.friction;
      after = friction_towards(body.target_friction, before);
    }
    run.friction = run.wet() ? after : 0;
    run.lead = 0;
    run.given = 0;
    run.taken = 0;
  }
  piece.result = result;
}

void OpenWater::write(const Stretch& stretch, Written& written) {
  const OpenBody& body = *stretch.body;
  for (std::size_t m = stretch.from; m < stretch.to; ++m) {
    const OpenRun& open = body.runs[m];
    Run& run = columns_.run(open.id);
    run.volume = open.level - open.base;
    const HydroRunState state = {0, open.friction, open.wet() ? body.age : 0};
    if (!columns_.store_in_place(run, state, written.left.heads_changed)) {
      written.runs.emplace_back(open.id, state);
    }
    if (!run.met && open.wet()) written.left.unmet.push_back(open.id);
    written.left.show(columns_, open.id, true);
  }
  for (std::size_t w = stretch.first_way; w < stretch.end_way; ++w) {
    const Way& way = body.ways[w];
    const HydroLinkState state = {way.flow, way.carry};
    if (!columns_.store_in_place(body.links[w], way.along_z, state)) {
      written.links.emplace_back(body.links[w], state);
    }
  }
}

void OpenWater::store(const Written& written, Left& left) {
  left.add(written.left);
  for (const auto& [run, state] : written.runs) columns_.store_run(run, state);
  for (const auto& [link, state] : written.links) columns_.store_link(link, state);
}

void OpenWater::finish(WaterMoves* moves, Left& left) {
  if (empty()) return;
  list_pieces();
  std::vector<Written> parts(stretch_ends_.size());
  executor_->run(parts.size(), [&](std::size_t part) {
    const std::size_t from = part == 0 ? 0 : stretch_ends_[part - 1];
    for (std::size_t i = from; i < stretch_ends_[part]; ++i) write(stretches_[i], parts[part]);
  });
  for (const Written& written : parts) store(written, left);
  Written written;
  in_tails([&](const Piece& tail) {
    write({tail.body, 0, tail.from, tail.to, tail.first_way, tail.end_way}, written);
  });
  store(written, left);
  if (moves == nullptr) return;
  for_each_body([&](const OpenBody& body) {
    for (std::size_t w = 0; w < body.ways.size(); ++w) {
      const Way& way = body.ways[w];
      if (way.moved == 0) continue;
      const Link& link = columns_.link(body.links[w]);
      tell(*moves, columns_.run(link.low), columns_.run(link.high), way);
    }
  });
}

// Sorted runs in pieces of equal numbers, and by ground, since all that stands over one chunk's
// ground is written by one worker alone. Tails are short, and worked on by one.
void OpenWater::list_pieces() {
  tails_.clear();
  for_each_body([this](OpenBody& body) {
    if (body.sorted_runs() == body.runs.size() && body.sorted_ways() == body.ways.size()) return;
    tails_.push_back(piece_of(body, body.sorted_runs(), body.runs.size()));
    tails_.back().first_way = body.sorted_ways();
    tails_.back().end_way = body.ways.size();
    tails_.back().is_tail = true;
  });
  if (!std::exchange(changed_, false)) return;
  pieces_.clear();
  stretches_.clear();
  for_each_body([this](OpenBody& body) {
    const std::size_t count = body.sorted_runs();
    const std::size_t first = pieces_.size();
    for (std::size_t from = 0; from < count; from += sizes_.piece()) {
      pieces_.push_back(piece_of(body, from, std::min(count, from + sizes_.piece())));
    }
    for (std::size_t w = 0; w < body.sorted_ways(); ++w) {
      const Way& way = body.ways[w];
      const std::size_t low = static_cast<std::size_t>(way.low) >> sizes_.piece_bits;
      const std::size_t high = static_cast<std::size_t>(way.high) >> sizes_.piece_bits;
      if (low != high) pieces_[first + high].apart.push_back(static_cast<std::int32_t>(w));
    }
    for (std::size_t from = 0, to = 0; from < count; from = to) {
      const auto block = [&](std::size_t m) { return columns_.run(body.runs[m].id).block->number; };
      while (to < count && block(to) == block(from)) ++to;
      stretches_.push_back(
          {&body, block(from), from, to, way_from(body, from), way_from(body, to)});
    }
  });
  std::sort(stretches_.begin(), stretches_.end(),
            [](const Stretch& a, const Stretch& b) { return a.block < b.block; });
  stretch_ends_.clear();
  std::size_t runs = 0;
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    runs += stretches_[i].to - stretches_[i].from;
    const bool last = i + 1 == stretches_.size();
    const bool enough = runs >= sizes_.piece() / 4;
    if (!last && (!enough || stretches_[i].block == stretches_[i + 1].block)) continue;
    stretch_ends_.push_back(i + 1);
    runs = 0;
  }
}

OpenWater::Piece OpenWater::piece_of(OpenBody& body, std::size_t from, std::size_t to) {
  Piece piece;
  piece.body = &body;
  piece.from = from;
  piece.to = to;
  piece.first_way = way_from(body, from);
  piece.end_way = way_from(body, std::min(to, body.sorted_runs()));
  return piece;
}

// One piece after the other where they are few runs in all: to lend them out takes longer.
template <class F>
void OpenWater::in_pieces(F&& f) {
  if (static_cast<std::size_t>(run_count_) <= sizes_.piece()) {
    for (Piece& piece : pieces_) f(piece);
    return;
  }
  executor_->run(pieces_.size(), [&](std::size_t i) { f(pieces_[i]); });
}

template <class F>
void OpenWater::for_each_apart(F&& f) {
  in_pieces([&f](Piece& piece) {
    for (const std::int32_t w : piece.apart) {
      const Way& way = piece.body->ways[static_cast<std::size_t>(w)];
      f(way, piece.body->run_at(way.high));
    }
  });
}

template <class F>
void OpenWater::in_tails(F&& f) {
  for (Piece& tail : tails_) f(tail);
}

template <class F>
void OpenWater::for_each_body(F&& f) {
  for (const std::unique_ptr<OpenBody>& body : bodies_) {
    if (body != nullptr) f(*body);
  }
}

}  // namespace sluice::sim::hydro
