// Goal: what pipe networks promise (server/sim/pipes/pipes.md), held against random networks.
// Method: each test draws networks from seeds and runs them; a failure prints its seed. The number
// of networks is raised with SLUICE_PIPE_NETWORKS.
#include <cstdlib>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "server/workers/thread_pool.h"
#include "tests/support/effort.h"
#include "tests/support/random_network.h"

namespace sluice::tests::pipes_property_test {
namespace {

using sim::PipeNetwork;

std::uint64_t network_count() {
  const char* wanted = std::getenv("SLUICE_PIPE_NETWORKS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : cases(1000);
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

// The network, and the same one with other names, in another order, by threads and without sleep.
void expect_no_difference(std::uint64_t seed, const NetworkKind& kind, workers::ThreadPool& pool) {
  const NetworkPlan plan = random_network(seed, kind);
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

TEST(PipesProperty, names_order_and_threads_make_no_difference) {
  workers::ThreadPool pool(3);
  for (std::uint64_t seed = 1; seed <= network_count() && !HasFatalFailure(); ++seed) {
    expect_no_difference(seed, {.ports = true, .brimming = seed % 2 == 0}, pool);
  }
}

// Full pipes with two ways between them that are equally long: which one a flow was shown on, and
// so which of them were taken for standing and levelled, went by the order in memory.
TEST(PipesProperty, all_of_a_conduit_moves_whichever_way_its_flow_is_shown) {
  workers::ThreadPool pool(3);
  expect_no_difference(1378, {.ports = true, .brimming = true}, pool);
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
      ASSERT_EQ(restored.digest(), network.digest()) << "seed " << seed << " tick " << tick << "\n"
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

/// What two units make in the coarser of two nodes, in level units.
double two_units(const sim::NodeView& a, const sim::NodeView& b) {
  return 2 * std::max(1.0 * a.height / a.capacity, 1.0 * b.height / b.capacity);
}

double exact_level(const sim::NodeView& node) {
  return node.base + 1.0 * node.amount * node.height / node.capacity;
}

/// From a node that holds fluid to one with room that it could press it into.
struct Way {
  sim::Slot from = 0;
  sim::Slot to = 0;
  std::size_t full_pipes = 0;  // at most, between the two
  std::int32_t links = 0;      // of the first
  double rise = 0;  // level units that a unit makes times links plus one, where that is most
};

/// To each neighbour, and to what lies behind full pipes that are not higher.
std::vector<Way> ways_down(const PipeNetwork& network) {
  std::map<sim::Slot, std::vector<sim::Slot>> neighbours;
  network.for_each_link([&](const sim::LinkView& link) {
    neighbours[link.from].push_back(link.to);
    neighbours[link.to].push_back(link.from);
  });
  std::vector<Way> places;
  for (const auto& [start, unused] : neighbours) {
    if (network.node(start).amount == 0) continue;
    const double level = exact_level(network.node(start));
    std::vector<sim::Slot> ways = {start};
    double rise = 0;
    std::map<sim::Slot, bool> seen = {{start, true}};
    for (std::size_t i = 0; i < ways.size(); ++i) {
      for (const sim::Slot next : neighbours[ways[i]]) {
        if (std::exchange(seen[next], true)) continue;
        const sim::NodeView node = network.node(next);
        const auto links = static_cast<double>(neighbours[next].size());
        rise = std::max(rise, (links + 1) * node.height / node.capacity);
        if (node.amount < node.capacity) {
          places.push_back({start, next, ways.size() - 1,
                            static_cast<std::int32_t>(neighbours[start].size()), rise});
        } else if (exact_level(node) <= level) {
          ways.push_back(next);
        }
      }
    }
  }
  return places;
}

TEST(PipesProperty, at_rest_nothing_is_stranded_above_a_lower_neighbour) {
  for (std::uint64_t seed = 1; seed <= network_count(); ++seed) {
    PipeNetwork network;
    // Among nodes that are alike, a remainder that they cannot share stays where it is.
    const NetworkKind kind = {.pumps = false, .valves = false, .one_way = false, .alike = false};
    ASSERT_EQ(build(random_network(seed, kind), network), "") << "seed " << seed;
    TestCells cells(seed);
    sim::SerialExecutor serial;
    for (std::uint64_t tick = 1; !network.at_rest(); ++tick) {
      network.tick(tick, true, cells, serial);
    }
    for (const Way& way : ways_down(network)) {
      const sim::NodeView from = network.node(way.from);
      const sim::NodeView to = network.node(way.to);
      // Units that a node's openings cannot share stay (pipes.md, "Limits and their reasons").
      if (way.full_pipes > 0 && from.amount < way.links) continue;
      // Two units; through full pipes what makes no unit a tick.
      const double most = two_units(from, to) + 2.0 * static_cast<double>(way.full_pipes + 1) *
                                                    (way.full_pipes == 0 ? 0 : way.rise);
      EXPECT_LE(exact_level(from) - exact_level(to), most)
          << "seed " << seed << ": " << from.name << " above " << to.name;
    }
    ASSERT_FALSE(HasFailure()) << amounts_text(network);
  }
}

TEST(PipesProperty, at_rest_a_network_on_one_base_stands_level_end_to_end) {
  std::uint64_t looked_at = 0;
  for (std::uint64_t seed = 1; looked_at < network_count() / 4; ++seed) {
    const NetworkKind kind = {.pumps = false, .valves = false, .one_way = false};
    NetworkPlan plan = random_network(seed, kind);
    // Capacities that differ leave no two nodes alike, so that every unit finds a home.
    Dice dice(seed);
    for (sim::PipeNode& node : plan.nodes) {
      node.fields.base = 0;
      node.fields.capacity = 3000 + dice.roll(0, 20000);
      node.fields.amount = dice.roll(0, node.fields.capacity);
    }
    plan.links.clear();
    for (std::size_t i = 1; i < plan.nodes.size(); ++i) {
      plan.links.push_back(
          {plan.nodes[i].fields.name, plan.nodes[dice.next() % i].fields.name, false});
    }
    ++looked_at;
    PipeNetwork network;
    ASSERT_EQ(build(plan, network), "") << "seed " << seed;
    TestCells cells(seed);
    sim::SerialExecutor serial;
    for (std::uint64_t tick = 1; !network.at_rest(); ++tick) {
      network.tick(tick, true, cells, serial);
    }
    for (sim::Slot a = 0; a < network.slot_limit(); ++a) {
      for (sim::Slot b = 0; b < network.slot_limit(); ++b) {
        const sim::NodeView high = network.node(a);
        const sim::NodeView low = network.node(b);
        if (high.amount == 0 || low.amount == low.capacity) continue;
        ASSERT_LE(exact_level(high) - exact_level(low), two_units(high, low))
            << "seed " << seed << ": " << high.name << " above " << low.name << "\n"
            << amounts_text(network);
      }
    }
  }
}

}  // namespace
}  // namespace sluice::tests::pipes_property_test
