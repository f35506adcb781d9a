// The rows of this test's programs, in place of server/sim/models/rows.cpp: nothing else changes.
#include <array>

#include "server/sim/models/cellular/cellular.h"
#include "tests/sim/toy_model/toy.h"

namespace sluice::sim {

std::span<const WaterModelRow> water_models() {
  static const std::array kRows = {cellular_water(), tests::toy_water()};
  return kRows;
}

}  // namespace sluice::sim
