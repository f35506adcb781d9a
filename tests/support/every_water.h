// The water models that there are, for what has to hold in each of them: a new one is tested by
// all of it without a word here.
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/models/registry.h"
#include "tests/support/dice.h"

namespace sluice::tests {

inline std::vector<sim::WaterModel> every_water() {
  std::vector<sim::WaterModel> models;
  for (const sim::WaterModelRow& row : sim::water_models()) models.push_back(row.id);
  return models;
}

/// One of them for each number, in turn.
inline sim::WaterModel any_water(std::uint64_t number) {
  return sim::water_models()[number % sim::water_models().size()].id;
}

inline sim::WaterModel any_water(Dice& dice) {
  const auto last = static_cast<std::int32_t>(sim::water_models().size()) - 1;
  return any_water(static_cast<std::uint64_t>(dice.roll(0, last)));
}

}  // namespace sluice::tests
