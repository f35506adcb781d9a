// Stream water: what a flowing cell costs, how that grows with the world and with the river's
// length, what a lake beside it costs, and the published rule, which follows each cell's way back
// to its spring, on the same river.
#include <map>

#include <benchmark/benchmark.h>

#include "server/sim/models/stream/cells.h"
#include "server/sim/world.h"
#include "tests/bench/textbook_stream.h"

namespace sluice::bench::stream_bench {
namespace {

constexpr std::int32_t kHeight = 64;  // of all worlds

/// `rivers` of them, each `length` cells long, four apart on a slope that falls by a cell every 16,
/// walled in, in the corner of a world of that side.
sim::WorldSpec slope(std::int32_t side, std::int32_t rivers, std::int32_t length) {
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kStream;
  spec.config.size = {side, kHeight, side};
  spec.config.edges.left = sim::Edge::kOpen;
  for (std::int32_t x = 0; x < length; x += 16) {
    spec.fills.push_back({{{x, 0, 0}, {16, 2 + x / 16, 4 * rivers}}, kRock});
  }
  spec.fills.push_back({{{length, 0, 0}, {1, kHeight, 4 * rivers}}, kRock});
  spec.fills.push_back({{{0, 0, 4 * rivers}, {length + 1, kHeight, 1}}, kRock});
  for (std::int32_t i = 0; i < rivers; ++i) {
    spec.sources.push_back({{length - 1, 2 + length / 16, 4 * i + 1}, kFull / 4});
  }
  return spec;
}

/// A river that has reached the edge everywhere.
std::unique_ptr<sim::World> grown(const sim::WorldSpec& spec, int ticks) {
  auto world = std::move(sim::World::create(spec)).value();
  sim::SerialExecutor serial;
  for (int i = 0; i < ticks; ++i) (void)world->tick({}, serial);
  return world;
}

/// Cells through which water flowed lately.
std::int64_t flowing_cells(const sim::World& world) {
  std::int64_t flowing = 0;
  world.grid().for_each([&](const sim::Chunk& chunk) {
    if (chunk.marks == nullptr) return;
    for (std::size_t i = 0; i < kChunkCells; ++i) {
      flowing += sim::unpack(chunk.marks->cells[i]).active > 0 ? 1 : 0;
    }
  });
  return flowing;
}

void measure(benchmark::State& state, sim::World& world) {
  sim::SerialExecutor serial;
  const std::int64_t flowing = flowing_cells(world);
  for (auto _ : state) benchmark::DoNotOptimize(world.tick({}, serial).digest);
  state.SetItemsProcessed(state.iterations() * flowing);
  state.counters["flowing_cells"] = static_cast<double>(flowing);
  state.counters["ns_per_flowing_cell"] = benchmark::Counter(
      static_cast<double>(flowing) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// So many of the same rivers, of some 250 cells each, in worlds of the given side, when they are
/// steady.
void BM_StreamTick(benchmark::State& state) {
  const auto side = static_cast<std::int32_t>(state.range(0));
  const auto rivers = static_cast<std::int32_t>(state.range(1));
  const auto world = grown(slope(side, rivers, 240), 2400);
  measure(state, *world);
}
BENCHMARK(BM_StreamTick)
    ->Args({256, 2})
    ->Args({256, 40})
    ->Args({1024, 40})
    ->Args({4096, 40})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(100);

/// Rivers of one count of cells, few and long or many and short: grown once.
sim::World& rivers_of(std::int32_t length) {
  static std::map<std::int32_t, std::unique_ptr<sim::World>> worlds;
  auto& world = worlds[length];
  if (world == nullptr) world = grown(slope(1024, 9600 / length, length), 400 + 8 * length);
  return *world;
}

void BM_StreamLength(benchmark::State& state) {
  measure(state, rivers_of(static_cast<std::int32_t>(state.range(0))));
}
BENCHMARK(BM_StreamLength)
    ->Arg(60)
    ->Arg(240)
    ->Arg(800)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(100);

/// So many rivers of BM_StreamTick with springs of one and a quarter levels a tick: each fourth
/// tick's additional level goes down them as a wave.
void BM_StreamWaves(benchmark::State& state) {
  sim::WorldSpec spec = slope(1024, static_cast<std::int32_t>(state.range(0)), 240);
  for (sim::Spring& spring : spec.sources) spring.rate = kFull / 8 + kFull / 32;
  const auto world = grown(spec, 2400);
  measure(state, *world);
}
BENCHMARK(BM_StreamWaves)->Arg(2)->Arg(40)->Unit(benchmark::kMillisecond)->Iterations(100);

/// The longest of these while they still look for the edge.
void BM_StreamSearching(benchmark::State& state) {
  const auto world = grown(slope(1024, 12, 800), 1000);
  measure(state, *world);
}
BENCHMARK(BM_StreamSearching)->Unit(benchmark::kMillisecond)->Iterations(100);

/// The same rivers: only the search of the published rule, for each cell along the river.
void BM_StreamTextbookWays(benchmark::State& state) {
  TextbookStream rivers(rivers_of(static_cast<std::int32_t>(state.range(0))));
  for (auto _ : state) benchmark::DoNotOptimize(rivers.tick());
  state.SetItemsProcessed(state.iterations() * rivers.cells());
  state.counters["ns_per_flowing_cell"] = benchmark::Counter(
      static_cast<double>(rivers.cells()) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_StreamTextbookWays)
    ->Arg(60)
    ->Arg(240)
    ->Arg(800)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(20);

/// A river through a lake of so many cells behind a dam.
void BM_StreamLake(benchmark::State& state) {
  const auto side = static_cast<std::int32_t>(state.range(0));
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kStream;
  spec.config.size = {side + 8, 16, side};
  spec.config.edges.right = sim::Edge::kOpen;
  spec.fills.push_back({{{side, 0, 0}, {1, 8, side}}, kRock});
  spec.fills.push_back({{{0, 0, 0}, {side, 8, side}}, kFull});
  spec.sources.push_back({{2, 12, side / 2}, kFull / 4});
  const auto world = grown(spec, 2000);  // it is not brimful for long
  state.counters["lake_cells"] = static_cast<double>(side) * side * 8;
  measure(state, *world);
}
BENCHMARK(BM_StreamLake)
    ->Arg(16)
    ->Arg(32)
    ->Arg(64)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1000);

/// A river through a brimful lake of 32x32 columns, by its depth.
void BM_StreamLakeDepth(benchmark::State& state) {
  constexpr std::int32_t kSide = 32;
  const auto depth = static_cast<std::int32_t>(state.range(0));
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kStream;
  spec.config.options["drying"] = 0;
  spec.config.size = {kSide + 8, depth + 8, kSide};
  spec.config.edges.right = sim::Edge::kOpen;
  spec.fills.push_back({{{kSide, 0, 0}, {1, depth, kSide}}, kRock});
  spec.fills.push_back({{{0, 0, 0}, {kSide, depth, kSide}}, kFull});
  spec.sources.push_back({{2, depth + 4, kSide / 2}, kFull / 4});
  const auto world = grown(spec, 1000);
  state.counters["lake_cells"] = static_cast<double>(kSide) * kSide * depth;
  measure(state, *world);
}
BENCHMARK(BM_StreamLakeDepth)
    ->Arg(4)
    ->Arg(12)
    ->Arg(32)
    ->Arg(128)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(500);

/// A world of resting ponds.
void BM_StreamResting(benchmark::State& state) {
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kStream;
  spec.config.options["drying"] = 0;
  spec.config.size = {256, 64, 256};
  spec.fills.push_back({{{0, 0, 0}, {256, 8, 256}}, kFull});
  const auto world = grown(spec, 1);
  sim::SerialExecutor serial;
  while (!world->tick({}, serial).at_rest) {
  }
  for (auto _ : state) benchmark::DoNotOptimize(world->tick({}, serial).digest);
}
BENCHMARK(BM_StreamResting)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sluice::bench::stream_bench
