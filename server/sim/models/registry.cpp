#include "server/sim/models/registry.h"

#include <array>

#include "server/sim/models/cellular.h"

namespace sluice::sim {

std::span<const WaterModelRow> water_models() {
  static constexpr std::array kRows = {
      WaterModelRow{WaterModel::kCellular, 1, "cellular", true, true, make_cellular_water},
  };
  return kRows;
}

const WaterModelRow* find_water_model(WaterModel id) {
  for (const WaterModelRow& row : water_models()) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

}  // namespace sluice::sim
