// Goal: waves go where the rules say, as fast and as long as the formula says, and die.
// Method: single steps against the formula; drawn worlds with one splash each.
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "server/sim/kernels.h"
#include "server/sim/waves/field.h"
#include "server/sim/waves/step.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/through_a_snapshot.h"
#include "tests/support/water_options.h"

namespace sluice::tests::waves_test {
namespace {

using sim::WaterModel;

/// Columns side by side, all of one body.
sim::WaveSheet chain(std::int32_t count) {
  sim::WaveSheet sheet;
  sheet.surfaces.resize(static_cast<std::size_t>(count));
  sheet.passes_x.assign(static_cast<std::size_t>(count) + 1, -1);
  sheet.passes_x.front() = 0;
  sheet.passes_x.back() = 0;
  return sheet;
}

sim::WorldSpec with_waves(sim::WorldSpec spec, sim::WaveOptions options = {}) {
  spec.waves.on = true;
  spec.waves.options = options;
  return spec;
}

/// Still water, `depth` cells of it in a world of that size, with rock below.
sim::WorldSpec lake(WaterModel water, Vec3 size, std::int32_t depth) {
  sim::WorldSpec spec;
  spec.config.water = water;
  spec.config.size = size;
  spec.fills.push_back({{{0, 0, 0}, {size.x, 1, size.z}}, kRock});
  spec.fills.push_back({{{0, 1, 0}, {size.x, depth, size.z}}, kFull, true});
  return with_waves(spec);
}

sim::TickReport tick(sim::World& world, const std::vector<sim::Command>& commands = {}) {
  sim::SerialExecutor serial;
  return world.tick(commands, serial);
}

sim::TickReport splash(sim::World& world, Vec3 at, std::int32_t radius = 3,
                       std::int32_t energy = 200'000, std::int32_t direction = 0) {
  return tick(world, {{sim::Splash{at, radius, energy, direction}}});
}

std::map<Vec3, sim::WaveColumn> columns(const sim::World& world) {
  return world.core().waves.columns.by_place();
}

bool moves_at(const sim::World& world, std::int32_t x) {
  for (const auto& [place, column] : columns(world)) {
    if (place.x == x) return true;
  }
  return false;
}

// waves.md: one mode of a basin of N columns, cos(pi m (i + 1/2) / N), goes on with
// cos(w) = (2 - d - T - 4 S sin(pi m / 2 N)^2) / (2 sqrt(1 - d)), and loses sqrt(1 - d) of its
// height each step. All rounding takes at most a 64th of a level unit a step from a speed.
TEST(WaveStep, APlainWaveHasTheSpeedAndDampingOfTheFormula) {
  for (const std::int32_t mode : {1, 4, 9}) {
    for (const sim::WaveOptions options :
         {sim::WaveOptions{}, sim::WaveOptions{64, 16, 128, 4}, sim::WaveOptions{4, 2, 16, 4}}) {
      constexpr std::int32_t kCount = 96;
      const sim::WaveSheet sheet = chain(kCount);
      sim::WaveColumns waves;
      waves.resize(kCount);
      const double wave = std::numbers::pi * mode / kCount;
      const double top = 2048.0 * (1 << sim::kLogWaveUnit);  // half a cell
      const auto shape = [&](std::int32_t i) { return std::cos(wave * (i + 0.5)); };
      for (std::int32_t i = 0; i < kCount; ++i) {
        waves.set(static_cast<std::size_t>(i),
                  {static_cast<std::int32_t>(std::lround(top * shape(i))), 0});
      }
      const double parts = 1 << sim::kLogWaveParts;
      const double loss = options.dampening / parts;
      const double pull =
          options.tension / parts + 4 * options.spread / parts * std::pow(std::sin(wave / 2), 2);
      const double turn = std::acos((2 - loss - pull) / (2 * std::sqrt(1 - loss)));
      std::vector<std::int32_t> room;
      const int steps = 200;
      for (int n = 1; n <= steps; ++n) {
        sim::step_waves(options, sheet, waves, room);
        double found = 0;
        for (std::int32_t i = 0; i < kCount; ++i) {
          found += waves.at(static_cast<std::size_t>(i)).height * shape(i) * 2 / kCount;
        }
        // It begins at rest: h(-1) = h(0).
        const double r = std::sqrt(1 - loss);
        const double a = std::cos(turn);
        const double b = std::sin(turn);
        const double slope = (a - r) / b;
        const double expected =
            top * std::pow(r, n) * (std::cos(n * turn) + slope * std::sin(n * turn));
        // Each step's rounding: at most 1 in each column, which rings on with 1 / sin(w).
        const double most = 4 / std::numbers::pi * n / b;
        ASSERT_NEAR(found, expected, most) << "mode " << mode << " step " << n;
      }
    }
  }
}

TEST(WaveStep, TheWorkedExampleOfTheDocument) {
  const sim::WaveSheet sheet = chain(3);
  sim::WaveColumns waves;
  waves.resize(3);
  waves.set(0, {1024, 0});
  std::vector<std::int32_t> room;
  const std::int32_t heights[3][3] = {{976, 32, 0}, {884, 91, 1}, {754, 170, 4}};
  const std::int32_t speeds[3][3] = {{-48, 32, 0}, {-92, 59, 1}, {-130, 79, 3}};
  for (int n = 0; n < 3; ++n) {
    sim::step_waves({}, sheet, waves, room);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(waves.at(i).height, heights[n][i]);
      EXPECT_EQ(waves.at(i).speed, speeds[n][i]);
    }
  }
}

TEST(WaveStep, AllKernelsGiveTheSameBits) {
  for (std::int32_t count = 1; count < 70; ++count) {
    sim::WaveSheet sheet = chain(count);
    sim::WaveColumns waves;
    waves.resize(static_cast<std::size_t>(count));
    std::vector<std::int32_t> pulls;
    for (std::int32_t i = 0; i < count; ++i) {
      const std::uint64_t chance = sim::mix64(static_cast<std::uint64_t>(100 * count + i));
      const std::int32_t most = count % 3 == 0 ? 40 : sim::kMaxWaveHeight;
      const auto height = static_cast<std::int32_t>(chance % 1000003) % (2 * most + 1) - most;
      const auto before = static_cast<std::int32_t>(chance >> 40) % (2 * most + 1) - most;
      waves.set(static_cast<std::size_t>(i), {height, height - before});
      pulls.push_back(before - height);
      if (i > 0 && chance % 5 == 0) sheet.passes_x[static_cast<std::size_t>(i)] = 0;
    }
    const sim::WaveStepInput input = {
        {7, 3, 120, 1}, count, sheet.passes_x.data(), count % 2 == 0 ? nullptr : pulls.data()};
    sim::WaveColumns expected = waves;
    sim::step_waves_scalar(input, expected.heights.data() + 1, expected.speeds.data());
    for (const sim::Kernels& kernels : sim::all_kernels()) {
      sim::WaveColumns found = waves;
      kernels.waves(input, found.heights.data() + 1, found.speeds.data());
      ASSERT_EQ(found.heights, expected.heights) << kernels.name << " " << count;
      ASSERT_EQ(found.speeds, expected.speeds) << kernels.name << " " << count;
    }
  }
}

TEST(WaveStep, TheEnergyOfAStepNeverRises) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::int32_t count = 1 + static_cast<std::int32_t>(seed % 17);
    const sim::WaveSheet sheet = chain(count);
    const auto roll = [&](std::uint64_t of, std::int32_t low, std::int32_t high) {
      return low + static_cast<std::int32_t>(sim::mix64(seed * 1000 + of) %
                                             static_cast<std::uint64_t>(high - low + 1));
    };
    const sim::WaveOptions options = {roll(1, 1, sim::kMaxWaveTension),
                                      roll(2, 1, sim::kMaxWaveDampening),
                                      roll(3, 0, sim::kMaxWaveSpread), 1};
    sim::WaveColumns waves;
    waves.resize(static_cast<std::size_t>(count));
    const std::int32_t most = seed % 2 == 0 ? sim::kMaxWaveHeight : 300;
    for (std::int32_t i = 0; i < count; ++i) {
      const std::int32_t height = roll(10 + static_cast<std::uint64_t>(i), -most, most);
      const std::int32_t before = roll(100 + static_cast<std::uint64_t>(i), -most, most);
      waves.set(static_cast<std::size_t>(i), {height, height - before});
    }
    std::vector<std::int32_t> room;
    sim::WaveEnergy energy = energy_of(options, sheet, waves);
    for (int n = 0; n < 3000; ++n) {
      sim::step_waves(options, sheet, waves, room);
      const sim::WaveEnergy now = energy_of(options, sheet, waves);
      ASSERT_LE(now, energy) << "seed " << seed << " step " << n;
      energy = now;
    }
  }
}

TEST(Waves, AWorldWithoutThemHasNone) {
  sim::WorldSpec spec = lake(WaterModel::kHydro, {40, 10, 1}, 4);
  spec.waves = {};
  const auto world = make_world(spec);
  EXPECT_EQ(world->waves(), nullptr);
  const sim::TickReport report = splash(*world, {20, 4, 0});
  ASSERT_EQ(report.outcomes.size(), 1U);
  EXPECT_NE(report.outcomes[0].reason.find("has no waves"), std::string::npos);
  EXPECT_EQ(world->layer_digests()[static_cast<std::size_t>(sim::Layer::kWaves)], 0U);
}

TEST(Waves, StillWaterSleeps) {
  const auto world = make_world(lake(WaterModel::kHydro, {400, 10, 1}, 4));
  EXPECT_TRUE(tick(*world).at_rest);
  EXPECT_EQ(world->waves()->columns(), 0);
  EXPECT_EQ(world->wave_energy(), 0);
}

TEST(Waves, ASplashGivesAtMostItsEnergyAndDies) {
  for (const WaterModel water : every_water()) {
    for (const std::int32_t direction : {-1, 0, 1}) {
      sim::WorldSpec spec = lake(water, {300, 10, 1}, 4);
      set_option(spec.config, "drying", 0);
      const auto world = make_world(spec);
      while (!tick(*world).at_rest) {
      }
      const std::int32_t energy = 1'000'000;
      EXPECT_FALSE(splash(*world, {150, 6, 0}, 4, energy, direction).at_rest);
      std::int64_t before = world->wave_energy();
      EXPECT_LE(before, energy);
      EXPECT_GT(before, energy * 9 / 10);
      std::uint64_t ticks = 0;
      while (!tick(*world).at_rest) {
        ASSERT_LE(world->wave_energy(), before);
        before = world->wave_energy();
        ASSERT_LT(++ticks, 4000U);
      }
      EXPECT_TRUE(columns(*world).empty());
      EXPECT_EQ(world->wave_energy(), 0);
      EXPECT_EQ(world->waves()->columns(), 0);
    }
  }
}

TEST(Waves, ADirectionSendsMostOfTheWaveThere) {
  const auto world = make_world(lake(WaterModel::kHydro, {400, 10, 1}, 4));
  splash(*world, {200, 4, 0}, 8, 1'000'000, 1);
  for (int i = 0; i < 80; ++i) tick(*world);
  std::int64_t left = 0;
  std::int64_t right = 0;
  for (const auto& [place, column] : columns(*world)) {
    (place.x < 200 ? left : right) += std::abs(std::int64_t{column.height});
  }
  EXPECT_GT(right, 2 * left);
}

// Two basins: a wall between them, a wall with a gap over the water, one with a gap under it.
TEST(Waves, NoWavePassesThroughRock) {
  const auto through = [](const std::string& wall) {
    Drawing rows;
    for (std::size_t y = 0; y < wall.size(); ++y) {
      const char water = y < 3 ? '.' : y == wall.size() - 1 ? '#' : '~';
      std::string row(30, water);
      const char middle = wall[y];
      row[14] = middle;
      row[15] = middle;
      rows.push_back(row);
    }
    const auto world = make_world(with_waves(drawn_spec(WaterModel::kHydro, {rows})));
    splash(*world, {7, 4, 0}, 3, 2'000'000);
    for (int i = 0; i < 60; ++i) tick(*world);
    EXPECT_TRUE(moves_at(*world, 13));
    return moves_at(*world, 16);
  };
  EXPECT_FALSE(through("#########"));
  EXPECT_FALSE(through("######~~#"));  // a flooded passage has no surface
  EXPECT_TRUE(through("##..~####"));   // a tunnel with air over the water
  EXPECT_TRUE(through("..~~~~~~#"));
}

TEST(Waves, DrawnWavesStayBetweenBedAndCeiling) {
  Drawing rows = {"##############################",   "..........##########..........",
                  "..........##########..........",   "..............................",
                  "44444444444444444444444444444444", "##############################"};
  for (std::string& row : rows) row.resize(30, row[0]);
  const auto world = make_world(with_waves(drawn_spec(WaterModel::kCellular, {rows})));
  splash(*world, {4, 1, 0}, 3, 2'000'000'000);
  bool passed = false;
  for (int i = 0; i < 200; ++i) {
    tick(*world);
    passed = passed || moves_at(*world, 25);
    for (const sim::DrawnSurface& surface :
         sim::drawn_surfaces(world->config(), world->grid(), world->core().waves)) {
      const std::int64_t level = std::int64_t{surface.at.y} * kFull + surface.rest + surface.height;
      ASSERT_GE(level, kFull);
      const bool roof = surface.at.x >= 10 && surface.at.x < 20;
      ASSERT_LE(level, (roof ? 3 : 5) * kFull);
    }
  }
  EXPECT_TRUE(passed);  // heads are exchanged unclamped under the roof
}

TEST(Waves, FollowTheSurfaceAsItRises) {
  const auto world = make_world(lake(WaterModel::kHydro, {40, 20, 1}, 4));
  splash(*world, {20, 4, 0}, 3, 1'800'000);
  const auto before = columns(*world);
  std::int64_t energy = world->wave_energy();
  tick(*world, {{sim::FillLevel{{0, 4, 0}, 9 * kFull}}});
  EXPECT_LE(world->wave_energy(), energy);
  EXPECT_GT(world->wave_energy(), energy / 2);
  for (const auto& [place, column] : columns(*world)) EXPECT_EQ(place.y, 8);
  // Where the water goes, its waves go.
  tick(*world, {{sim::RemoveWater{{0, 1, 0}, {20, 19, 1}}},
                {sim::SetCells{{20, 1, 0}, {1, 19, 1}, kRock}}});
  for (const auto& [place, column] : columns(*world)) EXPECT_GT(place.x, 20);
  EXPECT_LE(world->wave_energy(), energy);
}

TEST(Waves, FallingWaterSetsAStillLakeWaving) {
  sim::WorldSpec spec = lake(WaterModel::kCellular, {200, 40, 1}, 4);
  spec.sources.push_back({{100, 30, 0}, 600, -1});
  const auto world = make_world(spec);
  std::int64_t most = 0;
  for (int i = 0; i < 300; ++i) {
    tick(*world);
    most = std::max(most, world->wave_energy());
  }
  EXPECT_GT(most, 100);
}

TEST(Waves, WindRaisesThemByFetchAndKeepsWaterAwake) {
  const auto world = make_world(lake(WaterModel::kHydro, {640, 10, 1}, 4));
  tick(*world, {{sim::SetWind{400}}});
  for (int i = 0; i < 400; ++i) EXPECT_FALSE(tick(*world).at_rest);
  std::int64_t near = 0;
  std::int64_t far = 0;
  for (const auto& [place, column] : columns(*world)) {
    if (place.x < 16) near += std::abs(std::int64_t{column.height});
    if (place.x >= 200 && place.x < 216) far += std::abs(std::int64_t{column.height});
  }
  EXPECT_GT(far, near);
  const auto restored = through_a_snapshot(*world);
  EXPECT_EQ(tick(*restored).digest, tick(*world).digest);
  tick(*world, {{sim::SetWind{0}}});
  int ticks = 0;
  while (!tick(*world).at_rest) ASSERT_LT(++ticks, 4000);
}

TEST(Waves, AnExplosionThrowsWaterUpWithinItsBall) {
  const auto height_after = [](Vec3 at, std::int32_t radius) {
    const auto world = make_world(lake(WaterModel::kHydro, {60, 30, 1}, 20));
    EXPECT_EQ(tick(*world, {{sim::Explode{at, radius, 1'000'000}}}).outcomes.front().reason, "");
    EXPECT_LE(world->wave_energy(), 1'000'000);
    EXPECT_GT(world->wave_energy(), 900'000);
    std::size_t widest = 0;
    for (const auto& [place, column] : columns(*world)) {
      if (std::abs(place.x - at.x) <= 1) {
        EXPECT_GT(column.height, 0);
      }
      widest = std::max<std::size_t>(widest, static_cast<std::size_t>(std::abs(place.x - at.x)));
    }
    return widest;
  };
  // The deeper it is, the narrower is what it throws up.
  const std::size_t shallow = height_after({30, 20, 0}, 8);
  EXPECT_LT(height_after({30, 14, 0}, 8), shallow);
}

// What a ball displaces, by hand: one of three cells whose middle lies in the surface's cell.
TEST(Waves, ABodyThatMovesLiftsWhereItWasAndSinksWhereItIs) {
  const auto move = [](Vec3 from, Vec3 to, std::int32_t radius) {
    auto spec = lake(WaterModel::kHydro, {60, 30, 1}, 20);
    spec.waves.options = {.tension = 1, .dampening = 1, .spread = 0, .steps = 1};
    const auto world = make_world(spec);
    EXPECT_EQ(tick(*world, {{sim::MoveBody{from, to, radius}}}).outcomes.front().reason, "");
    std::map<std::int32_t, std::int32_t> heights;  // level units
    for (const auto& [place, column] : columns(*world)) {
      heights[place.x] = (column.height + 32) >> sim::kLogWaveUnit;
    }
    return heights;
  };
  // Under the surface lies half of it: 1.5 cells in the middle, the root of 1.5^2 - 1 beside it.
  const auto moved = move({20, 20, 0}, {40, 20, 0}, 1);
  ASSERT_EQ(moved.size(), 6U);
  EXPECT_NEAR(moved.at(20), 6144, 8);
  EXPECT_NEAR(moved.at(19), 4579, 8);
  EXPECT_EQ(moved.at(19), moved.at(21));
  EXPECT_NEAR(moved.at(40), -6144, 8);
  EXPECT_EQ(moved.at(39), moved.at(41));
  // One column on: what overlaps takes itself back.
  const auto step = move({20, 20, 0}, {21, 20, 0}, 1);
  EXPECT_NEAR(step.at(19), 4579, 8);
  EXPECT_NEAR(step.at(20), 6144 - 4579, 8);
  EXPECT_NEAR(step.at(21), 4579 - 6144, 8);
  EXPECT_NEAR(step.at(22), -4579, 8);
  // It stays; it goes about in the air; deep under water; and out of it.
  EXPECT_TRUE(move({20, 20, 0}, {20, 20, 0}, 1).empty());
  EXPECT_TRUE(move({20, 26, 0}, {22, 26, 0}, 1).empty());
  EXPECT_TRUE(move({20, 10, 0}, {40, 9, 0}, 1).empty());
  EXPECT_NEAR(move({20, 19, 0}, {40, 28, 0}, 0).at(20), 4096 * 3 / 4, 8);
}

TEST(Waves, CommandsThatCannotApplySayWhy) {
  const auto world = make_world(lake(WaterModel::kHydro, {40, 10, 1}, 4));
  const auto reason = [&](sim::CommandBody body) {
    return tick(*world, {{std::move(body)}}).outcomes.front().reason;
  };
  EXPECT_NE(reason(sim::Splash{{50, 4, 0}, 1, 1, 0}).find("outside the world"), std::string::npos);
  EXPECT_NE(reason(sim::Splash{{5, 4, 0}, 33, 1, 0}).find("allowed: 0 to 32"), std::string::npos);
  EXPECT_NE(reason(sim::Splash{{5, 4, 0}, 1, 0, 0}).find("energy 0"), std::string::npos);
  EXPECT_NE(reason(sim::Splash{{5, 4, 0}, 1, 1, 2}).find("direction 2"), std::string::npos);
  EXPECT_NE(reason(sim::Splash{{5, 0, 0}, 1, 1, 0}).find("no free surface"), std::string::npos);
  EXPECT_NE(reason(sim::SetWind{1001}).find("speed 1001"), std::string::npos);
  EXPECT_NE(reason(sim::Explode{{5, 4, 0}, 33, 1}).find("allowed: 0 to 32"), std::string::npos);
  EXPECT_NE(reason(sim::Explode{{5, 9, 0}, 4, 1}).find("farther from it than its radius of 4"),
            std::string::npos);
  EXPECT_EQ(reason(sim::Explode{{5, 8, 0}, 5, 1}), "");
  EXPECT_NE(reason(sim::MoveBody{{5, 4, 0}, {5, 10, 0}, 1}).find("outside the world"),
            std::string::npos);
  EXPECT_NE(reason(sim::MoveBody{{5, 4, 0}, {5, 4, 0}, 33}).find("allowed: 0 to 32"),
            std::string::npos);
  EXPECT_NE(reason(sim::MoveBody{{5, 0, 0}, {6, 0, 0}, 1}).find("no free surface"),
            std::string::npos);
  EXPECT_EQ(reason(sim::MoveBody{{5, 0, 0}, {6, 4, 0}, 1}), "");
  EXPECT_EQ(reason(sim::Splash{{5, 9, 0}, 1, 1, 0}), "");
  EXPECT_EQ(reason(sim::SetWind{-1000}), "");
}

}  // namespace
}  // namespace sluice::tests::waves_test
