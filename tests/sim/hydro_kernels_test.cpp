// Goal: the kernels of hydro water give the same bits on every vector unit, and those for even ways
// are given no others.
// Method: each set does what the portable one does with random lists, up to the bounds of what it
// may be given; bodies at these bounds and one beyond.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/kernels.h"
#include "server/sim/models/hydro/hydro.h"
#include "server/sim/models/hydro/open_body.h"
#include "server/workers/thread_pool.h"
#include "tests/support/dice.h"

namespace sluice::tests::hydro_kernels_test {
namespace {

using sim::hydro::end_of_way;
using sim::hydro::kMostSmallFlow;
using sim::hydro::kMostSmallHead;
using sim::hydro::OpenTick;

/// From 0 to 2^bits - 1; mostly small, now and then at the end.
std::int64_t any_size(Dice& dice, int bits) {
  const std::int64_t most = (std::int64_t{1} << bits) - 1;
  if (dice.chance(5)) return most - dice.roll(0, 1);
  return static_cast<std::int64_t>(dice.next()) & (most >> dice.roll(0, bits));
}

std::int64_t any_number(Dice& dice, int bits) {
  return dice.chance(50) ? any_size(dice, bits) : -any_size(dice, bits);
}

/// What a tick of a body reads and writes. Half of all bodies have their ways in a row, as sorted
/// ones do.
struct Lists {
  std::vector<std::int64_t> level, base, least, most, lead, flow, moved, way_lead;
  std::vector<std::int32_t> friction, low, high, sill_cell, top_cell, carry;
  std::array<std::vector<std::int32_t>, sim::hydro::kMostWays> ends;
  int head_shift = 0;
  std::int32_t target_friction = 0;
  int friction_shift = 1;
  bool solid = false;

  explicit Lists(Dice& dice) : friction_shift(dice.chance(50) ? 1 : 3), solid(dice.chance(50)) {
    const std::int32_t runs = dice.roll(2, 60);
    const std::int32_t bed = dice.chance(50) ? 0 : dice.roll(1, 100'000);
    const int bits = dice.roll(1, 28);
    const bool calm = dice.chance(50);
    const std::int32_t usual_friction = dice.chance(20) ? 0 : 8000;
    target_friction = calm ? usual_friction + usual_friction / 8 : any_friction(dice);
    for (std::int32_t m = 0; m < runs; ++m) {
      base.push_back(std::int64_t{bed} * kFull);
      level.push_back(base[0] + 1 + any_size(dice, bits));
      if (dice.chance(3)) level.back() = base[0];
      if (dice.chance(10)) level.back() = base[0] + dice.roll(1, 3) * kFull + dice.roll(-1, 1);
      least.push_back(base[0] + any_number(dice, bits));
      most.push_back(level.back() + any_number(dice, dice.roll(1, 28)) + (calm ? 100'000 : 0));
      lead.push_back(any_number(dice, calm ? 20 : 43));
      friction.push_back(calm && !dice.chance(3) ? usual_friction : any_friction(dice));
    }
    add_ways(dice, bed, calm);
    for (std::size_t k = 0; k < sim::hydro::kMostWays; ++k) add_ends(dice, k);
    std::int64_t across = std::ranges::max(level) - std::ranges::min(level);
    while (across >> head_shift >= 1 << 16) ++head_shift;
  }

  [[nodiscard]] OpenTick tick() {
    OpenTick tick;
    tick.level = level.data();
    tick.base = base.data();
    tick.least = least.data();
    tick.most = most.data();
    tick.lead = lead.data();
    tick.friction = friction.data();
    for (std::size_t k = 0; k < (solid ? 4U : 2U); ++k) tick.ends[k] = ends[k].data();
    tick.low = low.data();
    tick.high = high.data();
    tick.sill_cell = sill_cell.data();
    tick.top_cell = top_cell.data();
    tick.flow = flow.data();
    tick.carry = carry.data();
    tick.moved = moved.data();
    tick.way_lead = way_lead.data();
    tick.lowest = std::ranges::min(level);
    tick.head_shift = head_shift;
    tick.most_conductance = sim::hydro::most_conductance(solid);
    tick.target_friction = target_friction;
    tick.friction_shift = friction_shift;
    return tick;
  }

 private:
  static std::int32_t any_friction(Dice& dice) {
    return dice.chance(20) ? 0 : dice.roll(0, sim::hydro::kMostFriction);
  }
  void add_ways(Dice& dice, std::int32_t bed, bool calm) {
    const auto runs = static_cast<std::int32_t>(level.size());
    const bool low_roofs = dice.chance(20);
    const bool in_a_row = dice.chance(50);
    const std::int32_t stride = dice.roll(1, std::min(20, runs - 1));
    for (std::int32_t w = 0; w < (in_a_row ? runs - stride : dice.roll(1, 70)); ++w) {
      low.push_back(in_a_row ? w : dice.roll(0, runs - 1));
      high.push_back(in_a_row ? w + stride : (low.back() + dice.roll(1, runs - 1)) % runs);
      sill_cell.push_back(bed);
      const std::int32_t opening = dice.roll(1, dice.chance(50) ? 3 : 1 << 16);
      top_cell.push_back(bed + (dice.chance(low_roofs ? 50 : 3) ? opening : 1 << 16));
      flow.push_back(any_number(dice, calm ? 24 : 44));
      carry.push_back(dice.roll(-65535, 65535));
      moved.push_back(0);
      way_lead.push_back(0);
      // One of them is wet, and at least a unit over the sill.
      const auto end = static_cast<std::size_t>(low.back());
      level[end] = std::max(level[end], base[end] + 1);
    }
  }
  void add_ends(Dice& dice, std::size_t k) {
    const auto ways = static_cast<std::int32_t>(low.size());
    const auto first = static_cast<std::int32_t>(k);
    const bool in_a_row = dice.chance(50);
    const bool is_high = dice.chance(50);
    for (std::size_t m = 0; m < level.size(); ++m) {
      const std::int32_t way = first + static_cast<std::int32_t>(m);
      ends[k].push_back(in_a_row && way < ways
                            ? end_of_way(way, is_high)
                            : end_of_way(dice.roll(0, ways - 1), dice.chance(50)));
    }
  }
};

/// f(dice) so often for each seed that the bounds of what kernels are given come up, too.
template <class F>
void for_each_draw(std::uint64_t seed, F&& f) {
  Dice dice(seed);
  for (int i = 0; i < 100; ++i) f(dice);
}

/// f(set) for each.
template <class F>
void for_each_set(F&& f) {
  for (const sim::Kernels& set : sim::all_kernels()) f(set.hydro);
}

struct Part {
  std::size_t from = 0;
  std::size_t to = 0;
};

/// Of so many.
Part any_part(Dice& dice, std::size_t count) {
  const auto last = static_cast<std::int32_t>(count);
  const std::int32_t from = dice.chance(50) ? 0 : dice.roll(0, last);
  return {static_cast<std::size_t>(from), static_cast<std::size_t>(dice.roll(from, last))};
}

const sim::hydro::HydroKernels& portable() {
  return sim::scalar_kernels().hydro;
}

RC_GTEST_PROP(HydroKernels, MeasureAlike, (std::uint64_t seed)) {
  for_each_draw(seed, [](Dice& dice) {
    Lists lists(dice);
    const Part runs = any_part(dice, lists.level.size());
    const Part ways = any_part(dice, lists.low.size());
    sim::hydro::Quotient expected;
    portable().measure_runs(lists.tick(), runs.from, runs.to, expected);
    const sim::hydro::OpenSums sums = portable().measure_ways(lists.tick(), ways.from, ways.to);
    for_each_set([&](const sim::hydro::HydroKernels& set) {
      sim::hydro::Quotient heads;
      set.measure_runs(lists.tick(), runs.from, runs.to, heads);
      RC_ASSERT(heads.count == expected.count && heads.sum == expected.sum);
      RC_ASSERT(heads.squares == expected.squares);
      const sim::hydro::OpenSums found = set.measure_ways(lists.tick(), ways.from, ways.to);
      RC_ASSERT(found.conductances == sums.conductances && found.heads == sums.heads);
    });
  });
}

RC_GTEST_PROP(HydroKernels, MoveAlike, (std::uint64_t seed)) {
  for_each_draw(seed, [](Dice& dice) {
    const Lists before(dice);
    const Part part = any_part(dice, before.low.size());
    Lists expected = before;
    const bool fast = portable().move(expected.tick(), part.from, part.to);
    for_each_set([&](const sim::hydro::HydroKernels& set) {
      Lists lists = before;
      RC_ASSERT(set.move_even(lists.tick(), part.from, part.to) == fast);
      RC_ASSERT(lists.flow == expected.flow);
      RC_ASSERT(lists.carry == expected.carry);
      RC_ASSERT(lists.moved == expected.moved);
      RC_ASSERT(lists.way_lead == expected.way_lead);
    });
  });
}

RC_GTEST_PROP(HydroKernels, FillAlike, (std::uint64_t seed)) {
  for_each_draw(seed, [](Dice& dice) {
    Lists before(dice);
    portable().move(before.tick(), 0, before.low.size());
    const Part part = any_part(dice, before.level.size());
    Lists expected = before;
    std::array<std::int32_t, 60> expected_outside;
    const auto outcome =
        portable().fill(expected.tick(), part.from, part.to, expected_outside.data());
    for_each_set([&](const sim::hydro::HydroKernels& set) {
      Lists lists = before;
      std::array<std::int32_t, 60> outside;
      const auto found = set.fill(lists.tick(), part.from, part.to, outside.data());
      RC_ASSERT(lists.level == expected.level);
      RC_ASSERT(lists.lead == expected.lead);
      RC_ASSERT(lists.friction == expected.friction);
      RC_ASSERT(found.lowest == outcome.lowest && found.highest == outcome.highest);
      RC_ASSERT(found.moved == outcome.moved && found.fits == outcome.fits);
      RC_ASSERT(found.outside == outcome.outside);
      RC_ASSERT(std::equal(outside.begin(), outside.begin() + static_cast<int>(found.outside),
                           expected_outside.begin()));
    });
  });
}

// Numbers around multiples of divisors of each size, up to the bounds of both.
RC_GTEST_PROP(HydroKernels, DivideAlike, (std::uint64_t seed)) {
  for_each_draw(seed, [](Dice& dice) {
    const bool in_an_octave = dice.chance(30);  // as what friction adds up to
    std::vector<std::int64_t> numbers, divisors, quotients;
    for (std::int32_t i = dice.roll(1, 40); i > 0; --i) {
      const std::int64_t any =
          in_an_octave ? dice.roll(1 << 16, (1 << 17) - 1) : any_size(dice, dice.roll(1, 32));
      const std::int64_t divisor = std::max<std::int64_t>(any, 1);
      const std::int64_t most = std::min<std::int64_t>((divisor << 24) - 1, UINT32_MAX);
      const std::int64_t multiple = any_size(dice, 24) * divisor + dice.roll(-1, 1);
      divisors.push_back(divisor);
      numbers.push_back(std::clamp<std::int64_t>(dice.chance(10) ? most : multiple, 0, most));
      quotients.push_back(numbers.back() / divisor);
    }
    for_each_set([&](const sim::hydro::HydroKernels& set) {
      std::vector<std::int64_t> found(numbers.size());
      set.divide(numbers.data(), divisors.data(), numbers.size(), found.data());
      RC_ASSERT(found == quotients);
    });
  });
}

RC_GTEST_PROP(HydroKernels, DigestAlike, (std::uint64_t seed)) {
  for_each_draw(seed, [](Dice& dice) {
    sim::HydroMotion<sim::HydroRunState> runs;
    sim::HydroMotion<sim::HydroLinkState> links;
    for (std::int32_t i = dice.roll(0, 40); i > 0; --i) {
      runs.add({}, dice.next(), 0,
               {any_number(dice, 44), dice.roll(0, INT32_MAX), dice.roll(0, INT32_MAX)});
      links.add({}, dice.next(), 0, {any_number(dice, 47), dice.roll(-65535, 65535)});
    }
    for_each_set([&](const sim::hydro::HydroKernels& set) {
      RC_ASSERT(set.digest_runs(runs.entries()) == portable().digest_runs(runs.entries()));
      RC_ASSERT(set.digest_links(links.entries()) == portable().digest_links(links.entries()));
    });
    // In pieces, however few entries each holds.
    sim::HydroState state;
    state.runs = runs;
    state.links_x = links;
    state.links_z = links;
    sim::SerialExecutor serial;
    const auto piece = static_cast<std::size_t>(dice.roll(1, 8));
    workers::ShuffledExecutor any_order(serial, dice.next());
    RC_ASSERT(digest_of(state, any_order, piece) == digest_of(state, serial));
  });
}

/// A body of two columns on one bed.
sim::hydro::OpenBody body_of(std::int64_t head, std::int64_t flow) {
  sim::hydro::OpenBody body(0, false);
  sim::hydro::Run run;
  run.ceiling = kMaxSide;
  body.add_run(run, 0, {});
  run.x = 1;
  run.volume = head;
  body.add_run(run, 1, {});
  sim::hydro::Link link;
  link.top_cell = kMaxSide;
  EXPECT_TRUE(body.add_way(0, 1, link, 0, {flow, 0}));
  return body;
}

TEST(HydroKernels, WhatIsTooLargeIsNotMovedEvenly) {
  using sim::hydro::OpenBody;
  const auto evenly = [](const OpenBody& body) { return body.moves_evenly(OpenBody::kEvenX); };
  EXPECT_TRUE(evenly(body_of(kMostSmallHead - 1, kMostSmallFlow - 1)));
  EXPECT_TRUE(evenly(body_of(kMostSmallHead - 1, 1 - kMostSmallFlow)));
  EXPECT_FALSE(evenly(body_of(kMostSmallHead, 0)));
  EXPECT_FALSE(evenly(body_of(0, kMostSmallFlow)));
  EXPECT_FALSE(evenly(body_of(0, -kMostSmallFlow)));
  const OpenBody body = body_of(0, 0);
  EXPECT_TRUE(body.moves_evenly(OpenBody::kEvenZ));
  for (const std::size_t kind : {OpenBody::kUnevenX, OpenBody::kUnevenZ, OpenBody::kKinds}) {
    EXPECT_FALSE(body.moves_evenly(kind)) << kind;
  }
}

// A bed below all levels counts, too.
TEST(HydroKernels, HeadsAreOverTheLowestBed) {
  sim::hydro::OpenBody body(0, false);
  sim::hydro::Run run;
  run.ceiling = kMaxSide;
  run.volume = kMostSmallHead / 2;
  body.add_run(run, 0, {});
  run.floor = kMostSmallHead / 2 / kFull;
  body.add_run(run, 1, {});
  EXPECT_FALSE(body.moves_evenly(sim::hydro::OpenBody::kEvenX));
}

TEST(HydroKernels, SortedWaysAreGivenByKind) {
  sim::hydro::OpenBody body(0, true);
  sim::hydro::Run run;
  run.ceiling = 20;
  run.volume = 10 * kFull;
  for (const std::int32_t floor : {0, 0, 1, 0}) {
    run.floor = floor;
    body.add_run(run, static_cast<std::int32_t>(body.run_count()), {});
  }
  const auto add = [&body](std::int32_t low, std::int32_t high, std::int32_t sill, bool along_z) {
    sim::hydro::Link link;
    link.sill_cell = sill;
    link.top_cell = 20;
    link.along_z = along_z;
    EXPECT_TRUE(body.add_way(low, high, link, static_cast<std::int32_t>(body.way_count()), {}));
  };
  add(0, 2, 1, true);
  add(2, 3, 1, false);
  add(0, 3, 0, true);
  add(1, 3, 5, false);  // over an edge of rock
  add(0, 1, 0, false);
  EXPECT_EQ(body.kind_of(1), sim::hydro::OpenBody::kKinds);
  body.sort({3, 2, 1, 0});
  const std::vector<std::int32_t> links = {0, 5, 3, 2, 4, 1};
  EXPECT_EQ(body.ways.link, links);
  const std::vector<std::size_t> kinds = {0, 1, 2, 2, 3};
  for (std::size_t w = 1; w < 6; ++w) EXPECT_EQ(body.kind_of(w), kinds[w - 1]) << w;
}

}  // namespace
}  // namespace sluice::tests::hydro_kernels_test
