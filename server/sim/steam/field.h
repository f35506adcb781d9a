// The steam of a world: it rises, drifts, spreads under roofs, cools and becomes water again.
// steam.md states the rules.
//
// Its state is SteamState, a part of the world's heat; all else here is derived from it.
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/grid.h"
#include "server/sim/heat/field.h"
#include "server/sim/steam/state.h"

namespace sluice::sim {

/// What the tick under way is, for a step.
struct SteamTick {
  std::uint64_t tick = 0;
  std::int32_t quantum = 1;  // units: water comes in whole ones
  std::int32_t wind = 0;     // level units a tick, towards greater x
};

class SteamField {
 public:
  explicit SteamField(const WorldConfig& config);

  /// After a restore, and at the beginning.
  void attach(const HeatState& state);
  /// One tick of the steam that is there, and of what boiled in it. What becomes water comes into
  /// the grid's cells. Returns those units.
  std::int64_t step(const SteamTick& now, std::vector<SteamCell> boiled, Grid& grid,
                    CarriedWater& water, HeatState& state);

  /// The next step changes nothing, as long as nothing else does.
  [[nodiscard]] bool at_rest(const HeatState& state, std::int32_t wind) const {
    return !active_ && (wind == 0 || state.steam.cells.empty());
  }
  [[nodiscard]] Digest digest() const { return digest_; }

 private:
  Edges edges_;
  bool active_ = false;  // the last step changed something
  Digest digest_ = 0;
};

}  // namespace sluice::sim
