// Goal: rivers carry what their springs give, in steady levels; what touches joined water is
// joined; no water runs uphill. Method: drawn worlds of which each showed that it was not so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
    // A river that fills its bed to the brim holds falls full of water, which spread as if they
    // stood.
    for (int t = 0; t < 10 && rate < 8 * kLevel; ++t) {
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

/// A bed 60 long, so many cells wide, with a step down after every so many (none: 0), and a spring
/// in each of its rows.
StreamScene bed(std::int32_t width, std::int32_t step, std::int32_t rate) {
  const auto steps_after = [&](std::int32_t x) { return step == 0 ? 0 : (59 - x) / step; };
  std::vector<Drawing> layers;
  for (std::int32_t z = 0; z < width + 2; ++z) {
    Drawing rows;
    for (std::int32_t y = steps_after(0) + 4; y >= 0; --y) {
      std::string row;
      for (std::int32_t x = 0; x < 60; ++x) {
        const std::int32_t ground = 2 + steps_after(x);
        const bool bank = z == 0 || z == width + 1;
        row += y < ground || bank ? '#' : x == 1 && y == ground ? 'S' : '.';
      }
      rows.push_back(row);
    }
    layers.push_back(rows);
  }
  StreamScene scene(drawn_stream(layers, rate), 8);
  scene.open(&sim::Edges::right).start();
  return scene;
}

// Where a row had run into the one beside it, it stayed dry from there on: two springs of four
// levels in a bed two wide gave three levels each, and on steps what they gave jumped to and fro.
TEST(StreamRiver, AWideRiverFillsItsBed) {
  for (const std::int32_t step : {0, 3, 8, 20}) {
    for (const std::int32_t width : {1, 2, 3, 4}) {
      for (const std::int32_t levels : {1, 2, 3, 4, 6, 7, 8}) {
        if (levels == 8 && step != 0) continue;  // falls full of water spread as if they stood
        StreamScene scene = bed(width, step, levels * kLevel);
        scene.run(1000);
        const std::string which =
            std::to_string(step) + " " + std::to_string(width) + " " + std::to_string(levels);
        EXPECT_EQ(scene.levels_drained_in(50), 50 * levels * width) << which;
        const std::vector<Drawing> before = all_of(*scene.world);
        scene.run(1);
        EXPECT_EQ(all_of(*scene.world), before) << which;
      }
    }
  }
}

// Corners filled first, the ground near the spring stayed dry.
TEST(StreamRiver, OnAPlainNoWaterRunsUphill) {
  std::vector<Drawing> plans(3, Drawing(21, std::string(21, '.')));
  plans[0] = Drawing(21, std::string(21, '#'));
  plans[1][10][10] = 'S';
  StreamScene scene(drawn_plans(plans, 2 * kLevel), 0);
  scene.start();
  int uphill = 0;
  for (int t = 0; t < 600; ++t) {
    scene.run(1);
    if (t % 50 != 0) continue;
    double inner = 0;  // mean level near the spring
    double outer = 0;  // and along the walls
    int outer_cells = 0;
    int inner_cells = 0;
    for (std::int32_t z = 0; z < 21; ++z) {
      for (std::int32_t x = 0; x < 21; ++x) {
        const int from = std::max(std::abs(x - 10), std::abs(z - 10));
        const int level = scene.level({x, 1, z}) + scene.level({x, 2, z});
        if (from > 0 && from <= 3) {
          inner += level;
          ++inner_cells;
        }
        if (from >= 9) {
          outer += level;
          ++outer_cells;
        }
      }
    }
    if (inner / inner_cells + 0.6 < outer / outer_cells) ++uphill;
  }
  EXPECT_EQ(uphill, 0);
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
