#include "server/sim/models/registry.h"

#include <array>

#include "server/sim/models/block/block.h"
#include "server/sim/models/cellular/cellular.h"
#include "server/sim/models/hydro/hydro.h"
#include "server/sim/models/stream/stream.h"

namespace sluice::sim {

std::span<const WaterModelRow> water_models() {
  static const std::array kRows = {
      WaterModelRow{
          WaterModel::kCellular, 2, "cellular", true, true, {}, {2, 20}, make_cellular_water},
      WaterModelRow{
          WaterModel::kBlock, 2, "block", true, true, block_marks(), {40, 60}, make_block_water},
      WaterModelRow{WaterModel::kStream,
                    2,
                    "stream",
                    true,
                    true,
                    stream_marks(),
                    {80, 120},
                    make_stream_water},
      WaterModelRow{WaterModel::kHydro,
                    2,
                    "hydro",
                    true,
                    true,
                    {},
                    {16, 200, 30'000, 300'000, 180},
                    make_hydro_water},
  };
  return kRows;
}

std::optional<Vec3> WaterModelState::giver(const Grid& grid, Vec3 at) {
  return water_of(grid.cell(at)) > 0 ? std::optional(at) : std::nullopt;
}

std::optional<Vec3> WaterModelState::taker(const Grid& grid, Vec3 at) {
  return is_open(grid.cell(at)) ? std::optional(at) : std::nullopt;
}

const WaterModelRow* find_water_model(WaterModel id) {
  for (const WaterModelRow& row : water_models()) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

}  // namespace sluice::sim
