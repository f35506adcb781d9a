// Hydro water: what a moving run costs, free and full, what levelling costs in all beside cellular
// water, a falling drop, a lake at rest, a dig, a sloshing ocean. The longest tick stands beside
// the mean.
#include <chrono>

#include <benchmark/benchmark.h>

#include "server/sim/world.h"

namespace sluice::bench::hydro_bench {
namespace {

using Clock = std::chrono::steady_clock;

sim::WorldSpec box_of(sim::WaterModel water, Vec3 size) {
  sim::WorldSpec spec;
  spec.config.water = water;
  spec.config.size = size;
  return spec;
}

std::unique_ptr<sim::World> made(const sim::WorldSpec& spec) {
  return std::move(sim::World::create(spec)).value();
}

sim::WorldSpec basin(sim::WaterModel water, std::int32_t width, std::int32_t height) {
  sim::WorldSpec spec = box_of(water, {width, height, 1});
  spec.fills.push_back({{{0, 0, 0}, {width / 4, height * 3 / 4, 1}}, kFull});
  return spec;
}

/// Two shafts of 200 and a full tunnel of 500.
sim::WorldSpec vessels() {
  sim::WorldSpec spec = box_of(sim::WaterModel::kHydro, {502, 205, 1});
  spec.fills.push_back({{{1, 1, 0}, {500, 204, 1}}, kRock});
  spec.fills.push_back({{{0, 0, 0}, {502, 1, 1}}, kFull});
  spec.fills.push_back({{{0, 0, 0}, {1, 200, 1}}, kFull});
  return spec;
}

/// One iteration is a world's whole way to rest, or `most` ticks of it.
void run_to_rest(benchmark::State& state, const sim::WorldSpec& spec, int most) {
  sim::SerialExecutor serial;
  std::int64_t updates = 0;
  std::int64_t ticks = 0;
  double longest = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto world = made(spec);
    state.ResumeTiming();
    for (int t = 0; t < most; ++t) {
      const auto start = Clock::now();
      const sim::TickReport report = world->tick({}, serial);
      const std::chrono::duration<double, std::micro> took = Clock::now() - start;
      longest = std::max(longest, took.count());
      updates += report.cell_updates;
      ++ticks;
      if (report.at_rest) break;
    }
  }
  state.SetItemsProcessed(updates);
  state.counters["ticks"] = static_cast<double>(ticks) / static_cast<double>(state.iterations());
  state.counters["longest_tick_us"] = longest;
  state.counters["ns_per_run"] =
      benchmark::Counter(static_cast<double>(updates) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void BM_HydroLevels(benchmark::State& state) {
  run_to_rest(state, basin(sim::WaterModel::kHydro, 256, 64), 16384);
}
BENCHMARK(BM_HydroLevels)->Unit(benchmark::kMillisecond);

void BM_CellularLevels(benchmark::State& state) {
  run_to_rest(state, basin(sim::WaterModel::kCellular, 256, 64), 16384);
}
BENCHMARK(BM_CellularLevels)->Unit(benchmark::kMillisecond)->Iterations(1);

void BM_HydroFreeRuns(benchmark::State& state) {
  run_to_rest(state, basin(sim::WaterModel::kHydro, 1024, 128), 16384);
}
BENCHMARK(BM_HydroFreeRuns)->Unit(benchmark::kMillisecond);

void BM_HydroFullRuns(benchmark::State& state) {
  run_to_rest(state, vessels(), 16384);
}
BENCHMARK(BM_HydroFullRuns)->Unit(benchmark::kMillisecond);

/// The first 20 ticks of an ocean with a hill of water in a corner.
void BM_HydroOcean(benchmark::State& state) {
  const auto side = static_cast<std::int32_t>(state.range(0));
  sim::WorldSpec spec = box_of(sim::WaterModel::kHydro, {side, 64, side});
  spec.fills.push_back({{{0, 0, 0}, {side, 40, side}}, kFull});
  spec.fills.push_back({{{0, 40, 0}, {side / 4, 16, side / 4}}, kFull});
  run_to_rest(state, spec, 20);
}
BENCHMARK(BM_HydroOcean)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond)->Iterations(1);

void BM_HydroDrop(benchmark::State& state) {
  sim::WorldSpec spec = box_of(sim::WaterModel::kHydro, {256, 1000, 1});
  spec.fills.push_back({{{0, 0, 0}, {256, 100, 1}}, kFull});
  sim::SerialExecutor serial;
  auto world = made(spec);
  for (int t = 0; t < 3; ++t) (void)world->tick({}, serial);
  constexpr int kFalling = 200;
  int left = 0;
  for (auto _ : state) {
    if (left-- == 0) {
      state.PauseTiming();
      (void)world->tick(std::vector<sim::Command>{{sim::Pour{{100, 990, 0}, 1}}}, serial);
      left = kFalling;
      state.ResumeTiming();
    }
    benchmark::DoNotOptimize(world->tick({}, serial).digest);
  }
}
BENCHMARK(BM_HydroDrop);

/// 100 million cells.
void BM_HydroResting(benchmark::State& state) {
  sim::WorldSpec spec = box_of(sim::WaterModel::kHydro, {10000, 10000, 1});
  spec.fills.push_back({{{0, 0, 0}, {10000, 9000, 1}}, kFull});
  sim::SerialExecutor serial;
  auto world = made(spec);
  for (int t = 0; t < 3; ++t) (void)world->tick({}, serial);
  for (auto _ : state) benchmark::DoNotOptimize(world->tick({}, serial).digest);
}
BENCHMARK(BM_HydroResting);

/// A cell of rock in the corner of a world of that side is dug and put back.
void BM_HydroDig(benchmark::State& state) {
  const auto side = static_cast<std::int32_t>(state.range(0));
  sim::WorldSpec spec = box_of(sim::WaterModel::kHydro, {side, side, 1});
  spec.fills.push_back({{{0, 0, 0}, {side, side, 1}}, kRock});
  spec.fills.push_back({{{40, 0, 0}, {side - 40, side / 2, 1}}, kFull});
  sim::SerialExecutor serial;
  auto world = made(spec);
  for (int t = 0; t < 3; ++t) (void)world->tick({}, serial);
  bool open = false;
  for (auto _ : state) {
    open = !open;
    const std::vector<sim::Command> dig = {
        {sim::SetCells{{60, side - 10, 0}, {1, 1, 1}, open ? kAir : kRock}}};
    benchmark::DoNotOptimize(world->tick(dig, serial).digest);
  }
}
BENCHMARK(BM_HydroDig)->Arg(100)->Arg(1000);

}  // namespace
}  // namespace sluice::bench::hydro_bench
