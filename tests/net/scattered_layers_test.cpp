// Goal: who wants steam or events is told of each, and of events once.
#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "protocol/layers.h"
#include "server/net/layer_follower.h"
#include "server/net/published_world.h"
#include "server/net/world_feed.h"
#include "server/sim/events.h"
#include "tests/support/written_world.h"

namespace sluice::net::scattered_layers_test {
namespace {

/// What a viewer of one layer holds.
class Held {
 public:
  Held(const sim::World& world, const Layer& layer)
      : shape_(world.config().shape()), follower_(layer) {
    follower_.begin();
  }
  LayerFollower& follower() { return follower_; }
  const std::map<Vec3, std::int32_t>& after_telling(const sim::World& world) {
    ChunkPictures pictures;
    follower_.collect(world, pictures);
    for (const auto& entry : pictures) {
      const ChunkCoord coord = entry.first;
      std::erase_if(numbers_, [&](const auto& one) { return shape_.chunk_of(one.first) == coord; });
      for (std::int32_t i = 0; entry.second != nullptr && i < kChunkCells; ++i) {
        const std::int32_t number = (*entry.second)[static_cast<std::size_t>(i)];
        if (number != 0) numbers_[shape_.cell_at(coord, i)] = number;
      }
    }
    return numbers_;
  }

 private:
  ChunkShape shape_;
  LayerFollower follower_;
  std::map<Vec3, std::int32_t> numbers_;
};

constexpr const char* kWavingPond = R"(
[world]
name = "pond"
size = [300, 100, 1]
[waves]
[[fill]]
from = [0, 0, 0]
size = [300, 80, 1]
cell = "~"
)";

TEST(EventLayer, TellsOfEachEventOnceAndTakesItBack) {
  auto world = tests::written_world(kWavingPond);
  const Layer layer = layers_of(*world).back();
  ASSERT_EQ(layer.name, "events");
  Held held(*world, layer);
  sim::SerialExecutor executor;
  const auto splash = [&] {
    const std::vector<sim::Command> commands = {{sim::Splash{{60, 79, 0}, 5, 9'000'000, 0}},
                                                {sim::Splash{{200, 79, 0}, 3, 9'000'000, 0}}};
    world->tick(commands, executor);
  };
  std::size_t seen = 0;
  for (int i = 0; i < 20; ++i) {
    std::map<Vec3, std::int32_t> happened;
    for (int t = 0; t < 4; ++t) {
      splash();
      held.follower().note(*world);
      const auto tick = static_cast<std::int32_t>(world->tick_number() % 64);
      for (const sim::WorldEvent& event : sim::events_of(*world)) {
        happened[event.at] = protocol::told_event({event.kind, event.strength, tick});
      }
    }
    EXPECT_EQ(held.after_telling(*world), happened);
    seen += happened.size();
  }
  EXPECT_GT(seen, 20U);
  EXPECT_TRUE(held.after_telling(*world).empty()) << "nothing has happened since";
  splash();
  held.follower().note(*world);
  held.follower().jump();
  EXPECT_TRUE(held.after_telling(*world).empty()) << "what happened elsewhere in a recording";
}

TEST(EventLayer, KeepsNoMoreThanSoManyThatWait) {
  auto world = tests::written_world(kWavingPond);
  const Layer layer = layers_of(*world).back();
  LayerFollower follower(layer, {.layer_chunks = 64, .layer_events = 3});
  LayerFollower all(layer);
  follower.begin();
  all.begin();
  sim::SerialExecutor executor;
  for (int i = 0; i < 20; ++i) {
    world->tick(std::vector<sim::Command>{{sim::Splash{{60, 79, 0}, 9, 90'000'000, 0}}}, executor);
    follower.note(*world);
    all.note(*world);
  }
  const auto told = [&](LayerFollower& by) {
    ChunkPictures pictures;
    by.collect(*world, pictures);
    std::int64_t count = 0;
    for (const auto& entry : pictures) {
      count += kChunkCells - std::count(entry.second->begin(), entry.second->end(), 0);
    }
    return count;
  };
  EXPECT_GT(told(all), 3);
  EXPECT_EQ(told(follower), 3);
}

// A step of a world that is paused may end a round that began in the tick before.
TEST(WaveLayer, OfAWorldThatIsSteppedIsThatOfItsLastTick) {
  auto world = tests::written_world(R"(
[world]
name = "long"
size = [4480, 12, 1]
[waves]
[waves.wind]
speed = 900
[[fill]]
from = [0, 0, 0]
size = [4480, 8, 1]
cell = "~"
)");
  sim::SerialExecutor executor;
  WorldFeed feed(*world);
  PublishedWorld published(world->config().shape(), feed.layers().size());
  feed.set_watched(true);
  feed.want_layer(0, true);
  const auto publish = [&] {
    feed.publish(*world);
    published.apply(std::move(*feed.take().publication), true);
  };
  for (int i = 0; i < 40; ++i) {  // to a tick in which layers are told
    world->tick({}, executor);
    publish();
  }
  feed.set_pace(true, 1000);
  world->tick({}, executor);
  publish();
  for (int i = 0; i < 9 && feed.awaited(); ++i) publish();
  EXPECT_FALSE(feed.awaited());
  LayerFollower follower(layers_of(*world)[0], {.layer_chunks = SIZE_MAX});
  follower.begin();
  ChunkPictures now;
  follower.collect(*world, now);
  ASSERT_GT(now.size(), Sizes().layer_chunks);
  for (const auto& entry : now) {
    protocol::ChunkCells read{};
    ASSERT_TRUE(published.layer(0).has(entry.first));
    ASSERT_TRUE(protocol::decode_chunk(published.layer(0).keyframe(entry.first), read).ok());
    EXPECT_EQ(read, *entry.second) << to_string(entry.first);
  }
}

TEST(WaveLayer, TellsOfTheShapesThatIceKeeps) {
  auto world = tests::written_world(R"(
[world]
name = "frozen"
size = [40, 16, 1]
[waves]
keep_shape = true
[heat]
[[fill]]
from = [0, 0, 0]
size = [40, 8, 1]
cell = "~"
)");
  const auto layers = layers_of(*world);
  ASSERT_EQ(layers[1].name, "waves");
  Held held(*world, layers[1]);
  sim::SerialExecutor executor;
  const auto tick = [&](const std::vector<sim::Command>& commands) {
    world->tick(commands, executor);
    held.follower().note(*world);
  };
  tick({{sim::Splash{{20, 7, 0}, 3, 2'000'000, 0}}});
  tick({});
  std::vector<sim::Command> freeze;
  for (std::int32_t x = 15; x < 25; ++x) {
    freeze.push_back({sim::AddHeater{{x, 7, 0}, -sim::kMostHeaterRate}});
  }
  tick(freeze);
  const auto told = held.after_telling(*world);
  std::size_t shapes = 0;
  for (const auto& [at, wave] : world->core().waves.frozen) {
    const auto parts = static_cast<std::int32_t>(std::lround(wave.height / 4096.0));
    if (parts == 0) continue;
    ++shapes;
    EXPECT_EQ(told.at(at), 1 + 256 + parts) << to_string(at);
  }
  EXPECT_GT(shapes, 3U);
}

TEST(SteamLayer, TellsOfEachCellThatHoldsSome) {
  auto world = tests::written_world(R"(
[world]
name = "kettle"
size = [40, 60, 1]
[heat]
water = 25600
steam = true
latent = false
[[fill]]
from = [0, 0, 0]
size = [40, 9, 1]
cell = "~"
[[heater]]
at = [20, 3, 0]
rate = 90000000
)");
  const auto layers = layers_of(*world);
  ASSERT_EQ(layers[1].name, "steam");
  Held held(*world, layers[1]);
  sim::SerialExecutor executor;
  std::size_t most = 0;
  for (int i = 0; i < 60; ++i) {
    world->tick({}, executor);
    held.follower().note(*world);
    std::map<Vec3, std::int32_t> expected;
    for (const auto& [at, steam] : world->core().heat.steam.by_place()) {
      expected[at] = std::min(1024, static_cast<std::int32_t>(std::ceil(steam.units / 64.0)));
    }
    EXPECT_EQ(held.after_telling(*world), expected);
    most = std::max(most, expected.size());
  }
  EXPECT_GT(most, 3U);
}

}  // namespace
}  // namespace sluice::net::scattered_layers_test
