// The order of a step: heaters, then all fluxes, then what cells become by them.
#include "server/sim/heat/step.h"

#include <algorithm>
#include <utility>

namespace sluice::sim {

namespace {

/// Rooms for changes that are kept for the next step: 16 to 48 KiB each.
constexpr std::size_t kMostSpares = 256;

}  // namespace

std::int64_t HeatStep::run(Executor& executor) {
  std::sort(field_.awake_.begin(), field_.awake_.end());
  chunks_.resize(field_.awake_.size());
  for (std::size_t i = 0; i < chunks_.size(); ++i) begin(field_.awake_[i], chunks_[i]);
  executor.run(chunks_.size(), [this](std::size_t i) { find_fluxes(chunks_[i]); });
  std::int64_t gone = 0;
  std::vector<ChunkCoord> turned;
  for (ChunkHeat& chunk : chunks_) {
    const std::size_t before = turned_;
    const std::uint64_t groups = apply(chunk);
    if (groups != 0) gone += turn(chunk, groups);
    if (turned_ != before) turned.push_back(chunk.coord);
  }
  fall_asleep();
  move_grown();
  for (const ChunkHeat& chunk : chunks_) {
    if (chunk.flows) field_.note(chunk.coord);
  }
  for (const ChunkCoord coord : turned) water_.accept(*grid_.find(coord));
  return gone;
}

void HeatStep::begin(ChunkCoord coord, ChunkHeat& heat) {
  heat.coord = coord;
  heat.chunk = grid_.find(coord);
  const auto page = state_.pages.find(coord);
  heat.page = page == state_.pages.end() ? nullptr : &page->second;
  heat.full_and_alike = heat.chunk != nullptr && heat.chunk->cells.is_shared() &&
                        (heat.page == nullptr || heat.page->uniform());
  heat.has_units = field_.know(coord).has_units;
  field_.cells_stepped_ += heat.full_and_alike ? 0 : kChunkCells;
  if (field_.spares_.empty()) return;
  heat.changes = std::move(field_.spares_.back());
  field_.spares_.pop_back();
  heat.changes.clear();
}

void HeatStep::find_fluxes(ChunkHeat& heat) const {
  if (heat.chunk == nullptr || heat.chunk->cells.is_shared_air() ||
      heat.chunk->cells.is_shared_rock()) {
    return;
  }
  if (!heat.full_and_alike) {
    if (!now_.by_cell && find_plain(heat)) return;
    find_within(heat);
  }
  for (const Border& border : borders_of(*heat.chunk)) find_over_border(heat, border);
}

std::uint64_t HeatStep::apply(ChunkHeat& heat) {
  if (heat.chunk == nullptr || heat.chunk->cells.is_shared_air() ||
      heat.chunk->cells.is_shared_rock()) {
    return 0;
  }
  if (!heat.flows) return groups_to_turn(*heat.chunk, heat.page);
  state_.totals.go(heat.to_air);
  state_.totals.come(heat.from_air);
  return heat.changes.apply(usual(), heat.chunk->cells.data(), state_.pages[heat.coord].edit());
}

void HeatStep::fall_asleep() {
  field_.awake_.clear();
  for (ChunkHeat& heat : chunks_) {
    HeatField::Known& known = field_.know(heat.coord);
    known.awake = heat.flows;
    known.has_units = heat.has_units;
    field_.simmering_ += static_cast<std::int64_t>(heat.simmering.size()) -
                         static_cast<std::int64_t>(known.simmering.size());
    known.simmering = std::move(heat.simmering);
    if (heat.flows) field_.awake_.push_back(heat.coord);
    if (field_.spares_.size() < kMostSpares) field_.spares_.push_back(std::move(heat.changes));
  }
}

std::int64_t HeatField::step(const HeatTick& now, Grid& grid, CarriedWater& water,
                             Executor& executor, HeatState& state) {
  const std::int32_t air = air_at(state, now.tick);
  if (air != std::exchange(air_of_last_step_, air) || !now.sleep) {
    for (const auto& [coord, known] : known_) wake(coord);
  }
  heat_cells(grid, state);
  const std::int64_t gone =
      awake_.empty() ? 0 : HeatStep(*this, now, grid, water, state).run(executor);
  if (state.options.floating) float_ice(now, grid, water, state);
  return gone;
}

}  // namespace sluice::sim
