// Waves: what a column that moves costs a tick (four steps), beside the textbook loop of damped
// springs in float, with the same four steps; and a lake at rest with waves switched on.
#include <vector>

#include <benchmark/benchmark.h>

#include "server/sim/waves/field.h"
#include "server/sim/world.h"

namespace sluice::bench::waves_bench {
namespace {

constexpr int kSteps = 4;

void count_columns(benchmark::State& state, std::int64_t columns) {
  state.SetItemsProcessed(columns);
  state.counters["ns_per_column"] =
      benchmark::Counter(static_cast<double>(columns) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

std::unique_ptr<sim::World> lake(Vec3 size) {
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kHydro;
  spec.config.size = size;
  spec.waves.on = true;
  spec.fills.push_back({{{0, 0, 0}, {size.x, 1, size.z}}, kRock});
  spec.fills.push_back({{{0, 1, 0}, {size.x, 3, size.z}}, kFull});
  return std::move(sim::World::create(spec)).value();
}

/// Wind until all of it moves, then calm.
void stir(sim::World& world) {
  sim::SerialExecutor serial;
  const std::vector<sim::Command> wind = {{sim::SetWind{500}}};
  const std::vector<sim::Command> calm = {{sim::SetWind{0}}};
  (void)world.tick(wind, serial);
  for (int i = 0; i < 50; ++i) (void)world.tick({}, serial);
  (void)world.tick(calm, serial);
}

void BM_Waves(benchmark::State& state, Vec3 size) {
  sim::SerialExecutor serial;
  const auto world = lake(size);
  const std::int64_t all = std::int64_t{size.x} * size.z;
  std::int64_t columns = 0;
  for (auto _ : state) {
    if (world->waves()->moving_columns() < all * 9 / 10) {
      state.PauseTiming();
      stir(*world);
      state.ResumeTiming();
    }
    (void)world->tick({}, serial);
    columns += world->waves()->moving_columns();
  }
  count_columns(state, columns);
}
BENCHMARK_CAPTURE(BM_Waves, side_view, Vec3{1 << 16, 8, 1})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Waves, solid, Vec3{256, 8, 256})->Unit(benchmark::kMicrosecond);

/// As tutorials have it: springs, then a pass over neighbours.
void BM_TextbookWaves(benchmark::State& state) {
  const std::size_t count = 1 << 16;
  std::vector<float> heights(count + 2);
  std::vector<float> speeds(count);
  for (std::size_t i = 0; i < count; ++i) {
    heights[i + 1] = static_cast<float>(sim::mix64(i) % 1000) - 500.0F;
  }
  std::int64_t columns = 0;
  for (auto _ : state) {
    for (int step = 0; step < kSteps; ++step) {
      heights[0] = heights[1];
      heights[count + 1] = heights[count];
      for (std::size_t i = 0; i < count; ++i) {
        const float pull = heights[i] + heights[i + 2] - 2 * heights[i + 1];
        speeds[i] += 0.03125F * pull - 0.015625F * heights[i + 1] - 0.00390625F * speeds[i];
      }
      for (std::size_t i = 0; i < count; ++i) heights[i + 1] += speeds[i];
    }
    benchmark::ClobberMemory();
    columns += static_cast<std::int64_t>(count);
  }
  count_columns(state, columns);
}
BENCHMARK(BM_TextbookWaves)->Unit(benchmark::kMicrosecond);

void BM_RestingWaves(benchmark::State& state) {
  sim::SerialExecutor serial;
  const auto world = lake({1 << 16, 8, 1});
  while (!world->tick({}, serial).at_rest) {
  }
  for (auto _ : state) (void)world->tick({}, serial);
}
BENCHMARK(BM_RestingWaves)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sluice::bench::waves_bench
