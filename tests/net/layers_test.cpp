// Goal: whoever wants a layer holds, soon after, what the world has of it, whenever it came, and
// nothing is done for a layer that nobody wants.
#include "protocol/layers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "server/net/published_world.h"
#include "server/net/world_feed.h"
#include "server/sim/heat/field.h"
#include "server/sim/tracers/field.h"
#include "tests/support/written_world.h"

namespace sluice::net::layers_test {
namespace {

// A pond of 300 columns that the air cools, a heater at its bed, a splash in it, and silt that
// settles.
std::unique_ptr<sim::World> pond() {
  return tests::written_world(R"(
[world]
name = "pond"
size = [300, 100, 1]
water = "hydro"
[heat]
air = -2560
[waves]
[[tracer]]
name = "mud"
kind = "silt"
[[fill]]
from = [0, 0, 0]
size = [300, 80, 1]
cell = "~"
[[fill]]
from = [100, 30, 0]
size = [90, 50, 1]
cell = "~"
tracer = { mud = 9000 }
[[heater]]
at = [150, 0, 0]
rate = 9000000
)");
}

sim::Command splash(std::int32_t x) {
  return {sim::Splash{{x, 79, 0}, 5, 400000, 0}};
}

// Each number by the questions that the world answers of single cells.
std::map<ChunkCoord, protocol::ChunkCells> expected(const sim::World& world, const Layer& layer) {
  std::map<ChunkCoord, protocol::ChunkCells> all;
  const ChunkShape shape = world.config().shape();
  const auto set = [&](Vec3 at, std::int32_t number) {
    auto [place, fresh] = all.try_emplace(shape.chunk_of(at));
    if (fresh) place->second.fill(0);
    place->second[static_cast<std::size_t>(shape.index_of(at))] = number;
  };
  const Vec3 size = world.config().size;
  for (std::int32_t y = 0; layer.kind != Layer::Kind::kWaves && y < size.y; ++y) {
    for (std::int32_t x = 0; x < size.x; ++x) {
      if (layer.kind == Layer::Kind::kTracer) {
        const sim::TracerState& state = world.core().tracers;
        const std::int64_t amount =
            sim::amount_at(state.tracers[layer.tracer].pages, state.shape(), {x, y, 0});
        const double share = static_cast<double>(amount) / world.cell({x, y, 0});
        if (amount > 0) set({x, y, 0}, std::min(1024, static_cast<int>(std::ceil(share * 64))));
        continue;
      }
      const std::int32_t degrees = sim::temperature_at(world.core().heat, world.grid(), {x, y, 0});
      if (degrees == sim::kNoTemperature) continue;
      const std::int32_t quarters = (degrees + 100 * 256) / 64 - 400;
      set({x, y, 0}, 1 + 400 + quarters);
    }
  }
  if (layer.kind != Layer::Kind::kWaves) return all;
  for (const auto& [at, column] : world.core().waves.columns.by_place()) {
    const auto parts = static_cast<std::int32_t>(std::lround(column.height / 4096.0));
    if (parts != 0) set(at, 1 + 256 + parts);
  }
  return all;
}

std::map<ChunkCoord, protocol::ChunkCells> held(PublishedChunks& published) {
  std::map<ChunkCoord, protocol::ChunkCells> all;
  published.for_each_in({{0, 0, 0}, {99, 99, 99}}, [&](ChunkCoord coord) {
    protocol::ChunkCells cells{};
    EXPECT_TRUE(protocol::decode_chunk(published.keyframe(coord), cells).ok());
    all[coord] = cells;
    return true;
  });
  return all;
}

class Layers : public testing::Test {
 protected:
  void tick(int count = 1) {
    for (int i = 0; i < count; ++i) {
      const std::vector<sim::Command> commands = std::exchange(commands_, {});
      world_->tick(commands, executor_);
      feed_.publish(*world_);
      if (takes_) take();
    }
  }
  void take() {
    auto mail = feed_.take();
    if (mail.publication) published_.apply(std::move(*mail.publication), true);
  }
  void expect_no_layers() {
    const auto mail = feed_.take();
    for (const ChunkPictures& layer : mail.publication->layers) EXPECT_TRUE(layer.empty());
  }
  void expect_told() {
    feed_.set_pace(true, 1000);
    while (feed_.awaited()) feed_.publish(*world_);
    take();
    for (std::size_t i = 0; i < 3; ++i) {
      const auto layer = layers_of(*world_)[i];
      const auto all = expected(*world_, layer);
      EXPECT_EQ(held(published_.layer(i)), all) << layer.name;
      EXPECT_GE(all.size(), 1U) << layer.name << " in tick " << world_->tick_number();
    }
    feed_.set_pace(false, 1000);
  }

  std::unique_ptr<sim::World> world_ = pond();
  sim::SerialExecutor executor_;
  WorldFeed feed_{*world_};
  PublishedWorld published_{world_->config().shape(), 4};
  std::vector<sim::Command> commands_ = {splash(60), splash(128)};
  bool takes_ = true;
};

TEST_F(Layers, AreNamedWhereTheWorldHasThem) {
  EXPECT_EQ(feed_.layers(),
            (std::vector<std::string>{"temperature", "waves", "tracer:mud", "events"}));
  EXPECT_EQ(feed_.tracer_kinds(), (std::vector<std::string>{"", "", "silt", ""}));
}

TEST_F(Layers, ComeToWhoWantsThemAndFollowTheWorld) {
  feed_.set_watched(true);
  tick(3);
  feed_.want_layer(0, true);
  feed_.want_layer(1, true);
  feed_.want_layer(2, true);
  tick(5);
  expect_told();
  for (int i = 0; i < 6; ++i) {
    commands_ = {splash(30 * i + 20)};
    tick(17);
    expect_told();
  }
}

TEST_F(Layers, WaitForANetworkThatIsLate) {
  feed_.set_watched(true);
  feed_.want_layer(0, true);
  feed_.want_layer(1, true);
  feed_.want_layer(2, true);
  takes_ = false;
  tick(60);
  expect_told();
}

TEST_F(Layers, AreThoseOfAnotherStateAfterAJump) {
  feed_.set_watched(true);
  feed_.want_layer(0, true);
  feed_.want_layer(1, true);
  feed_.want_layer(2, true);
  tick(40);
  expect_told();
  world_ = pond();
  commands_ = {splash(200), splash(290)};
  const sim::TickReport report = world_->tick(commands_, executor_);
  EXPECT_TRUE(report.outcomes[0].applied()) << report.outcomes[0].reason;
  for (int i = 0; i < 5; ++i) world_->tick({}, executor_);
  feed_.jump();
  feed_.publish(*world_);
  expect_told();
}

TEST_F(Layers, AreToldFiveTimesASecondWhereTheWorldRuns) {
  feed_.set_watched(true);
  feed_.want_layer(0, true);
  int tellings = 0;
  for (std::int64_t i = 0; i < world_->config().tick_rate; ++i) {
    takes_ = false;
    tick();
    const auto mail = feed_.take();
    tellings += mail.publication->layers[0].empty() ? 0 : 1;
  }
  EXPECT_EQ(tellings, 5);
}

TEST_F(Layers, AreToldWithEachTickThatAReplayShows) {
  const protocol::Playback playback{0, 90, false, 1000, -1, ""};
  WorldFeed feed(*world_, "a", playback);
  feed.set_watched(true);
  feed.want_layer(0, true);
  for (int i = 0; i < 7; ++i) {
    world_->tick({}, executor_);
    feed.publish(*world_);
    const auto mail = feed.take();
    EXPECT_FALSE(mail.publication->layers[0].empty()) << i;
  }
}

// A world that is paused has no tick that would bring them.
TEST_F(Layers, ComeToAWorldThatStands) {
  feed_.set_watched(true);
  tick(9);
  int watches = 0;
  feed_.set_watch([&] { ++watches; });
  feed_.set_pace(true, 1000);
  while (feed_.awaited()) feed_.publish(*world_);
  feed_.want_layer(0, true);
  feed_.want_layer(1, true);
  feed_.want_layer(2, true);
  EXPECT_EQ(watches, 3);
  EXPECT_TRUE(feed_.awaited());
  expect_told();
}

// More chunks changed in its last tick than one publication takes of a layer.
TEST_F(Layers, OfAWorldThatStandsAreToldToTheEnd) {
  feed_.set_sizes({.layer_chunks = 1});
  feed_.set_watched(true);
  feed_.want_layer(0, true);
  tick(9);
  feed_.set_pace(true, 1000);
  int publications = 0;
  for (; feed_.awaited() && publications < 1000; ++publications) feed_.publish(*world_);
  EXPECT_GT(publications, 1);
  EXPECT_FALSE(feed_.awaited());
}

TEST_F(Layers, CostNothingThatNobodyWants) {
  feed_.set_watched(true);
  takes_ = false;
  tick(20);
  expect_no_layers();
  feed_.want_layer(0, true);
  tick(20);
  feed_.want_layer(0, false);
  (void)feed_.take();
  tick(20);
  expect_no_layers();
}

// Who leaves and comes back at once, before the world's next tick, finds all of it again.
TEST_F(Layers, ComeAnewToWhoCeasedToWantThem) {
  feed_.set_watched(true);
  feed_.want_layer(0, true);
  feed_.want_layer(1, true);
  feed_.want_layer(2, true);
  tick(20);
  feed_.want_layer(0, false);
  published_.forget_layer(0);
  EXPECT_EQ(published_.layer(0).chunk_count(), 0U);
  feed_.want_layer(0, true);
  tick(5);
  expect_told();
}

TEST_F(Layers, WhatIsOnItsWayWhenTheyBeginAnewIsPassedOver) {
  feed_.set_watched(true);
  for (std::size_t i = 0; i < 3; ++i) feed_.want_layer(i, true);
  takes_ = false;
  const auto want_anew = [&](std::size_t layer) {
    feed_.want_layer(layer, false);
    published_.forget_layer(layer);
    feed_.want_layer(layer, true);
  };
  // Taken after it is wanted anew, and together with what is found then.
  tick(10);
  want_anew(1);
  take();
  EXPECT_EQ(published_.layer(1).chunk_count(), 0U);
  EXPECT_GT(published_.layer(0).chunk_count(), 0U);
  tick(10);
  want_anew(1);
  while (!world_->core().waves.columns.by_place().empty()) tick();
  take();
  EXPECT_EQ(published_.layer(1).chunk_count(), 0U);
}

TEST_F(Layers, APublicationTakesSoManyChunksAndTheNextOnesTakeTheOthers) {
  for (const Layer& layer : layers_of(*world_)) {
    if (layer.kind == Layer::Kind::kEvents) continue;  // those that were told are gone
    LayerFollower follower(layer, {.layer_chunks = 2});
    world_->tick(std::exchange(commands_, {splash(70), splash(250)}), executor_);
    for (int i = 0; i < 40; ++i) world_->tick({}, executor_);
    follower.begin();
    std::map<ChunkCoord, protocol::ChunkCells> told;
    int publications = 0;
    do {
      ChunkPictures pictures;
      follower.collect(*world_, pictures);
      EXPECT_LE(pictures.size(), 2U);
      for (const auto& [coord, picture] : pictures) told[coord] = *picture;
      ++publications;
    } while (follower.unfinished());
    EXPECT_GE(publications, 2);
    EXPECT_EQ(told, expected(*world_, layer));
  }
}

// What is looked for when it is told may be of an earlier tick when a round of many chunks ends.
TEST_F(Layers, ARoundThatBeganBeforeTheWorldStoodIsFollowedByAnother) {
  LayerFollower follower(layers_of(*world_)[1], {.layer_chunks = 2});
  world_->tick(std::exchange(commands_, {splash(70), splash(250)}), executor_);
  follower.begin();
  std::map<ChunkCoord, protocol::ChunkCells> told;
  const auto collect = [&] {
    ChunkPictures pictures;
    follower.collect(*world_, pictures);
    for (const auto& [coord, picture] : pictures) told[coord] = *picture;
  };
  for (int i = 0; i < 30; ++i) world_->tick({}, executor_);
  collect();
  ASSERT_TRUE(follower.unfinished());
  for (int i = 0; i < 3; ++i) world_->tick({}, executor_);
  while (follower.unfinished()) collect();
  EXPECT_TRUE(follower.behind(world_->tick_number()));
  do {
    collect();
  } while (follower.unfinished());
  EXPECT_FALSE(follower.behind(world_->tick_number()));
  EXPECT_EQ(told, expected(*world_, layers_of(*world_)[1]));
}

// A client that wants a layer and ceases to, again and again, has each tick look at no more chunks
// than a publication takes, however many the world has.
TEST_F(Layers, BeginAtNoCostOfAllThatTheWorldHas) {
  LayerFollower follower(layers_of(*world_).front(), {.layer_chunks = 3});
  for (int i = 0; i < 4; ++i) {
    follower.begin();
    ChunkPictures pictures;
    follower.collect(*world_, pictures);
    EXPECT_EQ(pictures.size(), 3U);
    EXPECT_TRUE(follower.unfinished());
    follower.stop();
    EXPECT_FALSE(follower.unfinished());
  }
}

TEST(LayerNumbers, AreReadAsTheyAreWritten) {
  for (std::int32_t quarters = -400; quarters <= 800; ++quarters) {
    EXPECT_EQ(protocol::degrees_told(protocol::told_temperature(quarters)), quarters / 4.0);
  }
  EXPECT_EQ(protocol::told_temperature(-401), 1);
  EXPECT_EQ(protocol::told_temperature(801), 1201);
  for (std::int32_t parts = -256; parts <= 256; ++parts) {
    EXPECT_EQ(protocol::wave_told(protocol::told_wave(parts)), parts / 64.0);
  }
  EXPECT_EQ(protocol::told_wave(-257), 1);
  EXPECT_EQ(protocol::told_wave(257), 513);
}

}  // namespace
}  // namespace sluice::net::layers_test
