// Goal: waves make foam where they are sharp (tracers.md), and events follow from what a tick left
// (waves.md).
// Method: small drawn worlds whose numbers can be worked out by hand.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/layers.h"
#include "server/sim/events.h"
#include "server/sim/heat/field.h"
#include "server/sim/tracers/field.h"
#include "server/sim/waves/field.h"
#include "tests/support/drawn_world.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::whitecaps_test {
namespace {

using sim::World;
using sim::WorldSpec;
using testing::HasSubstr;

constexpr std::int32_t kWidth = 64;

/// A pond with a splash in its middle.
WorldSpec pond(std::int32_t crest, std::int32_t whip) {
  WorldSpec spec;
  spec.config.size = {kWidth, 20, 1};
  spec.config.water = sim::WaterModel::kHydro;
  spec.fills = {{{{0, 0, 0}, {kWidth, 8, 1}}, kFull, false}};
  spec.waves.on = true;
  sim::TracerOptions foam = sim::usual_options(sim::TracerKind::kWhitecaps);
  foam.name = "foam";
  foam.crest = crest;
  foam.whip = whip;
  foam.fade = 0;
  foam.sink = 0;
  spec.tracers = {foam};
  return spec;
}

sim::TickReport tick(World& world, const std::vector<sim::Command>& commands = {}) {
  sim::SerialExecutor serial;
  return world.tick(commands, serial);
}

std::int64_t foam_at(const World& world, Vec3 at) {
  const sim::TracerState& state = world.core().tracers;
  return sim::amount_at(state.tracers[0].pages, state.shape(), at);
}

const sim::AmountTotals& books(const World& world) {
  return world.core().tracers.tracers[0].totals;
}

// Of a ripple alone: what is beyond it would move the water.
const sim::Command kSplash = {sim::Splash{{32, 7, 0}, 2, 1'300'000, 0}};

TEST(Whitecaps, StandWhereAWaveIsSharperThanTheCrest) {
  auto world = make_world(pond(512, 64));
  (void)tick(*world, {kSplash});
  EXPECT_EQ(books(*world).in, 0) << "what waves were as the tick began counts";
  // By hand, from the columns as they stand now.
  const auto columns = world->core().waves.columns.by_place();
  const auto height = [&](std::int32_t x) {
    const auto column = columns.find({x, 7, 0});
    return column == columns.end() ? 0 : column->second.height;
  };
  const auto speed = [&](std::int32_t x) {
    const auto column = columns.find({x, 7, 0});
    return column == columns.end() ? 0 : column->second.speed;
  };
  std::int64_t sum = 0;
  std::map<std::int32_t, std::int64_t> expected;
  for (std::int32_t x = 1; x + 1 < kWidth; ++x) {
    const std::int32_t bend = 2 * height(x) - height(x - 1) - height(x + 1);
    const std::int32_t fall = -4 * speed(x);  // of the four steps of a tick
    const std::int32_t sharpness = std::max(bend, fall) >> 6;
    if (sharpness <= 512) continue;
    expected[x] = std::min(sharpness - 512, 4096);  // 64 for each 64 beyond
    sum += expected[x];
  }
  ASSERT_GE(expected.size(), 3U);
  (void)tick(*world);
  for (std::int32_t x = 0; x < kWidth; ++x) {
    EXPECT_EQ(foam_at(*world, {x, 7, 0}), expected.contains(x) ? expected[x] : 0) << x;
  }
  EXPECT_EQ(books(*world).in, sum);
  EXPECT_EQ(books(*world).now, sum);
}

TEST(Whitecaps, StillWaterAndGentleWavesMakeNone) {
  auto still = make_world(pond(0, 64));
  auto gentle = make_world(pond(512, 64));
  for (int i = 0; i < 40; ++i) {
    (void)tick(*still);
    (void)tick(*gentle, i == 0 ? std::vector{sim::Command{sim::Splash{{32, 7, 0}, 9, 2000, 0}}}
                               : std::vector<sim::Command>{});
  }
  EXPECT_EQ(books(*still).in, 0);
  EXPECT_EQ(books(*gentle).in, 0);
}

TEST(Whitecaps, NoCellHoldsMoreFoamThanWater) {
  auto world = make_world(pond(0, sim::kMostWhip));
  std::int64_t most = 0;
  for (int i = 0; i < 60; ++i) {
    (void)tick(*world, {kSplash});
    for (std::int32_t x = 0; x < kWidth; ++x) {
      const Vec3 at{x, 7, 0};
      EXPECT_LE(foam_at(*world, at), world->cell(at));
      most = std::max(most, foam_at(*world, at));
    }
  }
  EXPECT_EQ(most, kFull);
}

// 2^20 cells hold 2^24 units each, but for one that holds 5 less: so much is left of 2^44.
TEST(Whitecaps, AWorldThatTakesNoMoreMakesNoMore) {
  constexpr std::int32_t kMost = 1 << 24;
  WorldSpec spec = pond(0, sim::kMostWhip);
  spec.config.size = {1024, 1030, 1};
  spec.fills = {{{{0, 0, 0}, {1024, 1025, 1}}, kFull, false},
                {{{0, 0, 0}, {1024, 1024, 1}}, kFull, false, {{"foam", kMost}}},
                {{{0, 0, 0}, {1, 1, 1}}, kFull, false, {{"foam", kMost - 5}}}};
  auto world = make_world(spec);
  ASSERT_EQ(world->core().tracers.room(0), 5);
  for (int i = 0; i < 10; ++i) {
    (void)tick(*world, {{sim::Splash{{32, 1024, 0}, 2, 4'000'000, 0}}});
  }
  EXPECT_GT(world->wave_energy(), 0);
  EXPECT_EQ(books(*world).in, 0);
}

TEST(Whitecaps, KeysOfWavesAreOfWhitecapsAlone) {
  WorldSpec spec = pond(0, 1);
  spec.tracers[0].kind = sim::TracerKind::kFoam;
  const auto made = World::create(spec);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error(), HasSubstr("only whitecaps have the keys crest and whip"));
  spec = pond(sim::kMostCrest, sim::kMostWhip);
  EXPECT_TRUE(World::create(spec).ok());
  spec = pond(sim::kMostCrest + 1, 1);
  EXPECT_THAT(World::create(spec).error(), HasSubstr("crest"));
  spec = pond(0, sim::kMostWhip + 1);
  EXPECT_THAT(World::create(spec).error(), HasSubstr("whip"));
}

std::set<EventKind> kinds_of(const World& world) {
  std::set<EventKind> kinds;
  for (const sim::WorldEvent& event : sim::events_of(world)) kinds.insert(event.kind);
  return kinds;
}

TEST(Events, NothingHappensInStillWater) {
  auto world = make_world(pond(0, 0));
  for (int i = 0; i < 50; ++i) {
    (void)tick(*world);
    EXPECT_TRUE(sim::events_of(*world).empty());
  }
}

TEST(Events, CrestsThrowDropsAndFallingWaterSprays) {
  auto world = make_world(pond(0, 0));
  std::set<EventKind> seen;
  for (int i = 0; i < 40; ++i) {
    std::vector<sim::Command> commands = {kSplash};
    commands.push_back({sim::Pour{{10, 15, 0}, kFull}});
    (void)tick(*world, commands);
    for (const EventKind kind : kinds_of(*world)) seen.insert(kind);
    for (const sim::WorldEvent& event : sim::events_of(*world)) {
      EXPECT_GE(event.strength, 1);
      EXPECT_LE(event.strength, kStrongestEvent);
      EXPECT_TRUE(world->config().box().contains(event.at));
      if (event.kind == EventKind::kSpray) {
        EXPECT_EQ(event.at.x, 10);
      }
    }
  }
  EXPECT_EQ(seen, (std::set{EventKind::kDroplet, EventKind::kSpray}));
}

TEST(Events, WaterThatBoilsBubblesWithWavesAndWithout) {
  for (const bool waves : {false, true}) {
    WorldSpec spec = pond(0, 0);
    spec.waves.on = waves;
    spec.heat.on = true;
    spec.heat.options.water = 99 * sim::kDegree;
    spec.heat.air = 99 * sim::kDegree;
    auto world = make_world(spec);
    std::set<EventKind> seen;
    for (int i = 0; i < 100; ++i) {
      (void)tick(*world);
      for (const EventKind kind : kinds_of(*world)) seen.insert(kind);
    }
    EXPECT_TRUE(seen.contains(EventKind::kBubble)) << waves;
  }
}

TEST(Events, WaterThatFallsHasNoBubblesHoweverHot) {
  WorldSpec spec;
  spec.config.size = {9, 60, 1};
  spec.config.water = sim::WaterModel::kHydro;
  spec.fills = {{{{4, 50, 0}, {1, 1, 1}}, kFull, false}};
  spec.heat.on = true;
  spec.heat.options.water = 99 * sim::kDegree;
  spec.heat.air = 99 * sim::kDegree;
  auto world = make_world(spec);
  bool simmers = false;
  for (int i = 0; i < 12; ++i) {
    (void)tick(*world);
    ASSERT_EQ(world->cell({4, 0, 0}), 0) << "it has not landed";
    simmers = simmers || world->heat()->simmers();
    EXPECT_TRUE(sim::events_of(*world).empty());
  }
  EXPECT_TRUE(simmers);
}

// Who looks, and how often, changes nothing.
TEST(Events, AreTheSameForEverybodyAndNoState) {
  auto watched = make_world(pond(0, 64));
  auto alone = make_world(pond(0, 64));
  for (int i = 0; i < 50; ++i) {
    const std::vector<sim::Command> commands(i % 7 == 0 ? 1 : 0, kSplash);
    EXPECT_EQ(tick(*watched, commands).digest, tick(*alone, commands).digest);
    const auto events = sim::events_of(*watched);
    EXPECT_EQ(sim::events_of(*watched), events);
    EXPECT_EQ(sim::events_of(*through_a_snapshot(*watched)), events);
  }
}

TEST(Events, AreNoMoreThanTheMost) {
  auto world = make_world(pond(0, 0));
  bool cut = false;
  for (int i = 0; i < 40; ++i) {
    (void)tick(*world, {kSplash, {sim::Splash{{12, 7, 0}, 3, 9'000'000, 0}}});
    const auto all = sim::events_of(*world);
    const auto some = sim::events_of(*world, 2);
    EXPECT_LE(some.size(), 2U);
    for (const sim::WorldEvent& event : some) {
      EXPECT_THAT(all, testing::Contains(event));
    }
    cut = cut || all.size() > some.size();
  }
  EXPECT_TRUE(cut);
}

TEST(Events, AreToldInOneNumber) {
  for (const EventKind kind : {EventKind::kDroplet, EventKind::kBubble, EventKind::kSpray}) {
    for (const std::int32_t strength : {1, 2, 63}) {
      for (const std::int32_t at : {0, 1, 63}) {
        const protocol::ToldEvent event{kind, strength, at};
        const std::int32_t number = protocol::told_event(event);
        EXPECT_EQ(number - 1, static_cast<int>(kind) + 4 * strength + 256 * at);
      }
    }
  }
}

}  // namespace
}  // namespace sluice::tests::whitecaps_test
