// Goal: open water gives a body back where it comes to a limit, and not before; which bodies are
// none; how often they are looked for.
// Method: OpenWater by itself, over a few columns whose flows are given.
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "server/sim/models/hydro/open_water.h"

namespace sluice::tests::hydro_open_limits_test {
namespace {

using sim::HydroLinkState;
using sim::HydroRunState;
using sim::HydroState;
using sim::hydro::Columns;
using sim::hydro::kOne;
using sim::hydro::Lakes;
using sim::hydro::OpenWater;

constexpr std::int32_t kHeight = 40;
constexpr std::int32_t kAge = 2;

/// Columns of water, all of which moves.
class Water {
 public:
  explicit Water(Vec3 size) : size_(size), grid_(config_of(size)) {}

  void put(Vec3 at, Cell cell) { grid_.add_to_cell(at, cell - grid_.cell(at)); }
  void stand(std::int32_t x, std::int32_t z, std::int32_t depth) {
    for (std::int32_t y = 0; y < depth; ++y) put({x, y, z}, kFull);
    moves({x, 0, z});
  }
  /// The run of which this is the lowest cell.
  void moves(Vec3 floor) { runs_[floor] = {0, 1, kAge}; }
  void flow_x(Vec3 from, std::int64_t units) { links_x_[from] = {units * kOne, 0}; }
  void flow_z(Vec3 from, std::int64_t units) { links_z_[from] = {units * kOne, 0}; }

  void begin() {
    state_.runs.take(runs_, HydroState::digest_of_run);
    state_.links_x.take(links_x_, HydroState::digest_of_link_x);
    state_.links_z.take(links_z_, HydroState::digest_of_link_z);
    columns_ = std::make_unique<Columns>(config_of(size_));
    columns_->build(grid_, state_);
    lakes_ = std::make_unique<Lakes>(*columns_, movers_, sizes_);
    open_ = std::make_unique<OpenWater>(*columns_, *lakes_, size_.z > 1);
    open_->begin(serial_, sizes_);
  }
  /// All that hangs together with that run.
  bool take(Vec3 at) { return open_->take({{columns_->run_at(at)}, kAge}); }
  std::vector<std::int32_t> give_back(Vec3 at) {
    std::vector<std::int32_t> returned;
    open_->give_back(columns_->run(columns_->run_at(at)), returned);
    return returned;
  }
  [[nodiscard]] OpenWater& open() { return *open_; }

 private:
  static sim::WorldConfig config_of(Vec3 size) {
    sim::WorldConfig config;
    config.water = sim::WaterModel::kHydro;
    config.size = size;
    return config;
  }

  Vec3 size_;
  sim::Grid grid_;
  std::map<Vec3, HydroRunState> runs_;
  std::map<Vec3, HydroLinkState> links_x_;
  std::map<Vec3, HydroLinkState> links_z_;
  HydroState state_;
  const std::vector<sim::hydro::Mover> movers_;
  const sim::WaterSizes sizes_;
  sim::SerialExecutor serial_;
  std::unique_ptr<Columns> columns_;
  std::unique_ptr<Lakes> lakes_;
  std::unique_ptr<OpenWater> open_;
};

/// Units a tick out of the middle one of five columns, to each side; they come in where negative.
struct Outflow {
  std::int64_t left, right, front, back;
};

/// Whether a tick of that is open water's: a cross of five columns so many cells deep, a roof over
/// the middle, and so many units more in it.
bool is_open_for_a_tick(std::int32_t depth, std::int32_t roof, Outflow out, Cell more = 0) {
  Water water({3, kHeight, 3});
  for (std::int32_t x = 0; x < 3; ++x) {
    for (std::int32_t z = 0; z < 3; ++z) {
      if (x == 1 || z == 1) {
        water.stand(x, z, depth);
      } else {
        for (std::int32_t y = 0; y < kHeight; ++y) water.put({x, y, z}, kRock);
      }
    }
  }
  water.put({1, depth, 1}, more);
  water.put({1, roof, 1}, kRock);
  water.flow_x({0, 0, 1}, -out.left);
  water.flow_x({1, 0, 1}, out.right);
  water.flow_z({1, 0, 0}, -out.front);
  water.flow_z({1, 0, 1}, out.back);
  water.begin();
  EXPECT_TRUE(water.take({1, 0, 1}));
  EXPECT_EQ(water.open().run_count(), 5);
  std::vector<std::int32_t> returned;
  water.open().advance(returned);
  EXPECT_EQ(returned.size(), water.open().empty() ? 5U : 0U);
  return !water.open().empty();
}

TEST(HydroOpenLimits, WhatWouldGiveMoreThanItHasIsGivenBack) {
  constexpr std::int64_t kSix = 6 * kFull;
  constexpr std::int64_t kThree = 3 * kFull;
  EXPECT_TRUE(is_open_for_a_tick(10, 39, {kThree, kThree, -kThree, -kThree}));
  // It would hold as much after as before.
  EXPECT_FALSE(is_open_for_a_tick(10, 39, {kSix, kSix, -kSix, -kSix}));
}

TEST(HydroOpenLimits, WhatWouldRiseOverItsCeilingIsGivenBack) {
  constexpr std::int64_t kTwo = 2 * kFull;
  constexpr std::int64_t kThree = 3 * kFull;
  EXPECT_TRUE(is_open_for_a_tick(25, 34, {-kTwo, -kTwo, -kTwo, -kTwo}));
  EXPECT_FALSE(is_open_for_a_tick(25, 34, {-kThree, -kThree, -kThree, -kThree}));
}

TEST(HydroOpenLimits, WhatWouldFallDryIsGivenBack) {
  constexpr std::int64_t kTwo = 2 * kFull;
  EXPECT_TRUE(is_open_for_a_tick(10, 39, {kTwo, kTwo, kTwo, kTwo}));
  EXPECT_FALSE(is_open_for_a_tick(5, 39, {kTwo, kTwo, kTwo, kTwo}));
}

// It is to be filled, though it is not flat: here what flows in is as much as the heads drive out.
TEST(HydroOpenLimits, WhatMovesNothingIsGivenBack) {
  for (const std::int64_t units : {-970, -980, -990}) {
    EXPECT_EQ(is_open_for_a_tick(10, 39, {units, units, units, units}, 2000), units != -980);
  }
}

// Their conductances would add up to more than a run has.
TEST(HydroOpenLimits, ARunWithMoreWaysThanSidesIsNotTaken) {
  for (const bool two : {false, true}) {
    Water water({5, kHeight, 1});
    for (std::int32_t x = 0; x < 5; ++x) water.stand(x, 0, 10);
    if (two) {
      // Below a floor within the middle column stands water that does not reach it.
      for (std::int32_t y = 2; y < 6; ++y) water.put({2, y, 0}, kAir);
      water.put({2, 6, 0}, kRock);
      water.moves({2, 7, 0});
    }
    water.begin();
    EXPECT_EQ(water.take({0, 0, 0}), !two);
    EXPECT_EQ(water.open().run_count(), two ? 0 : 5);
  }
}

TEST(HydroOpenLimits, BodiesThatAreGivenBackSoonMakeOthersRarer) {
  Water water({60, kHeight, 1});
  for (std::int32_t x = 0; x < 60; ++x) water.stand(x, 0, x < 20 ? 20 : 10);
  water.begin();
  const auto patience_after = [&](int ticks) {
    std::vector<std::int32_t> returned;
    EXPECT_TRUE(water.take({0, 0, 0}));
    for (int t = 0; t < ticks; ++t) water.open().advance(returned);
    EXPECT_TRUE(returned.empty());
    EXPECT_EQ(water.give_back({0, 0, 0}).size(), 60U);
    return water.open().patience();
  };
  EXPECT_EQ(water.open().patience(), 8);
  EXPECT_EQ(patience_after(7), 16);
  EXPECT_EQ(patience_after(16), 8);
  for (std::int64_t patience = 16; patience <= 512; patience *= 2) {
    EXPECT_EQ(patience_after(1), patience);
  }
  EXPECT_EQ(patience_after(1), 512);
}

}  // namespace
}  // namespace sluice::tests::hydro_open_limits_test
