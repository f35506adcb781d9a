// What freezes, melts and boils: what cells are, by the energy that they have now.
#include <algorithm>

#include "server/sim/heat/step.h"
#include "server/sim/int_math.h"
#include "server/sim/kernels.h"

namespace sluice::sim {

// Most is water that stays so.
std::uint64_t HeatStep::groups_to_turn(const Chunk& chunk, const AmountPage* page) const {
  constexpr std::uint64_t kAllGroups = ~std::uint64_t{0};
  if (page == nullptr) return kAllGroups;
  if (page->data() != nullptr) {
    return kernels().heat.others(usual(), chunk.cells.data(), page->data());
  }
  const bool stays =
      chunk.cells.is_shared() && chunk.cells[0] == kFull && usual().has(kFull, page->at(0));
  return stays ? 0 : kAllGroups;
}

std::int64_t HeatStep::turn(ChunkHeat& heat, std::uint64_t groups) {
  const AmountPage* const page = page_of(heat.chunk);
  std::int64_t gone = 0;
  grid_.edit(*heat.chunk, [&](ChunkEdit& cells) {
    for (std::size_t i = 0; i < kChunkCells; ++i) {
      if ((groups >> (i / 64) & 1) == 0) {
        i |= 63;
        continue;
      }
      const Cell cell = cells[i];
      const std::int32_t units = held_in(cell);
      if (units == 0) continue;
      const std::int64_t energy = page == nullptr ? 0 : page->at(i);
      const Cell next = turned(cell, units, energy);
      if (next == cell) continue;
      cells.set(i, next);
      ++turned_;
      if (is_ice(next) && options_.growth > 0) grow(heat.coord, i, units);
      if (const std::int32_t left = held_in(next); left < units) {
        gone += units - left;
        let_go(shape_.cell_at(heat.coord, static_cast<std::int32_t>(i)), units, left,
               state_.pages[heat.coord].edit()[i]);
      }
    }
  });
  return gone;
}

// Ice is larger than its water: what no longer fits goes to the cell above, where that has room.
void HeatStep::grow(ChunkCoord coord, std::size_t index, std::int32_t units) {
  const auto fits =
      static_cast<std::int32_t>(std::int64_t{units} * 1024 / (1024 + options_.growth));
  const std::int32_t excess = round_down_to(units - fits, now_.quantum);
  const Vec3 at = shape_.cell_at(coord, static_cast<std::int32_t>(index));
  const Vec3 above = at + Vec3{0, 1, 0};
  const Cell there = grid_.cell(above);
  if (units < kFull || excess == 0 || !is_open(there) || there > kFull - excess) return;
  grown_.push_back({at, above, excess});
}

// When all chunks have looked: two may push to one place.
void HeatStep::move_grown() {
  std::sort(grown_.begin(), grown_.end(),
            [](const WaterMove& a, const WaterMove& b) { return a.from < b.from; });
  for (const WaterMove& move : grown_) {
    const Cell from = grid_.cell(move.from);
    const Cell to = grid_.cell(move.to);
    if (!is_ice(from) || !is_open(to) || to > kFull - move.units) continue;
    std::int64_t& energy = energy_at(move.from);
    const std::int64_t goes = carried(energy, move.units, held_in(from));
    energy -= goes;
    energy_at(move.to) += goes;
    grid_.add_to_cell(move.from, move.units);  // the more below zero, the more ice
    grid_.add_to_cell(move.to, move.units);
    water_.accept(grid_, move.from);
    water_.accept(grid_, move.to);
  }
}

std::int64_t& HeatStep::energy_at(Vec3 at) {
  return state_.pages[shape_.chunk_of(at)].edit()[static_cast<std::size_t>(shape_.index_of(at))];
}

Cell HeatStep::turned(Cell cell, std::int32_t units, std::int64_t energy) const {
  if (is_ice(cell)) {
    const std::int64_t enough = units * (curve_.melted() + (curve_.melting == 0 ? 1 : 0));
    return energy >= enough ? units : cell;
  }
  const bool cold =
      curve_.melting > 0 ? energy <= units * curve_.frozen() : energy < units * curve_.frozen();
  if (cold) return units >= kLeastIce && units <= kMostIce ? ice_of(units) : cell;
  const std::int64_t over = energy - units * curve_.boils();
  if (over <= 0) return cell;
  // Without latent heat, a share of the water that grows with what it is too hot.
  const std::int64_t steam =
      curve_.boiling > 0 ? over / curve_.boiling : over / (16 * std::int64_t{kHottest - kBoiling});
  const auto leaves = static_cast<std::int32_t>(std::min<std::int64_t>(steam, units));
  return units - round_down_to(leaves, now_.quantum);
}

void HeatStep::let_go(Vec3 at, std::int32_t units, std::int32_t left, std::int64_t& energy) {
  const std::int64_t steam = units - left;
  const std::int64_t goes = left == 0            ? energy
                            : curve_.boiling > 0 ? steam * (curve_.boils() + curve_.boiling)
                                                 : carried(energy, steam, units);
  energy -= goes;
  if (!options_.steam) return state_.totals.go(goes);
  field_.boiled_.push_back({at, {units - left, goes}});
}

}  // namespace sluice::sim
