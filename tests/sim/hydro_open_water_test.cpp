// Goal: open water's own tick is the one that all water has, bit for bit, and is given to what
// sloshes.
// Method: random seas with touches here and there, each in two worlds of which one takes no body
// for open water; and Flow by itself, which tells what it takes.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/models/hydro/flow.h"
#include "server/sim/models/hydro/hydro.h"
#include "server/workers/thread_pool.h"
#include "tests/support/lakes.h"
#include "tests/support/seas.h"

namespace sluice::tests::hydro_open_water_test {
namespace {

constexpr std::size_t kTicks = 200;
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

/// Most ticks are to have nothing but waves. Some have a shower, whose strands fall for some ticks.
Script sea_script(std::uint64_t seed, Vec3 size) {
  Dice dice(seed ^ 0x5c21U);
  Script script = random_touches(seed, size, kTicks, dice.chance(30));
  for (auto& commands : script) {
    if (dice.chance(60)) commands.clear();
  }
  for (std::int32_t i = dice.chance(40) ? dice.roll(1, 3) : 0; i > 0; --i) {
    auto& commands = script[static_cast<std::size_t>(dice.chance(50) ? 0 : dice.roll(1, 60))];
    for (std::int32_t drops = dice.roll(1, 20); drops > 0; --drops) {
      const Vec3 at = {dice.roll(0, size.x - 1), size.y - 1, dice.roll(0, size.z - 1)};
      commands.push_back({.body = sim::Pour{at, dice.roll(1, kFull)}});
    }
  }
  return script;
}

sim::WaterSizes drawn_sizes(Dice& dice) {
  return {.piece_bits = dice.chance(50) ? 12 : dice.roll(0, 5),
          .open_runs = static_cast<std::size_t>(dice.roll(1, 6)),
          .open_ticks = dice.roll(1, 4),
          .open_tail = static_cast<std::size_t>(dice.chance(50) ? 64 : dice.roll(0, 4))};
}

RC_GTEST_PROP(HydroOpenWater, ItsTickIsThatOfAllWater,
              (std::uint64_t seed, bool solid, bool at_rest)) {
  const sim::WorldSpec spec = at_rest ? random_lakes(seed, solid) : random_sea(seed, solid);
  const Script script = sea_script(seed, spec.config.size);
  auto plain = make_world(spec);
  auto open = make_world(spec);
  Dice dice(seed);
  plain->set_run_options({.water = {.open_runs = kNever}});
  open->set_run_options({.water = drawn_sizes(dice)});
  sim::SerialExecutor serial;
  workers::ThreadPool pool(3);
  workers::ShuffledExecutor any_order(pool, seed);
  for (const auto& commands : script) {
    const sim::TickReport expected = plain->tick(commands, serial);
    const sim::TickReport report = open->tick(commands, any_order);
    RC_ASSERT(report.digest == expected.digest);
    RC_ASSERT(report.at_rest == expected.at_rest);
    RC_ASSERT(report.active_chunks == expected.active_chunks);
    RC_ASSERT(open->recompute_digest() == report.digest);
  }
}

/// Flow without the rest of a world, over a bed that is flat. Nothing falls.
class Sea {
 public:
  Sea(const std::vector<std::int32_t>& columns, sim::WaterSizes sizes) : sizes_(sizes) {
    config_.water = sim::WaterModel::kHydro;
    config_.size = {static_cast<std::int32_t>(columns.size()), 40, 1};
    grid_ = std::make_unique<sim::Grid>(config_);
    for (std::int32_t x = 0; x < config_.size.x; ++x) {
      const std::int32_t height = columns[static_cast<std::size_t>(x)];
      for (std::int32_t y = 0; y < height; ++y) grid_->add_to_cell({x, y, 0}, kFull);
    }
    columns_ = std::make_unique<sim::hydro::Columns>(config_);
    flow_ = std::make_unique<sim::hydro::Flow>(*columns_, config_);
    build();
  }

  /// As if all its water had been moving for so long.
  void make_as_old_as(std::int32_t age) {
    std::map<Vec3, sim::HydroRunState> runs;
    for (std::int32_t x = 0; x < config_.size.x; ++x) {
      if (grid_->cell({x, 0, 0}) > 0) runs[{x, 0, 0}] = {0, 0, age};
    }
    state_.runs.take(runs, sim::HydroState::digest_of_run);
    build();
    is_new_ = false;
  }
  void put_roof(std::int32_t x, std::int32_t y) {
    grid_->add_to_cell({x, y, 0}, kRock);
    build();
  }

  void pour(std::int32_t x, std::int32_t y, Cell units) { grid_->add_to_cell({x, y, 0}, units); }
  /// On the surface, as far as its cell has room.
  void pour_on(std::int32_t x, Cell units) {
    const auto y = static_cast<std::int32_t>(heights()[static_cast<std::size_t>(x)] / kFull);
    pour(x, y, std::min(units, kFull - grid_->cell({x, y, 0})));
  }
  void tick() {
    begin_tick();
    end_tick();
  }
  /// Up to what is gathered.
  void begin_tick() {
    std::vector<std::int32_t> seeds = std::move(awake_);
    const std::size_t known = seeds.size();
    columns_->repair(seeds);
    (void)grid_->take_changed();
    if (std::exchange(is_new_, false)) {
      for (const std::int32_t id : seeds) columns_->run(id).event = true;
    }
    flow_->begin(nullptr, serial_, sizes_);
    flow_->gather(seeds, known);
  }
  void end_tick() {
    flow_->move({});
    flow_->settle();
    sim::hydro::Left left = flow_->finish();
    awake_ = std::move(left.awake);
    for (const std::int32_t id : left.waiting) columns_->show(columns_->run(id));
    for (const std::int32_t id : left.unmet) columns_->meet_neighbours(id);
    (void)grid_->take_changed();
  }

  [[nodiscard]] const sim::hydro::Flow& flow() const { return *flow_; }
  [[nodiscard]] bool at_rest() const { return awake_.empty() && flow_->no_open_water(); }
  [[nodiscard]] sim::Digest digest() { return digest_of(state_, serial_); }
  [[nodiscard]] std::vector<std::int64_t> heights() {
    std::vector<std::int64_t> units;
    for (std::int32_t x = 0; x < config_.size.x; ++x) {
      const std::int32_t run = columns_->run_at({x, 0, 0});
      units.push_back(run == sim::hydro::kNone ? 0 : columns_->run(run).volume);
    }
    return units;
  }

 private:
  void build() {
    columns_->build(*grid_, state_);
    flow_->restart();
    (void)grid_->take_changed();
    awake_.clear();
    for (std::int32_t id = 0; id < columns_->run_count(); ++id) {
      if (columns_->run(id).wet()) awake_.push_back(id);
    }
  }

  sim::WorldConfig config_;
  sim::WaterSizes sizes_;
  sim::SerialExecutor serial_;
  sim::HydroState state_;
  std::unique_ptr<sim::Grid> grid_;
  std::unique_ptr<sim::hydro::Columns> columns_;
  std::unique_ptr<sim::hydro::Flow> flow_;
  std::vector<std::int32_t> awake_;
  bool is_new_ = true;
};

constexpr sim::WaterSizes kAtOnce = {.open_runs = 1, .open_ticks = 1};

std::vector<std::int32_t> hill_at_the_left(std::int32_t width, std::int32_t hill,
                                           std::int32_t height, std::int32_t depth) {
  std::vector<std::int32_t> columns(static_cast<std::size_t>(width), depth);
  std::fill_n(columns.begin(), hill, height);
  return columns;
}

TEST(HydroOpenWater, WhatSloshesIsTakenUntilItIsToBeFilled) {
  Sea sea(hill_at_the_left(64, 20, 20, 10), kAtOnce);
  sea.tick();
  EXPECT_TRUE(sea.flow().no_open_water());  // its first tick is an event
  sea.tick();
  EXPECT_FALSE(sea.flow().no_open_water());
  int ticks = 0;
  for (; !sea.flow().no_open_water() && ticks < 1000; ++ticks) sea.tick();
  EXPECT_GT(ticks, 100);
  for (ticks = 0; !sea.at_rest() && ticks < 10; ++ticks) sea.tick();
  EXPECT_TRUE(sea.at_rest());
  const std::vector<std::int64_t> heights = sea.heights();
  const auto [least, most] = std::ranges::minmax(heights);
  EXPECT_LE(most - least, 1);
}

/// Two seas, of which one takes nothing, for so many ticks; `touch(sea, tick)` before each.
template <class F>
void expect_alike(Sea& open, Sea& plain, int ticks, F&& touch) {
  for (int t = 0; t < ticks; ++t) {
    for (Sea* const sea : {&open, &plain}) {
      touch(*sea, t);
      sea->tick();
    }
    ASSERT_EQ(open.digest(), plain.digest()) << t;
    ASSERT_EQ(open.heights(), plain.heights()) << t;
  }
}

// A dam that breaks over dry ground, over borders of chunks; and two waves of two ages that meet.
TEST(HydroOpenWater, WhenABodyIsTakenDecidesNothing) {
  for (int tick = 1; tick < 150; ++tick) {
    const sim::WaterSizes sizes = {.open_runs = 1, .open_ticks = tick};
    Sea dam(hill_at_the_left(150, 20, 30, 0), sizes);
    Sea plain_dam(hill_at_the_left(150, 20, 30, 0), {.open_runs = kNever});
    expect_alike(dam, plain_dam, 160, [](Sea&, int) {});
    Sea film(hill_at_the_left(60, 3, 2, 0), sizes);
    Sea plain_film(hill_at_the_left(60, 3, 2, 0), {.open_runs = kNever});
    expect_alike(film, plain_film, 160, [](Sea&, int) {});
    if (tick > 60) continue;
    Sea waves(hill_at_the_left(80, 0, 0, 10), sizes);
    Sea plain_waves(hill_at_the_left(80, 0, 0, 10), {.open_runs = kNever});
    expect_alike(waves, plain_waves, 80, [](Sea& sea, int t) {
      for (std::int32_t y = 10; y < 14; ++y) {
        if (t == 3) sea.pour(20, y, kFull);
        if (t == 20) sea.pour(60, y, kFull);
      }
    });
  }
}

// As they come near it, or fill what is below it.
TEST(HydroOpenWater, WavesThatComeToARoofAreGivenBack) {
  for (std::int32_t roof = 12; roof < 22; ++roof) {
    Sea open(hill_at_the_left(60, 20, 24, 10), kAtOnce);
    Sea plain(hill_at_the_left(60, 20, 24, 10), {.open_runs = kNever});
    for (Sea* const sea : {&open, &plain}) {
      for (std::int32_t x = 40; x < 50; ++x) sea->put_roof(x, roof);
    }
    expect_alike(open, plain, 150, [](Sea&, int) {});
  }
}

// What is kept of water at rest, for searches through a lake, is none of it when a wave has come
// there as open water.
TEST(HydroOpenWater, SearchesThroughALakeComeToItsWaves) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Sea open(hill_at_the_left(250, 0, 0, 10), kAtOnce);
    Sea plain(hill_at_the_left(250, 0, 0, 10), {.open_runs = kNever});
    Dice dice(seed);
    std::map<int, std::pair<std::int32_t, Cell>> pours;
    for (int i = 0; i < 12; ++i) {
      pours[dice.roll(3, 80)] = {dice.roll(20, 200), dice.roll(1, 90)};
    }
    const std::int32_t wave = dice.roll(20, 200);
    expect_alike(open, plain, 110, [&](Sea& sea, int t) {
      for (std::int32_t y = 10; t == 15 && y < 13; ++y) sea.pour(wave, y, kFull);
      if (pours.contains(t)) sea.pour_on(pours[t].first, pours[t].second);
    });
  }
}

// Then none of its runs is left that a command could wake.
TEST(HydroOpenWater, GroundThatChangesUnderAllOfABodyGivesItBack) {
  Sea open({20, 10}, kAtOnce);
  Sea plain({20, 10}, {.open_runs = kNever});
  expect_alike(open, plain, 12, [](Sea& sea, int t) {
    if (t != 5) return;
    for (const std::int32_t x : {0, 1}) sea.pour(x, 35, kRock);
  });
}

TEST(HydroOpenWater, BodiesOfFewerRunsAreLeftAlone) {
  EXPECT_EQ(sim::WaterSizes{}.open_runs, 64U);
  for (const std::size_t least : {64U, 65U}) {
    Sea sea(hill_at_the_left(64, 20, 20, 10), {.open_runs = least, .open_ticks = 1});
    for (int t = 0; t < 60; ++t) sea.tick();  // waves have been everywhere
    EXPECT_EQ(sea.flow().no_open_water(), least > 64) << least;
  }
}

TEST(HydroOpenWater, ATouchGivesTheBodyBackInTheSameTick) {
  Sea sea(hill_at_the_left(64, 20, 20, 10), kAtOnce);
  for (int t = 0; t < 60; ++t) sea.tick();
  ASSERT_FALSE(sea.flow().no_open_water());
  sea.pour(60, 30, kFull);
  sea.begin_tick();
  EXPECT_TRUE(sea.flow().no_open_water());
  EXPECT_EQ(sea.flow().movers(), 64);
  sea.end_tick();
}

// Without being given back: over dry ground, and in water at rest.
TEST(HydroOpenWater, GrowsWithItsWaves) {
  for (const std::int32_t depth : {0, 10}) {
    Sea sea(hill_at_the_left(200, 20, 30, depth), kAtOnce);
    if (depth > 0) {
      // All of it is awake at first: only the hill is to be.
      while (!sea.at_rest()) sea.tick();
      for (std::int32_t y = 13; y < 23; ++y) sea.pour(0, y, kFull);
      sea.tick();
    }
    int taken_again = 0;
    std::int64_t runs = 0;
    bool was_open = false;
    while (sea.flow().movers() < 200 || sea.flow().no_open_water()) {
      sea.tick();
      const bool open = !sea.flow().no_open_water();
      taken_again += open && !was_open ? 1 : 0;
      was_open = open;
      ASSERT_LT(++runs, 2000);
    }
    EXPECT_LE(taken_again, 2) << depth;
    EXPECT_GT(runs, 50) << depth;
  }
}

// 16 ticks a column and 1,024: then it is filled like all old water.
TEST(HydroOpenWater, GrowsOldWithAllWater) {
  constexpr std::int32_t kWidth = 40;
  constexpr std::int32_t kMostAge = 16 * kWidth + 1024;
  Sea open(hill_at_the_left(kWidth, 10, 30, 10), kAtOnce);
  Sea plain(hill_at_the_left(kWidth, 10, 30, 10), {.open_runs = kNever});
  for (Sea* const sea : {&open, &plain}) sea->make_as_old_as(kMostAge - 10);
  std::vector<bool> was_open;
  for (int t = 0; t < 20; ++t) {
    open.tick();
    plain.tick();
    ASSERT_EQ(open.digest(), plain.digest()) << t;
    ASSERT_EQ(open.heights(), plain.heights()) << t;
    was_open.push_back(!open.flow().no_open_water());
  }
  EXPECT_TRUE(was_open[8]);
  EXPECT_FALSE(was_open[10]);
  EXPECT_FALSE(was_open[19]);
}

}  // namespace
}  // namespace sluice::tests::hydro_open_water_test
