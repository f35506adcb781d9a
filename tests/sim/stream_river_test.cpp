// Goal: rivers carry what their springs give, in steady levels; what touches joined water is
// joined; no water runs uphill. Method: drawn worlds of which each showed that it was not so.
#include <array>
#include <map>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/dice.h"
#include "tests/support/stream_scene.h"

namespace sluice::tests::stream_river_test {
namespace {

// The far arm dried and was filled again, for ever.
TEST(StreamRiver, ASpringInATubeComesToRest) {
  sim::WorldSpec spec = drawn({"#.#.#", "#.#.#", "#~#~#", "#~#~#", "#~~~#", "#####"});
  spec.sources = {{{1, 3, 0}, 512}};
  StreamScene scene(spec, 8);
  scene.start();
  EXPECT_GT(scene.ticks_to_rest(500), 0);
  EXPECT_EQ(scene.level({3, 3, 0}), 8);
}

// From 98,304 units to 24,576.
TEST(StreamRiver, ALakeOverItsSpringDoesNotDry) {
  sim::WorldSpec spec =
      drawn({"#......#", "#......#", "#~~~~~~#", "#~~~~~~#", "#~~~~~~#", "#~~~~~~#"});
  spec.sources = {{{3, 1, 0}, 512}};
  StreamScene scene(spec, 8);
  scene.start();
  EXPECT_GT(scene.ticks_to_rest(500), 0);
  EXPECT_EQ(scene.world->totals().water, 98304);
}

/// A bed one cell wide between walls, on level ground, then a fall, and level ground again.
StreamScene river(std::int32_t rate) {
  StreamScene scene(drawn({"S...................", ".##############.....", "################....",
                           "################....", "####################"},
                          rate),
                    8);
  scene.open(&sim::Edges::right).start();
  return scene;
}

// It carried two levels a tick, whatever its spring gave, in levels like 16746675757352.
TEST(StreamRiver, ARiverCarriesWhatItsSpringGivesInSteadyLevels) {
  for (const std::int32_t rate : {512, 1536, 2560, 4096}) {
    StreamScene scene = river(rate);
    scene.run(200);
    EXPECT_EQ(scene.levels_drained_in(50), 50 * rate / kLevel) << rate;
    for (int t = 0; t < 10; ++t) {
      const Drawing before = drawing_of(*scene.world);
      scene.run(1);
      EXPECT_EQ(drawing_of(*scene.world), before) << rate;
    }
  }
}

std::vector<Drawing> all_of(const sim::World& world) {
  std::vector<Drawing> layers;
  for (std::int32_t z = 0; z < world.config().size.z; ++z) layers.push_back(drawing_of(world, z));
  return layers;
}

/// A bed, a row wide for each of the rates, in levels, of the springs at its top, with a
/// step down after every so many cells (none: 0).
StreamScene bed(std::int32_t step, const std::vector<std::int32_t>& rates,
                std::int32_t length = 60) {
  const auto width = static_cast<std::int32_t>(rates.size());
  const auto steps_after = [&](std::int32_t x) { return step == 0 ? 0 : (length - 1 - x) / step; };
  std::vector<Drawing> layers;
  for (std::int32_t z = 0; z < width + 2; ++z) {
    Drawing rows;
    for (std::int32_t y = steps_after(0) + 4; y >= 0; --y) {
      std::string row;
      for (std::int32_t x = 0; x < length; ++x) {
        const std::int32_t ground = 2 + steps_after(x);
        const bool bank = z == 0 || z == width + 1;
        row += y < ground || bank ? '#' : '.';
      }
      rows.push_back(row);
    }
    layers.push_back(rows);
  }
  sim::WorldSpec spec = drawn_stream(layers, 0);
  for (std::int32_t z = 1; z <= width; ++z) {
    const std::int32_t rate = rates[static_cast<std::size_t>(z - 1)] * kLevel;
    if (rate > 0) spec.sources.push_back({{1, 2 + steps_after(1), z}, rate, -1});
  }
  StreamScene scene(spec, 8);
  scene.open(&sim::Edges::right).start();
  return scene;
}

void expect_carried_in_steady_levels(StreamScene& scene, std::int64_t levels,
                                     const std::string& which) {
  scene.run(1000);
  EXPECT_EQ(scene.levels_drained_in(50), 50 * levels) << which;
  const std::vector<Drawing> before = all_of(*scene.world);
  scene.run(1);
  EXPECT_TRUE(all_of(*scene.world) == before) << which;
}

// Where a row had run into the one beside it, it stayed dry from there on: two springs of four
// levels in a bed two wide gave three levels each, and on steps what they gave jumped to and fro.
TEST(StreamRiver, AWideRiverFillsItsBed) {
  for (const std::int32_t step : {0, 2, 3, 8, 20}) {
    for (const std::size_t width : {1U, 2U, 3U, 4U, 6U}) {
      for (const std::int32_t levels : {1, 2, 3, 4, 5, 6, 7}) {
        StreamScene scene = bed(step, std::vector<std::int32_t>(width, levels));
        expect_carried_in_steady_levels(
            scene, levels * static_cast<std::int64_t>(width),
            std::to_string(step) + " " + std::to_string(width) + " " + std::to_string(levels));
      }
    }
  }
}

// Where another row's water hung over the next cell, it was held up by what came from beside.
TEST(StreamRiver, RowsOfALongBedDoNotCrowdIntoOne) {
  StreamScene scene = bed(2, std::vector<std::int32_t>(8, 5), 97);
  scene.run(1000);
  expect_carried_in_steady_levels(scene, 40, "");
}

// Full cells stood on each other below each fall, and spread: half of all cells changed in each
// tick, and a bed four wide carried three of its eight levels.
TEST(StreamRiver, ABedThatIsFullToTheBrimCarriesAllDownItsFalls) {
  for (const std::int32_t step : {0, 1, 2, 3, 5, 8}) {
    for (const std::size_t width : {1U, 2U, 4U, 6U}) {
      StreamScene scene = bed(step, std::vector<std::int32_t>(width, 8));
      expect_carried_in_steady_levels(scene, 8 * static_cast<std::int64_t>(width),
                                      std::to_string(step) + " " + std::to_string(width));
    }
  }
}

/// Full cells of a world, and those of them that are firm.
std::pair<int, int> full_and_firm(const StreamScene& scene) {
  std::pair<int, int> found = {0, 0};
  scene.world->grid().for_each([&](const sim::Chunk& chunk) {
    for (std::int32_t i = 0; i < kChunkCells; ++i) {
      found.first += chunk.cells[static_cast<std::size_t>(i)] == kFull ? 1 : 0;
      found.second += sim::firm_in(chunk, i) ? 1 : 0;
    }
  });
  return found;
}

// The document's example. What ran through stands as soon as its spring is gone.
TEST(StreamRiver, WhatRunsThroughAFullBedIsSwift) {
  const Drawing full = {".~~....", "##~~~..", "####~~~", "######~", "#######"};
  StreamScene scene(drawn({"S......", "##.....", "####...", "######.", "#######"}, 8 * kLevel), 8);
  scene.open(&sim::Edges::right).start();
  scene.run(200);
  EXPECT_EQ(drawing_of(*scene.world), full);
  EXPECT_EQ(full_and_firm(scene), std::pair(9, 0));
  scene.run(1);
  EXPECT_EQ(drawing_of(*scene.world), full);
  scene.run(1, {{sim::SetCells{{6, 1, 0}, {1, 4, 1}, kRock}}});  // nothing leaves any more
  scene.run(60);
  const auto [wet, firm] = full_and_firm(scene);
  EXPECT_GT(wet, 9);
  EXPECT_EQ(firm, wet);
}

// Below a fall a row whose bed was dry gave half of its water to the next one, which ran over.
TEST(StreamRiver, RowsOfAnyRatesRunDownStepsSideBySide) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Dice dice(seed);
    std::vector<std::int32_t> rates(static_cast<std::size_t>(dice.roll(2, 6)));
    for (std::int32_t& rate : rates) rate = dice.roll(0, 8);
    rates.back() = std::max(rates.back(), 1);
    StreamScene scene = bed(std::array{1, 3, 8}[seed % 3], rates);
    expect_carried_in_steady_levels(scene, std::accumulate(rates.begin(), rates.end(), 0),
                                    testing::PrintToString(rates));
  }
}

/// Two beds of one row, which meet in a third one.
sim::WorldSpec beds_that_meet(std::int32_t step) {
  constexpr std::int32_t kMeet = 20;
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kStream;
  const auto ground = [&](std::int32_t x) { return 2 + (59 - x) / step; };
  spec.config.size = {60, ground(0) + 8, 7};
  for (std::int32_t x = 0; x < 60; ++x) {
    for (std::int32_t z = 0; z < 7; ++z) {
      const bool above = x <= kMeet && (z == 1 || z == 5);
      const bool open = above || (x >= kMeet && z == 3) || (x == kMeet && z % 6 != 0);
      spec.fills.push_back({{{x, 0, z}, {1, open ? ground(x) : spec.config.size.y, 1}}, kRock});
    }
  }
  spec.sources = {{{1, ground(1), 1}, 8 * kLevel, -1}, {{1, ground(1), 5}, 8 * kLevel, -1}};
  return spec;
}

// The bed is one cell wide: it runs two cells deep. It carried 8 levels, and a wall of water stood
// on it.
TEST(StreamRiver, WhereTwoRiversMeetTheirBedRunsDeeper) {
  for (const std::int32_t step : {1, 4, 20}) {
    StreamScene scene(beds_that_meet(step), 8);
    scene.open(&sim::Edges::right).start();
    expect_carried_in_steady_levels(scene, 16, std::to_string(step));
  }
}

// What fell in beside a river waited until it stood as high as what the river had brought.
TEST(StreamRiver, AWeakFallRunsIntoAStrongRiverInEveryTick) {
  for (std::int32_t weak = 1; weak <= 3; ++weak) {
    for (const bool first : {true, false}) {
      const Drawing wall(6, std::string(20, '#'));
      const Drawing bed = {"....................", "....................", "....................",
                           "....................", "....................", "####################"};
      const Drawing shaft = {"##########.#########", "##########.#########",
                             "##########.#########", "##########.#########",
                             "##########.#########", "####################"};
      sim::WorldSpec spec =
          drawn_stream({wall, first ? shaft : wall, bed, first ? wall : shaft, wall}, 0);
      spec.sources = {{{0, 1, 2}, 4 * kLevel, -1}, {{10, 4, first ? 1 : 3}, weak * kLevel, -1}};
      StreamScene scene(spec, 8);
      scene.open(&sim::Edges::right).start();
      expect_carried_in_steady_levels(scene, weak + 4, std::to_string(weak));
    }
  }
}

/// Of cells around a spring, by the lines of cells that are as far from it: how far the mean level
/// of one is over that of any nearer one; and the cells that stand higher than all beside them that
/// are nearer.
struct Uphill {
  double rise = 0;
  int cells = 0;
  int wet = 0;
};

Uphill uphill_on(const StreamScene& scene, std::int32_t side) {
  const std::int32_t middle = side / 2;
  const auto far = [&](std::int32_t x, std::int32_t z) {
    return std::abs(x - middle) + std::abs(z - middle);
  };
  const auto height = [&](std::int32_t x, std::int32_t z) {
    int levels = 0;
    for (std::int32_t y = 1; y < 6; ++y) levels += scene.level({x, y, z});
    return levels;
  };
  Uphill found;
  std::map<std::int32_t, std::pair<int, int>> lines;  // levels and cells, by the way
  for (std::int32_t z = 0; z < side; ++z) {
    for (std::int32_t x = 0; x < side; ++x) {
      const int here = height(x, z);
      lines[far(x, z)].first += here;
      ++lines[far(x, z)].second;
      int highest = far(x, z) == 0 ? here : 0;
      for (const auto& [dx, dz] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
        const bool inside =
            std::max(std::abs(x + dx - middle), std::abs(z + dz - middle)) <= middle;
        if (inside && far(x + dx, z + dz) < far(x, z)) {
          highest = std::max(highest, height(x + dx, z + dz));
        }
      }
      found.wet += here > 0 ? 1 : 0;
      found.cells += here > highest ? 1 : 0;
    }
  }
  double least = 1e9;
  for (const auto& [way, line] : lines) {
    const double mean = static_cast<double>(line.first) / line.second;
    if (way > 0) found.rise = std::max(found.rise, mean - least);
    if (way > 0) least = std::min(least, mean);
  }
  return found;
}

// Corners filled first, the ground near the spring stayed dry; later all water came along one line
// of cells through the spring, which stood two levels lower than the ground beside it.
TEST(StreamRiver, OnAPlainNoWaterRunsUphill) {
  constexpr std::int32_t kSide = 41;
  std::vector<Drawing> plans(6, Drawing(kSide, std::string(kSide, '.')));
  plans[0] = Drawing(kSide, std::string(kSide, '#'));
  plans[1][kSide / 2][kSide / 2] = 'S';
  for (const std::int32_t levels : {1, 2, 4, 8}) {
    StreamScene scene(drawn_plans(plans, levels * kLevel), 8);
    scene.start();
    for (int t = 0; t < 10; ++t) {
      scene.run(1600 / levels);
      const Uphill uphill = uphill_on(scene, kSide);
      EXPECT_LE(uphill.rise, 1) << levels << " " << t;
      EXPECT_LE(uphill.cells, std::max(5, uphill.wet / 100)) << levels << " " << t;
    }
  }
}

/// What so many ticks look at.
std::int64_t looked_at(StreamScene& scene, int ticks) {
  sim::SerialExecutor serial;
  std::int64_t sum = 0;
  for (int t = 0; t < ticks; ++t) sum += scene.world->tick({}, serial).cell_updates;
  return sum;
}

/// What 50 ticks of a river look at that runs through a brimful lake of 12x12 cells, so deep.
std::int64_t looked_at(std::int32_t depth) {
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kStream;
  spec.config.options["drying"] = 0;
  spec.config.size = {16, depth + 6, 12};
  spec.config.edges.right = sim::Edge::kOpen;
  spec.fills = {{{{12, 0, 0}, {1, depth, 12}}, kRock}, {{{0, 0, 0}, {12, depth, 12}}, kFull}};
  spec.sources = {{{2, depth + 3, 6}, 2 * kLevel}};
  StreamScene scene(spec, 0);
  scene.start();
  scene.run(300);
  EXPECT_GT(scene.levels_drained_in(50), 50) << "the river runs";
  return looked_at(scene, 50);
}

// It was looked at whole in every tick.
TEST(StreamRiver, ALakeThatARiverRunsThroughCostsItsSurface) {
  constexpr std::int64_t kSurface = 12 * 12;
  const std::int64_t shallow = looked_at(3);
  EXPECT_LT(shallow, 50 * 4 * kSurface);
  // All within one chunk: every column is one run.
  EXPECT_LE(looked_at(10), shallow + shallow / 8);
  // A run for each chunk below, and no cell.
  EXPECT_LE(looked_at(40), shallow + shallow / 8 + 50 * 3 * kSurface);
}

// The cell that a fall runs into fills and empties; all of the lake learned how wide that one was.
TEST(StreamRiver, ALakeIsNotLookedAtWholeWhereItsFallPulses) {
  constexpr std::int32_t kSide = 24;
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kStream;
  spec.config.options["drying"] = 0;
  spec.config.size = {kSide + 8, 12, kSide};
  spec.config.edges.right = sim::Edge::kOpen;
  spec.fills = {{{{kSide, 0, 0}, {1, 4, kSide}}, kRock},
                {{{0, 0, 0}, {kSide, 3, kSide}}, kFull},
                {{{0, 3, 0}, {kSide, 1, kSide}}, 6 * kLevel}};
  spec.sources = {{{2, 8, kSide / 2}, 2 * kLevel}};
  StreamScene scene(spec, 0);
  scene.start();
  scene.run(50);
  EXPECT_LT(looked_at(scene, 250), 250 * 2 * kSide * kSide);
}

}  // namespace
}  // namespace sluice::tests::stream_river_test
