// Every water model there is.
#include <array>

#include "server/sim/models/block/block.h"
#include "server/sim/models/cellular/cellular.h"
#include "server/sim/models/hydro/hydro.h"
#include "server/sim/models/registry.h"
#include "server/sim/models/stream/stream.h"

namespace sluice::sim {

std::span<const WaterModelRow> water_models() {
  static const std::array kRows = {cellular_water(), block_water(), stream_water(), hydro_water()};
  return kRows;
}

}  // namespace sluice::sim
