// Heat: what a cell in which heat moves costs a tick, beside the textbook loop of the heat equation
// in float (five points in a plane, as many faces as a side view has); and a lake at rest.
#include <vector>

#include <benchmark/benchmark.h>

#include "server/sim/heat/field.h"
#include "server/sim/steam/field.h"
#include "server/sim/world.h"

namespace sluice::bench::heat_bench {
namespace {

void count_cells(benchmark::State& state, std::int64_t cells) {
  state.SetItemsProcessed(cells);
  state.counters["ns_per_cell"] = benchmark::Counter(
      static_cast<double>(cells) * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// At 50 degrees: neither the coolers nor the heaters below turn any of it. `air`: layers of it
/// above, and the topmost of the water half full.
std::unique_ptr<sim::World> warm_lake(Vec3 size, sim::WaterModel water = sim::WaterModel::kHydro,
                                      std::int32_t air = 0) {
  sim::WorldSpec spec;
  spec.config.water = water;
  spec.config.size = size;
  spec.heat.on = true;
  spec.heat.options.water = 50 * sim::kDegree;
  spec.heat.air = 50 * sim::kDegree;
  const std::int32_t full = size.y - air - (air > 0 ? 1 : 0);
  spec.fills.push_back(
      {{{0, 0, 0}, {size.x, full, size.z}}, kFull, water == sim::WaterModel::kCellular});
  if (air > 0) spec.fills.push_back({{{0, full, 0}, {size.x, 1, size.z}}, kFull / 2});
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

/// A heater and a cooler in each chunk, so that it never comes to rest.
void keep_uneven(sim::World& world) {
  const ChunkShape& shape = world.grid().shape();
  std::vector<sim::Command> commands;
  world.grid().for_each([&](const sim::Chunk& chunk) {
    const Vec3 at = shape.origin(chunk.coord);
    if (!world.config().box().contains(at)) return;
    const std::int32_t away = shape.width() / 2;
    commands.push_back({sim::AddHeater{at, 40'000}});
    commands.push_back({sim::AddHeater{at + Vec3{away, away, shape.depth() / 2}, -40'000}});
  });
  sim::SerialExecutor serial;
  (void)world.tick(commands, serial);
}

void BM_Heat(benchmark::State& state, Vec3 size, sim::WaterModel water = sim::WaterModel::kHydro,
             std::int32_t air = 0) {
  sim::SerialExecutor serial;
  const auto world = warm_lake(size, water, air);
  make_uneven(*world);
  keep_uneven(*world);
  const std::int64_t before = world->heat()->cells_stepped();
  for (auto _ : state) (void)world->tick({}, serial);
  count_cells(state, world->heat()->cells_stepped() - before);
}
BENCHMARK_CAPTURE(BM_Heat, side_view, Vec3{512, 512, 1})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Heat, solid, Vec3{64, 64, 64})->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Heat, surface, Vec3{512, 128, 1}, sim::WaterModel::kHydro, 8)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Heat, solid_surface, Vec3{64, 32, 64}, sim::WaterModel::kHydro, 8)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Heat, film, Vec3{512, 64, 1}, sim::WaterModel::kHydro, 62)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Heat, cellular, Vec3{512, 512, 1}, sim::WaterModel::kCellular, 8)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Heat, solid_cellular, Vec3{64, 64, 64}, sim::WaterModel::kCellular, 8)
    ->Unit(benchmark::kMicrosecond);

/// A lake under a cold night, partly frozen; `by_cell`: every flux by its rule; `floating`: its ice
/// floats where nothing holds it.
void BM_HeatOfLake(benchmark::State& state, Vec3 size, bool by_cell, bool floating,
                   sim::WaterModel water = sim::WaterModel::kHydro) {
  sim::SerialExecutor serial;
  sim::WorldSpec spec;
  spec.config.water = water;
  spec.config.size = size;
  spec.heat.on = true;
  spec.heat.options.water = 2 * sim::kDegree;
  spec.heat.options.floating = floating;
  spec.heat.air = -60 * sim::kDegree;
  spec.fills.push_back({{{0, 0, 0}, {size.x, size.y - 8, size.z}}, kFull});
  const auto world = std::move(sim::World::create(spec)).value();
  make_uneven(*world);
  world->set_run_options({.heat_by_cell = by_cell});
  for (int i = 0; i < 200; ++i) (void)world->tick({}, serial);
  const std::int64_t before = world->heat()->cells_stepped();
  for (auto _ : state) (void)world->tick({}, serial);
  count_cells(state, world->heat()->cells_stepped() - before);
}
BENCHMARK_CAPTURE(BM_HeatOfLake, side_view, Vec3{512, 128, 1}, false, false)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_HeatOfLake, solid, Vec3{64, 32, 64}, false, false)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_HeatOfLake, solid_by_cell, Vec3{64, 32, 64}, true, false)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_HeatOfLake, solid_floating, Vec3{64, 32, 64}, false, true)
    ->Unit(benchmark::kMicrosecond);

BENCHMARK_CAPTURE(BM_HeatOfLake, deep, Vec3{64, 64, 64}, false, false)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_HeatOfLake, side_view_cellular, Vec3{512, 128, 1}, false, false,
                  sim::WaterModel::kCellular)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_HeatOfLake, side_view_block, Vec3{512, 128, 1}, false, false,
                  sim::WaterModel::kBlock)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_HeatOfLake, side_view_stream, Vec3{512, 128, 1}, false, false,
                  sim::WaterModel::kStream)
    ->Unit(benchmark::kMicrosecond);

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

/// A cell of steam in a tick: as many as there may be, under the roof of a hall.
void BM_Steam(benchmark::State& state) {
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kHydro;
  spec.config.size = {512, 80, 1};
  spec.heat.on = true;
  spec.heat.options.steam = true;
  spec.heat.options.water = 100 * sim::kDegree;
  spec.heat.air = 99 * sim::kDegree;
  spec.fills.push_back({{{0, 0, 0}, {512, 8, 1}}, kFull});
  for (std::int32_t x = 0; x < 512; ++x) spec.heaters.push_back({{x, 7, 0}, 10'000'000});
  auto world = std::move(sim::World::create(spec)).value();
  sim::SerialExecutor serial;
  for (int i = 0; i < 100; ++i) (void)world->tick({}, serial);
  // The steam alone: the world without it takes as long for all else.
  std::int64_t cells = 0;
  sim::HeatState heat = world->core().heat;
  sim::SteamField field(world->config());
  sim::Grid grid(world->config());
  sim::CarriedWater unused(world->config());
  std::uint64_t tick = 0;
  for (auto _ : state) {
    cells += static_cast<std::int64_t>(heat.steam.cells.size());
    (void)field.step({++tick, 1, 0}, {}, grid, unused, heat);
  }
  count_cells(state, cells);
  state.counters["cells"] = static_cast<double>(heat.steam.cells.size());
}
BENCHMARK(BM_Steam)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sluice::bench::heat_bench
