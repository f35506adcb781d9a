// Tracers: what a cell in which one spreads or settles costs a tick, beside the textbook loop of
// the diffusion equation in float; and what moving water costs with one to carry, beside the same
// without.
#include <algorithm>
#include <vector>

#include <benchmark/benchmark.h>

#include "server/sim/tracers/field.h"
#include "server/sim/world.h"

namespace sluice::bench::tracers_bench {
namespace {

void count_cells(benchmark::State& state, std::int64_t cells) {
  state.SetItemsProcessed(cells);
  state.counters["ns_per_cell"] = benchmark::Counter(
      static_cast<double>(cells) * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// A lake with a tracer in every other block of eight cells.
void BM_Tracer(benchmark::State& state, sim::TracerKind kind) {
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kHydro;
  spec.config.size = {512, 512, 1};
  sim::TracerOptions options = sim::usual_options(kind);
  options.name = "red";
  spec.tracers = {options};
  spec.fills.push_back({{{0, 0, 0}, spec.config.size}, kFull});
  for (std::int32_t x = 0; x < 512; x += 16) {
    spec.fills.push_back({{{x, 0, 0}, {8, 512, 1}}, kFull, false, {{"red", 1 << 24}}});
  }
  const auto world = std::move(sim::World::create(spec)).value();
  sim::SerialExecutor serial;
  for (int i = 0; i < 3; ++i) (void)world->tick({}, serial);
  const std::int64_t before = world->tracers()->cells_stepped();
  for (auto _ : state) (void)world->tick({}, serial);
  count_cells(state, world->tracers()->cells_stepped() - before);
}
BENCHMARK_CAPTURE(BM_Tracer, salt, sim::TracerKind::kSalt)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Tracer, silt, sim::TracerKind::kSilt)->Unit(benchmark::kMicrosecond);

void BM_TextbookDiffusion(benchmark::State& state) {
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
BENCHMARK(BM_TextbookDiffusion)->Unit(benchmark::kMicrosecond);

/// A column of water that breaks, with so many dyes; each run begins anew.
void BM_DyedDamBreak(benchmark::State& state) {
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kHydro;
  spec.config.size = {256, 128, 1};
  sim::TracerAmounts amounts;
  for (std::int64_t t = 0; t < state.range(0); ++t) {
    const std::string name(1, static_cast<char>('a' + t));
    spec.tracers.push_back({name, sim::TracerKind::kDye});
    amounts[name] = kFull;
  }
  spec.fills.push_back({{{0, 0, 0}, {64, 100, 1}}, kFull, false, amounts});
  sim::SerialExecutor serial;
  constexpr int kTicks = 100;
  for (auto _ : state) {
    state.PauseTiming();
    const auto world = std::move(sim::World::create(spec)).value();
    state.ResumeTiming();
    for (int i = 0; i < kTicks; ++i) (void)world->tick({}, serial);
  }
  state.SetItemsProcessed(state.iterations() * kTicks);
}
BENCHMARK(BM_DyedDamBreak)->Arg(0)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sluice::bench::tracers_bench
