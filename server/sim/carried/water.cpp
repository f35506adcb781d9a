#include "server/sim/carried/water.h"

#include <algorithm>
#include <utility>

#include "server/sim/spec.h"

namespace sluice::sim {

namespace {

/// What comes brings the usual load; what goes takes its share.
void change_units(Cargo& cargo, std::int32_t before, std::int32_t after, std::int64_t& amount) {
  if (after > before) {
    const std::int64_t comes = cargo.usual(after - before);
    amount += comes;
    cargo.totals.come(comes);
  } else if (after < before) {
    const std::int64_t goes = carried(amount, before - after, before);
    amount -= goes;
    cargo.totals.go(goes);
  }
}

}  // namespace

void CarriedWater::begin(const Grid& grid) {
  known_.clear();
  stale_.clear();
  grid.for_each([&](const Chunk& chunk) {
    if (chunk.world_cells == 0 || chunk.cells.is_shared_rock() || chunk.cells.is_shared_air())
      return;
    Known& known = know(chunk.coord);
    if (chunk.cells.is_shared()) {
      known.cells.fill(chunk.cells[0]);
    } else {
      std::copy_n(chunk.cells.data(), kChunkCells, known.cells.edit());
    }
  });
}

const CellPage* CarriedWater::cells(ChunkCoord coord) const {
  const auto known = known_.find(coord);
  return known == known_.end() ? nullptr : &known->second.cells;
}

void CarriedWater::remember(const CellPage& cells, ChunkCoord coord, Known& known) {
  if (cells.is_shared()) {
    known.cells.fill(cells[0]);
  } else {
    std::copy_n(cells.data(), kChunkCells, known.cells.edit());
  }
  note(coord, known);
}

void CarriedWater::note(ChunkCoord coord, Known& known) {
  if (!std::exchange(known.stale, true)) stale_.push_back(coord);
  for (const auto& cargo : cargoes_) cargo->note(coord);
}

void CarriedWater::take_changes(const Grid& grid) {
  for (const Chunk* chunk : grid.changed()) {
    if (chunk->world_cells > 0) take_chunk(*chunk);
  }
}

void CarriedWater::take_chunk(const Chunk& chunk) {
  Known& known = know(chunk.coord);
  const Cell* const before = known.cells.data();
  const Cell* const after = chunk.cells.data();
  // Most of a chunk is as it was: what is not lies from the first difference to the last.
  const auto first =
      static_cast<std::size_t>(std::mismatch(before, before + kChunkCells, after).first - before);
  if (first == kChunkCells) return;
  std::size_t end = kChunkCells;
  while (before[end - 1] == after[end - 1]) --end;
  for (const auto& cargo : cargoes_) {
    AmountPage& page = cargo->pages[chunk.coord];
    std::int64_t* const amounts = page.edit();
    for (std::size_t i = first; i < end; ++i) {
      change_units(*cargo, held_in(before[i]), held_in(after[i]), amounts[i]);
    }
    page.share_if_uniform();
    if (page.nothing()) cargo->pages.erase(chunk.coord);
  }
  remember(chunk.cells, chunk.coord, known);
}

Load CarriedWater::usual_load(std::int64_t units) const {
  Load load{};
  for (std::size_t c = 0; c < cargoes_.size(); ++c) load[c] = cargoes_[c]->usual(units);
  return load;
}

std::int64_t& CarriedWater::amount(Cargo& cargo, Vec3 at) const {
  return cargo.pages[shape_.chunk_of(at)].edit()[static_cast<std::size_t>(shape_.index_of(at))];
}

// What commands did to the cell earlier in this tick has not been looked at yet.
void CarriedWater::take_cell(const Grid& grid, Vec3 at, std::int32_t units) {
  const ChunkCoord coord = shape_.chunk_of(at);
  const auto index = static_cast<std::size_t>(shape_.index_of(at));
  Known& known = know(coord);
  for (const auto& cargo : cargoes_) {
    change_units(*cargo, held_in(known.cells[index]), units, amount(*cargo, at));
  }
  known.cells.edit()[index] = grid.cell(at);
  note(coord, known);
}

void CarriedWater::exchanged(const Grid& grid, Vec3 at, WaterExchange units, const Load& came) {
  const std::int32_t now = held_in(grid.cell(at));
  take_cell(grid, at, static_cast<std::int32_t>(now - units.came + units.went));
  for (std::size_t c = 0; c < cargoes_.size(); ++c) {
    Cargo& cargo = *cargoes_[c];
    std::int64_t& held = amount(cargo, at);
    held += came[c];
    cargo.totals.come(came[c]);
    const std::int64_t goes = units.went == 0 ? 0 : carried(held, units.went, now + units.went);
    held -= goes;
    cargo.totals.go(goes);
  }
}

void CarriedWater::returned(const Grid& grid, Vec3 at, std::int32_t units, const Load& came) {
  take_cell(grid, at, held_in(grid.cell(at)) - units);
  for (std::size_t c = 0; c < cargoes_.size(); ++c) {
    if (came[c] != 0) amount(*cargoes_[c], at) += came[c];
  }
}

void CarriedWater::accept(const Chunk& chunk) {
  Known& known = know(chunk.coord);
  for (const auto& cargo : cargoes_) {
    const auto page = cargo->pages.find(chunk.coord);
    if (page == cargo->pages.end()) continue;
    for (std::size_t i = 0; i < kChunkCells; ++i) {
      const std::int64_t amount = page->second.at(i);
      if (amount == 0 || held_in(chunk.cells[i]) > 0) continue;
      cargo->totals.go(amount);
      page->second.edit()[i] = 0;
    }
  }
  remember(chunk.cells, chunk.coord, known);
}

void CarriedWater::accept(const Grid& grid, Vec3 at) {
  const ChunkCoord coord = shape_.chunk_of(at);
  Known& known = know(coord);
  known.cells.edit()[static_cast<std::size_t>(shape_.index_of(at))] = grid.cell(at);
  note(coord, known);
}

void CarriedWater::rearrange(std::span<const CellMove> moves, Grid& grid) {
  std::vector<Cell> cells;
  std::vector<Load> loads;
  cells.reserve(moves.size());
  loads.reserve(moves.size());
  for (const CellMove& move : moves) {
    cells.push_back(grid.cell(move.from));
    Load& load = loads.emplace_back();
    for (std::size_t c = 0; c < cargoes_.size(); ++c) {
      load[c] = amount_at(cargoes_[c]->pages, shape_, move.from);
    }
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const Vec3 at = moves[i].to;
    const auto index = static_cast<std::size_t>(shape_.index_of(at));
    grid.edit(grid.obtain(shape_.chunk_of(at)), region_of({at, {1, 1, 1}}, shape_),
              [&](ChunkEdit& edit) { edit.set(index, cells[i]); });
    for (std::size_t c = 0; c < cargoes_.size(); ++c) {
      if (amount_at(cargoes_[c]->pages, shape_, at) != loads[i][c]) {
        amount(*cargoes_[c], at) = loads[i][c];
      }
    }
    accept(grid, at);
  }
}

void CarriedWater::finish() {
  for (const ChunkCoord coord : std::exchange(stale_, {})) {
    const auto known = known_.find(coord);
    known->second.stale = false;
    known->second.cells.share_if_uniform();
    if (known->second.cells.is_shared_air()) known_.erase(known);
  }
}

}  // namespace sluice::sim
