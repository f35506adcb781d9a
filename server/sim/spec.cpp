#include "server/sim/spec.h"

#include <algorithm>
#include <span>

#include "protocol/base/assert.h"
#include "server/sim/models/registry.h"
#include "server/sim/range.h"

namespace sluice::sim {

namespace {

const WaterModelRow& model_of(const WorldConfig& config) {
  const WaterModelRow* const model = find_water_model(config.water);
  SLUICE_ASSERT(model != nullptr);  // validate() has looked
  return *model;
}

/// "a, b, c".
std::string listed(std::span<const char* const> names) {
  std::string text;
  for (const char* const name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

Status validate_option(const WaterOption& option, std::int32_t value) {
  if (value >= option.low && value <= option.high) return Done{};
  const std::string key = std::string("water.") + option.name;
  if (!option.has_names()) return out_of_range(key, value, option.low, option.high);
  return Error{key + ": unknown; allowed: " + listed(option.values_by_name)};
}

Status validate_options(const WorldConfig& config, const WaterModelRow& model) {
  for (const auto& [name, value] : config.options) {
    const auto is_named = [&name = name](const WaterOption& option) { return name == option.name; };
    if (std::any_of(model.options.begin(), model.options.end(), is_named)) continue;
    return Error{"water." + name + ": the model '" + model.name + "' has no such option"};
  }
  for (const WaterOption& option : model.options) {
    if (Status s = validate_option(option, config.option(option)); !s) return s;
  }
  return model.check != nullptr ? model.check(config) : Done{};
}

}  // namespace

std::int32_t WorldConfig::option(const WaterOption& declared) const {
  const auto found = options.find(std::string_view(declared.name));
  return found != options.end() ? found->second : declared.usual;
}

std::int32_t WorldConfig::option(std::string_view key) const {
  const std::span<const WaterOption> all = options_of(water);
  const auto found = std::find_if(all.begin(), all.end(),
                                  [key](const WaterOption& each) { return key == each.name; });
  SLUICE_ASSERT(found != all.end());
  return option(*found);
}

bool valid_world_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

WaterMeasure measure_of(const WorldConfig& config) {
  return model_of(config).measure(config);
}

Status validate(const WorldLimits& limits) {
  if (Status s = check_key("world.limits.chunks", limits.chunks, 1, kMaxChunks); !s) return s;
  if (Status s = check_key("world.limits.units", limits.units, 1, kMaxTakenIn); !s) return s;
  return check_key("world.limits.pipes", limits.pipes, 0, kMaxPipes);
}

Status validate(const WorldConfig& config) {
  if (!valid_world_name(config.name)) {
    return Error{"world.name: '" + config.name +
                 "' is not a world name; allowed: 1 to 64 of a-z, 0-9 and '-'"};
  }
  struct Range {
    const char* key;
    std::int64_t value, low, high;
  };
  const Range ranges[] = {
      {"world.size[0]", config.size.x, 1, kMaxSide},
      {"world.size[1]", config.size.y, 1, kMaxSide},
      {"world.size[2]", config.size.z, 1, kMaxSide},
      {"world.tick_rate", config.tick_rate, 1, kMaxTickRate},
  };
  for (const Range& range : ranges) {
    if (Status s = check_key(range.key, range.value, range.low, range.high); !s) return s;
  }
  // Text and a snapshot's bytes may name what does not exist.
  const WaterModelRow* const model = find_water_model(config.water);
  if (model == nullptr) {
    return Error{"world.water: no model has the id " +
                 std::to_string(static_cast<int>(config.water))};
  }
  if (Status s = validate_options(config, *model); !s) return s;
  const Edges& edges = config.edges;
  for (const Edge edge :
       {edges.left, edges.right, edges.bottom, edges.top, edges.front, edges.back}) {
    if (edge > Edge::kOpen) return Error{"world.edges: unknown; allowed: wall, open"};
  }
  return Done{};
}

}  // namespace sluice::sim
