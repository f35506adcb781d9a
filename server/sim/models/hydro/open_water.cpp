// The tick of open water, in four loops: heads and conductances, flows, volumes; and when all else
// of the tick is done, cells and state.
#include "server/sim/models/hydro/open_water.h"

#include <algorithm>

#include "server/sim/models/hydro/flows.h"

namespace sluice::sim::hydro {

namespace {

/// Of a body's runs (Run::slot).
std::int32_t slot_of(std::size_t body) {
  return kNone - 1 - static_cast<std::int32_t>(body);
}

End end_of(const OpenRun& run) {
  return {run.level, run.base, run.lead};
}

}  // namespace

void OpenWater::clear() {
  bodies_.clear();
  run_count_ = 0;
  changed_ = true;
}

void OpenWater::begin(Executor& executor, const WaterSizes& sizes) {
  changed_ = changed_ || sizes.piece_bits != sizes_.piece_bits;
  if (sizes.open_ticks != sizes_.open_ticks || patience_ == 0) patience_ = sizes.open_ticks;
  executor_ = &executor;
  sizes_ = sizes;
}

void OpenWater::take(OpenBody body) {
  std::size_t number = 0;
  while (number < bodies_.size() && bodies_[number] != nullptr) ++number;
  if (number == bodies_.size()) bodies_.emplace_back();
  body.number = number;
  for (const OpenRun& run : body.runs) columns_.run(run.id).slot = slot_of(number);
  run_count_ += static_cast<std::int64_t>(body.runs.size());
  bodies_[number] = std::make_unique<OpenBody>(std::move(body));
  changed_ = true;
}

void OpenWater::give_back(const Run& run, std::vector<std::int32_t>& returned) {
  give_back(static_cast<std::size_t>(kNone - 1 - run.slot), returned);
}

// Runs that the ground lost are not its own any more, though others may have their numbers.
void OpenWater::give_back(std::size_t number, std::vector<std::int32_t>& returned) {
  const std::unique_ptr<OpenBody> body = std::move(bodies_[number]);
  const std::int32_t slot = slot_of(number);
  for (const OpenRun& open : body->runs) {
    Run& run = columns_.run(open.id);
    if (!run.alive || run.slot != slot) continue;
    run.slot = kNone;
    returned.push_back(open.id);
  }
  run_count_ -= static_cast<std::int64_t>(body->runs.size());
  constexpr std::int64_t kMostPatience = 64;
  const std::int64_t longer = std::min(2 * patience_, kMostPatience * sizes_.open_ticks);
  patience_ = body->ticks < patience_ ? longer : sizes_.open_ticks;
  changed_ = true;
}

// Whether nothing but its own waves moves it in the tick that begins.
bool OpenWater::begins(OpenBody& body) const {
  for (const auto& [block, version] : body.blocks) {
    if (block->shape_version != version) return false;
  }
  if (!body.flows && body.highest - body.lowest <= 1) return false;
  ++body.age;
  ++body.ticks;
  body.head_shift = head_shift_of(body.highest - body.lowest);
  return body.age <= most_age(body, solid_);
}

void OpenWater::advance(std::vector<std::int32_t>& returned) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i] != nullptr && !begins(*bodies_[i])) give_back(i, returned);
  }
  if (empty()) return;
  if (changed_) list_pieces();
  in_pieces([this](Piece& piece) { measure(piece); });
  in_pieces([](Piece& piece) {
    std::vector<OpenRun>& runs = piece.body->runs;
    for (const std::int32_t w : piece.apart) {
      const Way& way = piece.body->ways[static_cast<std::size_t>(w)];
      runs[static_cast<std::size_t>(way.high)].lead += way.lead();
    }
  });
  for (std::size_t i = 0; i < pieces_.size();) {
    OpenBody& body = *pieces_[i].body;
    Quotients quotients = body.places;
    for (; i < pieces_.size() && pieces_[i].body == &body; ++i) quotients.add(pieces_[i].quotients);
    body.target_friction = target_friction(quotients);
  }
  in_pieces([this](Piece& piece) { move(piece); });
  in_pieces([](Piece& piece) {
    std::vector<OpenRun>& runs = piece.body->runs;
    for (const std::int32_t w : piece.apart) {
      const Way& way = piece.body->ways[static_cast<std::size_t>(w)];
      OpenRun& high = runs[static_cast<std::size_t>(way.high)];
      (way.moved > 0 ? high.taken : high.given) += absolute(way.moved);
    }
  });
  in_pieces([this](Piece& piece) { fill(piece); });
  for (std::size_t i = 0; i < pieces_.size();) {
    OpenBody& body = *pieces_[i].body;
    Result all;
    for (; i < pieces_.size() && pieces_[i].body == &body; ++i) all.add(pieces_[i].result);
    body.lowest = all.lowest;
    body.highest = all.highest;
    body.flows = all.flows;
    if (!all.goes_on()) give_back(body.number, returned);
  }
}

void OpenWater::Result::add(const Result& other) {
  lowest = std::min(lowest, other.lowest);
  highest = std::max(highest, other.highest);
  flows = flows || other.flows;
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
    OpenRun& low = body.runs[m];
    sums.of_head.add((low.level - body.lowest) >> body.head_shift);
    for (std::int32_t w = body.first_way[m]; w < body.first_way[m + 1]; ++w) {
      Way& way = body.ways[static_cast<std::size_t>(w)];
      OpenRun& high = body.runs[static_cast<std::size_t>(way.high)];
      way.height = std::min(std::max(low.level, high.level) - way.sill(), way.opening());
      way.conductance = static_cast<std::int32_t>(conductance_of(way.height, most));
      (way.along_z ? sums.of_z : sums.of_x).links += way.conductance;
      sums.of_head.links += head_across(way, low.level - high.level, body.head_shift);
      const Q16 lead = way.lead();
      low.lead -= lead;
      if (piece.has(way.high)) high.lead += lead;
    }
  }
  piece.quotients = sums;
}

void OpenWater::move(Piece& piece) const {
  OpenBody& body = *piece.body;
  Braking known;
  bool flows = false;
  bool fast = false;
  for (std::size_t m = piece.from; m < piece.to; ++m) {
    OpenRun& low = body.runs[m];
    for (std::int32_t w = body.first_way[m]; w < body.first_way[m + 1]; ++w) {
      Way& way = body.ways[static_cast<std::size_t>(w)];
      OpenRun& high = body.runs[static_cast<std::size_t>(way.high)];
      if (low.friction != known.low_friction || high.friction != known.high_friction) {
        known.low_friction = low.friction;
        known.high_friction = high.friction;
        known.friction = (friction_towards(body.target_friction, low.friction) +
                          friction_towards(body.target_friction, high.friction)) /
                         2;
      }
      const End low_end = end_of(low);
      const End high_end = end_of(high);
      find_push(low_end, high_end, way, known);
      set_flow(low_end, high_end, way, flow_by_levels(low_end, high_end, way));
      const Units up = std::max<Units>(way.moved, 0);
      const Units down = up - way.moved;
      low.given += up;
      low.taken += down;
      flows |= (way.flow | way.carry) != 0;
      fast |= way.fast();
      if (!piece.has(way.high)) continue;
      high.given += down;
      high.taken += up;
    }
  }
  piece.result = {};
  piece.result.flows = flows;
  piece.result.fast = fast;
}

void OpenWater::fill(Piece& piece) const {
  OpenBody& body = *piece.body;
  Result result = piece.result;
  std::int32_t before = -1;
  std::int32_t after = 0;
  for (std::size_t m = piece.from; m < piece.to; ++m) {
    OpenRun& run = body.runs[m];
    const bool can_give = run.given <= run.level - run.base;
    run.level += run.taken - run.given;
    result.fits &= can_give && run.least < run.level && run.level <= run.most;
    result.moved |= run.given > 0;
    result.lowest = std::min(result.lowest, run.level);
    result.highest = std::max(result.highest, run.level);
    if (run.friction != before) {
      before = run.friction;
      after = friction_towards(body.target_friction, before);
    }
    run.friction = after;
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
    const HydroRunState state = {0, open.friction, body.age};
    if (!columns_.store_in_place(run, state, written.left.heads_changed)) {
      written.runs.emplace_back(open.id, state);
    }
    written.left.show(columns_, open.id, true);
  }
  const auto from = static_cast<std::size_t>(body.first_way[stretch.from]);
  const auto to = static_cast<std::size_t>(body.first_way[stretch.to]);
  for (std::size_t w = from; w < to; ++w) {
    const Way& way = body.ways[w];
    const HydroLinkState state = {way.flow, way.carry};
    if (!columns_.store_in_place(body.links[w], way.along_z, state)) {
      written.links.emplace_back(body.links[w], state);
    }
  }
}

void OpenWater::finish(WaterMoves* moves, Left& left) {
  if (empty()) return;
  if (changed_) list_pieces();
  std::vector<Written> parts(stretch_ends_.size());
  executor_->run(parts.size(), [&](std::size_t part) {
    Written& written = parts[part];
    const std::size_t from = part == 0 ? 0 : stretch_ends_[part - 1];
    for (std::size_t i = from; i < stretch_ends_[part]; ++i) {
      write(stretches_[i], written);
    }
  });
  for (const Written& written : parts) {
    left.add(written.left);
    for (const auto& [run, state] : written.runs) columns_.store_run(run, state);
    for (const auto& [link, state] : written.links) columns_.store_link(link, state);
  }
  if (moves == nullptr) return;
  for (const std::unique_ptr<OpenBody>& body : bodies_) {
    if (body == nullptr) continue;
    for (std::size_t w = 0; w < body->ways.size(); ++w) {
      const Way& way = body->ways[w];
      if (way.moved == 0) continue;
      const Link& link = columns_.link(body->links[w]);
      tell(*moves, columns_.run(link.low), columns_.run(link.high), way);
    }
  }
}

// Pieces of equal numbers of runs; what is written to cells goes by ground, since all that stands
// over one chunk's ground is for one worker alone.
void OpenWater::list_pieces() {
  changed_ = false;
  pieces_.clear();
  stretches_.clear();
  for (const std::unique_ptr<OpenBody>& body : bodies_) {
    if (body == nullptr) continue;
    const std::size_t first = pieces_.size();
    for (std::size_t from = 0; from < body->runs.size(); from += sizes_.piece()) {
      Piece piece;
      piece.body = body.get();
      piece.from = from;
      piece.to = std::min(body->runs.size(), from + sizes_.piece());
      pieces_.push_back(std::move(piece));
    }
    for (std::size_t w = 0; w < body->ways.size(); ++w) {
      const Way& way = body->ways[w];
      const std::size_t low = static_cast<std::size_t>(way.low) >> sizes_.piece_bits;
      const std::size_t high = static_cast<std::size_t>(way.high) >> sizes_.piece_bits;
      if (low != high) pieces_[first + high].apart.push_back(static_cast<std::int32_t>(w));
    }
    for (std::size_t from = 0, to = 0; from < body->runs.size(); from = to) {
      const std::size_t block = block_of(body->runs[from]);
      while (to < body->runs.size() && block_of(body->runs[to]) == block) ++to;
      stretches_.push_back({body.get(), block, from, to});
    }
  }
  std::sort(stretches_.begin(), stretches_.end(),
            [](const Stretch& a, const Stretch& b) { return a.block < b.block; });
  stretch_ends_.clear();
  std::size_t runs = 0;
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    runs += stretches_[i].to - stretches_[i].from;
    const bool last = i + 1 == stretches_.size();
    if (!last && (stretches_[i].block == stretches_[i + 1].block || runs < sizes_.piece() / 4)) {
      continue;
    }
    stretch_ends_.push_back(i + 1);
    runs = 0;
  }
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

}  // namespace sluice::sim::hydro
