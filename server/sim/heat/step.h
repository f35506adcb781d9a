// One step of heat, for the files that make it up: step.cpp (its order), fluxes.cpp (every flux by
// its rule), plain_fluxes.cpp (those of full cells of water, by vectors) and turn.cpp (what
// freezes, melts and boils).
//
// Every flux is a function of the old state of its two cells, computed by both of their chunks; so
// neither the order of chunks nor the number of workers can matter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "server/sim/heat/changes.h"
#include "server/sim/heat/enthalpy.h"
#include "server/sim/heat/field.h"
#include "server/sim/heat/kernels.h"

namespace sluice::sim {

/// A cell as a flux sees it.
struct HeatCell {
  std::int32_t fine = kNoTemperature;
  std::int32_t units = 0;
  bool ice = false;         // or as cold as ice
  std::int32_t frozen = 0;  // parts of 4,096 of water that is at 0 degrees
};

/// A chunk's part in the step under way.
struct ChunkHeat {
  ChunkCoord coord;
  Chunk* chunk = nullptr;  // null: air
  const AmountPage* page = nullptr;
  HeatChanges changes;
  std::int64_t to_air = 0;  // given and taken, each for itself
  std::int64_t from_air = 0;
  bool flows = false;
  bool full_and_alike = false;  // within, nothing can flow
  bool has_units = false;       // cells that are not full, here or straight beside
  std::vector<Vec3> simmering;  // surfaces
};

class HeatStep {
 public:
  HeatStep(HeatField& field, const HeatTick& now, Grid& grid, CarriedWater& water, HeatState& state)
      : field_(field),
        now_(now),
        grid_(grid),
        water_(water),
        shape_(grid.shape()),
        state_(state),
        options_(state.options),
        curve_(state.options.latent),
        air_(air_at(state, now.tick) << kLogFine) {}

  /// Returns the units that left as steam.
  std::int64_t run(Executor& executor);

 private:
  /// One of a chunk's six sides: the cells along it lie `outer` * i + `inner` * j from the first.
  struct Border {
    const Chunk* other = nullptr;
    bool high = false;  // towards higher coordinates
    bool vertical = false;
    std::int32_t first = 0;
    std::int32_t outer = 0;
    std::int32_t outer_count = 0;
    std::int32_t inner = 0;
    std::int32_t inner_count = 0;
    std::int32_t to_other = 0;  // from a cell's index to that of the one behind the border
    Vec3 step;
  };
  /// Where a border's cells stand in a plane: `inner` * j from the first of row i, `step` * i.
  struct BorderRows {
    std::size_t own = 0;
    std::size_t other = 0;  // behind the border
    std::size_t count = 0;
    std::size_t step = 0;
    std::size_t cells = 0;  // of a row
    std::size_t inner = 0;
  };
  struct CellAt {
    std::int32_t index = 0;
    HeatCell cell;
  };
  // step.cpp
  void begin(ChunkCoord coord, ChunkHeat& heat);
  void find_fluxes(ChunkHeat& heat) const;
  /// Returns which of its cells may turn: HeatKernels::others.
  [[nodiscard]] std::uint64_t apply(ChunkHeat& heat);
  void fall_asleep();

  // fluxes.cpp
  [[nodiscard]] HeatCell cell_of(const Chunk& chunk, const AmountPage* page,
                                 std::int32_t index) const;
  /// Of water at 0 degrees: HeatCell::frozen.
  [[nodiscard]] std::int32_t frozen_share(std::int64_t energy, std::int32_t units) const {
    static_assert(kFull == 1 << kLogHeatParts);
    const std::int64_t frozen = curve_.frozen_units(energy, units, false);
    return static_cast<std::int32_t>(units == kFull ? frozen : (frozen << kLogHeatParts) / units);
  }
  [[nodiscard]] std::int64_t beside(const HeatCell& a, const HeatCell& b) const;
  [[nodiscard]] std::int64_t upwards(const HeatCell& below, const HeatCell& above) const;
  [[nodiscard]] std::int32_t through_ice(const HeatCell& a, const HeatCell& b) const;
  void move(ChunkHeat& heat, std::int32_t index, std::int64_t energy) const;
  void find_within(ChunkHeat& heat) const;
  void find_over_border(ChunkHeat& heat, const Border& border) const;
  void find_over_face(ChunkHeat& heat, const Border& border, const AmountPage* page,
                      std::int32_t index) const;
  [[nodiscard]] std::array<Border, 6> borders_of(const Chunk& chunk) const;
  [[nodiscard]] const AmountPage* page_of(const Chunk* chunk) const;
  /// `air`: so many cells straight over it are known to be air.
  void meet_air(ChunkHeat& heat, std::int32_t index, const HeatCell& here,
                std::int32_t air = 0) const;
  [[nodiscard]] std::optional<std::int32_t> gap_over(const ChunkHeat& heat, std::int32_t index,
                                                     std::int32_t known, std::int32_t enough) const;
  [[nodiscard]] Cell cell_over(const Chunk& chunk, std::int32_t index, Vec3 at) const;

  // plain_fluxes.cpp
  [[nodiscard]] bool find_plain(ChunkHeat& heat) const;
  [[nodiscard]] HeatCellsRead read_plain(const ChunkHeat& heat, HeatPlane& plane) const;
  [[nodiscard]] std::array<HeatCellsRead, 6> read_beside(const std::array<Border, 6>& borders,
                                                         HeatPlane& plane) const;
  [[nodiscard]] HeatCellsRead read_beside(const Border& border, HeatPlane& plane) const;
  void read_nothing(const Border& border, const BorderRows& rows, HeatPlane& plane) const;
  [[nodiscard]] HeatCellsRead read_column(const BorderRows& rows, const Cell* cells,
                                          const std::int64_t* energies, HeatPlane& plane) const;
  [[nodiscard]] HeatCellsRead read_rows(const HeatRows& rows, const Cell* cells,
                                        const std::int64_t* energies, HeatPlane& plane,
                                        std::size_t to) const;
  [[nodiscard]] BorderRows rows_of(const Border& border, const HeatPlane& plane) const;

  // left_out.cpp
  void find_by_rule(ChunkHeat& heat, const HeatPlane& plane) const;
  void find_by_rule(ChunkHeat& heat, const HeatPlane& plane, std::int32_t index) const;
  void find_beyond_planes(ChunkHeat& heat, const HeatPlane& plane, std::int32_t layer) const;
  void find_left_out_over(ChunkHeat& heat, const Border& border, const HeatPlane& plane) const;
  void exchange(ChunkHeat& heat, const CellAt& low, const CellAt& high, bool vertical) const;
  void find_surfaces(ChunkHeat& heat, const HeatPlane& plane, std::int32_t layer) const;
  [[nodiscard]] bool meet_air_alike(ChunkHeat& heat, const HeatPlane& plane, std::size_t at,
                                    std::int32_t row) const;
  [[nodiscard]] std::int32_t rows_of_air_over(const ChunkHeat& heat, std::int32_t row) const;
  [[nodiscard]] HeatCell cell_of(const ChunkHeat& heat, const HeatPlane& plane, std::size_t at,
                                 std::int32_t index) const;

  // turn.cpp
  /// What freezes, melts and boils. Returns the units that left as steam.
  std::int64_t turn(ChunkHeat& heat, std::uint64_t groups);
  /// Of a chunk to which nothing flowed, as HeatKernels::others.
  [[nodiscard]] std::uint64_t groups_to_turn(const Chunk& chunk, const AmountPage* page) const;
  /// What neither freezes, melts nor boils.
  [[nodiscard]] HeatRange usual() const { return lasting_range(curve_); }
  [[nodiscard]] Cell turned(Cell cell, std::int32_t units, std::int64_t energy) const;
  void let_go(Vec3 at, std::int32_t units, std::int32_t left, std::int64_t& energy);
  void grow(ChunkCoord coord, std::size_t index, std::int32_t units);
  void move_grown();
  [[nodiscard]] std::int64_t& energy_at(Vec3 at);

  HeatField& field_;
  const HeatTick& now_;
  Grid& grid_;
  CarriedWater& water_;
  const ChunkShape& shape_;
  HeatState& state_;
  const HeatOptions& options_;
  HeatCurve curve_;
  std::int32_t air_;  // 1/65536 degree
  std::vector<ChunkHeat> chunks_;
  std::size_t turned_ = 0;        // cells
  std::vector<WaterMove> grown_;  // from ice to the water above it
};

}  // namespace sluice::sim
