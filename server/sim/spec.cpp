#include "server/sim/spec.h"

#include <algorithm>

#include "server/sim/models/registry.h"

namespace sluice::sim {

namespace {

Error out_of_range(const char* key, std::int64_t value, std::int64_t low, std::int64_t high) {
  return Error{std::string(key) + ": " + std::to_string(value) +
               " is out of range; allowed: " + std::to_string(low) + " to " + std::to_string(high)};
}

}  // namespace

bool valid_world_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

WaterMeasure measure_of(const WorldConfig& config) {
  switch (config.water) {
    case WaterModel::kCellular:
      break;
    case WaterModel::kBlock:
      return {kFull / config.block.parts, kFull, false, true};
    case WaterModel::kStream:
      return {kFull / kStreamLevels, kFull, true, true};
    case WaterModel::kHydro:
      return {1, kFull, false, true};
  }
  return {};
}

Status validate(const WorldLimits& limits) {
  if (limits.chunks < 1 || limits.chunks > kMaxChunks) {
    return out_of_range("world.limits.chunks", limits.chunks, 1, kMaxChunks);
  }
  if (limits.units < 1 || limits.units > kMaxTakenIn) {
    return out_of_range("world.limits.units", limits.units, 1, kMaxTakenIn);
  }
  if (limits.pipes < 0 || limits.pipes > kMaxPipes) {
    return out_of_range("world.limits.pipes", limits.pipes, 0, kMaxPipes);
  }
  return Done{};
}

Status validate(const WorldConfig& config) {
  if (!valid_world_name(config.name)) {
    return Error{"world.name: '" + config.name +
                 "' is not a world name; allowed: 1 to 64 of a-z, 0-9 and '-'"};
  }
  const CellularOptions& water = config.cellular;
  const BlockOptions& block = config.block;
  struct Range {
    const char* key;
    std::int64_t value, low, high;
  };
  const Range ranges[] = {
      {"world.size[0]", config.size.x, 1, kMaxSide},
      {"world.size[1]", config.size.y, 1, kMaxSide},
      {"world.size[2]", config.size.z, 1, kMaxSide},
      {"world.tick_rate", config.tick_rate, 1, kMaxTickRate},
      {"water.full", water.full, 64, kMaxFullOption},
      {"water.compressed_max", water.compressed_max, water.full, water.full + water.full / 8},
      {"water.smallest_flow", water.smallest_flow, 0, kFull},
      {"water.max_sweeps", water.max_sweeps, 1, kMaxSweeps},
      {"water.parts", block.parts, 1, kMaxBlockParts},
      {"water.walk_steps", block.walk_steps, 0, kMaxWalkSteps},
      {"water.drying", config.stream.drying, 0, kMaxDrying},
  };
  for (const Range& range : ranges) {
    if (range.value < range.low || range.value > range.high) {
      return out_of_range(range.key, range.value, range.low, range.high);
    }
  }
  // These come from text or from a snapshot's bytes; both must name something that exists.
  if (find_water_model(config.water) == nullptr) {
    return Error{"world.water: no model has the id " +
                 std::to_string(static_cast<int>(config.water))};
  }
  if (water.compression > Compression::kUniform) {
    return Error{"water.compression: unknown; allowed: hydrostatic, uniform"};
  }
  if (kFull % block.parts != 0) {
    return Error{"water.parts: " + std::to_string(block.parts) +
                 " does not divide a cell; allowed: 1, 2, 4, 8"};
  }
  if (block.downward > Downward::kHead) {
    return Error{"water.downward: unknown; allowed: greatest, head"};
  }
  const Edges& edges = config.edges;
  for (const Edge edge :
       {edges.left, edges.right, edges.bottom, edges.top, edges.front, edges.back}) {
    if (edge > Edge::kOpen) return Error{"world.edges: unknown; allowed: wall, open"};
  }
  return Done{};
}

}  // namespace sluice::sim
