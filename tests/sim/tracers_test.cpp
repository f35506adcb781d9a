// Goal: tracers do what tracers.md says.
// Method: small drawn worlds whose amounts can be worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/sim/tracers/field.h"
#include "tests/support/drawn_world.h"
#include "tests/support/every_water.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::tracers_test {
namespace {

using sim::TracerKind;
using sim::World;
using sim::WorldSpec;
using testing::HasSubstr;

WorldSpec dyed(sim::WaterModel model, const Drawing& drawing, TracerKind kind = TracerKind::kDye) {
  WorldSpec spec = drawn_spec(model, {drawing});
  sim::TracerOptions options = sim::usual_options(kind);
  options.name = "red";
  spec.tracers = {options};
  return spec;
}

/// One cell's water holds so much.
void dye(WorldSpec& spec, Vec3 at, std::int32_t amount) {
  spec.fills.push_back({{at, {1, 1, 1}}, kFull, false, {{"red", amount}}});
}

std::int64_t red(const World& world, Vec3 at) {
  const sim::TracerState& state = world.core().tracers;
  return sim::amount_at(state.tracers[0].pages, state.shape(), at);
}

const sim::AmountTotals& books(const World& world) {
  return world.core().tracers.tracers[0].totals;
}

sim::CommandOutcome give(World& world, const sim::CommandBody& body) {
  sim::SerialExecutor serial;
  const sim::Command command{body};
  return world.tick({&command, 1}, serial).outcomes.front();
}

void run(World& world, int ticks) {
  sim::SerialExecutor serial;
  for (int i = 0; i < ticks; ++i) (void)world.tick({}, serial);
}

int ticks_to_rest(World& world, int most) {
  sim::SerialExecutor serial;
  for (int tick = 1; tick <= most; ++tick) {
    if (world.tick({}, serial).at_rest) return tick;
  }
  return most + 1;
}

TEST(Tracers, WorldsWithoutThemHaveNone) {
  auto world = make_world(drawn_spec(sim::WaterModel::kHydro, {{"#~#", "###"}}));
  EXPECT_EQ(world->tracers(), nullptr);
  EXPECT_EQ(world->carried(), nullptr);
  EXPECT_EQ(world->layer_digests()[static_cast<std::size_t>(sim::Layer::kTracers)], 0U);
  EXPECT_THAT(give(*world, sim::DyedPour{{1, 1, 0}, kFull, {{"red", 1}}}).reason,
              HasSubstr("this world has no tracers"));
}

TEST(Tracers, APourBringsThemAndDrainsTakeTheirShare) {
  for (const sim::WaterModel model : every_water()) {
    auto world = make_world(dyed(model, {"#.#", "###"}));
    EXPECT_TRUE(give(*world, sim::DyedPour{{1, 1, 0}, kFull, {{"red", 1000}}}).applied());
    EXPECT_EQ(red(*world, {1, 1, 0}), 1000);
    EXPECT_EQ(books(*world).in, 1000);
    EXPECT_TRUE(give(*world, sim::AddDrain{{1, 1, 0}, kFull}).applied());
    EXPECT_EQ(red(*world, {1, 1, 0}), 0);
    EXPECT_EQ(books(*world).out, 1000);
    EXPECT_EQ(books(*world).now, 0);
  }
}

TEST(Tracers, ADrainTakesTheShareOfTheWaterThatGoesRoundedDown) {
  auto world = make_world(dyed(sim::WaterModel::kCellular, {"#.#", "###"}));
  (void)give(*world, sim::DyedPour{{1, 1, 0}, kFull, {{"red", 1000}}});
  (void)give(*world, sim::AddDrain{{1, 1, 0}, 100});
  EXPECT_EQ(red(*world, {1, 1, 0}), 1000 - 1000 * 100 / 4096);
}

TEST(Tracers, ASpringBringsSoMuchInEachFullCellOfItsWater) {
  for (const sim::WaterModel model : {sim::WaterModel::kCellular, sim::WaterModel::kHydro}) {
    WorldSpec spec = dyed(model, {"#.#", "#.#", "#.#", "###"});
    spec.sources = {{{1, 1, 0}, 1024, -1, {}, {{"red", 400}}}};
    auto world = make_world(spec);
    run(*world, 5);
    EXPECT_EQ(books(*world).in, 500);
    EXPECT_TRUE(give(*world, sim::RemoveSource{{1, 1, 0}}).applied());
    EXPECT_TRUE(give(*world, sim::AddSource{{1, 1, 0}, 1024}).applied());
    run(*world, 2);
    EXPECT_EQ(books(*world).in, 500) << "what another spring brought there before";
  }
}

TEST(Tracers, FallingWaterCarriesAllThatItHolds) {
  for (const sim::WaterModel model : every_water()) {
    WorldSpec spec = dyed(model, {"#.#", "#.#", "#.#", "#.#", "###"});
    dye(spec, {1, 4, 0}, 777);
    auto world = make_world(spec);
    run(*world, 60);
    // Stream water that lies alone dries up, and takes its share along.
    const std::int64_t dried = model == sim::WaterModel::kStream ? books(*world).out : 0;
    EXPECT_EQ(red(*world, {1, 1, 0}) + dried, 777) << static_cast<int>(model);
  }
}

TEST(Tracers, RockOverDyedWaterTakesItOut) {
  WorldSpec spec = dyed(sim::WaterModel::kHydro, {"#~#", "###"});
  dye(spec, {1, 1, 0}, 50);
  auto world = make_world(spec);
  (void)give(*world, sim::SetCells{{1, 1, 0}, {1, 1, 1}, kRock});
  EXPECT_EQ(books(*world).now, 0);
  EXPECT_EQ(books(*world).out, 50);
}

TEST(Tracers, WhatBoilsAwayLeavesThemInWhatIsLeft) {
  WorldSpec spec = dyed(sim::WaterModel::kCellular, {"#.#", "#~#", "###"});
  dye(spec, {1, 1, 0}, 4096);
  spec.heat.on = true;
  spec.heat.options.water = 100 * sim::kDegree;
  spec.heat.air = 100 * sim::kDegree;
  spec.heaters = {{{1, 1, 0}, 20'000'000}};
  auto world = make_world(spec);
  run(*world, 20);
  ASSERT_GT(world->totals().evaporated, 0);
  ASSERT_GT(world->cell({1, 1, 0}), 0);
  EXPECT_EQ(red(*world, {1, 1, 0}), 4096);
  // Until nothing is left that could hold them.
  run(*world, 200);
  ASSERT_EQ(world->cell({1, 1, 0}), 0);
  EXPECT_EQ(books(*world).out, 4096);
}

// The worked example of tracers.md.
TEST(Tracers, SpreadGoesAsTheDocumentSays) {
  WorldSpec spec = dyed(sim::WaterModel::kHydro, {"####", "#~~#", "####"});
  spec.tracers[0].spread = 64;
  dye(spec, {1, 1, 0}, 4096);
  auto world = make_world(spec);
  run(*world, 1);
  EXPECT_EQ(red(*world, {2, 1, 0}), 63);
  run(*world, 1);
  EXPECT_EQ(red(*world, {2, 1, 0}), 125);
  ASSERT_LT(ticks_to_rest(*world, 1000), 1000);
  EXPECT_EQ(red(*world, {1, 1, 0}), 2080);
  EXPECT_EQ(red(*world, {2, 1, 0}), 2016);
}

TEST(Tracers, SaltSinksThroughFreshWaterAndStays) {
  WorldSpec spec =
      dyed(sim::WaterModel::kHydro, {"#~#", "#~#", "#~#", "#~#", "###"}, TracerKind::kSalt);
  spec.tracers[0].spread = 0;
  dye(spec, {1, 4, 0}, 1 << 20);
  auto world = make_world(spec);
  ASSERT_LT(ticks_to_rest(*world, 5000), 5000);
  // Between neighbours stays what is less than 65,536 / overturn parts.
  EXPECT_LE(red(*world, {1, 4, 0}), red(*world, {1, 1, 0}) + 3 * 17);
  EXPECT_GT(red(*world, {1, 1, 0}), (1 << 18) - 64);
}

TEST(Tracers, SiltSettlesOnTheBed) {
  WorldSpec spec = dyed(sim::WaterModel::kHydro, {"#~#", "#~#", "#~#", "###"}, TracerKind::kSilt);
  dye(spec, {1, 3, 0}, 100'000);
  auto world = make_world(spec);
  ASSERT_LT(ticks_to_rest(*world, 5000), 5000);
  // Less than 4,096 / sink stays behind in a cell.
  EXPECT_LT(red(*world, {1, 3, 0}), 64);
  EXPECT_LT(red(*world, {1, 2, 0}), 64);
  EXPECT_GT(red(*world, {1, 1, 0}), 100'000 - 128);
}

TEST(Tracers, FoamRisesAndFadesWhollyAway) {
  WorldSpec spec = dyed(sim::WaterModel::kHydro, {"#~#", "#~#", "#~#", "###"}, TracerKind::kFoam);
  dye(spec, {1, 1, 0}, 100'000);
  auto world = make_world(spec);
  run(*world, 40);
  EXPECT_GT(red(*world, {1, 3, 0}), red(*world, {1, 1, 0}));
  ASSERT_LT(ticks_to_rest(*world, 20'000), 20'000);
  EXPECT_EQ(books(*world).now, 0);
  EXPECT_EQ(books(*world).out, 100'000);
}

TEST(Tracers, IceHoldsWhatItFroze) {
  WorldSpec spec = dyed(sim::WaterModel::kHydro, {"####", "#~~#", "####"});
  spec.tracers[0].spread = 256;
  dye(spec, {1, 1, 0}, 4096);
  spec.heat.on = true;
  spec.heat.options.water = -50 * sim::kDegree;
  spec.heat.air = -50 * sim::kDegree;
  auto world = make_world(spec);
  run(*world, 1);
  ASSERT_TRUE(is_ice(world->cell({1, 1, 0})));
  const std::int64_t held = red(*world, {1, 1, 0});
  run(*world, 50);
  EXPECT_EQ(red(*world, {1, 1, 0}), held);
}

TEST(Tracers, AStillWorldLooksAtNothing) {
  WorldSpec spec = dyed(sim::WaterModel::kHydro, {"#~#", "###"});
  dye(spec, {1, 1, 0}, 100);
  auto world = make_world(spec);
  run(*world, 10);
  EXPECT_EQ(world->tracers()->cells_stepped(), 0) << "dye goes with the water alone";

  WorldSpec moving = dyed(sim::WaterModel::kHydro, {"#~#", "#~#", "###"}, TracerKind::kSilt);
  dye(moving, {1, 2, 0}, 4096);
  auto settles = make_world(moving);
  ASSERT_LT(ticks_to_rest(*settles, 1000), 1000);
  const std::int64_t looked_at = settles->tracers()->cells_stepped();
  EXPECT_GT(looked_at, 0);
  run(*settles, 10);
  EXPECT_EQ(settles->tracers()->cells_stepped(), looked_at);
}

TEST(Tracers, ChunksAreNoBordersForThem) {
  WorldSpec spec;
  spec.config.name = "wide";
  spec.config.water = sim::WaterModel::kHydro;
  spec.config.size = {3 * kSideViewShape.width(), 2, 1};
  const std::int32_t border = kSideViewShape.width();
  spec.fills = {{{{0, 0, 0}, spec.config.size}, kFull}};
  sim::TracerOptions options;
  options.name = "red";
  options.spread = 256;
  spec.tracers = {options};
  dye(spec, {border - 1, 0, 0}, 1 << 20);
  dye(spec, {border, 0, 0}, 1 << 20);
  auto world = make_world(spec);
  run(*world, 200);
  for (std::int32_t x = 0; x < 40; ++x) {
    EXPECT_EQ(red(*world, {border - 1 - x, 0, 0}), red(*world, {border + x, 0, 0})) << x;
  }
  EXPECT_GT(red(*world, {border - 10, 0, 0}), 0);
}

TEST(Tracers, WrongOnesAreRefusedWithTheReason) {
  auto world = make_world(dyed(sim::WaterModel::kHydro, {"#.#", "###"}));
  const auto reason = [&](const sim::TracerAmounts& amounts) {
    return give(*world, sim::DyedPour{{1, 1, 0}, kFull, amounts}).reason;
  };
  EXPECT_THAT(reason({{"blue", 1}}), HasSubstr("'blue' is no tracer of this world; allowed: red"));
  EXPECT_THAT(reason({{"red", -1}}),
              HasSubstr("red -1 is out of range; allowed: 0 to 16777216 units"));
  EXPECT_THAT(give(*world, sim::DyedPour{{1, 1, 0}, kFull, {{"red", 1}}, 0}).reason,
              HasSubstr("this world has no heat"));
  EXPECT_THAT(give(*world, sim::AddDyedSource{{1, 1, 0}, 9, {{"red", 1}}, {}, -5}).reason,
              HasSubstr("head -5 is below zero"));
  EXPECT_EQ(world->totals().water, 0);
}

// One unit beyond what a world takes in of a tracer is refused, the last one is not.
TEST(Tracers, AWorldTakesInSoMuchAndNoMore) {
  // 2^20 full cells with 2^24 units each, but for one.
  WorldSpec spec;
  spec.config.name = "brim";
  spec.config.water = sim::WaterModel::kHydro;
  spec.config.size = {1024, 1025, 1};
  spec.tracers = {{"red", TracerKind::kDye}};
  spec.fills = {{{{0, 0, 0}, {1024, 1024, 1}}, kFull, false, {{"red", sim::kMaxPourUnits}}},
                {{{0, 0, 0}, {1, 1, 1}}, kFull, false, {{"red", sim::kMaxPourUnits - 2}}}};
  auto world = make_world(spec);
  EXPECT_EQ(books(*world).now, sim::kMostTracerUnits - 2);
  EXPECT_TRUE(give(*world, sim::DyedPour{{0, 1024, 0}, 1, {{"red", 1}}}).applied());
  EXPECT_THAT(give(*world, sim::DyedPour{{0, 1024, 0}, 1, {{"red", 2}}}).reason,
              HasSubstr("has room for 1 more"));
  EXPECT_TRUE(give(*world, sim::DyedPour{{0, 1024, 0}, 1, {{"red", 1}}}).applied());
  EXPECT_EQ(books(*world).now, sim::kMostTracerUnits);
  EXPECT_EQ(through_a_snapshot(*world)->digest(), world->digest());
  // A spring goes on with clear water.
  EXPECT_TRUE(give(*world, sim::AddDyedSource{{9, 1024, 0}, 4096, {{"red", 4096}}}).applied());
  EXPECT_EQ(books(*world).in, 2);
  EXPECT_EQ(world->totals().sourced, 4098);

  spec.fills.push_back({{{0, 1024, 0}, {1024, 1, 1}}, kFull, false, {{"red", 1}}});
  const auto beyond = World::create(spec);
  ASSERT_FALSE(beyond);
  EXPECT_THAT(beyond.error(), HasSubstr("would hold more of 'red'"));
}

}  // namespace
}  // namespace sluice::tests::tracers_test
