// What the cells of a column say: which chunks are stored there, where its runs begin and end, and
// what water they hold.
#include <algorithm>

#include "server/sim/models/hydro/columns.h"
#include "server/sim/models/hydro/fall.h"

namespace sluice::sim::hydro {

void Columns::list_chunks(Block& block) {
  block.listed_repair = repair_;
  if (block.listed_version == repair_version_) return;
  block.listed_version = repair_version_;
  block.chunks.clear();
  grid_->for_each_in_column(block.x, block.z, [&block](Chunk& chunk) {
    if (chunk.world_cells > 0) block.chunks.push_back({chunk.coord.y, &chunk});
  });
}

std::size_t Columns::first_from(const std::vector<Block::StoredChunk>& chunks, std::int32_t y) {
  const auto found = std::lower_bound(
      chunks.begin(), chunks.end(), y,
      [](const Block::StoredChunk& chunk, std::int32_t at) { return chunk.y < at; });
  return static_cast<std::size_t>(found - chunks.begin());
}

std::int32_t Columns::next_stored(Block& block, std::int32_t y) {
  if (chunk_in(block, y) != nullptr) return y;
  const std::vector<Block::StoredChunk>& chunks = chunks_of(block);
  const std::size_t next = first_from(chunks, y >> shape_.log_y);
  return next < chunks.size() ? chunks[next].y << shape_.log_y : world_.size.y;
}

bool Columns::find_chunk(Block& block, std::int32_t chunk_y) {
  block.last = first_from(block.chunks, chunk_y);
  return block.last < block.chunks.size() && block.chunks[block.last].y == chunk_y;
}

std::vector<Columns::Interval> Columns::intervals_of(Block& block, Place place) {
  std::vector<Interval> intervals;
  bool open = false;
  const auto turn = [&](std::int32_t y, bool to_open) {
    if (to_open && !open) intervals.push_back({y, y});
    if (!to_open && open) intervals.back().ceiling = y;
    open = to_open;
  };
  std::int32_t known_to = 0;  // what is not stored is air
  for (const Block::StoredChunk& stored : chunks_of(block)) {
    const Chunk* const chunk = stored.chunk;
    const std::int32_t from = stored.y << shape_.log_y;
    const std::int32_t end = std::min(from + shape_.height(), world_.size.y);
    if (known_to < from) turn(known_to, true);
    known_to = end;
    ++steps_;
    if (chunk->cells.is_shared()) {
      turn(from, is_open(chunk->cells[0]));
      continue;
    }
    for (std::int32_t y = from; y < end; ++y) {
      const Vec3 at = {place.first, y, place.second};
      turn(y, is_open(chunk->cells[static_cast<std::size_t>(shape_.index_of(at))]));
    }
    steps_ += end - from;
  }
  if (known_to < world_.size.y) turn(known_to, true);
  turn(world_.size.y, false);
  return intervals;
}

// As a world that nothing is known about shows itself.
void Columns::read_settled(Run& run) {
  bool settled = !run.open_bottom;
  std::int32_t next = run.floor;
  for_each_wet_cell(run, [&](std::int32_t y, Cell amount) {
    amount = std::min(amount, kFull);  // more there is only where a fault put it
    settled = settled && y == next;
    if (settled) {
      run.volume += amount;
      settled = amount == kFull;
      ++next;
    } else {
      run.falls.push_back({y, amount, 0});
      run.air += amount;
      run.shown_falls.push_back(y);
    }
  });
  run.shown = run.volume;
  run.shows_falls = !run.shown_falls.empty();
}

// Of `amount` units in that cell, those that springs and ports gave.
Units Columns::jet_in(Vec3 at, Units amount, Units before) const {
  const auto jet = jets_.find(at);
  return jet == jets_.end() ? 0 : std::clamp<Units>(amount - before, 0, jet->second);
}

// After something from outside changed its cells. A gap of one cell closes at once, over a larger
// one water falls; what fell already goes on falling, and shares its momentum with what comes to
// it. What a spring or a port gives begins like a spill: given at rest it gathered in its cell for
// ticks and fell in lumps.
void Columns::read_changed(Run& run, const std::vector<Fall>& before) {
  run.volume = 0;
  run.air = 0;
  run.falls.clear();
  run.shown_falls.clear();
  bool settled = !run.open_bottom;
  std::int32_t next = run.floor;
  std::vector<Fall> jets;
  auto known = before.begin();
  for_each_wet_cell(run, [&](std::int32_t y, Cell amount) {
    amount = std::min(amount, kFull);
    while (known != before.end() && known->y < y) ++known;
    const bool fell = known != before.end() && known->y == y;
    settled = settled && !fell && y - next < 2;
    if (settled) {
      run.volume += amount;
    } else {
      const Fall old = fell ? *known : Fall{y};
      const auto jet = static_cast<std::int32_t>(jet_in({run.x, y, run.z}, amount, old.amount));
      if (jet > 0) jets.push_back({y, jet});
      const std::int32_t rest = amount - jet;
      if (rest > 0) {
        const std::int64_t momentum = std::int64_t{std::min(old.amount, rest)} * old.speed;
        run.falls.push_back({y, rest, static_cast<std::int32_t>(momentum / rest)});
        run.air += rest;
      }
    }
    next = y + 1;
  });
  run.shown = Units{next - run.floor} * kFull;
  run.shows_holes = true;
  run.shows_falls = false;
  run.absorb();
  Units near = 0;
  for (const Fall& jet : jets) {
    if (jet.y > run.surface_cell() + kNearJet) {
      pour(run, jet.y, jet.amount);
    } else {
      near += jet.amount;
    }
  }
  run.volume += near;
  run.absorb();
  // Where nothing falls, nothing would take it back (fall.cpp).
  run.has_near_jet = near > 0 && run.air > 0;
}

}  // namespace sluice::sim::hydro
