// Pipe networks: speed on a line, a lattice and a tree with names in random order, against the
// published rule; the slowest tick against the median; what a million pipes and rest cost.
#include <ctime>
#include <numeric>
#include <string>

#include <benchmark/benchmark.h>

#include "server/sim/pipes/network.h"
#include "tests/bench/textbook_pipes.h"
#include "tests/support/random_network.h"

namespace sluice::bench::pipes_bench {
namespace {

using tests::Dice;
using tests::TestCells;
using Links = std::vector<std::pair<std::size_t, std::size_t>>;

constexpr std::int32_t kCapacity = 20000;

enum Shape : std::int64_t { kLine, kLattice, kTree };
constexpr const char* kShapeNames[] = {"line", "lattice", "tree"};

Links links_of(Shape shape, std::size_t nodes) {
  Links links;
  std::size_t side = 1;
  while ((side + 1) * (side + 1) <= nodes) ++side;
  for (std::size_t i = 0; i < nodes; ++i) {
    if (shape == kLine && i > 0) links.emplace_back(i - 1, i);
    if (shape == kTree && i > 0) links.emplace_back((i - 1) / 2, i);
    if (shape == kLattice && i % side > 0) links.emplace_back(i - 1, i);
    if (shape == kLattice && i >= side) links.emplace_back(i - side, i);
  }
  return links;
}

std::vector<std::int32_t> random_amounts(std::size_t nodes) {
  Dice dice(1);
  std::vector<std::int32_t> amounts(nodes);
  for (std::int32_t& amount : amounts) amount = dice.roll(0, kCapacity);
  return amounts;
}

/// Built in a random order, under random names.
struct Built {
  std::vector<std::string> names;
  sim::PipeNetwork network;

  Built(const std::vector<std::int32_t>& amounts, Links links) {
    Dice dice(2);
    std::vector<std::size_t> order(amounts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    tests::shuffle(order, dice);
    tests::shuffle(links, dice);
    for (std::size_t i = 0; i < amounts.size(); ++i)
      names.push_back("p" + std::to_string(order[i]));
    tests::shuffle(order, dice);
    for (const std::size_t i : order) add(i, amounts[i]);
    for (const auto& [a, b] : links) (void)network.link(names[a], names[b], false);
    network.arrange();
  }
  void add(std::size_t i, std::int32_t amount) {
    sim::PipeFields fields;
    fields.name = names[i];
    fields.capacity = kCapacity;
    fields.amount = amount;
    (void)network.add(fields, NodeKind::kPipe, 0, true);
  }
};

void count_pipes(benchmark::State& state, std::int64_t pipes) {
  state.counters["ns_per_pipe"] = benchmark::Counter(
      static_cast<double>(pipes) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void BM_PipesTick(benchmark::State& state) {
  const auto shape = static_cast<Shape>(state.range(0));
  const auto nodes = static_cast<std::size_t>(state.range(1));
  Built built(random_amounts(nodes), links_of(shape, nodes));
  TestCells cells(1);
  sim::SerialExecutor serial;
  std::uint64_t tick = 0;
  for (auto _ : state) built.network.tick(++tick, true, cells, serial);
  count_pipes(state, built.network.node_count());
  state.counters["bytes_per_pipe"] = static_cast<double>(built.network.bytes(false)) /
                                     static_cast<double>(built.network.node_count());
  state.SetLabel(kShapeNames[shape]);
}
BENCHMARK(BM_PipesTick)
    ->Args({kLine, 100000})
    ->Args({kLattice, 90000})
    ->Args({kTree, 100000})
    ->Args({kLine, 1000000})
    ->Unit(benchmark::kMillisecond);

void BM_TextbookPipesTick(benchmark::State& state) {
  const auto shape = static_cast<Shape>(state.range(0));
  const auto nodes = static_cast<std::size_t>(state.range(1));
  TextbookPipes pipes(random_amounts(nodes), kCapacity, links_of(shape, nodes));
  for (auto _ : state) benchmark::DoNotOptimize(pipes.tick());
  count_pipes(state, state.range(1));
  state.SetLabel(kShapeNames[shape]);
}
BENCHMARK(BM_TextbookPipesTick)
    ->Args({kLine, 100000})
    ->Args({kLattice, 90000})
    ->Args({kTree, 100000})
    ->Unit(benchmark::kMillisecond);

/// This thread's own time: a slowest tick must not be what another program took.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Runs ticks one by one; counters: the slowest and the first, in medians.
template <class Before>
void measure_ticks(benchmark::State& state, Built& built, int ticks, Before&& before) {
  TestCells cells(1);
  sim::SerialExecutor serial;
  std::vector<double> times;
  for (auto _ : state) {
    for (int i = 0; i < ticks; ++i) {
      before(i);
      const double start = thread_seconds();
      built.network.tick(static_cast<std::uint64_t>(times.size() + 1), true, cells, serial);
      times.push_back(thread_seconds() - start);
    }
  }
  const double first = times.front();
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  state.counters["slowest_in_medians"] = times.back() / median;
  state.counters["p99_in_medians"] = times[times.size() * 99 / 100] / median;
  state.counters["first_in_medians"] = first / median;
  state.counters["median_ns_per_pipe"] =
      median * 1e9 / static_cast<double>(built.network.node_count());
}

constexpr std::size_t kLineNodes = 100000;

/// From the first tick on a line whose left half is full.
void BM_PipesSlowestTick(benchmark::State& state) {
  std::vector<std::int32_t> amounts(kLineNodes, 0);
  std::fill_n(amounts.begin(), kLineNodes / 2, kCapacity);
  Built built(amounts, links_of(kLine, kLineNodes));
  measure_ticks(state, built, 400, [](int) {});
}
BENCHMARK(BM_PipesSlowestTick)->Unit(benchmark::kMillisecond)->Iterations(1);

/// The gradient of a line turns round, every hundred ticks, by pumps that change sides.
void BM_PipesReversal(benchmark::State& state) {
  Built built(random_amounts(kLineNodes), links_of(kLine, kLineNodes));
  measure_ticks(state, built, 400, [&](int i) {
    if (i % 100 != 50) return;
    const bool left = i / 100 % 2 == 0;
    for (std::size_t n = 0; n < kLineNodes; n += 10) {
      const bool low = (n < kLineNodes / 2) == left;
      (void)built.network.upgrade({built.names[n], 0, low ? 5000 : 20000, 0});
    }
  });
}
BENCHMARK(BM_PipesReversal)->Unit(benchmark::kMillisecond)->Iterations(1);

/// One in a hundred pipes is taken down and built again in every tick; the building is timed too.
void BM_PipesRebuilding(benchmark::State& state) {
  Built built(random_amounts(kLineNodes), links_of(kLine, kLineNodes));
  TestCells cells(1);
  sim::SerialExecutor serial;
  Dice dice(3);
  std::vector<double> times;
  std::uint64_t tick = 0;
  for (auto _ : state) {
    const double start = thread_seconds();
    for (std::size_t k = 0; k < kLineNodes / 100; ++k) {
      const auto i = static_cast<std::size_t>(dice.next() % kLineNodes);
      Vec3 at;
      std::int32_t held = 0;
      (void)built.network.remove(built.names[i], at, held);
      built.add(i, held);
      if (i > 0) (void)built.network.link(built.names[i - 1], built.names[i], false);
      if (i + 1 < kLineNodes) (void)built.network.link(built.names[i], built.names[i + 1], false);
    }
    built.network.arrange_if_rebuilt();
    built.network.tick(++tick, true, cells, serial);
    times.push_back(thread_seconds() - start);
  }
  std::sort(times.begin(), times.end());
  state.counters["slowest_in_medians"] = times.back() / times[times.size() / 2];
  count_pipes(state, static_cast<std::int64_t>(kLineNodes));
}
BENCHMARK(BM_PipesRebuilding)->Unit(benchmark::kMillisecond)->Iterations(200);

void BM_PipesAtRest(benchmark::State& state) {
  const auto nodes = static_cast<std::size_t>(state.range(0));
  Built built(std::vector<std::int32_t>(nodes, kCapacity / 2), links_of(kLine, nodes));
  TestCells cells(1);
  sim::SerialExecutor serial;
  std::uint64_t tick = 0;
  while (!built.network.at_rest()) built.network.tick(++tick, true, cells, serial);
  for (auto _ : state) built.network.tick(++tick, true, cells, serial);
}
BENCHMARK(BM_PipesAtRest)->Arg(10000)->Arg(1000000);

}  // namespace
}  // namespace sluice::bench::pipes_bench
