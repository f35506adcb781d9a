// What pipes cost viewers: bytes a changed node, and the time that publishing takes of a tick.
#include <algorithm>
#include <map>
#include <string>

#include <benchmark/benchmark.h>

#include "server/net/published_world.h"
#include "server/net/world_feed.h"

namespace sluice::bench::pipe_wire_bench {
namespace {

/// A line of pipes along the rows of a side-view world. The first tenth is full.
sim::WorldSpec line_of(std::int32_t count) {
  constexpr std::int32_t kWidth = 1024;
  sim::WorldSpec spec;
  spec.config.size = {kWidth, count / kWidth + 1, 1};
  for (std::int32_t i = 0; i < count; ++i) {
    sim::PipeNode node;
    node.fields.name = "p" + std::to_string(i);
    node.fields.amount = i < count / 10 ? node.fields.capacity : 0;
    node.fields.at = {i % kWidth, i / kWidth, 0};
    node.kind = i == count / 2 ? NodeKind::kValve : NodeKind::kPipe;
    spec.pipes.push_back(node);
    if (i > 0) spec.pipe_links.push_back({"p" + std::to_string(i - 1), node.fields.name, false});
  }
  return spec;
}

struct Site {
  explicit Site(std::int32_t count)
      : world(std::move(sim::World::create(line_of(count))).value()), feed(*world) {
    feed.set_watched(true);
    tick({});
    show();
  }
  void tick(const std::vector<sim::Command>& commands) { (void)world->tick(commands, serial); }
  void show() {
    feed.publish(*world);
    published.apply(std::move(*feed.take().publication), true);
  }

  std::unique_ptr<sim::World> world;
  sim::SerialExecutor serial;
  net::WorldFeed feed;
  net::PublishedWorld published;
};

void BM_PipeDeltas(benchmark::State& state) {
  const auto count = static_cast<std::int32_t>(state.range(0));
  Site site(count);
  const sim::PipeNetwork& pipes = site.world->pipes();
  std::vector<std::int32_t> amounts(pipes.slot_limit());
  for (sim::Slot slot = 0; slot < pipes.slot_limit(); ++slot) amounts[slot] = pipes.amount(slot);
  std::int64_t changed = 0;
  std::int64_t bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    site.tick({});
    for (sim::Slot slot = 0; slot < pipes.slot_limit(); ++slot) {
      changed += amounts[slot] != pipes.amount(slot) ? 1 : 0;
      amounts[slot] = pipes.amount(slot);
    }
    state.ResumeTiming();
    site.show();
    for (const auto& change : site.published.pipes().changes()) {
      bytes += static_cast<std::int64_t>(change.payload->size());
    }
  }
  state.SetItemsProcessed(changed);
  state.counters["bytes_per_changed_node"] =
      static_cast<double>(bytes) / static_cast<double>(std::max<std::int64_t>(changed, 1));
  state.counters["bytes_per_tick"] =
      static_cast<double>(bytes) / static_cast<double>(state.iterations());
}
BENCHMARK(BM_PipeDeltas)->Arg(1000)->Arg(100'000)->Iterations(300)->UseRealTime();

/// Publishing a network in which somebody switches a valve in every tick: a pass over all of it.
void BM_PipeRebuild(benchmark::State& state) {
  const auto count = static_cast<std::int32_t>(state.range(0));
  Site site(count);
  const std::string valve = "p" + std::to_string(count / 2);
  bool open = false;
  for (auto _ : state) {
    state.PauseTiming();
    site.tick({{sim::SetValve{valve, open = !open}}});
    state.ResumeTiming();
    site.show();
  }
}
BENCHMARK(BM_PipeRebuild)
    ->Arg(1000)
    ->Arg(100'000)
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// Publishing a million pipes of which none moves.
void BM_RestingPipes(benchmark::State& state) {
  sim::WorldSpec spec = line_of(1'000'000);
  for (sim::PipeNode& node : spec.pipes) node.fields.amount = 0;
  const auto world = std::move(sim::World::create(spec)).value();
  sim::SerialExecutor serial;
  net::WorldFeed feed(*world);
  feed.set_watched(true);
  while (!world->pipes().at_rest()) (void)world->tick({}, serial);
  (void)world->tick({}, serial);
  feed.publish(*world);
  (void)feed.take();
  for (auto _ : state) feed.publish(*world);
}
BENCHMARK(BM_RestingPipes)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace sluice::bench::pipe_wire_bench
