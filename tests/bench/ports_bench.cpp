// What ports and springs cost in a lake: what they move, however wide the lake is. The baseline is
// the same in hydro water, which knows heads by columns.
#include <string>
#include <utility>

#include <benchmark/benchmark.h>

#include "server/sim/world.h"

namespace sluice::bench::ports_bench {
namespace {

constexpr std::int32_t kPorts = 100;
constexpr std::int32_t kDepth = 50;

/// A lake over all of the world's ground.
sim::WorldSpec lake(sim::WaterModel model, std::int32_t width) {
  sim::WorldSpec spec;
  spec.config.water = model;
  if (model == sim::WaterModel::kStream) spec.config.options["drying"] = 0;
  spec.config.size = {width, 2 * kDepth, 1};
  spec.fills.push_back({{{0, 0, 0}, {width, kDepth, 1}}, kFull});
  return spec;
}

/// Its ports take from it, each into a tank of its own, for ever.
void BM_LakePorts(benchmark::State& state, sim::WaterModel model) {
  const auto width = static_cast<std::int32_t>(state.range(0));
  sim::WorldSpec spec = lake(model, width);
  for (std::int32_t i = 0; i < kPorts; ++i) {
    sim::PipeNode tank;
    tank.fields.name = "tank" + std::to_string(i);
    tank.fields.capacity = 1 << 24;
    tank.fields.height = 2 * kDepth * kFull;
    spec.pipes.push_back(tank);
    spec.ports.push_back(
        {tank.fields.name, {i * (width / kPorts), i % kDepth, 0}, PortKind::kOpen, kFull / 8});
  }
  sim::SerialExecutor serial;
  auto world = std::move(sim::World::create(spec)).value();
  for (auto _ : state) (void)world->tick({}, serial);
  state.SetItemsProcessed(state.iterations() * kPorts);
}
BENCHMARK_CAPTURE(BM_LakePorts, hydro, sim::WaterModel::kHydro)
    ->Arg(200)
    ->Arg(1600)
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(100);
BENCHMARK_CAPTURE(BM_LakePorts, block, sim::WaterModel::kBlock)
    ->Arg(200)
    ->Arg(1600)
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(100);
BENCHMARK_CAPTURE(BM_LakePorts, stream, sim::WaterModel::kStream)
    ->Arg(200)
    ->Arg(1600)
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(100);

}  // namespace
}  // namespace sluice::bench::ports_bench
