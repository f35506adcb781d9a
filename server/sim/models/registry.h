// The closed list of water models. A model is one row: its id and version (both written to disk,
// never reused), its name in world files, the worlds it can fill, and a function that makes its
// engine. One indirect call a tick leads into an engine; inside, everything is plain.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "server/sim/executor.h"
#include "server/sim/grid.h"
#include "server/sim/spec.h"

namespace sluice::sim {

/// What a model did in one tick.
struct WaterAdvance {
  std::int64_t drained = 0;       // units that left over open edges
  std::int64_t cell_updates = 0;  // cells inside the world that were processed, over all sweeps
  std::int32_t sweeps = 0;
};

/// A model's engine for one world. It holds scratch memory only: the state is the grid's.
class WaterModelState {
 public:
  virtual ~WaterModelState() = default;
  /// One tick. `sleep` false processes every chunk every time, which must not change a result.
  virtual WaterAdvance advance(Grid& grid, bool sleep, Executor& executor) = 0;
};

struct WaterModelRow {
  WaterModel id;
  std::uint16_t version;  // rises with every change of results
  const char* name;
  bool side_view;
  bool solid;
  std::unique_ptr<WaterModelState> (*make)(const WorldConfig& config);
};

[[nodiscard]] std::span<const WaterModelRow> water_models();
/// Null when there is no such model.
[[nodiscard]] const WaterModelRow* find_water_model(WaterModel id);

}  // namespace sluice::sim
