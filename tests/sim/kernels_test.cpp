// Goal: every set of kernels gives the same bits as the portable one, and the rule that they share
// keeps the promises on which the proof of rest stands (models/cellular/cellular.md).
#include "server/sim/kernels.h"

#include <array>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/random_world.h"

namespace sluice::tests::kernels_test {
namespace {

using sim::CellularRule;
using sim::PassChanges;

using ChunkCells = std::vector<Cell>;

/// In some of its segments no cell holds water: kernels look at those once.
ChunkCells random_cells(Dice& dice, std::size_t count) {
  ChunkCells cells(count + sim::kOverread, 0);
  const std::int32_t dry_segments = dice.roll(0, 3) * 30;
  bool dry = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % sim::kSegment == 0) dry = dice.chance(dry_segments);
    const std::int32_t kind = dice.roll(0, 9);
    cells[i] = kind < 2   ? kRock
               : kind < 3 ? kOutside
               : dry      ? kAir
               : kind < 6 ? dice.roll(0, 5000)
               : kind < 9 ? dice.roll(4000, 9000)
                          : dice.roll(0, sim::kMaxCellUnits);
  }
  return cells;
}

CellularRule random_rule(Dice& dice, bool side_view) {
  sim::WorldConfig config;
  config.size.z = side_view ? 1 : 2;
  if (dice.chance(50)) {
    const std::int32_t full = dice.roll(64, sim::kMaxFullOption);
    config.options["full"] = full;
    config.options["compressed_max"] = full + dice.roll(0, full / 8);
  }
  if (dice.chance(40)) config.options["compression"] = 1;
  return sim::prepare(config);
}

void expect_same(const PassChanges& a, const PassChanges& b) {
  RC_ASSERT(a.slabs == b.slabs);
  RC_ASSERT(a.later == b.later);
  for (std::size_t i = 0; i < sim::kMaxSlab; ++i) {
    RC_ASSERT((a.columns[i] != 0) == (b.columns[i] != 0));
  }
}

/// Of a chunk's border, over most of which nothing may flow.
std::vector<std::int32_t> random_fluxes(Dice& dice, std::int32_t chance) {
  std::vector<std::int32_t> fluxes(sim::kMaxSlab + sim::kOverread, 0);
  for (std::size_t i = 0; i < sim::kMaxSlab; ++i) {
    if (dice.chance(chance)) fluxes[i] = dice.roll(-900, 900);
  }
  return fluxes;
}

/// All of a chunk, parts of it, or nothing.
sim::ChunkRegion random_region(Dice& dice, const ChunkShape& shape) {
  sim::ChunkRegion region;
  const std::int32_t slabs = dice.roll(0, 4) * 25;
  const std::int32_t segments = dice.roll(0, 4) * 25;
  for (std::int32_t y = 0; y < shape.height(); ++y) {
    region.slabs |= std::uint64_t{dice.chance(slabs)} << y;
  }
  for (std::int32_t i = 0; i < shape.slab() / sim::kSegment; ++i) {
    region.segments |= std::uint32_t{dice.chance(segments)} << i;
  }
  return region;
}

RC_GTEST_PROP(Kernels, SidewaysGivesTheSameBitsEverywhere, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  const ChunkShape shape = solid ? kSolidShape : kSideViewShape;
  const CellularRule rule = random_rule(dice, !solid);
  const ChunkCells cells = random_cells(dice, kChunkCells);
  const ChunkCells below = random_cells(dice, sim::kMaxSlab);
  constexpr std::array<std::int32_t, 3> kChances = {0, 2, 50};
  const std::int32_t chance = kChances[static_cast<std::size_t>(dice.roll(0, 2))];
  const auto low_x = random_fluxes(dice, chance);
  const auto high_x = random_fluxes(dice, chance);
  const auto low_z = random_fluxes(dice, chance);
  const auto high_z = random_fluxes(dice, chance);
  sim::SidewaysInput input;
  input.over_borders = chance > 0;
  input.below = below.data();
  input.low_x = low_x.data();
  input.high_x = high_x.data();
  input.low_z = low_z.data();
  input.high_z = high_z.data();
  input.region = random_region(dice, shape);
  input.least = dice.chance(50) ? 0 : dice.roll(0, 2000);
  const auto run = [&](const sim::Kernels& set, PassChanges& changes) {
    ChunkCells result = cells;
    set.cellular.sideways(rule, shape, result.data(), input, changes);
    return result;
  };
  PassChanges expected_changes;
  const ChunkCells expected = run(sim::scalar_kernels(), expected_changes);
  for (const sim::Kernels& set : sim::all_kernels()) {
    PassChanges changes;
    RC_ASSERT(run(set, changes) == expected);
    expect_same(changes, expected_changes);
  }
}

RC_GTEST_PROP(Kernels, FacesGiveTheSameBitsEverywhere, (std::uint64_t seed, bool side_view)) {
  Dice dice(seed);
  const CellularRule rule = random_rule(dice, side_view);
  const ChunkCells cells = random_cells(dice, kChunkCells);
  const std::int32_t least = dice.chance(50) ? 0 : dice.roll(0, 2000);
  for (int i = 0; i < 20; ++i) {
    const auto somewhere = [&] { return cells.data() + dice.roll(0, kChunkCells - sim::kSegment); };
    sim::FaceCells faces;
    faces.from = somewhere();
    faces.to = somewhere();
    faces.from_under = somewhere();
    faces.to_under = somewhere();
    const auto run = [&](const sim::Kernels& set) {
      std::array<std::int32_t, sim::kSegment> flux{};
      bool waits = false;
      const bool flows = set.cellular.faces(rule, faces, least, flux.data(), waits);
      return std::tuple(flux, waits, flows);
    };
    const auto expected = run(sim::scalar_kernels());
    for (const sim::Kernels& set : sim::all_kernels()) RC_ASSERT(run(set) == expected);
  }
}

RC_GTEST_PROP(Kernels, AllSetsSeeWhatStandsAndElseNothingSpreads,
              (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  const ChunkShape shape = solid ? kSolidShape : kSideViewShape;
  const CellularRule rule = random_rule(dice, !solid);
  ChunkCells cells = random_cells(dice, kChunkCells);
  ChunkCells below = random_cells(dice, sim::kMaxSlab);
  // Where little is wet over nothing but air, mostly nothing stands.
  const bool falls = dice.chance(70);
  for (std::size_t i = 0; falls && i < kChunkCells; ++i) {
    if (!dice.chance(2)) cells[i] = kAir;
    if (i < sim::kMaxSlab) below[i] = kAir;
  }
  const sim::ChunkRegion region = random_region(dice, shape);
  const auto stands = [&](const sim::Kernels& set) {
    return set.cellular.stands(rule, shape, cells.data(), below.data(), region);
  };
  const bool expected = stands(sim::scalar_kernels());
  for (const sim::Kernels& set : sim::all_kernels()) RC_ASSERT(stands(set) == expected);
  RC_TAG(expected);
  if (expected) return;
  const std::vector<std::int32_t> nothing(sim::kMaxSlab + sim::kOverread, 0);
  sim::SidewaysInput input{.below = below.data(),
                           .low_x = nothing.data(),
                           .high_x = nothing.data(),
                           .low_z = nothing.data(),
                           .high_z = nothing.data(),
                           .over_borders = false,
                           .region = region};
  PassChanges changes;
  ChunkCells after = cells;
  sim::scalar_kernels().cellular.sideways(rule, shape, after.data(), input, changes);
  RC_ASSERT(after == cells);
  RC_ASSERT(changes.slabs == 0U);
}

RC_GTEST_PROP(Kernels, VerticalAndPairGiveTheSameBitsEverywhere, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  const ChunkShape shape = solid ? kSolidShape : kSideViewShape;
  const CellularRule rule = random_rule(dice, !solid);
  ChunkCells cells = random_cells(dice, kChunkCells);
  const ChunkCells other = random_cells(dice, sim::kMaxSlab);
  // In a chunk whose columns have settled something changes in a few slabs: what is told of those
  // is enough.
  const bool settled = dice.chance(50);
  for (bool moved = settled; moved;) {
    PassChanges changes;
    sim::scalar_kernels().cellular.vertical(rule, shape, cells.data(), sim::whole_chunk(shape),
                                            changes);
    moved = changes.slabs != 0;
  }
  const sim::ChunkRegion region = settled ? random_region(dice, shape) : sim::whole_chunk(shape);
  for (std::int32_t i = 0; settled && i < kChunkCells; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::int32_t segment = i % shape.slab() / sim::kSegment;
    if ((region.slabs >> (i / shape.slab()) & 1U) == 0) continue;
    if ((region.segments >> segment & 1U) == 0 || cells[at] < 0 || dice.chance(80)) continue;
    cells[at] = dice.roll(0, 9000);
  }
  struct Outcome {
    ChunkCells cells, upper;
    bool moved = false;
  };
  const auto run = [&](const sim::Kernels& set, PassChanges& changes, PassChanges& pair) {
    Outcome outcome{cells, other, false};
    set.cellular.vertical(rule, shape, outcome.cells.data(), region, changes);
    outcome.moved =
        set.cellular.pair(rule, region.segments, outcome.cells.data(), outcome.upper.data(), pair);
    return outcome;
  };
  PassChanges expected_changes;
  PassChanges expected_pair;
  const Outcome expected = run(sim::scalar_kernels(), expected_changes, expected_pair);
  for (const sim::Kernels& set : sim::all_kernels()) {
    PassChanges changes;
    PassChanges pair;
    const Outcome outcome = run(set, changes, pair);
    RC_ASSERT(outcome.cells == expected.cells);
    RC_ASSERT(outcome.upper == expected.upper);
    RC_ASSERT(outcome.moved == expected.moved);
    expect_same(changes, expected_changes);
    expect_same(pair, expected_pair);
  }
}

RC_GTEST_PROP(Kernels, DigestsGiveTheSameBitsAndSeeEveryBit, (std::uint64_t seed)) {
  Dice dice(seed);
  ChunkCells cells = random_cells(dice, kChunkCells);
  std::uint64_t expected[sim::kDigestLanes];
  sim::scalar_kernels().digest_cells(cells.data(), 0, kChunkCells, expected);
  for (const sim::Kernels& set : sim::all_kernels()) {
    std::uint64_t sums[sim::kDigestLanes];
    set.digest_cells(cells.data(), 0, kChunkCells, sums);
    for (std::size_t i = 0; i < sim::kDigestLanes; ++i) RC_ASSERT(sums[i] == expected[i]);
    // Some cells after the others.
    const std::size_t part = sim::kDigestPartCells;
    const auto cut = static_cast<std::size_t>(dice.roll(1, sim::kDigestParts - 1)) * part;
    std::uint64_t rest[sim::kDigestLanes];
    set.digest_cells(cells.data(), 0, cut, sums);
    set.digest_cells(cells.data(), cut, kChunkCells - cut, rest);
    for (std::size_t i = 0; i < sim::kDigestLanes; ++i) RC_ASSERT(sums[i] + rest[i] == expected[i]);
  }
  const sim::Digest before = sim::digest_cells(cells.data());
  for (int flips = 0; flips < 64; ++flips) {
    const auto at = static_cast<std::size_t>(dice.roll(0, kChunkCells - 1));
    const auto bit = static_cast<Cell>(1U << dice.roll(0, 31));
    cells[at] ^= bit;
    RC_ASSERT(sim::digest_cells(cells.data()) != before);
    cells[at] ^= bit;
  }
}

RC_GTEST_PROP(Kernels, AllSetsMoveTracersAlike, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  const ChunkShape shape = solid ? kSolidShape : kSideViewShape;
  sim::TracerFluxInput input{.shape = shape,
                             .layers = dice.roll(1, shape.height()),
                             .spread = dice.roll(0, sim::kMostSpread)};
  if (dice.chance(50)) input.overturn = dice.roll(0, sim::kMostOverturn);
  if (dice.chance(30)) input.sink = dice.roll(-sim::kMostSink, sim::kMostSink);
  sim::TracerPlane plane(shape);
  const int bits = dice.roll(1, input.sink == 0 ? 60 : 44);
  const std::int32_t wet = dice.roll(0, 100);
  for (std::size_t i = 0; i < sim::TracerPlane::kMost; ++i) {
    plane.values[i] = static_cast<std::int64_t>(dice.next() >> (64 - bits));
    if (dice.chance(30) && i > 0) plane.values[i] = plane.values[i - 1] + dice.roll(0, 1);
    plane.units[i] = dice.chance(wet) ? kFull : dice.roll(0, 3) * dice.roll(0, 1 << 18);
  }
  std::vector<std::int64_t> change(kChunkCells, -1);
  const bool any = sim::scalar_kernels().tracers.fluxes(input, plane, change.data());
  for (const sim::Kernels& set : sim::all_kernels()) {
    std::vector<std::int64_t> change_here(kChunkCells, -1);
    RC_ASSERT(set.tracers.fluxes(input, plane, change_here.data()) == any);
    RC_ASSERT(change_here == change);
  }
}

TEST(CellularRule, SplitsAStackByThePublishedFormula) {
  const CellularRule rule = sim::prepare(sim::WorldConfig{});
  for (std::int32_t sum = 0; sum < 60000; ++sum) {
    const std::int32_t full = 4096;
    const std::int32_t extra = 41;
    std::int32_t lower = sum;
    if (sum > full) lower = full + (sum - full) * extra / (full + extra);
    if (sum >= 2 * full + extra) lower = (sum + extra) / 2;
    ASSERT_EQ(sim::lower_share(rule, sum), lower) << "sum " << sum;
  }
}

RC_GTEST_PROP(CellularRule, EachUnitOfASumGoesToOneOfTheTwo, (std::uint64_t seed)) {
  Dice dice(seed);
  const CellularRule rule = random_rule(dice, dice.chance(50));
  const std::int32_t from = dice.chance(50) ? 0 : dice.roll(0, 2 * sim::kMaxCellUnits - 40000);
  for (std::int32_t sum = from; sum < from + 40000; ++sum) {
    const std::int32_t step = sim::lower_share(rule, sum + 1) - sim::lower_share(rule, sum);
    RC_ASSERT(step == 0 || step == 1);
    RC_ASSERT(sim::lower_share(rule, sum) <= sim::kMaxCellUnits);
    RC_ASSERT(sum - sim::lower_share(rule, sum) <= sim::kMaxCellUnits);
  }
}

RC_GTEST_PROP(CellularRule, SidewaysMovesAtMostHalfTheDifferenceAndIsAntisymmetric,
              (std::uint64_t seed)) {
  Dice dice(seed);
  const CellularRule rule = random_rule(dice, dice.chance(50));
  const ChunkCells cells = random_cells(dice, 4);
  const std::int32_t flux = sim::sideways_flux(rule, cells[0], cells[1], cells[2], cells[3]);
  RC_ASSERT(sim::sideways_flux(rule, cells[1], cells[0], cells[3], cells[2]) == -flux);
  if (!is_open(cells[0]) || !is_open(cells[1])) {
    RC_ASSERT(flux == 0);
  } else {
    RC_ASSERT(2 * std::int64_t{std::abs(flux)} <= std::abs(cells[0] - cells[1]));
    RC_ASSERT(flux == 0 || (flux > 0) == (cells[0] > cells[1]));
  }
}

// The worked example of models/cellular/cellular.md.
TEST(CellularRule, TheDocumentsColumnSettlesAsItSays) {
  const CellularRule rule = sim::prepare(sim::WorldConfig{});
  Cell bottom = kFull;
  Cell middle = kFull;
  Cell top = kFull;
  const auto pass = [&] {
    const auto settle = [&](Cell& lower, Cell& upper) {
      const std::int32_t sum = lower + upper;
      lower = sim::lower_share(rule, sum);
      upper = sum - lower;
    };
    settle(bottom, middle);
    settle(middle, top);
    return std::array{top, middle, bottom};
  };
  EXPECT_EQ(pass(), (std::array{4016, 4136, 4136}));
  EXPECT_EQ(pass(), (std::array{3997, 4135, 4156}));
  for (int i = 0; i < 60; ++i) (void)pass();
  EXPECT_EQ(pass(), (std::array{3978, 4135, 4175}));
}

TEST(Kernels, ThePortableSetCanBeSelected) {
  const std::string best = sim::kernels().name;
  EXPECT_TRUE(sim::select_kernels("scalar"));
  EXPECT_STREQ(sim::kernels().name, "scalar");
  EXPECT_FALSE(sim::select_kernels("none such"));
  EXPECT_TRUE(sim::select_kernels(best));
}

}  // namespace
}  // namespace sluice::tests::kernels_test
