// Goal: what pipe networks promise (server/sim/pipes/pipes.md), held against random networks.
// Method: each test draws networks from seeds and runs them; a failure prints its seed. The number of
// networks is raised with SLUICE_PIPE_NETWORKS.
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "server/workers/thread_pool.h"
#include "tests/support/random_network.h"

namespace sluice::tests {
namespace {

using sim::PipeNetwork;

std::uint64_t network_count() {
  const char* wanted = std::getenv("SLUICE_PIPE_NETWORKS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 1000;
}

std::string amounts_text(const PipeNetwork& network) {
  std::string text;
  for (const auto& [name, amount] : amounts_of(network)) {
    text += name + "=" + std::to_string(amount) + " ";
  }
  return text;
}

TEST(PipesProperty, the_total_is_constant_and_no_node_leaves_its_bounds) {
  for (std::uint64_t seed = 1; seed <= network_count(); ++seed) {
    PipeNetwork network;
    ASSERT_EQ(build(random_network(seed, {.ports = true}), network), "") << "seed " << seed;
    TestCells cells(seed);
    sim::SerialExecutor serial;
    const std::int64_t total = network.units() + cells.water();
    for (std::uint64_t tick = 1; tick <= 120; ++tick) {
      network.tick(tick, true, cells, serial);
      ASSERT_EQ(network.units() + cells.water(), total) << "seed " << seed << " tick " << tick;
      network.check();  // bounds, sums, lists and digests
    }
  }
}

TEST(PipesProperty, names_order_and_threads_make_no_difference) {
  workers::ThreadPool pool(3);
  for (std::uint64_t seed = 1; seed <= network_count(); ++seed) {
    const NetworkPlan plan = random_network(seed, {.ports = true});
    std::map<std::string, std::string> names;
    PipeNetwork one;
    PipeNetwork other;
    ASSERT_EQ(build(plan, one), "") << "seed " << seed;
    ASSERT_EQ(build(disguised(plan, seed, names), other), "") << "seed " << seed;
    one.arrange();
    TestCells cells_one(seed);
    TestCells cells_other(seed);
    sim::SerialExecutor serial;
    workers::ShuffledExecutor shuffled(pool, seed);
    for (std::uint64_t tick = 1; tick <= 200; ++tick) {
      one.tick(tick, true, cells_one, serial);
      other.tick(tick, false, cells_other, shuffled);
      const auto amounts = amounts_of(other);
      for (const auto& [name, amount] : amounts_of(one)) {
        ASSERT_EQ(amounts.at(names[name]), amount)
            << "seed " << seed << " tick " << tick << " node " << name;
      }
      ASSERT_EQ(cells_one.all(), cells_other.all()) << "seed " << seed << " tick " << tick;
    }
  }
}

TEST(PipesProperty, saved_and_restored_at_any_tick_it_goes_on_the_same) {
  for (std::uint64_t seed = 1; seed <= network_count(); ++seed) {
    Dice dice(seed);
    PipeNetwork network;
    ASSERT_EQ(build(random_network(seed, {.ports = true}), network), "") << "seed " << seed;
    PipeNetwork restored;
    TestCells cells(seed);
    sim::SerialExecutor serial;
    const auto save_at = static_cast<std::uint64_t>(dice.roll(0, 150));
    TestCells cells_restored(seed);
    bool saved = false;
    for (std::uint64_t tick = 1; tick <= 200; ++tick) {
      if (tick == save_at + 1) {
        ASSERT_TRUE(restored.load(network.image())) << "seed " << seed;
        cells_restored = cells;
        saved = true;
      }
      network.tick(tick, true, cells, serial);
      if (!saved) continue;
      restored.tick(tick, true, cells_restored, serial);
      ASSERT_EQ(restored.digest(), network.digest())
          << "seed " << seed << " tick " << tick << "\n"
          << amounts_text(network) << "\n"
          << amounts_text(restored);
      if (network.at_rest()) {
        ASSERT_TRUE(restored.at_rest()) << "seed " << seed << " tick " << tick;
      }
    }
  }
}

TEST(PipesProperty, without_pumps_the_energy_never_rises_and_everything_comes_to_rest) {
  constexpr std::uint64_t kLongest = 200000;
  for (std::uint64_t seed = 1; seed <= network_count(); ++seed) {
    PipeNetwork network;
    ASSERT_EQ(build(random_network(seed, {.pumps = false}), network), "") << "seed " << seed;
    TestCells cells(seed);
    sim::SerialExecutor serial;
    long double energy = energy_of(network);
    std::uint64_t tick = 0;
    while (!network.at_rest()) {
      ASSERT_LT(++tick, kLongest) << "seed " << seed << " " << amounts_text(network);
      network.tick(tick, true, cells, serial);
      const long double now = energy_of(network);
      ASSERT_LE(now, energy + 1e-6L * (1 + (energy < 0 ? -energy : energy)) * 1e-6L)
          << "seed " << seed << " tick " << tick;
      energy = now;
    }
    // At rest means at rest: without sleep, nothing would move either.
    const auto amounts = amounts_of(network);
    for (int more = 0; more < 40; ++more) network.tick(++tick, false, cells, serial);
    ASSERT_EQ(amounts_of(network), amounts) << "seed " << seed;
  }
}

}  // namespace
}  // namespace sluice::tests
