// The cellular model against the textbook loop, and what sleeping worlds and digests cost.
#include <chrono>

#include <benchmark/benchmark.h>

#include "server/sim/kernels.h"
#include "server/sim/models/cellular/level.h"
#include "server/sim/world.h"
#include "server/workers/thread_pool.h"
#include "tests/bench/textbook.h"

namespace sluice::bench::water_bench {
namespace {

constexpr std::int32_t kSide = 1024;
constexpr std::int32_t kSweeps = 8;

/// Every cell wet and moving: random amounts, and no threshold that would end a tick early.
std::unique_ptr<sim::World> all_wet(std::int32_t side, std::int32_t sweeps) {
  sim::WorldSpec spec;
  spec.config.size = {side, side, 1};
  spec.config.options["smallest_flow"] = 0;
  spec.config.options["max_sweeps"] = sweeps;
  for (std::int32_t y = 0; y < side; ++y) {
    for (std::int32_t x = 0; x < side; ++x) {
      const auto i = static_cast<std::uint64_t>(y) * static_cast<std::uint64_t>(side) +
                     static_cast<std::uint64_t>(x);
      const auto part = static_cast<std::int32_t>(sim::mix64(i) % (kFull / 2));
      spec.cells.push_back({{x, y, 0}, kFull / 2 + part});
    }
  }
  return std::move(sim::World::create(spec)).value();
}

void count_cells(benchmark::State& state, std::int64_t cells) {
  state.SetItemsProcessed(cells);
  state.counters["ns_per_cell"] = benchmark::Counter(
      static_cast<double>(cells) * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void BM_TextbookSweep(benchmark::State& state) {
  TextbookWater water(kSide, kSide);
  for (auto _ : state) benchmark::DoNotOptimize(water.sweep());
  count_cells(state, state.iterations() * kSide * kSide);
}
BENCHMARK(BM_TextbookSweep)->Unit(benchmark::kMillisecond)->UseRealTime();

void BM_Sweep(benchmark::State& state, const std::string& kernels, unsigned threads) {
  const std::string best = sim::kernels().name;
  if (!kernels.empty()) (void)sim::select_kernels(kernels);
  const auto world = all_wet(kSide, kSweeps);
  workers::ThreadPool pool(threads);
  std::int64_t cells = 0;
  for (auto _ : state) cells += world->tick({}, pool).cell_updates;
  count_cells(state, cells);
  (void)sim::select_kernels(best);
}
BENCHMARK_CAPTURE(BM_Sweep, one_thread, "", 1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(BM_Sweep, two_threads, "", 2)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(BM_Sweep, portable, "scalar", 1)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Digests of all chunks of the all-wet world, as an active tick's last phase makes them.
void BM_DigestUpkeep(benchmark::State& state) {
  const auto world = all_wet(kSide, kSweeps);
  std::int64_t cells = 0;
  for (auto _ : state) {
    sim::Digest sum = 0;
    world->grid().for_each(
        [&](const sim::Chunk& chunk) { sum += sim::digest_cells(chunk.cells.data()); });
    benchmark::DoNotOptimize(sum);
    cells += world->grid().chunk_count() * kChunkCells;
  }
  count_cells(state, cells);
}
BENCHMARK(BM_DigestUpkeep)->Unit(benchmark::kMillisecond)->UseRealTime();

/// 100 million wet cells that nothing moves: sheets of water between sheets of rock.
void BM_RestingWorldTick(benchmark::State& state) {
  constexpr std::int32_t kRestingSide = 10000;
  sim::WorldSpec spec;
  spec.config.size = {kRestingSide, kRestingSide, 1};
  spec.fills.push_back({{{0, 0, 0}, spec.config.size}, kFull});
  for (std::int32_t y = 1; y < kRestingSide; y += 2) {
    spec.fills.push_back({{{0, y, 0}, {kRestingSide, 1, 1}}, kRock});
  }
  const auto world = std::move(sim::World::create(spec)).value();
  sim::SerialExecutor serial;
  while (!world->tick({}, serial).at_rest) {
  }
  for (auto _ : state) benchmark::DoNotOptimize(world->tick({}, serial).digest);
  state.counters["cells"] = 1e8;
  state.counters["bytes_per_cell"] =
      static_cast<double>(world->grid().chunk_count()) * sizeof(sim::Chunk) / 1e8;
}
BENCHMARK(BM_RestingWorldTick)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// A single drop, falling: the cost of a tick follows what moves.
void BM_FallingDropTick(benchmark::State& state) {
  sim::WorldSpec spec;
  spec.config.size = {1 << 20, 1 << 20, 1};
  if (state.range(0) == 3) spec.config.size.z = 1 << 20;
  sim::SerialExecutor serial;
  std::unique_ptr<sim::World> world;
  for (auto _ : state) {
    if (world == nullptr || world->tick_number() > 100'000) {  // before it lands
      state.PauseTiming();
      world = std::move(sim::World::create(spec)).value();
      const std::vector<sim::Command> pour = {
          {sim::Pour{{1 << 19, (1 << 20) - 2, 1 % spec.config.size.z}, kFull}}};
      (void)world->tick(pour, serial);
      state.ResumeTiming();
    }
    benchmark::DoNotOptimize(world->tick({}, serial).digest);
  }
}
BENCHMARK(BM_FallingDropTick)->Arg(2)->Arg(3)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// A tick that finds the largest body that is levelled, with so many cells more, at rest: somebody
/// set a rock on its surface, or took it away.
void BM_LevelSearch(benchmark::State& state) {
  constexpr std::int32_t kWide = 64;
  constexpr auto kDeep = static_cast<std::int32_t>(sim::kMostLevelledCells / kWide / kWide);
  sim::WorldSpec spec;
  spec.config.size = {kWide, kDeep + 3, kWide};
  spec.fills.push_back({{{0, 0, 0}, {kWide, kDeep, kWide}}, kFull, true});
  if (state.range(0) > 0) spec.cells.push_back({{9, kDeep, 9}, 1});
  const auto world = std::move(sim::World::create(spec)).value();
  sim::SerialExecutor serial;
  bool rock = false;
  for (auto _ : state) {
    state.PauseTiming();
    while (!sim::levels_in(world->tick_number() + 1)) (void)world->tick({}, serial);
    const std::vector<sim::Command> toggle = {
        {sim::SetCells{{40, kDeep, 40}, {1, 1, 1}, rock ? kAir : kRock}}};
    rock = !rock;
    state.ResumeTiming();
    benchmark::DoNotOptimize(world->tick(toggle, serial).digest);
  }
  count_cells(state, state.iterations() * (sim::kMostLevelledCells + state.range(0)));
}
BENCHMARK(BM_LevelSearch)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->Iterations(40);

/// A thin strand from a spring to a drain in a world of the given side.
void BM_OneDropTick(benchmark::State& state) {
  sim::WorldSpec spec;
  const auto side = static_cast<std::int32_t>(state.range(0));
  spec.config.size = {side, side, 1};
  spec.sources.push_back({{side / 2, 40, 0}, 100});
  spec.drains.push_back({{side / 2, 0, 0}, 100});
  const auto world = std::move(sim::World::create(spec)).value();
  sim::SerialExecutor serial;
  for (auto _ : state) benchmark::DoNotOptimize(world->tick({}, serial).digest);
  state.counters["active_chunks"] = static_cast<double>(world->active_chunks());
}
BENCHMARK(BM_OneDropTick)->Arg(256)->Arg(1 << 20)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace sluice::bench::water_bench
