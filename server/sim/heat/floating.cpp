// Floes that move take along all that is in their cells, and what they meet goes to their other
// end: cells change places, and nothing else changes.
#include <algorithm>

#include "protocol/base/sometimes.h"
#include "server/sim/heat/field.h"
#include "server/sim/heat/floes.h"

namespace sluice::sim {

namespace {

/// Of the last tick, and of this one so far.
std::vector<ChunkCoord> changed_chunks_of(const Grid& grid, std::span<const ChunkCoord> changed) {
  std::vector<ChunkCoord> all(changed.begin(), changed.end());
  for (const Chunk* chunk : grid.changed()) {
    if (chunk->world_cells > 0) all.push_back(chunk->coord);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<CellMove> cell_moves_of(std::span<const FloeMove> floes) {
  std::vector<CellMove> moves;
  for (const FloeMove& floe : floes) {
    const Vec3 step = {0, floe.step, 0};
    const Vec3 top = floe.bottom + Vec3{0, floe.cells - 1, 0};
    for (Vec3 at = floe.bottom; at.y <= top.y; ++at.y) moves.push_back({at, at + step});
    // What is met goes to the run's other end.
    if (floe.step < 0) {
      moves.push_back({floe.bottom + step, top});
    } else {
      moves.push_back({top + step, floe.bottom});
    }
  }
  return moves;
}

/// Steam lies in cells of air, or is to come up from water, which change places, too.
void move_steam(std::span<const CellMove> moves, SteamState& steam,
                std::vector<SteamCell>& boiled) {
  if (steam.cells.empty() && boiled.empty()) return;
  std::map<Vec3, Vec3> ways;
  for (const CellMove& move : moves) ways.emplace(move.from, move.to);
  const auto go = [&ways](SteamCell& cell) {
    const auto way = ways.find(cell.at);
    if (way != ways.end()) cell.at = way->second;
  };
  for (SteamCell& cell : boiled) go(cell);
  for (SteamCell& cell : steam.cells) go(cell);
  std::sort(steam.cells.begin(), steam.cells.end(),
            [](const SteamCell& a, const SteamCell& b) { return a.at < b.at; });
}

}  // namespace

void HeatField::float_ice(const HeatTick& now, Grid& grid, CarriedWater& water, HeatState& state) {
  moves_.clear();
  if (!now.sleep) floes_->forget();
  const std::vector<FloeMove> floes =
      floes_->look(now.tick, grid, changed_chunks_of(grid, now.changed));
  if (floes.empty()) return;
  SLUICE_SOMETIMES("a floe moved");
  moves_ = cell_moves_of(floes);
  water.rearrange(moves_, grid);
  move_steam(moves_, state.steam, boiled_);
  floes_->moved(floes);
}

bool HeatField::ice_at_rest(const Grid& grid, std::span<const ChunkCoord> changed,
                            const HeatState& state) {
  return !state.options.floating || floes_->at_rest(grid, changed_chunks_of(grid, changed));
}

}  // namespace sluice::sim
