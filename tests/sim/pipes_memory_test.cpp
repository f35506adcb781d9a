// Goal: what pipes do is a matter of what is linked to them and of nothing else: not of what lies
// beside them in memory, of who else is awake, of names, of the order of building, of restores.
// Method: several networks at once, in many variants, each held against every network alone.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "server/workers/thread_pool.h"
#include "tests/support/effort.h"
#include "tests/support/random_network.h"
#include "tests/support/reason.h"

namespace sluice::tests::pipes_memory_test {
namespace {

using sim::PipeNetwork;

constexpr sim::Slot kSmallBlock = 4;
constexpr sim::Slot kWholeBlock = sim::PipeLayout::kBlockNodes;

/// One way to build and run the same networks.
struct Variant {
  std::string name;
  sim::Slot block_nodes = kWholeBlock;
  bool sleep = true;
  bool disguise = false;       // other names, another order
  bool arrange = false;        // at once
  std::int32_t restores = 0;   // in a hundred ticks
  std::int32_t arranging = 0;  // likewise
};

std::vector<Variant> variants() {
  return {
      {.name = "small blocks", .block_nodes = kSmallBlock},
      {.name = "small blocks, arranged", .block_nodes = kSmallBlock, .arrange = true},
      {.name = "blocks of two", .block_nodes = 2, .disguise = true, .arranging = 5},
      {.name = "whole blocks", .arrange = true},
      {.name = "no sleep", .block_nodes = kSmallBlock, .sleep = false},
      {.name = "no sleep, whole blocks", .sleep = false, .restores = 10},
      {.name = "disguised", .disguise = true},
      {.name = "disguised, small blocks", .block_nodes = kSmallBlock, .disguise = true},
      {.name = "restored", .restores = 30},
      {.name = "restored in each tick", .block_nodes = kSmallBlock, .restores = 100},
      {.name = "disguised and restored", .sleep = false, .disguise = true, .restores = 20},
  };
}

/// Networks as one variant has them.
class Running {
 public:
  Running(Variant variant, const NetworkPlan& plan, std::uint64_t seed)
      : variant_(std::move(variant)), network_(variant_.block_nodes), cells_(seed), dice_(seed) {
    const NetworkPlan own = variant_.disguise ? disguised(plan, seed, names_) : plan;
    EXPECT_EQ(build(own, network_), "") << variant_.name << " seed " << seed;
    if (variant_.arrange) network_.arrange();
  }

  void tick(std::uint64_t number, sim::Executor& executor) {
    network_.tick(number, variant_.sleep, cells_, executor);
    network_.check();
  }
  /// After a tick was compared.
  void disturb() {
    if (dice_.chance(variant_.arranging)) network_.arrange();
    if (!dice_.chance(variant_.restores)) return;
    PipeNetwork restored(variant_.block_nodes);
    ASSERT_TRUE(restored.load(network_.image()));
    network_ = std::move(restored);
  }
  [[nodiscard]] std::int32_t holds(const std::string& name) const {
    const auto other = names_.find(name);
    return amount_of(network_, other == names_.end() ? name : other->second);
  }
  [[nodiscard]] const std::string& name() const { return variant_.name; }
  [[nodiscard]] const PipeNetwork& network() const { return network_; }
  [[nodiscard]] const TestCells& cells() const { return cells_; }

 private:
  Variant variant_;
  PipeNetwork network_;
  TestCells cells_;
  Dice dice_;
  std::map<std::string, std::string> names_;
};

TEST(PipesMemory, each_of_many_networks_goes_on_as_if_it_were_alone) {
  workers::ThreadPool pool(2);
  for (std::uint64_t seed = 1; seed <= cases(40); ++seed) {
    std::vector<NetworkPlan> plans;
    const NetworkPlan all = random_networks(seed, {.nodes = 14}, plans);
    std::vector<std::unique_ptr<Running>> alone;
    for (const NetworkPlan& plan : plans) {
      alone.push_back(std::make_unique<Running>(Variant{.name = "alone"}, plan, seed));
    }
    std::vector<std::unique_ptr<Running>> together;
    for (const Variant& variant : variants()) {
      together.push_back(std::make_unique<Running>(variant, all, seed));
    }
    sim::SerialExecutor serial;
    workers::ShuffledExecutor shuffled(pool, seed);
    for (std::uint64_t tick = 1; tick <= 150; ++tick) {
      bool at_rest = true;
      for (const auto& one : alone) {
        one->tick(tick, serial);
        at_rest &= one->network().at_rest();
      }
      for (const auto& run : together) {
        run->tick(tick, shuffled);
        ASSERT_EQ(run->network().at_rest(), at_rest)
            << run->name() << " seed " << seed << " tick " << tick;
        for (std::size_t i = 0; i < plans.size(); ++i) {
          for (const sim::PipeNode& node : plans[i].nodes) {
            ASSERT_EQ(run->holds(node.fields.name), alone[i]->holds(node.fields.name))
                << run->name() << " seed " << seed << " tick " << tick << " " << node.fields.name;
          }
        }
        run->disturb();
      }
    }
  }
}

TEST(PipesMemory, ports_make_no_difference_either) {
  for (std::uint64_t seed = 1; seed <= cases(60); ++seed) {
    std::vector<NetworkPlan> plans;
    const NetworkPlan all = random_networks(seed, {.nodes = 14, .ports = true}, plans);
    Running first({.name = "first"}, all, seed);
    std::vector<std::unique_ptr<Running>> others;
    for (const Variant& variant : variants()) {
      others.push_back(std::make_unique<Running>(variant, all, seed));
    }
    sim::SerialExecutor serial;
    for (std::uint64_t tick = 1; tick <= 120; ++tick) {
      first.tick(tick, serial);
      for (const auto& run : others) {
        run->tick(tick, serial);
        ASSERT_EQ(run->cells().all(), first.cells().all())
            << run->name() << " seed " << seed << " tick " << tick;
        ASSERT_EQ(run->network().at_rest(), first.network().at_rest())
            << run->name() << " seed " << seed << " tick " << tick;
        for (const sim::PipeNode& node : all.nodes) {
          ASSERT_EQ(run->holds(node.fields.name), first.holds(node.fields.name))
              << run->name() << " seed " << seed << " tick " << tick << " " << node.fields.name;
        }
        run->disturb();
      }
    }
  }
}

/// A whole block of still pipes, a pump loop that never rests, and five pipes that come to rest.
NetworkPlan line_loop_and_five(std::int32_t line) {
  NetworkPlan plan;
  const auto node = [&](const std::string& name, std::int32_t amount, bool pump) {
    sim::PipeNode made;
    made.fields.name = name;
    made.fields.amount = amount;
    made.kind = pump ? NodeKind::kPump : NodeKind::kPipe;
    made.rate = pump ? 300 : 0;
    plan.nodes.push_back(made);
  };
  for (std::int32_t i = 0; i < line; ++i) node("line" + std::to_string(i), 0, false);
  for (std::int32_t i = 1; i < line; ++i) {
    plan.links.push_back({"line" + std::to_string(i - 1), "line" + std::to_string(i), false});
  }
  for (std::int32_t i = 0; i < 3; ++i) node("loop" + std::to_string(i), 9000 + i, true);
  for (std::int32_t i = 0; i < 3; ++i) {
    plan.links.push_back({"loop" + std::to_string(i), "loop" + std::to_string((i + 1) % 3), false});
  }
  for (std::int32_t i = 0; i < 5; ++i) node("five" + std::to_string(i), i == 0 ? 19 : 0, false);
  for (std::int32_t i = 1; i < 5; ++i) {
    plan.links.push_back({"five" + std::to_string(i - 1), "five" + std::to_string(i), false});
  }
  return plan;
}

TEST(PipesMemory, a_block_full_of_others_and_a_loop_that_never_rests_change_nothing) {
  const NetworkPlan plan = line_loop_and_five(2048);
  std::vector<std::unique_ptr<Running>> runs;
  for (const Variant& variant : variants()) {
    if (variant.restores < 100) runs.push_back(std::make_unique<Running>(variant, plan, 1));
  }
  sim::SerialExecutor serial;
  for (std::uint64_t tick = 1; tick <= 60; ++tick) {
    for (const auto& run : runs) {
      run->tick(tick, serial);
      for (const char* name : {"five0", "five1", "five2", "five3", "five4", "loop0", "loop1"}) {
        ASSERT_EQ(run->holds(name), runs.front()->holds(name))
            << run->name() << " tick " << tick << " " << name;
      }
      run->disturb();
    }
  }
}

TEST(PipesMemory, a_copy_goes_on_by_itself) {
  PipeNetwork network;
  ASSERT_EQ(build(random_network(5, {.nodes = 40}), network), "");
  TestCells cells(5);
  sim::SerialExecutor serial;
  for (std::uint64_t tick = 1; tick <= 10; ++tick) network.tick(tick, true, cells, serial);
  const PipeNetwork copy = network;
  const sim::Digest digest = copy.digest();
  for (std::uint64_t tick = 11; tick <= 20; ++tick) network.tick(tick, true, cells, serial);
  EXPECT_EQ(copy.digest(), digest);
  EXPECT_EQ(copy.recompute_digest(), digest);
  PipeNetwork other = copy;
  for (std::uint64_t tick = 11; tick <= 20; ++tick) other.tick(tick, true, cells, serial);
  EXPECT_EQ(other.digest(), network.digest());
}

TEST(PipesMemory, a_world_whose_last_pipe_is_removed_rests) {
  PipeNetwork network;
  ASSERT_EQ(build(random_network(3, {}), network), "");
  TestCells cells(3);
  sim::SerialExecutor serial;
  network.tick(1, true, cells, serial);
  Vec3 at;
  std::int32_t held = 0;
  for (const auto& [name, amount] : amounts_of(network)) {
    ASSERT_EQ(reason(network.remove(name, at, held)), "");
    network.check();
  }
  network.tick(2, true, cells, serial);
  EXPECT_TRUE(network.at_rest());
  EXPECT_EQ(network.digest(), 0U);
}

}  // namespace
}  // namespace sluice::tests::pipes_memory_test
