// Cells that show what runs hold.
#include <algorithm>

#include "server/sim/models/hydro/columns.h"

namespace sluice::sim::hydro {

void Columns::show(Run& run) {
  std::vector<Chunk*> changed;
  while (!show(run, changed)) {
    // Of the cells that it shows, each may be the one.
    const auto make = [&](std::int32_t y) {
      if (chunk_in(*run.block, y) != nullptr) return;
      Chunk& made = grid_->obtain(shape_.chunk_of({run.x, y, run.z}));
      std::vector<Block::StoredChunk>& chunks = chunks_of(*run.block);
      const auto place = static_cast<std::ptrdiff_t>(first_from(chunks, made.coord.y));
      chunks.insert(chunks.begin() + place, {made.coord.y, &made});
    };
    const std::int32_t end = run.floor + cell_of(run.volume + kFull - 1);
    for (std::int32_t y = run.floor; y < end; y += shape_.height()) make(y);
    if (run.volume > 0) make(end - 1);
    for (const Fall& fall : run.falls) make(fall.y);
  }
  note_shown(changed);
}

void Columns::note_shown(std::span<Chunk* const> changed) {
  for (Chunk* const chunk : changed) {
    grid_->note_change(*chunk, kChangedInside, {chunk->stale_slabs, all_segments(shape_)});
  }
}

bool Columns::show(Run& run, std::vector<Chunk*>& changed) {
  if (run.drain) return true;
  Block& block = *run.block;
  const auto show_settled = [&](std::int32_t y) {
    const Units below = Units{y - run.floor} * kFull;
    const auto cell = static_cast<Cell>(std::clamp<Units>(run.volume - below, 0, kFull));
    return set_cell(block, {run.x, y, run.z}, cell, changed);
  };
  if (run.shown != run.volume || run.shows_holes) {
    const Units from = run.shows_holes ? 0 : std::min(run.shown, run.volume);
    const Units to = std::max(run.shown, run.volume);
    const std::int32_t end = run.floor + cell_of(to + kFull - 1);
    const std::int32_t settled_end = run.floor + cell_of(run.volume + kFull - 1);
    for (std::int32_t y = run.floor + cell_of(from); y < end; ++y) {
      // Above what is settled, cells become air: most of them are, and not stored.
      if (y >= settled_end) y = next_stored(block, y);
      if (y < end && !show_settled(y)) return false;
    }
  }
  for (const std::int32_t y : run.shown_falls) {
    if (!show_settled(y)) return false;
  }
  for (const Fall& fall : run.falls) {
    if (!set_cell(block, {run.x, fall.y, run.z}, fall.amount, changed)) return false;
  }
  if (!run.shown_falls.empty() || !run.falls.empty()) {
    run.shown_falls.clear();
    for (const Fall& fall : run.falls) run.shown_falls.push_back(fall.y);
  }
  run.shows_falls = !run.shown_falls.empty();
  run.shown = run.volume;
  run.shows_holes = false;
  return true;
}

bool Columns::set_cell(Block& block, Vec3 at, Cell cell, std::vector<Chunk*>& changed) {
  ++block.steps;
  Block::StoredChunk* const stored = chunk_in(block, at.y);
  if (stored == nullptr) return cell == kAir;
  Chunk& chunk = *stored->chunk;
  const auto index = static_cast<std::size_t>(shape_.index_of(at));
  if (chunk.cells[index] == cell) return true;
  chunk.cells.edit()[index] = cell;
  chunk.stale_slabs |= slab_at(shape_, at.y);
  if (stored->noted == repair_) return true;
  stored->noted = repair_;
  changed.push_back(&chunk);
  return true;
}

// Half of all that open water does beside its flows.
void Columns::write_waves(const Waves& waves, LeftOfWaves& left) {
  Pen pen;
  constexpr std::size_t kAhead = 12;  // runs that are fetched meanwhile: an ocean waits for memory
  for (std::size_t i = 0; i < waves.ids.size(); ++i) {
    if (i + kAhead < waves.ids.size()) {
      __builtin_prefetch(&runs_[static_cast<std::size_t>(waves.ids[i + kAhead])], 1);
    }
    Run& run = runs_[static_cast<std::size_t>(waves.ids[i])];
    run.volume = waves.levels[i] - run.base();
    const bool wet = run.volume > 0;
    if (wet && run.motion != kNone) {
      state_->runs.at(run.motion) = {0, waves.frictions[i], waves.age};
    } else {
      left.to_store.push_back(i);
    }
    if (wet && !run.met) left.unmet.push_back(waves.ids[i]);
    if (!show_surface(run, true, pen, left.changed, left.kept)) left.to_show.push_back(i);
  }
}

void Columns::keep_awake(const Run& run, std::vector<Chunk*>& kept) {
  if (run.drain) return;
  const auto wake_at = [&](std::int32_t y) {
    Block::StoredChunk* const stored =
        chunk_in(*run.block, std::clamp(y, run.floor, run.ceiling - 1));
    if (stored == nullptr || stored->kept == repair_) return;
    stored->kept = repair_;
    kept.push_back(stored->chunk);
  };
  wake_at(run.surface_cell());
  for (const Fall& fall : run.falls) wake_at(fall.y);
}

}  // namespace sluice::sim::hydro
