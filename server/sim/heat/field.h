// The heat of a world: what each cell holds, how water carries it, how it spreads, freezes and
// boils. heat.md states the rules.
//
// Its state is HeatState, a part of the world's core; all else here is derived from that and from
// the cells, or says what sleeps, which never changes a result. The state is passed to every call,
// since whoever owns the world may put another in its place.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "server/sim/digest.h"
#include "server/sim/executor.h"
#include "server/sim/grid.h"
#include "server/sim/heat/enthalpy.h"
#include "server/sim/heat/moves.h"
#include "server/sim/heat/state.h"
#include "server/sim/waves/field.h"

namespace sluice::sim {

/// What the tick under way is, for a step.
struct HeatTick {
  std::uint64_t tick = 0;
  bool sleep = true;
  std::int32_t quantum = 1;  // units: water leaves in whole ones
  std::int32_t cell_max = kMaxCellUnits;
};

/// Units of water that one cell exchanged with what is no cell.
struct HeatExchange {
  std::int64_t came = 0;
  std::int64_t went = 0;
};

class HeatField {
 public:
  explicit HeatField(const WorldConfig& config);

  /// Takes the world as it begins: all water has the temperature that the options say.
  void begin(HeatState& state, const Grid& grid);
  /// After a restore.
  [[nodiscard]] Status attach(const HeatState& state, const Grid& grid);

  /// What was done to the cells of Grid::changed() since the last look: what came has the usual
  /// temperature, what went took its share.
  void take_changes(const Grid& grid, HeatState& state);
  /// Water that came into one cell, or left it: the cell is changed already.
  void came(const Grid& grid, Vec3 at, std::int32_t units, std::int32_t temperature,
            HeatState& state);
  void went(const Grid& grid, Vec3 at, std::int32_t units, HeatState& state);
  /// Both at once: first what came, then what went of the mixture.
  void exchanged(const Grid& grid, Vec3 at, HeatExchange units, std::int32_t temperature,
                 HeatState& state);
  /// Heaters, conduction and the air; then water freezes, ice melts, and what boils leaves.
  /// Returns the units that left.
  std::int64_t step(const HeatTick& now, Grid& grid, Executor& executor, HeatState& state);
  /// Surfaces that are warm enough to kick waves, found by the steps so far; and those of them
  /// that do in this tick.
  [[nodiscard]] bool simmers() const { return simmering_ > 0; }
  [[nodiscard]] std::vector<WavePush> kicks(std::uint64_t tick, std::uint64_t seed,
                                            const Grid& grid, const HeatState& state) const;
  /// What water carried along as it moved. Grid::changed() lists where it did.
  void carry(const WaterMoves& moves, const Grid& grid, HeatState& state);
  /// Brings the digest up to date.
  void finish(HeatState& state);

  /// Chunks in which some energy may differ from what it was before the last tick; each once.
  [[nodiscard]] const std::vector<ChunkCoord>& changed_chunks() const { return changed_; }

  /// The next step changes nothing.
  [[nodiscard]] bool at_rest(const HeatState& state) const {
    return awake_.empty() && !heated_ && (state.options.day == 0 || state.options.day_swing == 0);
  }
  /// Has the chunk, and those that could hear of it, looked at in the next step.
  void wake_around(ChunkCoord coord);
  /// Of the energies alone.
  [[nodiscard]] Digest digest() const { return digest_; }
  [[nodiscard]] std::int64_t awake_chunks() const {
    return static_cast<std::int64_t>(awake_.size());
  }
  /// Units whose way water's own moves did not explain: none, if its model tells all of them.
  [[nodiscard]] std::int64_t unexplained_units() const { return unexplained_; }
  /// Cells looked at by steps so far, for tests of what sleeps.
  [[nodiscard]] std::int64_t cells_stepped() const { return cells_stepped_; }

 private:
  friend class HeatCarrier;
  friend class HeatStep;

  /// What is known of a chunk: the cells that its energies belong to.
  struct Known {
    CellPage cells;
    std::vector<Vec3> simmering;  // surfaces
    Digest digest = 0;
    bool awake = false;
    bool stale = false;  // its digest
  };

  Known& know(ChunkCoord coord) { return known_[coord]; }
  void take_chunk(const Chunk& chunk, HeatState& state);
  std::int64_t& take_cell(const Grid& grid, Vec3 at, std::int32_t units, HeatState& state);
  static void remember(const CellPage& cells, Known& known);
  void note(ChunkCoord coord, Known& known);
  void wake(ChunkCoord coord);
  void heat_cells(const Grid& grid, HeatState& state);
  [[nodiscard]] std::int64_t give(const Grid& grid, Vec3 at, std::int64_t energy, HeatState& state);

  ChunkShape shape_;
  Edges edges_;
  Box world_;
  std::map<ChunkCoord, Known> known_;
  std::vector<ChunkCoord> awake_;
  std::vector<ChunkCoord> stale_;
  std::vector<ChunkCoord> changed_;  // stale before the last finish()
  std::int64_t simmering_ = 0;       // of all chunks
  bool heated_ = false;              // a heater gave or took something in the last step
  std::int32_t air_of_last_step_ = kNoTemperature;
  std::int64_t unexplained_ = 0;
  std::int64_t cells_stepped_ = 0;
  Digest digest_ = 0;
};

/// The air's temperature in a tick.
[[nodiscard]] std::int32_t air_at(const HeatState& state, std::uint64_t tick);

/// The digest of a state's energies from scratch: what HeatField::digest() must be.
[[nodiscard]] Digest digest_of(const HeatPages& pages);
/// And of all else that it has.
[[nodiscard]] Digest digest_of_small(const HeatState& state);

/// Of a cell of a world with heat, 1/256 degree; kNoTemperature where there is no water.
[[nodiscard]] std::int32_t temperature_at(const HeatState& state, const Grid& grid, Vec3 at);
/// Frozen units of a cell, and of all of them.
[[nodiscard]] std::int32_t ice_at(const HeatState& state, const Grid& grid, Vec3 at);
[[nodiscard]] std::int64_t ice_in(const HeatState& state, const Grid& grid);

}  // namespace sluice::sim
