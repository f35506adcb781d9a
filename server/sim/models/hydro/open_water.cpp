// The tick of open water, in three loops: heads and conductances, flows, volumes; and when all else
// of the tick is done, cells and state.
#include "server/sim/models/hydro/open_water.h"

#include <algorithm>
#include <array>
#include <span>

#include "server/sim/kernels.h"
#include "server/sim/models/hydro/flows.h"

namespace sluice::sim::hydro {

namespace {

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
  find_frictions();
  in_pieces([this](Piece& piece) { move(piece); });
  in_pieces([this](Piece& piece) { fill(piece); });
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
  for (const Piece& piece : pieces_) piece.body->quotients.add(piece.quotients);
  for_each_body([](OpenBody& body) { body.target_friction = target_friction(body.quotients); });
}

void OpenWater::sum_up(std::vector<std::int32_t>& returned) {
  std::vector<Result> results(bodies_.size());
  for (const Piece& piece : pieces_) {
    results[piece.body->number].add(piece.result);
    std::vector<std::int32_t>& to_spread = piece.body->to_spread;
    to_spread.insert(to_spread.end(), piece.to_spread.begin(), piece.to_spread.end());
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

// What friction follows from.
void OpenWater::measure(Piece& piece) const {
  const HydroKernels& kernels = sim::kernels().hydro;
  const OpenTick tick = piece.body->tick(solid_);
  Quotients sums;
  kernels.measure_runs(tick, piece.from, piece.to, sums.of_head);
  for_each_kind(piece, [&](std::size_t kind, std::size_t from, std::size_t to) {
    // Those of the tail are along both axes.
    const std::size_t step = kind == OpenBody::kKinds ? 1 : to - from;
    for (; from < to; from += step) {
      const OpenSums some = kernels.measure_ways(tick, from, from + step);
      Quotient& of_axis = piece.body->ways.along_z[from] != 0 ? sums.of_z : sums.of_x;
      of_axis.links += some.conductances;
      sums.of_head.links += some.heads;
    }
  });
  piece.quotients = sums;
}

void OpenWater::move(Piece& piece) const {
  const HydroKernels& kernels = sim::kernels().hydro;
  const OpenTick tick = piece.body->tick(solid_);
  piece.result = {};
  for_each_kind(piece, [&](std::size_t kind, std::size_t from, std::size_t to) {
    const auto moved_by = piece.body->moves_evenly(kind) ? kernels.move_even : kernels.move;
    piece.result.fast |= moved_by(tick, from, to);
  });
}

void OpenWater::fill(Piece& piece) const {
  const OpenTick tick = piece.body->tick(solid_);
  std::array<std::int32_t, 256> outside;
  piece.to_spread.clear();
  for (std::size_t from = piece.from; from < piece.to; from += outside.size()) {
    const std::size_t to = std::min(piece.to, from + outside.size());
    const OpenOutcome outcome = sim::kernels().hydro.fill(tick, from, to, outside.data());
    piece.result.add({outcome.lowest, outcome.highest, false, outcome.moved, outcome.fits});
    for (std::size_t i = 0; i < outcome.outside; ++i) {
      // Beyond its ceiling it takes less than was to come.
      const std::int32_t run = outside[i];
      piece.result.fits &= tick.level[run] <= columns_.run(piece.body->id_of(run)).top();
      piece.to_spread.push_back(run);
    }
  }
}

void OpenWater::write_runs(const OpenBody& body, std::size_t from, std::size_t to,
                           Written& written) {
  const OpenBody::Runs& runs = body.runs;
  Left& left = written.left;
  Columns::LeftOfWaves left_of_them = {left.changed, left.kept_awake, left.unmet, {}, {}};
  columns_.write_waves({std::span(runs.id).subspan(from, to - from), runs.level.data() + from,
                        runs.friction.data() + from, body.age},
                       left_of_them);
  for (const std::size_t i : left_of_them.to_store) {
    const std::size_t m = from + i;
    const bool wet = runs.level[m] > runs.base[m];
    const HydroRunState state = {0, runs.friction[m], wet ? body.age : 0};
    if (!columns_.store_in_place(columns_.run(runs.id[m]), state, left.heads_changed)) {
      written.runs.emplace_back(runs.id[m], state);
    }
  }
  for (const std::size_t i : left_of_them.to_show) left.show(columns_, runs.id[from + i], true);
}

void OpenWater::write_ways(Piece& piece) {
  const OpenBody::Ways& ways = piece.body->ways;
  for (std::size_t w = piece.first_way; w < piece.end_way; ++w) {
    const HydroLinkState state = {ways.flow[w], ways.carry[w]};
    if (!columns_.store_in_place(ways.link[w], ways.along_z[w] != 0, state)) {
      piece.links.emplace_back(ways.link[w], state);
    }
  }
}

void OpenWater::store(const Written& written, Left& left) {
  left.add(written.left);
  for (const auto& [run, state] : written.runs) columns_.store_run(run, state);
}

void OpenWater::finish(WaterMoves* moves, Left& left) {
  if (empty()) return;
  if (moves != nullptr) tell_of_moves(*moves);
  list_pieces();
  in_pieces([this](Piece& piece) { write_ways(piece); });
  for (const Piece& piece : pieces_) {
    for (const auto& [link, state] : piece.links) columns_.store_link(link, state);
  }
  list_stretches();
  std::vector<Written> parts(stretch_ends_.size() + 1);
  executor_->run(stretch_ends_.size(), [&](std::size_t part) {
    for (std::size_t i = part == 0 ? 0 : stretch_ends_[part - 1]; i < stretch_ends_[part]; ++i) {
      write_runs(*stretches_[i].body, stretches_[i].from, stretches_[i].to, parts[part]);
    }
  });
  // Tails are short, and stand over ground that others stand on, too.
  for_each_body([&](const OpenBody& body) {
    for (std::size_t m = body.sorted_runs; m < body.run_count(); ++m) {
      write_runs(body, m, m + 1, parts.back());
    }
  });
  for (const Written& written : parts) store(written, left);
}

// Of runs that are still as the tick began.
void OpenWater::tell_of_moves(WaterMoves& moves) {
  for_each_body([&](const OpenBody& body) {
    for (std::size_t w = 1; w < body.way_count(); ++w) {
      Way way;
      way.moved = body.ways.moved[w];
      if (way.moved == 0) continue;
      const Link& link = columns_.link(body.ways.link[w]);
      const Run& low = columns_.run(link.low);
      const Run& high = columns_.run(link.high);
      way.sill_cell = link.sill_cell;
      way.top_cell = link.top_cell;
      way.height = std::min(std::max(low.level(), high.level()) - way.sill(), way.opening());
      tell(moves, low, high, way);
    }
  });
}

void OpenWater::list_pieces() {
  pieces_.clear();
  for_each_body([this](OpenBody& body) {
    const std::size_t count = (body.run_count() + sizes_.piece() - 1) / sizes_.piece();
    const std::size_t ways = body.way_count() - 1;
    for (std::size_t i = 0; i < count; ++i) {
      Piece& piece = pieces_.emplace_back();
      piece.body = &body;
      piece.from = i * sizes_.piece();
      piece.to = std::min(body.run_count(), piece.from + sizes_.piece());
      piece.first_way = 1 + ways * i / count;
      piece.end_way = 1 + ways * (i + 1) / count;
    }
  });
}

// Sorted runs by ground, since all that stands over one chunk's ground is written by one worker
// alone.
void OpenWater::list_stretches() {
  if (!std::exchange(changed_, false)) return;
  stretches_.clear();
  for_each_body([this](OpenBody& body) {
    for (std::size_t from = 0, to = 0; from < body.sorted_runs; from = to) {
      const auto block = [&](std::size_t m) { return columns_.run(body.runs.id[m]).block->number; };
      while (to < body.sorted_runs && block(to) == block(from)) ++to;
      stretches_.push_back({&body, block(from), from, to});
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
void OpenWater::for_each_body(F&& f) {
  for (const std::unique_ptr<OpenBody>& body : bodies_) {
    if (body != nullptr) f(*body);
  }
}

// f(kind, from, to) for its ways of each kind; those of the tail come last, as OpenBody::kKinds.
template <class F>
void OpenWater::for_each_kind(const Piece& piece, F&& f) {
  for (std::size_t from = piece.first_way; from < piece.end_way;) {
    const std::size_t kind = piece.body->kind_of(from);
    const bool is_tail = kind == OpenBody::kKinds;
    const std::size_t to =
        is_tail ? piece.end_way : std::min(piece.end_way, piece.body->kind_from[kind + 1]);
    f(kind, from, to);
    from = to;
  }
}

}  // namespace sluice::sim::hydro
