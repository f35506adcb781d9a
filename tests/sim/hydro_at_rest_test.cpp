// Goal: what is kept of runs at rest is what a fresh look finds.
// Method: columns in which cells change at random and movers come and go; after each step what is
// kept is compared with what another one finds that knows nothing.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/models/hydro/runs_at_rest.h"
#include "tests/support/dice.h"

namespace sluice::tests::hydro_at_rest_test {
namespace {

using sim::hydro::Columns;
using sim::hydro::Ground;
using sim::hydro::kNone;
using sim::hydro::Mover;
using sim::hydro::Run;
using sim::hydro::RunsAtRest;

/// Of which chunk by chunk gets columns: their runs take the numbers of others that are gone.
class Lake {
 public:
  explicit Lake(std::uint64_t seed) : dice_(seed), config_(drawn()), grid_(config_) {
    sizes_.neighbours = static_cast<std::size_t>(dice_.roll(0, 6));
    const Vec3 size = config_.size;
    const std::int32_t width = std::min(size.x, dice_.roll(1, 20));
    for (std::int32_t x = 0; x < width; ++x) {
      for (std::int32_t y = 0; y < 3; ++y) {
        for (std::int32_t z = 0; z < size.z; ++z) grid_.add_to_cell({x, y, z}, kFull);
      }
    }
    columns_.build(grid_, state_);
    (void)grid_.take_changed();
  }

  /// Cells change, and what that touches becomes a mover for a moment, with all beside it.
  void change() {
    reach_ += 3;
    for (std::int32_t i = dice_.roll(0, 10); i > 0; --i) {
      const Vec3 at = {dice_.roll(0, std::min(config_.size.x, reach_) - 1), dice_.roll(0, 4),
                       dice_.roll(0, config_.size.z - 1)};
      const Cell before = grid_.cell(at);
      const Cell after = dice_.chance(30) ? kRock : dice_.chance(50) ? kFull : dice_.roll(0, 3);
      grid_.add_to_cell(at, after - before);
    }
    std::vector<std::int32_t> woken;
    columns_.repair(woken);
    (void)grid_.take_changed();
    for (const std::int32_t id : woken) {
      if (!run(id).alive) continue;
      if (run(id).wet()) columns_.meet_neighbours(id);
      forget_around(id);
    }
  }

  /// A cell becomes rock, or rock a cell, so that nothing falls: what stays holds what it held.
  /// Nobody is told what to forget.
  void change_shape() {
    reach_ += 3;
    const Vec3 at = {dice_.roll(0, std::min(config_.size.x, reach_) - 1), dice_.roll(1, 4),
                     dice_.roll(0, config_.size.z - 1)};
    const Cell before = grid_.cell(at);
    const bool hangs = grid_.cell({at.x, at.y - 1, at.z}) == kAir;
    const bool bears = grid_.cell({at.x, at.y + 1, at.z}) > 0;
    if (before == kRock && hangs && bears) return;
    const Cell open = bears || (!hangs && dice_.chance(50)) ? kFull : kAir;
    grid_.add_to_cell(at, (before == kRock ? open : kRock) - before);
    std::vector<std::int32_t> woken;
    columns_.repair(woken);
    (void)grid_.take_changed();
    for (const std::int32_t id : woken) {
      if (run(id).alive && run(id).wet()) columns_.meet_neighbours(id);
    }
  }

  void take_other_movers() {
    for (const Mover& mover : movers_) run(mover.id).slot = kNone;
    movers_.clear();
    for (std::int32_t id = 0; id < columns_.run_count(); ++id) {
      if (!run(id).alive || !dice_.chance(10)) continue;
      run(id).slot = static_cast<std::int32_t>(movers_.size());
      movers_.emplace_back().id = id;
      kept_.forget(id);
    }
  }

  /// Some runs leave open water, others join it: they, and what is beside them, are told of.
  void take_other_open_water() {
    for (const std::int32_t id : std::exchange(open_, {})) {
      if (!run(id).alive || !run(id).in_open_water()) continue;
      run(id).slot = kNone;
      forget_around(id);
    }
    for (std::int32_t id = 0; id < columns_.run_count(); ++id) {
      if (!run(id).alive || run(id).drain || run(id).slot != kNone || !dice_.chance(10)) continue;
      run(id).slot = kNone - 1;
      open_.push_back(id);
      forget_around(id);
    }
    kept_.note_open_water(!open_.empty());
  }

  /// Of which nobody is told.
  void let_open_water_move() {
    for (const std::int32_t id : open_) {
      if (run(id).alive) run(id).volume = dice_.roll(0, 4 * kFull);
    }
    kept_.forget_movers();
  }

  void let_others_move() {
    for (Mover& mover : movers_) mover.moves = dice_.chance(50);
    kept_.forget_movers();
  }

  [[nodiscard]] bool is_known_as_it_is() {
    constexpr sim::WaterSizes kNothingKept = {.neighbours = 0};
    RunsAtRest fresh(columns_, movers_, kNothingKept);
    for (std::int32_t id = 0; id < columns_.run_count(); ++id) {
      if (!run(id).alive || run(id).drain) continue;
      if (kept_.level(id) != fresh.level(id) || kept_.passes(id) != fresh.passes(id)) return false;
      if (beside(kept_, id) != beside(fresh, id)) return false;
    }
    for (int i = 0; i < 10; ++i) {
      Ground ground;
      const Run& any = run(dice_.roll(0, columns_.run_count() - 1));
      ground.see(any.x, any.z);
      const Ground wide = ground.with_margin(dice_.roll(0, 40));
      const std::int64_t from = dice_.roll(0, 5 * kFull);
      const std::int64_t to = from + dice_.roll(0, kFull);
      if (kept_.any_between(wide, from, to, INT64_MAX / 2) !=
          fresh.any_between(wide, from, to, INT64_MAX / 2)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] Dice& dice() { return dice_; }

 private:
  sim::WorldConfig drawn() {
    sim::WorldConfig config;
    config.water = sim::WaterModel::kHydro;
    const bool solid = dice_.chance(50);
    config.size = {dice_.roll(1, solid ? 50 : 200), 8, solid ? dice_.roll(2, 40) : 1};
    return config;
  }
  [[nodiscard]] Run& run(std::int32_t id) { return columns_.run(id); }
  void forget_around(std::int32_t id) {
    kept_.forget(id);
    for (const std::int32_t link : run(id).links) kept_.forget(columns_.link(link).other(id));
  }
  static std::vector<std::int32_t> beside(RunsAtRest& runs, std::int32_t id) {
    std::vector<std::int32_t> all;
    runs.for_each_beside(id, [&all](std::int32_t one) { all.push_back(one); });
    return all;
  }

  Dice dice_;
  sim::WorldConfig config_;
  sim::Grid grid_;
  sim::HydroState state_;
  Columns columns_{config_};
  std::vector<Mover> movers_;
  std::vector<std::int32_t> open_;  // runs in open water
  sim::WaterSizes sizes_;
  std::int32_t reach_ = 2;
  RunsAtRest kept_{columns_, movers_, sizes_};
};

bool keeps_what_a_fresh_look_finds(std::uint64_t seed) {
  Lake lake(seed);
  for (int step = 0; step < 20; ++step) {
    if (lake.dice().chance(70)) lake.change();
    if (lake.dice().chance(50)) lake.take_other_movers();
    lake.let_others_move();
    if (!lake.is_known_as_it_is()) return false;
  }
  return true;
}

RC_GTEST_PROP(HydroAtRest, WhatIsKeptIsWhatAFreshLookFinds, (std::uint64_t seed)) {
  RC_ASSERT(keeps_what_a_fresh_look_finds(seed));
}

RC_GTEST_PROP(HydroAtRest, OpenWaterMovesUntold, (std::uint64_t seed)) {
  Lake lake(seed);
  for (int step = 0; step < 20; ++step) {
    if (lake.dice().chance(30)) lake.take_other_open_water();
    lake.let_open_water_move();
    RC_ASSERT(lake.is_known_as_it_is());
  }
}

RC_GTEST_PROP(HydroAtRest, ShapesThatChangeAreNoticedWithoutBeingTold, (std::uint64_t seed)) {
  Lake lake(seed);
  for (int step = 0; step < 30; ++step) {
    for (std::int32_t i = lake.dice().roll(1, 3); i > 0; --i) lake.change_shape();
    RC_ASSERT(lake.is_known_as_it_is());
  }
}

// Rare among them: new columns' runs that nothing woke have the numbers of others that are gone.
TEST(HydroAtRest, WhatIsKeptOfARunThatIsGoneIsNotThatOfTheNextOneOfItsNumber) {
  for (const std::uint64_t seed : {65766808ULL, 14371510094ULL, 6432782111ULL, 26512ULL}) {
    EXPECT_TRUE(keeps_what_a_fresh_look_finds(seed)) << seed;
  }
}

// Where a run goes and none comes, only its block tells of it.
TEST(HydroAtRest, WhatStoodInARoomThatIsFilledStandsThereNoMore) {
  sim::WorldConfig config;
  config.water = sim::WaterModel::kHydro;
  config.size = {1, 3, 1};
  sim::Grid grid(config);
  for (const std::int32_t y : {0, 2}) grid.add_to_cell({0, y, 0}, kRock);
  grid.add_to_cell({0, 1, 0}, kFull / 2);
  sim::HydroState state;
  Columns columns(config);
  columns.build(grid, state);
  (void)grid.take_changed();
  const std::vector<Mover> movers;
  const sim::WaterSizes sizes;
  RunsAtRest runs(columns, movers, sizes);
  const Ground all = {0, 0, 0, 0};
  const auto stands = [&] { return runs.any_between(all, 0, 3 * kFull, INT64_MAX / 2); };
  EXPECT_TRUE(stands());
  grid.add_to_cell({0, 1, 0}, kRock - kFull / 2);
  std::vector<std::int32_t> woken;
  columns.repair(woken);
  EXPECT_FALSE(stands());
}

// Of columns with many runs over each other a search would look at all to save itself fewer looks.
TEST(HydroAtRest, NoMoreThanSoManyRunsAreLookedAtToFindOutWhereLowerOnesStand) {
  constexpr std::int32_t kSide = 64;  // four chunks
  constexpr std::int32_t kFloors = 6;
  sim::WorldConfig config;
  config.water = sim::WaterModel::kHydro;
  config.size = {kSide, 2 * kFloors, kSide};
  sim::Grid grid(config);
  for (std::int32_t x = 0; x < kSide; ++x) {
    for (std::int32_t z = 0; z < kSide; ++z) {
      for (std::int32_t floor = 0; floor < kFloors; ++floor) {
        grid.add_to_cell({x, 2 * floor, z}, kFull / 2);
        grid.add_to_cell({x, 2 * floor + 1, z}, kRock);
      }
    }
  }
  sim::HydroState state;
  Columns columns(config);
  columns.build(grid, state);
  const std::vector<Mover> movers;
  const sim::WaterSizes sizes;
  RunsAtRest runs(columns, movers, sizes);
  const Ground all = {0, kSide - 1, 0, kSide - 1};
  const std::int64_t in_a_block = std::int64_t{kFloors} * 16 * 16;
  // Nothing stands there: as long as that is not known, something may.
  const auto may_stand = [&](std::int64_t most) { return runs.any_between(all, 0, 1, most); };
  std::int64_t left = kFloors * kSide * kSide;
  while (left > 0) {
    EXPECT_TRUE(may_stand(2 * in_a_block - 1)) << left;
    const std::int64_t looks = runs.take_looks();
    EXPECT_EQ(looks, 2 * in_a_block);
    left -= looks;
    ASSERT_GT(looks, 0);
    if (left == 2 * in_a_block) break;
  }
  EXPECT_FALSE(may_stand(2 * in_a_block));
  EXPECT_FALSE(may_stand(0));
  EXPECT_EQ(runs.take_looks(), 2 * in_a_block);
}

}  // namespace
}  // namespace sluice::tests::hydro_at_rest_test
