// The loops of heat over cells, behind plain functions; server/sim/kernels.h says which run.
//
// Most water does not boil, and most of it stands in full cells, as most ice does. Of such *plain*
// cells all that the fluxes need is a temperature, and a flux between two fits 32 bits:
//
//   conducted() of 4,096 units   parts * 4096 * size >> 20  =  parts * size >> 8
//   size = high * 256 + low      parts * high + (parts * low >> 8)
//
// Where some are not full, as surfaces and water under pressure are, a second pass reads their
// amounts, too; then all are plain but what holds eight full cells and more, or boils.
//
// They stand in a plane: the chunk's cells as they lie, with a layer of its neighbours around.
// Whatever is not plain has no part in a kernel's fluxes; a plane says where something stands that
// goes by its rule.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "protocol/base/cell.h"
#include "protocol/base/geometry.h"
#include "server/sim/chunk_plane.h"
#include "server/sim/heat/enthalpy.h"

namespace sluice::sim {

/// A plain cell holds so many units at the most.
inline constexpr std::int32_t kMostPlain = 8 * kFull - 1;

/// Energies of a unit: of water between the first two, which are left out; of ice below the third.
struct HeatRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t most_of_ice = 0;

  [[nodiscard]] bool has(Cell cell, std::int64_t energy) const {
    const std::int64_t units = held_in(cell);
    if (is_ice(cell)) return energy >= 0 && energy < most_of_ice * units;
    return energy > least * units && energy < most * units;
  }
};

/// Cells that neither freeze, melt nor boil.
inline HeatRange lasting_range(const HeatCurve& curve) {
  return {curve.frozen(), curve.boils(), curve.melted() + (curve.melting == 0 ? 1 : 0)};
}

/// A plain cell in a plane: twice its temperature of 1/65536 degree, and 1 if it conducts as ice.
/// Any other, even as water is:
inline constexpr std::int32_t kNoHeat = INT32_MIN;      // neither water nor ice
inline constexpr std::int32_t kByRule = INT32_MIN + 2;  // some of either that is not plain
inline constexpr std::int32_t kMelting = 0;  // water of 0 degrees, which may be partly frozen

inline bool is_plain(std::int32_t plain) {
  return plain > kByRule;
}

inline std::int32_t fine_of_plain(std::int32_t plain) {
  return plain >> 1;
}
inline bool is_plain_ice(std::int32_t plain) {
  return (plain & 1) != 0;
}
/// Between ice and water above or below it, of which some is frozen, flows what neither says.
inline bool is_beyond_planes(std::int32_t below, std::int32_t above) {
  return (below == kMelting && is_plain_ice(above)) || (above == kMelting && is_plain_ice(below));
}

/// Plain is water from 0 to below 100 degrees, and ice of 0 degrees or less. Water that is colder
/// counts as ice.
inline std::int32_t plain_of(const HeatCurve& curve, Cell cell, std::int64_t energy) {
  const std::int32_t units = held_in(cell);
  if (units == 0) return kNoHeat;
  const std::int64_t end = (is_ice(cell) ? curve.melted() : curve.boils()) * units;
  if (units > kMostPlain || energy < 0 || energy >= end) return kByRule;
  const bool ice = is_ice(cell) || energy < curve.frozen() * units;
  return 2 * curve.fine(energy, units) + (ice ? 1 : 0);
}

/// A chunk's plain cells, and those around it.
struct HeatPlane : ChunkPlane {
  using ChunkPlane::ChunkPlane;
  // Without a value until they are read, corners for ever.
  std::array<std::int32_t, kMost> plain;
  std::array<std::int32_t, kMost> units;
  bool has_units = false;  // else all plain cells are full
};

struct HeatFluxInput {
  ChunkShape shape;
  // Parts of 4,096, as validate() lets them be.
  std::int32_t sideways = 0;  // at most 512: with less than 100 degrees the product fits 32 bits
  std::int32_t down = 0;
  std::int32_t up = 0;
  std::int32_t ice = 0;  // at most 128, for the same reason: less than 200 degrees
};

// validate() sees to it that all faces of a cell have at most kMostHeatParts: four of water to the
// side alone, and sixteen times those of ice.
static_assert(std::int64_t{kMostHeatParts / 4} * (kBoiling << kLogFine) < UINT32_MAX);
static_assert(std::int64_t{kMostHeatParts / 16} * ((kBoiling - kColdest) << kLogFine) < UINT32_MAX);
// So all that flows to a cell fits 32 bits, and so does the energy of a plain one.
static_assert(std::int64_t{kMostHeatParts} * (kMostPlain / kFull + 1) * (kHottest - kColdest) <
              INT32_MAX);
static_assert((kBoiling - std::int64_t{kColdest} / 2 + kHeatOfMelting) * kMostPlain < INT32_MAX);
static_assert(std::int64_t{kMostHeatParts} * kMostPlain < INT32_MAX);
static_assert(std::int64_t{kMostUnitHeat} << kLogFine < INT32_MAX);

/// Rows of cells in layers, and where their temperatures go.
struct HeatRows {
  std::size_t rows = 1;       // of a layer
  std::size_t cells = 0;      // of a row: a multiple of 16
  std::size_t from_step = 0;  // from one row to the next
  std::size_t to_step = 0;
  std::size_t layers = 1;
  std::size_t to_layer = 0;  // from one layer to the next; the cells of layers lie row by row
};

/// How many of the cells that were read are plain, are of those but not full, and go by their rule.
struct HeatCellsRead {
  std::int32_t plain = 0;
  std::int32_t not_full = 0;
  std::int32_t by_rule = 0;

  friend bool operator==(const HeatCellsRead&, const HeatCellsRead&) = default;
};

struct HeatFluxesFound {
  bool any = false;  // something flows over some face
  /// Bit y is set if over a cell of the chunk's layer y that holds water or ice is one that does
  /// not.
  std::uint64_t surfaces = 0;
  /// Where faces are left out as is_beyond_planes(): bit y if one lies under a cell of the chunk's
  /// layer y; and whether one lies over the topmost.
  std::uint64_t left_out = 0;
  bool left_out_above = false;

  friend bool operator==(const HeatFluxesFound&, const HeatFluxesFound&) = default;
};

/// What a row of surfaces gives to the air, and takes from it.
struct HeatOfAir {
  std::int64_t given = 0;
  std::int64_t taken = 0;

  friend bool operator==(const HeatOfAir&, const HeatOfAir&) = default;
};

struct HeatKernels {
  /// plain_of() full cells; any other goes by its rule.
  HeatCellsRead (*read)(const HeatCurve& curve, const HeatRows& rows, const Cell* cells,
                        const std::int64_t* energies, std::int32_t* plain);
  /// plain_of() all cells, and what they hold.
  HeatCellsRead (*read_units)(const HeatCurve& curve, const HeatRows& rows, const Cell* cells,
                              const std::int64_t* energies, std::int32_t* plain,
                              std::int32_t* units);
  /// What flows into each cell of the chunk from the plain ones around it, less what flows out.
  HeatFluxesFound (*fluxes)(const HeatFluxInput& input, const HeatPlane& plane,
                            std::int32_t* change);
  /// What flows between so many plain cells, a multiple of 16, and air of a temperature of 1/65536
  /// degree, through `parts` of each; `units`: null where all are full. Changes `change` by it.
  HeatOfAir (*meet_air)(std::int32_t parts, std::int32_t air, std::size_t count,
                        const std::int32_t* plain, const std::int32_t* units, std::int32_t* change);
  /// Adds a chunk's changes to its energies, and returns what others() would say of it then.
  std::uint64_t (*add)(const HeatRange& range, const Cell* cells, const std::int32_t* change,
                       std::int64_t* energies);
  /// Bit g is set if one of the chunk's 64 cells from 64 g on holds water or ice, and more than
  /// kMostPlain or what is not in the range.
  std::uint64_t (*others)(const HeatRange& range, const Cell* cells, const std::int64_t* energies);
  /// The sum of a page's digest (carried/amounts.cpp).
  std::uint64_t (*digest)(const std::int64_t* energies);
};

/// Key of a page's energy i in its digest: the first, and i steps more.
inline constexpr std::uint64_t kHeatDigestKey = 0x452821e638d01377U;
inline constexpr std::uint64_t kHeatDigestStep = 0x9e3779b97f4a7c15U;

/// 2^31 / units, rounded down, and one more, of kMostPlain + 1 numbers from 0 on, the first of
/// which says nothing: a division by so many units is a product then.
[[nodiscard]] const std::uint32_t* heat_reciprocals();

[[nodiscard]] HeatKernels scalar_heat_kernels();

}  // namespace sluice::sim
