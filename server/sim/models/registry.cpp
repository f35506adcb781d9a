#include "server/sim/models/registry.h"

namespace sluice::sim {

const WaterModelRow* find_water_model(WaterModel id) {
  for (const WaterModelRow& row : water_models()) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

std::span<const WaterOption> options_of(WaterModel model) {
  const WaterModelRow* const row = find_water_model(model);
  return row != nullptr ? row->options : std::span<const WaterOption>();
}

void WaterState::make_for(WaterModel model) {
  if (kept_ != nullptr) return;
  const WaterModelRow* const row = find_water_model(model);
  if (row != nullptr && row->state != nullptr) kept_ = row->state();
}

std::optional<Vec3> WaterModelState::giver(const Grid& grid, Vec3 at) {
  return water_of(grid.cell(at)) > 0 ? std::optional(at) : std::nullopt;
}

std::optional<Vec3> WaterModelState::taker(const Grid& grid, Vec3 at) {
  return is_open(grid.cell(at)) ? std::optional(at) : std::nullopt;
}

}  // namespace sluice::sim
