// The heat of a world: what each cell holds, how water carries it, how it spreads, freezes and
// boils. heat.md states the rules.
//
// Its state is HeatState, a part of the world's core; all else here is derived from that and from
// the cells, or says what sleeps, which never changes a result. The state is passed to every call,
// since whoever owns the world may put another in its place.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "server/sim/carried/water.h"
#include "server/sim/digest.h"
#include "server/sim/executor.h"
#include "server/sim/grid.h"
#include "server/sim/heat/changes.h"
#include "server/sim/heat/enthalpy.h"
#include "server/sim/heat/state.h"
#include "server/sim/waves/field.h"

namespace sluice::sim {

class FloeField;

/// What the tick under way is, for a step.
struct HeatTick {
  std::uint64_t tick = 0;
  bool sleep = true;
  std::int32_t quantum = 1;  // units: water leaves in whole ones
  std::int32_t cell_max = kMaxCellUnits;
  bool by_cell = false;  // every flux by its rule, none by vectors
  /// Chunks that changed in the last tick; of this one the grid knows them.
  std::span<const ChunkCoord> changed = {};
};

class HeatField {
 public:
  explicit HeatField(const WorldConfig& config);
  ~HeatField();
  HeatField(const HeatField&) = delete;
  HeatField& operator=(const HeatField&) = delete;

  /// Takes the world as it begins: all water has the temperature that the options say.
  void begin(HeatState& state, const Grid& grid);
  /// After a restore.
  [[nodiscard]] Status attach(HeatState& state, const Grid& grid);

  /// Of so many units of water that come with a temperature.
  [[nodiscard]] static std::int64_t energy_of(std::int64_t units, std::int32_t temperature,
                                              const HeatState& state) {
    return HeatCurve(state.options.latent).energy_at(temperature, units);
  }
  /// What water carries of it. Lives no longer than this and the state.
  [[nodiscard]] std::unique_ptr<Cargo> cargo(HeatState& state);
  /// Heaters, conduction and the air; then water freezes, ice melts, and what boils leaves.
  /// Returns the units that left.
  std::int64_t step(const HeatTick& now, Grid& grid, CarriedWater& water, Executor& executor,
                    HeatState& state);
  /// In a world with steam what the last step let go, with its energy, which is in the books
  /// still. Once.
  [[nodiscard]] std::vector<SteamCell> take_boiled() { return std::exchange(boiled_, {}); }
  /// Surfaces that are warm enough to kick waves, found by the steps so far; and those of them
  /// that do in this tick.
  [[nodiscard]] bool simmers() const { return simmering_ > 0; }
  [[nodiscard]] std::vector<WavePush> kicks(std::uint64_t tick, std::uint64_t seed,
                                            const Grid& grid, const HeatState& state) const;
  /// Brings the digest up to date.
  void finish(const CarriedWater& water, HeatState& state);

  /// Chunks in which some energy may differ from what it was before the last tick; each once.
  [[nodiscard]] const std::vector<ChunkCoord>& changed_chunks() const { return digest_.changed(); }

  /// The next step changes nothing.
  [[nodiscard]] bool at_rest(const HeatState& state) const {
    return awake_.empty() && !heated_ && (state.options.day == 0 || state.options.day_swing == 0);
  }
  /// What floes that moved in the last step did to cells.
  [[nodiscard]] std::span<const CellMove> moves() const { return moves_; }
  /// Whether ice that floats stays where it is, if nothing else changes: to be asked when all else
  /// is at rest. `changed` as in HeatTick.
  [[nodiscard]] bool ice_at_rest(const Grid& grid, std::span<const ChunkCoord> changed,
                                 const HeatState& state);
  /// The chunk's energies changed, or the water that holds them.
  void note(ChunkCoord coord);
  /// Has the chunk, and those that could hear of it, looked at in the next step.
  void wake_around(ChunkCoord coord);
  /// Of the energies alone.
  [[nodiscard]] Digest digest() const { return digest_.digest(); }
  [[nodiscard]] std::int64_t awake_chunks() const {
    return static_cast<std::int64_t>(awake_.size());
  }
  /// Cells looked at by steps so far, for tests of what sleeps.
  [[nodiscard]] std::int64_t cells_stepped() const { return cells_stepped_; }
  [[nodiscard]] const FloeField& floes() const { return *floes_; }

 private:
  friend class HeatStep;

  /// What is known of a chunk that holds water.
  struct Known {
    std::vector<Vec3> simmering;  // surfaces
    bool awake = false;
    bool has_units = false;  // cells that were not full in its last step: how it is read first
  };

  Known& know(ChunkCoord coord) { return known_[coord]; }
  void wake(ChunkCoord coord);
  void heat_cells(const Grid& grid, HeatState& state);
  [[nodiscard]] std::int64_t give(const Grid& grid, Vec3 at, std::int64_t energy, HeatState& state);
  void float_ice(const HeatTick& now, Grid& grid, CarriedWater& water, HeatState& state);

  ChunkShape shape_;
  std::unique_ptr<FloeField> floes_;
  std::map<ChunkCoord, Known> known_;
  std::vector<ChunkCoord> awake_;
  AmountDigest digest_;
  std::int64_t simmering_ = 0;  // of all chunks
  bool heated_ = false;         // a heater gave or took something in the last step
  std::int32_t air_of_last_step_ = kNoTemperature;
  std::vector<SteamCell> boiled_;
  std::vector<CellMove> moves_;
  std::vector<HeatChanges> spares_;  // room that steps use
  std::int64_t cells_stepped_ = 0;
};

/// The air's temperature in a tick.
[[nodiscard]] std::int32_t air_at(const HeatState& state, std::uint64_t tick);

/// Of all that a state has but its energies.
[[nodiscard]] Digest digest_of_small(const HeatState& state);

/// Of a cell of a world with heat, 1/256 degree; kNoTemperature where there is no water.
[[nodiscard]] std::int32_t temperature_at(const HeatState& state, const Grid& grid, Vec3 at);
/// Frozen units of a cell, and of all of them.
[[nodiscard]] std::int32_t ice_at(const HeatState& state, const Grid& grid, Vec3 at);
[[nodiscard]] std::int64_t ice_in(const HeatState& state, const Grid& grid);

}  // namespace sluice::sim
