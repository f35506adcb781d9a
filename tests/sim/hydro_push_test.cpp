// Goal: over hydro water a splash is a ripple up to a stated energy, and beyond it momentum of the
// links around: never more than its energy, alike on both sides, through open water alone.
// Method: flows right after a push, in columns of drawn worlds; whole worlds, mirrored, turned and
// left to rest.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/models/hydro/push.h"
#include "server/sim/waves/options.h"
#include "server/sim/world.h"
#include "tests/support/hydro_world.h"
#include "tests/support/random_world.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::hydro_push_test {
namespace {

using sim::World;
using sim::WorldSpec;
using sim::hydro::Columns;
using sim::hydro::Q16;
using sim::hydro::Units;

/// `depth` cells of still water.
WorldSpec lake(Vec3 size, std::int32_t depth) {
  WorldSpec spec = hydro_box(size);
  spec.fills = {{{{0, 0, 0}, {size.x, depth, size.z}}, kFull, false}};
  spec.waves.on = true;
  return spec;
}

sim::TickReport tick(World& world, const std::vector<sim::Command>& commands = {}) {
  sim::SerialExecutor serial;
  return world.tick(commands, serial);
}

const sim::HydroState& motion(const World& world) {
  return world.core().water.as<sim::HydroState>();
}

TEST(HydroPush, ASplashUpToTheRippleMovesNoWater) {
  const std::int64_t most = sim::most_ripple({}, 3, true);
  EXPECT_EQ(most, 7 << 18) << "as waves.md says";
  EXPECT_EQ(sim::most_ripple({}, 3, false), 49 << 18);
  auto world = make_world(lake({200, 10, 1}, 4));
  while (!tick(*world).at_rest) {
  }
  (void)tick(*world, {{sim::Splash{{100, 3, 0}, 3, static_cast<std::int32_t>(most), 0}}});
  EXPECT_GT(world->wave_energy(), most * 9 / 10);
  EXPECT_TRUE(motion(*world).nothing());
  (void)tick(*world, {{sim::Splash{{100, 3, 0}, 3, static_cast<std::int32_t>(4 * most), 0}}});
  EXPECT_FALSE(motion(*world).nothing());
  EXPECT_LT(water_in_column(*world, 100), 4 * kFull) << "it goes outwards";
}

// The ripple that is left is at most what the splash may make one, whatever it has.
TEST(HydroPush, TheFieldNeverGetsMoreThanTheRipple) {
  auto world = make_world(lake({200, 10, 1}, 4));
  while (!tick(*world).at_rest) {
  }
  (void)tick(*world, {{sim::Splash{{100, 3, 0}, 2, INT32_MAX, 1}}});
  EXPECT_LE(world->wave_energy(), sim::most_ripple({}, 2, true));
  EXPECT_GT(world->wave_energy(), 0);
}

TEST(HydroPush, ComesToRestAsFlatAsItWas) {
  for (const std::int32_t direction : {-1, 0, 1}) {
    auto world = make_world(lake({120, 20, 1}, 6));
    (void)tick(*world, {{sim::Splash{{30, 5, 0}, 8, 500'000'000, direction}}});
    bool moved = false;
    int ticks = 0;
    while (!tick(*world).at_rest) {
      moved = moved || water_in_column(*world, 60) != 6 * kFull;
      ASSERT_LT(++ticks, 16 * 120 + 4000);
    }
    EXPECT_TRUE(moved);
    EXPECT_TRUE(motion(*world).nothing());
    for (std::int32_t x = 0; x < 120; ++x) EXPECT_EQ(water_in_column(*world, x), 6 * kFull) << x;
  }
}

TEST(HydroPush, GoesWhereItIsSent) {
  auto world = make_world(lake({400, 20, 1}, 6));
  (void)tick(*world, {{sim::Splash{{200, 5, 0}, 8, 100'000'000, 1}}});
  for (int i = 0; i < 20; ++i) (void)tick(*world);
  std::int64_t right = 0;
  for (std::int32_t x = 200; x < 400; ++x) right += water_in_column(*world, x);
  EXPECT_GT(right, 200 * 6 * kFull + kFull);
}

// ---- Flows right after the push

class Pushes {
 public:
  explicit Pushes(const std::vector<Drawing>& layers) {
    const WorldSpec spec = drawn_spec(sim::WaterModel::kHydro, layers);
    config_ = spec.config;
    grid_.emplace(config_);
    columns_.emplace(config_);
    for (const auto& cell : spec.cells) put(*grid_, cell.at, cell.cell);
    columns_->build(*grid_, state_);
    (void)grid_->take_changed();
  }

  std::vector<std::int32_t> give(const sim::WaterPush& push) {
    std::vector<std::int32_t> woken;
    (void)sim::hydro::give_push(*columns_, push, woken);
    return woken;
  }
  Columns& columns() { return *columns_; }
  [[nodiscard]] std::map<Vec3, sim::HydroLinkState> along_x() { return state_.links_x.by_place(); }
  [[nodiscard]] std::map<Vec3, sim::HydroLinkState> along_z() { return state_.links_z.by_place(); }

 private:
  sim::WorldConfig config_;
  std::optional<sim::Grid> grid_;
  sim::HydroState state_;
  std::optional<Columns> columns_;
};

/// Of rows that are `wide`, from the top.
Drawing rows(std::initializer_list<std::pair<int, char>> kinds, std::size_t wide) {
  Drawing drawing;
  for (const auto& [count, kind] : kinds) {
    for (int i = 0; i < count; ++i) drawing.emplace_back(wide, kind);
  }
  return drawing;
}

std::int64_t energy_of(const std::map<Vec3, sim::HydroLinkState>& links, Units depth) {
  std::int64_t sum = 0;
  for (const auto& [at, link] : links) sum += sim::hydro::energy_of_flow(link.flow, depth);
  return sum;
}

// The worked example of hydro.md: four cells of water, a radius of 1, so four links.
TEST(HydroPush, TheWorkedExampleOfTheDocument) {
  Pushes world({rows({{2, '.'}, {4, '~'}}, 21)});
  EXPECT_EQ(world.give({{10, 3, 0}, 1, 1'000'000, 0}).size(), 8U);
  std::vector<std::int64_t> units;
  for (const auto& [at, link] : world.along_x()) units.push_back(link.flow / sim::hydro::kOne);
  EXPECT_EQ(units, (std::vector<std::int64_t>{-4603, -3287, 3287, 4603}));
  EXPECT_LE(energy_of(world.along_x(), 4 * kFull), 1'000'000);
  EXPECT_GT(energy_of(world.along_x(), 4 * kFull), 999'000);
}

TEST(HydroPush, NeverMakesWaterTooFast) {
  Pushes world({rows({{2, '.'}, {4, '~'}}, 21)});
  (void)world.give({{10, 3, 0}, 3, INT32_MAX, 1});
  for (const auto& [at, link] : world.along_x()) {
    EXPECT_EQ(link.flow, sim::hydro::fastest_push(4 * kFull));
  }
  EXPECT_EQ(world.along_x().size(), 8U);
}

TEST(HydroPush, GoesThroughNoRockNoFloodedPassageAndOverNoSill) {
  const auto reached = [](const std::string& column) {
    Drawing drawing = rows({{3, '.'}, {5, '~'}}, 21);
    for (std::size_t y = 0; y < drawing.size(); ++y) drawing[y][12] = column[y];
    Pushes world({drawing});
    (void)world.give({{9, 3, 0}, 8, 1'000'000, 0});
    std::set<std::int32_t> links;
    for (const auto& [at, link] : world.along_x()) links.insert(at.x);
    return links.contains(14);
  };
  EXPECT_FALSE(reached("########"));
  EXPECT_FALSE(reached("#####~~~")) << "flooded";
  EXPECT_FALSE(reached("...#####")) << "its top is the water's";
  EXPECT_TRUE(reached("...~####"));
  EXPECT_TRUE(reached("##.~~###")) << "under a roof with air";
}

// x and z change places, and so do the flows.
TEST(HydroPush, IsTheSameAlongXAndZ) {
  const std::vector<Drawing> layers(15, rows({{2, '.'}, {3, '~'}}, 15));
  Pushes world(layers);
  (void)world.give({{7, 2, 7}, 4, 9'000'000, 0});
  EXPECT_GT(world.along_x().size(), 30U);
  std::map<Vec3, std::int64_t> x;
  std::map<Vec3, std::int64_t> z;
  for (const auto& [at, link] : world.along_x()) x[at] = link.flow;
  for (const auto& [at, link] : world.along_z()) z[{at.z, at.y, at.x}] = link.flow;
  EXPECT_EQ(x, z);
  for (const auto& [at, flow] : x) EXPECT_EQ(flow, -(x[{13 - at.x, at.y, at.z}])) << to_string(at);
}

// Whatever flows already, a push adds at most its energy.
RC_GTEST_PROP(HydroPush, AddsAtMostItsEnergy, (std::uint64_t seed)) {
  Dice dice(seed);
  Pushes world({rows({{2, '.'}, {4, '~'}}, 30)});
  for (int i = 0; i < 6; ++i) {
    const std::int64_t before = energy_of(world.along_x(), 4 * kFull);
    const std::int32_t energy = dice.chance(20) ? INT32_MAX : dice.roll(1, 1 << dice.roll(4, 28));
    (void)world.give(
        {{dice.roll(0, 29), 3, 0}, dice.roll(0, sim::kMaxSplashRadius), energy, dice.roll(-1, 1)});
    RC_ASSERT(energy_of(world.along_x(), 4 * kFull) <= before + energy);
  }
}

// ---- Whole worlds

/// What the cells of each tick are after a splash in a lake with a hump; `mirrored`: from the other
/// side.
std::vector<std::vector<Cell>> history(bool mirrored, std::int32_t direction) {
  constexpr std::int32_t kWide = 70;
  WorldSpec spec = lake({kWide, 16, 1}, 5);
  const auto x_of = [mirrored](std::int32_t x) { return mirrored ? kWide - 1 - x : x; };
  for (std::int32_t i = 0; i < 6; ++i) {
    spec.fills.push_back({{{x_of(40 + i), 0, 0}, {1, 1 + i, 1}}, kRock, false});
  }
  auto world = make_world(spec);
  std::vector<std::vector<Cell>> ticks;
  for (int t = 0; t < 150; ++t) {
    std::vector<sim::Command> commands;
    if (t % 40 == 3) {
      commands.push_back(
          {sim::Splash{{x_of(25), 4, 0}, 6, 90'000'000, mirrored ? -direction : direction}});
    }
    (void)tick(*world, commands);
    std::vector<Cell>& cells = ticks.emplace_back();
    for (std::int32_t y = 0; y < 16; ++y) {
      for (std::int32_t x = 0; x < kWide; ++x) cells.push_back(world->cell({x_of(x), y, 0}));
    }
  }
  return ticks;
}

TEST(HydroPush, MirrorImagesHaveTheMirroredHistory) {
  for (const std::int32_t direction : {-1, 0, 1}) {
    EXPECT_EQ(history(false, direction), history(true, direction)) << direction;
  }
}

TEST(HydroPush, GoingOnFromASnapshotIsGoingOn) {
  auto world = make_world(lake({120, 20, 1}, 6));
  (void)tick(*world, {{sim::Splash{{30, 5, 0}, 8, 500'000'000, 0}}});
  for (int i = 0; i < 60; ++i) {
    auto copy = through_a_snapshot(*world);
    const std::vector<sim::Command> commands =
        i == 20 ? std::vector<sim::Command>{{sim::Splash{{70, 5, 0}, 3, 90'000'000, 1}}}
                : std::vector<sim::Command>{};
    ASSERT_EQ(tick(*world, commands).digest, tick(*copy, commands).digest) << i;
  }
}

}  // namespace
}  // namespace sluice::tests::hydro_push_test
