// Hydro water: what a moving run costs, free and full, what levelling costs in all beside cellular
// water, a falling drop, thousands of falls, a drip into a lake, a lake at rest, a dig, a sloshing
// ocean on one thread and two. The longest tick stands beside the mean.
#include <algorithm>
#include <chrono>
#include <ratio>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include "server/sim/digest.h"
#include "server/sim/world.h"
#include "server/workers/thread_pool.h"

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

/// Times of ticks, and the runs that moved in them.
class Ticks {
 public:
  sim::TickReport run(sim::World& world, std::span<const sim::Command> commands,
                      sim::Executor& executor) {
    const auto start = Clock::now();
    sim::TickReport report = world.tick(commands, executor);
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    longest_ = std::max(longest_, took.count());
    sum_ += took.count();
    ++count_;
    runs_ += report.cell_updates;
    return report;
  }
  void tell(benchmark::State& state) const {
    const double ticks = std::max(1.0, static_cast<double>(count_));
    state.SetItemsProcessed(runs_);
    state.counters["ticks"] = ticks / static_cast<double>(state.iterations());
    state.counters["tick_us"] = sum_ / ticks;
    state.counters["longest_tick_us"] = longest_;
    state.counters["ns_per_run"] = 1000 * sum_ / std::max(1.0, static_cast<double>(runs_));
  }

 private:
  double longest_ = 0;
  double sum_ = 0;
  std::int64_t count_ = 0;
  std::int64_t runs_ = 0;
};

/// One iteration is a world's whole way to rest, or `most` ticks of it.
void run_to_rest(benchmark::State& state, const sim::WorldSpec& spec, int most) {
  sim::SerialExecutor serial;
  Ticks ticks;
  for (auto _ : state) {
    state.PauseTiming();
    auto world = made(spec);
    state.ResumeTiming();
    for (int t = 0; t < most; ++t) {
      if (ticks.run(*world, {}, serial).at_rest) break;
    }
  }
  ticks.tell(state);
}

/// One iteration is a tick of a world that has run for a while: its first tick builds what later
/// ones repair.
void run_on(benchmark::State& state, const sim::WorldSpec& spec, unsigned threads, int before = 5) {
  workers::ThreadPool pool(threads);
  auto world = made(spec);
  for (int t = 0; t < before; ++t) (void)world->tick({}, pool);
  Ticks ticks;
  for (auto _ : state) (void)ticks.run(*world, {}, pool);
  ticks.tell(state);
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

/// Side of an ocean with a hill of water in the middle of each 32x32 columns, once all of it moves;
/// threads.
void BM_HydroOcean(benchmark::State& state) {
  const auto side = static_cast<std::int32_t>(state.range(0));
  sim::WorldSpec spec = box_of(sim::WaterModel::kHydro, {side, 64, side});
  spec.fills.push_back({{{0, 0, 0}, {side, 40, side}}, kFull});
  for (std::int32_t z = 8; z < side; z += 32) {
    for (std::int32_t x = 8; x < side; x += 32) {
      spec.fills.push_back({{{x, 40, z}, {16, 16, 16}}, kFull});
    }
  }
  run_on(state, spec, static_cast<unsigned>(state.range(1)), 40);
}
BENCHMARK(BM_HydroOcean)
    ->Args({64, 1})
    ->Args({256, 1})
    ->Args({256, 2})
    ->Args({1024, 1})
    ->Args({1024, 2})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(20)
    ->UseRealTime();

/// Threads: a hill on each 40 columns of a lake 100,000 wide, once all of it moves.
void BM_HydroHundredThousandRuns(benchmark::State& state) {
  sim::WorldSpec spec = box_of(sim::WaterModel::kHydro, {100'000, 64, 1});
  spec.fills.push_back({{{0, 0, 0}, {100'000, 20, 1}}, kFull});
  for (std::int32_t x = 10; x < 100'000; x += 40) {
    spec.fills.push_back({{{x, 20, 0}, {20, 20, 1}}, kFull});
  }
  run_on(state, spec, static_cast<unsigned>(state.range(0)), 60);
}
BENCHMARK(BM_HydroHundredThousandRuns)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(50)
    ->UseRealTime();

/// A thousand springs, each over a fall of 60 cells on both sides.
void BM_HydroFalls(benchmark::State& state) {
  sim::WorldSpec spec = box_of(sim::WaterModel::kHydro, {4000, 100, 1});
  for (std::int32_t i = 0; i < 1000; ++i) {
    spec.fills.push_back({{{i * 4, 0, 0}, {1, 60, 1}}, kRock});
    spec.sources.push_back({{i * 4, 60, 0}, 512});
  }
  run_on(state, spec, 1);
}
BENCHMARK(BM_HydroFalls)->Unit(benchmark::kMillisecond)->Iterations(100);

/// A spring of 16 units a tick over a lake 1,024 wide.
void BM_HydroDrip(benchmark::State& state) {
  sim::WorldSpec spec = box_of(sim::WaterModel::kHydro, {1024, 128, 1});
  spec.fills.push_back({{{0, 0, 0}, {1024, 64, 1}}, kFull});
  spec.sources.push_back({{500, 120, 0}, 16});
  run_on(state, spec, 1);
}
BENCHMARK(BM_HydroDrip)->Unit(benchmark::kMicrosecond)->Iterations(1000);

/// A spring of so many units a tick six cells over a lake of 256x256 columns, when its waves have
/// come as far as they do.
void BM_HydroDripSolid(benchmark::State& state) {
  sim::WorldSpec spec = box_of(sim::WaterModel::kHydro, {256, 24, 256});
  spec.fills.push_back({{{0, 0, 0}, {256, 8, 256}}, kFull});
  spec.sources.push_back({{128, 14, 128}, static_cast<std::int32_t>(state.range(0))});
  sim::SerialExecutor serial;
  auto world = made(spec);
  for (int t = 0; t < 1000; ++t) (void)world->tick({}, serial);
  Ticks ticks;
  for (auto _ : state) (void)ticks.run(*world, {}, serial);
  ticks.tell(state);
}
BENCHMARK(BM_HydroDripSolid)->Arg(8)->Arg(40)->Unit(benchmark::kMicrosecond)->Iterations(500);

/// A lake of that side at rest, 8 deep.
std::unique_ptr<sim::World> lake(std::int32_t side) {
  sim::WorldSpec spec = box_of(sim::WaterModel::kHydro, {side, 16, side});
  spec.fills.push_back({{{0, 0, 0}, {side, 8, side}}, kFull});
  sim::SerialExecutor serial;
  auto world = made(spec);
  while (!world->tick({}, serial).at_rest) {
  }
  return world;
}

/// A cell of water poured into a lake of that side, somewhere else each time, until all rests.
void BM_HydroPour(benchmark::State& state) {
  const auto side = static_cast<std::int32_t>(state.range(0));
  sim::SerialExecutor serial;
  auto world = lake(side);
  std::int32_t poured = 0;
  Ticks ticks;
  for (auto _ : state) {
    const std::int32_t x = (29 * ++poured + 40) % (side - 80) + 40;
    const std::vector<sim::Command> commands = {{sim::Pour{{x, 9, side / 2}, kFull}}};
    (void)ticks.run(*world, commands, serial);
    while (!ticks.run(*world, {}, serial).at_rest) {
    }
  }
  ticks.tell(state);
}
BENCHMARK(BM_HydroPour)->Arg(120)->Arg(1000)->Unit(benchmark::kMicrosecond)->Iterations(20);

/// A storm over a lake of that side: a cell of water falls anywhere in each third tick. In the end
/// parts come to rest in each tick, on plateaus a unit over each other.
void BM_HydroStorm(benchmark::State& state) {
  const auto side = static_cast<std::uint64_t>(state.range(0));
  sim::SerialExecutor serial;
  auto world = lake(static_cast<std::int32_t>(side));
  sim::Digest draws = 7;
  const auto draw = [&draws, side] {
    draws = sim::combine(draws, 0);
    return static_cast<std::int32_t>(draws % side);
  };
  Ticks ticks;
  for (auto _ : state) {
    std::vector<sim::Command> commands;
    if (world->tick_number() % 3 == 0) commands.push_back({sim::Pour{{draw(), 9, draw()}, kFull}});
    (void)ticks.run(*world, commands, serial);
  }
  ticks.tell(state);
}
BENCHMARK(BM_HydroStorm)->Arg(100)->Arg(400)->Unit(benchmark::kMicrosecond)->Iterations(600);

void BM_HydroDrop(benchmark::State& state) {
  sim::WorldSpec spec = box_of(sim::WaterModel::kHydro, {256, 1000, 1});
  spec.fills.push_back({{{0, 0, 0}, {256, 100, 1}}, kFull});
  sim::SerialExecutor serial;
  auto world = made(spec);
  for (int t = 0; t < 3; ++t) (void)world->tick({}, serial);
  constexpr int kFalling = 200;
  int left = 0;
  Ticks ticks;
  for (auto _ : state) {
    if (left-- == 0) {
      state.PauseTiming();
      while (!world->tick({}, serial).at_rest) {
      }
      (void)world->tick(std::vector<sim::Command>{{sim::Pour{{100, 990, 0}, 1}}}, serial);
      left = kFalling;
      state.ResumeTiming();
    }
    (void)ticks.run(*world, {}, serial);
  }
  ticks.tell(state);
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

/// A cell of rock in the corner of a world of that side is dug and put back, or nothing is done.
void BM_HydroDig(benchmark::State& state) {
  const auto side = static_cast<std::int32_t>(state.range(0));
  sim::WorldSpec spec = box_of(sim::WaterModel::kHydro, {side, side, 1});
  spec.fills.push_back({{{0, 0, 0}, {side, side, 1}}, kRock});
  spec.fills.push_back({{{40, 0, 0}, {side - 40, side / 2, 1}}, kFull});
  sim::SerialExecutor serial;
  auto world = made(spec);
  for (int t = 0; t < 3; ++t) (void)world->tick({}, serial);
  bool open = false;
  Ticks ticks;
  for (auto _ : state) {
    std::vector<sim::Command> commands;
    open = !open;
    if (state.range(1) != 0) {
      commands.push_back({sim::SetCells{{60, side - 10, 0}, {1, 1, 1}, open ? kAir : kRock}});
    }
    (void)ticks.run(*world, commands, serial);
  }
  ticks.tell(state);
}
BENCHMARK(BM_HydroDig)->Args({100, 1})->Args({1000, 0})->Args({1000, 1});

}  // namespace
}  // namespace sluice::bench::hydro_bench
