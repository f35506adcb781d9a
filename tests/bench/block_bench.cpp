// Block water against the rule as it is usually written, and how a tick's cost grows with the
// world.
#include <benchmark/benchmark.h>

#include "server/sim/world.h"
#include "tests/bench/textbook_block.h"

namespace sluice::bench::block_bench {
namespace {

using sim::Fill;

constexpr std::int32_t kTubeHeight = 100;
/// Ticks after which a tube is filled anew, so that it never comes to rest.
constexpr std::int64_t kTubeTicks = 40;

/// A lake of 20,000 blocks at rest and, beside it, a U-tube whose left arm is full.
std::vector<Fill> lake_and_tube() {
  return {{{{0, 0, 0}, {256, 1, 1}}, kRock},  // the floor
          {{{200, 1, 0}, {1, 110, 1}}, kRock},
          {{{0, 1, 0}, {200, 100, 1}}, kFull},
          {{{210, 1, 0}, {7, kTubeHeight, 1}}, kRock},
          {{{211, 2, 0}, {2, kTubeHeight - 1, 1}}, kFull},
          {{{213, 1, 0}, {1, 1, 1}}, kFull},
          {{{211, 1, 0}, {5, 1, 1}}, kFull},
          {{{214, 2, 0}, {2, kTubeHeight - 1, 1}}, kAir}};
}

sim::WorldSpec block_spec(std::int32_t side, std::vector<Fill> fills) {
  sim::WorldSpec spec;
  spec.config.water = sim::WaterModel::kBlock;
  spec.config.size = {side, side, 1};
  spec.config.options["walk_steps"] = 0;
  spec.fills = std::move(fills);
  return spec;
}

TextbookBlock textbook(const sim::WorldSpec& spec) {
  TextbookBlock water(spec.config.size.x, spec.config.size.y);
  for (const Fill& fill : spec.fills) {
    const Vec3 end = fill.box.end();
    for (std::int32_t y = fill.box.from.y; y < end.y; ++y) {
      for (std::int32_t x = fill.box.from.x; x < end.x; ++x) {
        water.at(x, y) = fill.cell < 0   ? TextbookBlock::Kind::kRock
                         : fill.cell > 0 ? TextbookBlock::Kind::kWater
                                         : TextbookBlock::Kind::kAir;
      }
    }
  }
  return water;
}

/// 2,500 drops that fall through a world 1,000 wide; every second tick no two touch.
std::vector<Fill> drops(std::int32_t side) {
  std::vector<Fill> fills;
  for (std::int32_t i = 0; i < 2500; ++i) {
    fills.push_back({{{i % 50 * 20 + i / 50 % 7, side - 1 - i / 50 * 9, 0}, {1, 1, 1}}, kFull});
  }
  return fills;
}

template <class Tick>
void run(benchmark::State& state, const sim::WorldSpec& spec, std::int64_t ticks, Tick&& prepare) {
  while (state.KeepRunningBatch(ticks)) {
    state.PauseTiming();
    auto tick = prepare(spec);
    tick();  // the first tick finds the groups
    state.ResumeTiming();
    for (std::int64_t i = 0; i < ticks; ++i) tick();
  }
}

auto engine(const sim::WorldSpec& spec) {
  return [world = std::shared_ptr<sim::World>(std::move(sim::World::create(spec)).value())] {
    sim::SerialExecutor serial;
    benchmark::DoNotOptimize(world->tick({}, serial).digest);
  };
}
auto plainly(const sim::WorldSpec& spec) {
  return [water = textbook(spec)]() mutable { benchmark::DoNotOptimize(water.tick()); };
}

void BM_BlockTextbookTube(benchmark::State& state) {
  run(state, block_spec(1000, lake_and_tube()), kTubeTicks, plainly);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_BlockTextbookTube)->Unit(benchmark::kMicrosecond)->UseRealTime();

void BM_BlockTube(benchmark::State& state) {
  const auto side = static_cast<std::int32_t>(state.range(0));
  run(state, block_spec(side, lake_and_tube()), kTubeTicks, engine);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_BlockTube)
    ->Arg(256)
    ->Arg(1000)
    ->Arg(1 << 20)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

void BM_BlockTextbookDrops(benchmark::State& state) {
  run(state, block_spec(1000, drops(1000)), 200, plainly);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_BlockTextbookDrops)->Unit(benchmark::kMicrosecond)->UseRealTime();

void BM_BlockDrops(benchmark::State& state) {
  run(state, block_spec(1000, drops(1000)), 200, engine);
  state.SetItemsProcessed(state.iterations());
  state.counters["ns_per_drop"] =
      benchmark::Counter(2500e-9 * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_BlockDrops)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// A lake of that side leaks through a hole in its floor, a block a tick.
void BM_BlockLeak(benchmark::State& state) {
  const auto side = static_cast<std::int32_t>(state.range(0));
  const std::vector<Fill> fills = {{{{0, 0, 0}, {side, side + 10, 1}}, kRock},
                                   {{{1, 8, 0}, {side - 2, side - 10, 1}}, kFull},
                                   {{{side / 2, 1, 0}, {1, 7, 1}}, kAir}};
  sim::WorldSpec spec = block_spec(side + 20, fills);
  spec.drains = {{{side / 2, 1, 0}, kFull}};
  run(state, spec, 200, engine);
}
BENCHMARK(BM_BlockLeak)
    ->Arg(100)
    ->Arg(400)
    ->Arg(1600)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

}  // namespace
}  // namespace sluice::bench::block_bench
