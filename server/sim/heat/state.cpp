#include "server/sim/heat/state.h"

#include "server/sim/heat/enthalpy.h"
#include "server/sim/range.h"
#include "server/sim/spec.h"

namespace sluice::sim {

Status validate_temperature(const char* key, std::int64_t temperature) {
  return check_key(key, temperature, kColdest, kHottest);
}

Status validate(const HeatOptions& options) {
  if (Status s = validate_temperature("heat.water", options.water); !s) return s;
  struct Range {
    const char* key;
    std::int64_t value, low, high;
  };
  const Range ranges[] = {
      {"heat.down", options.down, 0, kMostHeatParts},
      {"heat.sideways", options.sideways, 0, kMostHeatParts},
      {"heat.up", options.up, options.down, kMostHeatParts},
      {"heat.ice", options.ice, 0, kMostHeatParts},
      {"heat.surface", options.surface, 0, kMostHeatParts},
      {"heat.air_cells", options.air_cells, 1, kMostAirCells},
      {"heat.growth", options.growth, 0, kMostGrowth},
      {"heat.simmer", options.simmer, 0, kBoiling - 1},
      {"heat.day.length", options.day, 0, kMostDayTicks},
      {"heat.day.swing", options.day_swing, 0, kHottest - kColdest},
  };
  for (const Range& range : ranges) {
    if (Status s = check_key(range.key, range.value, range.low, range.high); !s) return s;
  }
  // Of a cell of water, and of one of ice, which has half of its capacity. A face between ice and
  // water has twice the parts of ice at the most.
  const auto faces = [&options](std::int64_t side, std::int64_t end) {
    return 4 * side + end + std::max<std::int64_t>(end, options.surface);
  };
  const std::int64_t water =
      faces(std::max(options.sideways, options.ice), std::max(options.up, 2 * options.ice));
  const std::int64_t ice = 2 * faces(options.ice, 2 * options.ice);
  if (std::max(water, ice) > kMostHeatParts) {
    return Error{
        "heat.up: the faces of a cell have " + std::to_string(std::max(water, ice)) +
        " parts together (four of sideways, one of up, and up or surface, or those of ice); "
        "at most " +
        std::to_string(kMostHeatParts)};
  }
  return Done{};
}

Status validate(const HeatState& state, const WorldConfig& config) {
  if (!state.on) return Done{};
  if (Status s = validate(state.options); !s) return Error{"snapshot: " + s.error()};
  if (Status s = validate_temperature("heat.air", state.air); !s) {
    return Error{"snapshot: " + s.error()};
  }
  const Error wrong{"snapshot: its heat is none that can be"};
  if (!state.possible || state.solid == config.side_view() || !state.totals.balanced()) {
    return wrong;
  }
  for (const auto& [at, heater] : state.heaters) {
    const bool possible = config.box().contains(at) && heater.rate != 0 &&
                          heater.rate >= -kMostHeaterRate && heater.rate <= kMostHeaterRate;
    if (!possible) return wrong;
  }
  for (const auto& [at, spring] : state.springs) {
    if (!config.box().contains(at) || spring.temperature < kColdest ||
        spring.temperature > kHottest) {
      return wrong;
    }
  }
  return Done{};
}

}  // namespace sluice::sim
