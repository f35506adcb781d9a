// What a layer costs while somebody wants it: the time that its copies take of the world's thread,
// and the bytes that a telling takes on the wire.
#include <benchmark/benchmark.h>

#include "server/net/layer_follower.h"
#include "server/net/published_chunks.h"
#include "server/net/published_world.h"
#include "server/net/world_feed.h"
#include "server/sim/world.h"
#include "tests/bench/wire_scenes.h"

namespace sluice::bench::layer_bench {
namespace {

/// A lake that frost cools from above and heaters warm in its bed, as deep as it is wide.
std::unique_ptr<sim::World> lake(std::int32_t side) {
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kHydro;
  spec.config.size = {side, side, 1};
  spec.heat.on = true;
  spec.heat.air = -15 * sim::kDegree;
  spec.fills.push_back({{{0, 0, 0}, {side, side - 12, 1}}, kFull});
  for (std::int32_t x = 8; x < side; x += 32) spec.heaters.push_back({{x, 0, 0}, 40'000'000});
  auto world = std::move(sim::World::create(spec)).value();
  sim::SerialExecutor serial;
  for (int i = 0; i < 400; ++i) (void)world->tick({}, serial);
  return world;
}

void BM_TemperatureLayer(benchmark::State& state) {
  const auto world = lake(static_cast<std::int32_t>(state.range(0)));
  net::LayerFollower follower(net::layers_of(*world).front());
  std::int64_t chunks = 0;
  for (auto _ : state) {
    follower.begin();
    net::ChunkPictures pictures;
    follower.collect(*world, pictures);
    chunks += static_cast<std::int64_t>(pictures.size());
    benchmark::DoNotOptimize(pictures);
  }
  state.SetItemsProcessed(chunks);
  state.counters["us_per_chunk"] =
      benchmark::Counter(static_cast<double>(chunks) * 1e-6,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_TemperatureLayer)->Arg(128)->Arg(512)->Unit(benchmark::kMicrosecond);

/// Of a quarter of a second of that lake: the deltas of all its chunks.
void BM_TemperatureDeltas(benchmark::State& state) {
  const auto world = lake(static_cast<std::int32_t>(state.range(0)));
  sim::SerialExecutor serial;
  net::LayerFollower follower(net::layers_of(*world).front());
  net::PublishedChunks published(world->config().shape(), 16);
  const auto publish = [&] {
    net::ChunkPictures pictures;
    follower.collect(*world, pictures);
    published.apply(world->tick_number(), std::move(pictures), false);
  };
  follower.begin();
  publish();
  std::size_t bytes = 0;
  std::size_t chunks = 0;
  for (auto _ : state) {
    state.PauseTiming();
    for (int i = 0; i < 4; ++i) {
      (void)world->tick({}, serial);
      follower.note(*world);
    }
    state.ResumeTiming();
    publish();
    for (const net::ChunkChange& change : published.changes()) {
      bytes += change.payload ? change.payload->size() : published.keyframe(change.key).size();
    }
    chunks += published.changes().size();
  }
  const auto times = static_cast<double>(state.iterations());
  state.counters["chunks"] = static_cast<double>(chunks) / times;
  state.counters["bytes"] = static_cast<double>(bytes) / times;
}
BENCHMARK(BM_TemperatureDeltas)->Arg(128)->Arg(512)->Unit(benchmark::kMicrosecond);

/// What the network's thread does with a tick of a flood (wire_scenes.h), while somebody looks at a
/// level of detail. At level 0: without any, which is the baseline.
void BM_LevelsOfDetail(benchmark::State& state) {
  const auto level = static_cast<std::size_t>(state.range(0));
  const auto world = std::move(sim::World::create(flood(sim::WaterModel::kCellular))).value();
  sim::SerialExecutor serial;
  net::WorldFeed feed(*world);
  feed.set_watched(true);
  net::PublishedWorld published(world->config().shape(), 0, {}, world->config().size);
  std::size_t chunks = 0;
  for (auto _ : state) {
    state.PauseTiming();
    (void)world->tick({}, serial);
    feed.publish(*world);
    net::Publication publication = std::move(*feed.take().publication);
    state.ResumeTiming();
    published.apply(std::move(publication), true);
    state.PauseTiming();
    published.keep_layers(published.bits_of(level, 0, 0));
    chunks += published.changes().size();
    state.ResumeTiming();
  }
  state.counters["chunks"] = static_cast<double>(chunks) / static_cast<double>(state.iterations());
}
BENCHMARK(BM_LevelsOfDetail)->DenseRange(0, 3)->Iterations(300)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sluice::bench::layer_bench
