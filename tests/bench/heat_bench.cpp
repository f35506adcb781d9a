// Heat: what a cell in which heat moves costs a tick, beside the textbook loop of the heat equation
// in float (five points in a plane, as many faces as a side view has); and a lake at rest.
#include <vector>

#include <benchmark/benchmark.h>

#include "server/sim/heat/field.h"
#include "server/sim/world.h"

namespace sluice::bench {
namespace {

void count_cells(benchmark::State& state, std::int64_t cells) {
  state.SetItemsProcessed(cells);
  state.counters["ns_per_cell"] = benchmark::Counter(
      static_cast<double>(cells) * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

std::unique_ptr<sim::World> warm_lake(Vec3 size) {
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kHydro;
  spec.config.size = size;
  spec.heat.on = true;
  spec.fills.push_back({{{0, 0, 0}, size}, kFull});
  return std::move(sim::World::create(spec)).value();
}

/// Every cell gets some heat of its own for a tick.
void make_uneven(sim::World& world) {
  const Vec3 size = world.config().size;
  std::vector<sim::Command> on;
  std::vector<sim::Command> off;
  for (std::int32_t y = 0; y < size.y; y += 8) {
    for (std::int32_t z = 0; z < size.z; z += 8) {
      for (std::int32_t x = 0; x < size.x; x += 8) {
        const Vec3 at = {x, y, z};
        on.push_back({sim::AddHeater{at, 40'000'000}});
        off.push_back({sim::RemoveHeater{at}});
      }
    }
  }
  sim::SerialExecutor serial;
  (void)world.tick(on, serial);
  (void)world.tick(off, serial);
  for (int i = 0; i < 20; ++i) (void)world.tick({}, serial);
}

void BM_Heat(benchmark::State& state, Vec3 size) {
  sim::SerialExecutor serial;
  const auto world = warm_lake(size);
  make_uneven(*world);
  const std::int64_t before = world->heat()->cells_stepped();
  for (auto _ : state) (void)world->tick({}, serial);
  count_cells(state, world->heat()->cells_stepped() - before);
}
BENCHMARK_CAPTURE(BM_Heat, side_view, Vec3{512, 512, 1})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Heat, solid, Vec3{64, 64, 64})->Unit(benchmark::kMicrosecond);

/// As tutorials have it: each cell moves towards the mean of its neighbours.
void BM_TextbookHeat(benchmark::State& state) {
  const std::size_t side = 512;
  std::vector<float> now((side + 2) * (side + 2));
  for (std::size_t i = 0; i < now.size(); ++i) {
    now[i] = static_cast<float>(sim::mix64(i) % 1000);
  }
  std::vector<float> next = now;
  std::int64_t cells = 0;
  for (auto _ : state) {
    for (std::size_t y = 1; y <= side; ++y) {
      for (std::size_t x = 1; x <= side; ++x) {
        const std::size_t i = y * (side + 2) + x;
        next[i] = now[i] + 0.1F * (now[i - 1] + now[i + 1] + now[i - side - 2] + now[i + side + 2] -
                                   4 * now[i]);
      }
    }
    now.swap(next);
    benchmark::ClobberMemory();
    cells += static_cast<std::int64_t>(side * side);
  }
  count_cells(state, cells);
}
BENCHMARK(BM_TextbookHeat)->Unit(benchmark::kMicrosecond);

void BM_RestingHeat(benchmark::State& state) {
  sim::SerialExecutor serial;
  const auto world = warm_lake({512, 512, 1});
  while (!world->tick({}, serial).at_rest) {
  }
  for (auto _ : state) (void)world->tick({}, serial);
}
BENCHMARK(BM_RestingHeat)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sluice::bench
