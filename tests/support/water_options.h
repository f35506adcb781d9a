// Options of water in tests that do not care which model they run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "server/sim/spec.h"

namespace sluice::tests {

inline bool has_option(sim::WaterModel water, std::string_view name) {
  const auto options = sim::options_of(water);
  return std::any_of(options.begin(), options.end(),
                     [name](const sim::WaterOption& option) { return name == option.name; });
}

/// Sets the option where the world's model has one of that name.
inline void set_option(sim::WorldConfig& config, const char* name, std::int32_t value) {
  if (has_option(config.water, name)) config.options[name] = value;
}

/// Another model for that world: options that it has not are dropped.
inline void choose_water(sim::WorldConfig& config, sim::WaterModel water) {
  config.water = water;
  std::erase_if(config.options, [water](const auto& set) { return !has_option(water, set.first); });
}

}  // namespace sluice::tests
