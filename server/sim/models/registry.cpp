#include "server/sim/models/registry.h"

#include <array>

#include "server/sim/models/block.h"
#include "server/sim/models/cellular.h"
#include "server/sim/models/hydro/hydro.h"
#include "server/sim/models/stream.h"

namespace sluice::sim {

std::span<const WaterModelRow> water_models() {
  static const std::array kRows = {
      WaterModelRow{WaterModel::kCellular, 2, "cellular", true, true, {}, make_cellular_water},
      WaterModelRow{WaterModel::kBlock, 1, "block", true, true, block_marks(), make_block_water},
      WaterModelRow{WaterModel::kStream, 1, "stream", true, true, stream_marks(),
                    make_stream_water},
      WaterModelRow{WaterModel::kHydro, 1, "hydro", true, true, {}, make_hydro_water},
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
