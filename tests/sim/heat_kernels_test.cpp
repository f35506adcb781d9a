// Goal: heat's kernels give the same bits on every vector unit. Method: each set reads, lets flow
// and adds what the portable one does, at the bounds of what is plain, too.
#include <algorithm>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/heat/kernels.h"
#include "server/sim/kernels.h"
#include "tests/support/dice.h"

namespace sluice::tests::heat_kernels_test {
namespace {

const sim::HeatKernels& portable() {
  return sim::scalar_kernels().heat;
}

struct Chunk {
  sim::HeatCurve curve;
  std::vector<Cell> cells = std::vector<Cell>(kChunkCells);
  std::vector<std::int64_t> energies = std::vector<std::int64_t>(kChunkCells);

  [[nodiscard]] sim::HeatRange range() const { return sim::lasting_range(curve); }
};

Cell any_cell(Dice& dice) {
  switch (dice.roll(0, 6)) {
    case 0:
      return dice.chance(50) ? kRock : kTrappedAir;
    case 1:
      return kAir;
    case 2:
      return ice_of(dice.roll(1, sim::kMostPlain + 9));
    case 3:
      return dice.roll(1, sim::kMostPlain + 9);
    case 4:
      return ice_of(kFull);
    case 5:
      return dice.chance(20) ? sim::kMostPlain + dice.roll(0, 1) : kFull / 2;
    default:
      return kFull;
  }
}

/// Around every bound of energies, and now and then far beyond them.
std::int64_t any_energy(Dice& dice, const sim::HeatCurve& curve, std::int32_t units, bool warm) {
  const sim::HeatRange range = sim::lasting_range(curve);
  const std::int32_t coldest = warm || dice.chance(50) ? 1 : -100;
  const std::int32_t degrees = dice.roll(coldest, 100) * sim::kDegree;
  std::int64_t energy = curve.energy_at(degrees, units) + dice.roll(-5000, 5000);
  if (dice.chance(5)) energy = range.least * units + dice.roll(-1, 2);
  if (dice.chance(5)) energy = range.most * units - dice.roll(-1, 2);
  if (dice.chance(5)) energy = range.most_of_ice * units - dice.roll(-1, 2);
  if (dice.chance(2)) energy = std::int64_t{dice.roll(0, INT32_MAX)} * dice.roll(0, 1 << 20);
  return std::max<std::int64_t>(energy, 0);
}

Chunk any_chunk(Dice& dice) {
  Chunk chunk{sim::HeatCurve(dice.chance(50))};
  const std::int32_t full = dice.roll(0, 4) * 25;
  const bool warm = dice.chance(50);
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    chunk.cells[i] = dice.chance(full) ? kFull : any_cell(dice);
    const std::int32_t units = std::max(held_in(chunk.cells[i]), 1);
    chunk.energies[i] = any_energy(dice, chunk.curve, units, warm);
  }
  return chunk;
}

/// Rows of 16 or more, with some cells left out between them.
sim::HeatRows any_rows(Dice& dice) {
  const std::size_t row = std::size_t{16} << dice.roll(0, 2);
  const std::size_t layers = std::size_t{1} << dice.roll(0, 4);
  const std::size_t of_layer = kChunkCells / row / 2 / layers;
  return {of_layer, row, 2 * row, row + 2, layers, of_layer * (row + 2) + 3};
}

struct Read {
  sim::HeatCellsRead found;
  std::vector<std::int32_t> plain;
  std::vector<std::int32_t> units;

  friend bool operator==(const Read&, const Read&) = default;
};

Read read(const sim::HeatKernels& kernels, const Chunk& chunk, const sim::HeatRows& rows,
          bool with_units) {
  Read read;
  read.plain.resize(rows.layers * rows.to_layer);
  read.units.resize(read.plain.size());
  const Cell* const cells = chunk.cells.data();
  const std::int64_t* const energies = chunk.energies.data();
  read.found = with_units ? kernels.read_units(chunk.curve, rows, cells, energies,
                                               read.plain.data(), read.units.data())
                          : kernels.read(chunk.curve, rows, cells, energies, read.plain.data());
  return read;
}

RC_GTEST_PROP(HeatKernels, ReadTheSameEverywhere, (std::uint64_t seed, bool with_units)) {
  Dice dice(seed);
  const Chunk chunk = any_chunk(dice);
  const sim::HeatRows rows = any_rows(dice);
  const Read expected = read(portable(), chunk, rows, with_units);
  for (const sim::Kernels& set : sim::all_kernels()) {
    RC_ASSERT(read(set.heat, chunk, rows, with_units) == expected);
  }
}

/// Of cells that are mixed, and of layers of one kind.
void fill_plane(Dice& dice, sim::HeatPlane& plane) {
  const std::vector<std::int32_t> some =
      read(portable(), any_chunk(dice), {1, kChunkCells, 0, 0, 1, kChunkCells}, true).plain;
  for (std::int32_t& cell : plane.plain) cell = some[static_cast<std::size_t>(dice.roll(0, 4095))];
  for (std::size_t from = 0; from < plane.plain.size(); from += plane.layer) {
    const std::size_t count = std::min(plane.layer, plane.plain.size() - from);
    const std::int32_t kind = dice.roll(0, 5);
    for (std::int32_t& cell : std::span(plane.plain).subspan(from, count)) {
      if (kind == 0) cell = sim::kNoHeat;
      if (kind == 1) cell = 2 * dice.roll(1, sim::kBoiling << sim::kLogFine);
      if (kind == 2) cell = 2 * dice.roll(sim::kColdest << sim::kLogFine, 0) + 1;
      if (kind == 3 && dice.chance(10)) cell = dice.chance(50) ? sim::kNoHeat : sim::kByRule;
    }
  }
  plane.has_units = dice.chance(50);
  for (std::int32_t& held : plane.units) held = dice.roll(1, sim::kMostPlain);
}

RC_GTEST_PROP(HeatKernels, LetTheSameFlowEverywhere, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  const ChunkShape shape = solid ? kSolidShape : kSideViewShape;
  sim::HeatPlane plane(shape);
  fill_plane(dice, plane);
  const sim::HeatFluxInput input{shape, dice.roll(0, 512), dice.roll(0, 1024), dice.roll(0, 2048),
                                 dice.roll(0, 128)};
  std::vector<std::int32_t> change(kChunkCells);
  const sim::HeatFluxesFound found = portable().fluxes(input, plane, change.data());
  for (const sim::Kernels& set : sim::all_kernels()) {
    std::vector<std::int32_t> here(kChunkCells, -1);
    RC_ASSERT(set.heat.fluxes(input, plane, here.data()) == found);
    RC_ASSERT(here == change);
  }
}

RC_GTEST_PROP(HeatKernels, MeetTheSameAirEverywhere, (std::uint64_t seed, bool with_units)) {
  Dice dice(seed);
  std::vector<std::int32_t> plain(64);
  std::vector<std::int32_t> units(64);
  for (std::int32_t& cell : plain) {
    const bool ice = dice.chance(50);
    const std::int32_t degrees = ice ? dice.roll(-100, 0) : dice.roll(0, 100);
    cell = 2 * ((degrees * sim::kDegree << sim::kLogFine) + dice.roll(0, 99)) + (ice ? 1 : 0);
  }
  for (std::int32_t& held : units) held = dice.roll(1, sim::kMostPlain);
  const std::int32_t parts = dice.roll(0, sim::kMostHeatParts);
  const std::int32_t air = dice.roll(sim::kColdest, sim::kHottest) << sim::kLogFine;
  const auto meet = [&](const sim::HeatKernels& kernels, std::vector<std::int32_t>& change) {
    return kernels.meet_air(parts, air, plain.size(), plain.data(),
                            with_units ? units.data() : nullptr, change.data());
  };
  std::vector<std::int32_t> change(64, 7);
  const sim::HeatOfAir found = meet(portable(), change);
  for (const sim::Kernels& set : sim::all_kernels()) {
    std::vector<std::int32_t> here(64, 7);
    RC_ASSERT(meet(set.heat, here) == found);
    RC_ASSERT(here == change);
  }
}

RC_GTEST_PROP(HeatKernels, AddTheSameEverywhere, (std::uint64_t seed)) {
  Dice dice(seed);
  const Chunk chunk = any_chunk(dice);
  const sim::HeatRange range = chunk.range();
  std::vector<std::int32_t> change(kChunkCells);
  for (std::int32_t& energy : change) energy = dice.roll(INT32_MIN / 2, INT32_MAX / 2);
  std::vector<std::int64_t> sum = chunk.energies;
  const std::uint64_t others = portable().add(range, chunk.cells.data(), change.data(), sum.data());
  for (const sim::Kernels& set : sim::all_kernels()) {
    std::vector<std::int64_t> here = chunk.energies;
    RC_ASSERT(set.heat.add(range, chunk.cells.data(), change.data(), here.data()) == others);
    RC_ASSERT(here == sum);
    RC_ASSERT(set.heat.others(range, chunk.cells.data(), sum.data()) == others);
    RC_ASSERT(set.heat.digest(sum.data()) == portable().digest(sum.data()));
  }
}

}  // namespace
}  // namespace sluice::tests::heat_kernels_test
