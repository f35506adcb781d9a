// Goal: what building, taking down and running pipes costs grows no faster than what there is, and
// no command costs more than was said before it ran.
// Method: the network counts the nodes, links and ports that it looks at (PipeNetwork::work());
// each scene is counted at one size and at four times that size. No clock is looked at.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/random_network.h"
#include "tests/support/reason.h"

namespace sluice::tests::pipes_growth_test {
namespace {

using sim::PipeNetwork;

std::string p(int i) {
  return "p" + std::to_string(i);
}

struct Measures {
  std::string fluid = "water";
  std::int32_t capacity = sim::kDefaultPipeCapacity;
  std::int32_t base = 0;
  std::int32_t amount = 0;
};

void add(PipeNetwork& network, const std::string& name, const Measures& measures) {
  sim::PipeFields fields;
  fields.name = name;
  fields.fluid = measures.fluid;
  fields.capacity = measures.capacity;
  fields.base = measures.base;
  fields.amount = measures.amount;
  ASSERT_EQ(reason(network.add(fields, NodeKind::kPipe, 0, true)), "");
}

void link(PipeNetwork& network, int a, int b) {
  ASSERT_EQ(reason(network.link(p(a), p(b), false)), "") << a << " " << b;
}

void remove(PipeNetwork& network, const std::string& name) {
  Vec3 at;
  std::int32_t held = 0;
  ASSERT_EQ(reason(network.remove(name, at, held)), "");
}

struct Network {
  PipeNetwork network;
  TestCells cells{1};
  sim::SerialExecutor serial;
  std::uint64_t now = 0;

  void tick(int ticks = 1) {
    for (int i = 0; i < ticks; ++i) network.tick(++now, true, cells, serial);
  }
};

/// `scene` returns what it cost at a size. Four times the size may cost `most` times as much: a
/// logarithm more than four, not sixteen.
void expect_growth(const std::function<std::int64_t(int)>& scene, int size, double most = 6) {
  const auto small = static_cast<double>(scene(size));
  const auto large = static_cast<double>(scene(4 * size));
  EXPECT_LE(large, most * small) << "from " << small << " to " << large;
  EXPECT_GT(small, 0);
}

std::int64_t star(int leaves, bool hub_first) {
  Network run;
  for (int i = 0; i <= leaves; ++i) add(run.network, p(i), {.amount = i == 0 ? 5000 : 0});
  for (int i = 1; i <= leaves; ++i) hub_first ? link(run.network, 0, i) : link(run.network, i, 0);
  run.tick();
  return run.network.work();
}

TEST(PipesGrowth, a_star_is_built_in_line_with_its_size) {
  expect_growth([](int n) { return star(n, true); }, 2000);
  expect_growth([](int n) { return star(n, false); }, 2000);
}

TEST(PipesGrowth, a_hub_is_removed_in_line_with_its_size) {
  for (const bool wheel : {false, true}) {
    expect_growth(
        [&](int n) {
          Network run;
          for (int i = 0; i <= n; ++i) add(run.network, p(i), {.amount = 10});
          for (int i = 1; i <= n; ++i) link(run.network, 0, i);
          for (int i = 2; wheel && i <= n; ++i) link(run.network, i - 1, i);
          run.tick();
          const std::int64_t before = run.network.work();
          const std::int64_t said = run.network.cost_of(sim::RemovePipe{p(0)});
          remove(run.network, p(0));
          run.network.check();
          const std::int64_t removed = run.network.work() - before;
          EXPECT_LE(removed, said);
          run.tick();
          return run.network.work() - before;
        },
        2000);
  }
}

TEST(PipesGrowth, the_leaves_of_a_hub_are_removed_one_by_one) {
  // Without a tick in between: every tick makes the hub's conductances anew.
  expect_growth(
      [](int n) {
        Network run;
        for (int i = 0; i <= n; ++i) add(run.network, p(i), {});
        for (int i = 1; i <= n; ++i) link(run.network, 0, i);
        run.tick();
        const std::int64_t before = run.network.work();
        for (int i = 1; i <= n; ++i) remove(run.network, p(i));
        run.tick();
        return run.network.work() - before;
      },
      2000);
}

TEST(PipesGrowth, a_chain_is_built_in_line_with_its_length_from_either_end) {
  for (const int way : {0, 1, 2, 3}) {
    expect_growth(
        [&](int n) {
          Network run;
          for (int i = 0; i < n; ++i) {
            add(run.network, p(i), {.fluid = i == 0 ? "oil" : "water", .amount = i == 0 ? 9 : 0});
          }
          for (int i = 1; i < n; ++i) {
            const int k = way < 2 ? i : n - i;  // from the full end, or to it
            way % 2 == 0 ? link(run.network, k - 1, k) : link(run.network, k, k - 1);
          }
          run.tick();
          EXPECT_EQ(run.network.node(*run.network.find(p(n - 1))).fluid, "oil");
          return run.network.work();
        },
        2000, 6.5);
  }
}

TEST(PipesGrowth, a_full_zigzag_costs_in_line_with_its_length) {
  expect_growth(
      [](int n) {
        Network run;
        for (int i = 0; i < n; ++i) {
          add(run.network, p(i), {.capacity = 500, .base = i % 2 == 0 ? 0 : 9000, .amount = 500});
        }
        for (int i = 1; i < n; ++i) link(run.network, i - 1, i);
        const std::int64_t before = run.network.work();
        run.tick();
        return run.network.work() - before;
      },
      4000);
}

TEST(PipesGrowth, a_comb_costs_in_line_with_its_size) {
  // A spine of full pipes under pressure, each with a tooth that takes what it gets.
  expect_growth(
      [](int n) {
        Network run;
        for (int i = 0; i < n; ++i) {
          add(run.network, p(2 * i), {.amount = 20000});
          add(run.network, p(2 * i + 1), {.base = -3000});
          link(run.network, 2 * i, 2 * i + 1);
          if (i > 0) link(run.network, 2 * i - 2, 2 * i);
        }
        add(run.network, "lake", {.capacity = 1 << 29, .base = 20000, .amount = 1 << 29});
        EXPECT_EQ(reason(run.network.link("lake", p(0), false)), "");
        run.tick(3);
        return run.network.work();
      },
      2000);
}

TEST(PipesGrowth, toggling_the_fluid_of_an_empty_network_does_not_touch_it) {
  expect_growth(
      [](int n) {
        Network run;
        for (int i = 0; i < n; ++i) add(run.network, p(i), {});
        for (int i = 1; i < n; ++i) link(run.network, i - 1, i);
        add(run.network, "oil", {.fluid = "oil", .amount = 5});
        add(run.network, "lava", {.fluid = "lava", .amount = 5});
        run.network.arrange();
        run.tick();
        // Within one tick, so that nothing flows in: it takes the fluid, and keeps it.
        const std::int64_t before = run.network.work();
        for (int i = 0; i < 20; ++i) {
          const std::string other = i % 2 == 0 ? "oil" : "lava";
          EXPECT_EQ(reason(run.network.link(p(0), other, false)), "");
          EXPECT_EQ(reason(run.network.unlink(p(0), other)), "");
          run.tick();
        }
        return run.network.work() - before;
      },
      4000, 1.1);
}

TEST(PipesGrowth, ports_that_can_do_nothing_are_not_looked_at) {
  class StillCells final : public sim::PortCells {
   public:
    [[nodiscard]] Cell cell(Vec3 /*at*/) const override { return water; }
    void add(Vec3 /*at*/, std::int32_t units) override { water += units; }
    [[nodiscard]] Vec3 region(Vec3 at) const override { return {at.x / 64, 0, 0}; }
    [[nodiscard]] bool changed_regions(std::vector<Vec3>& regions) const override {
      regions = changed;
      return true;
    }
    Cell water = 0;
    std::vector<Vec3> changed;
  };
  PipeNetwork network;
  add(network, "a", {});
  add(network, "b", {});
  for (int i = 0; i < 4096; ++i) {
    const char* node = i % 2 == 0 ? "a" : "b";
    ASSERT_EQ(reason(network.add_port({node, {i, 0, 0}, PortKind::kInlet, 5})), "");
  }
  StillCells cells;
  sim::SerialExecutor serial;
  network.tick(1, true, cells, serial);
  std::int64_t before = network.work();
  network.tick(2, true, cells, serial);
  EXPECT_EQ(network.work(), before) << "all sleep";
  cells.changed = {{3, 0, 0}};
  network.tick(3, true, cells, serial);
  EXPECT_EQ(network.work() - before, 64) << "one region was changed";
  cells.changed.clear();
  before = network.work();
  ASSERT_EQ(reason(network.remove_port("a", {0, 0, 0})), "");
  ASSERT_EQ(reason(network.add_port({"a", {0, 0, 0}, PortKind::kOutlet, 5})), "");
  network.tick(4, true, cells, serial);
  EXPECT_LE(network.work() - before, 2);
  cells.water = 100;
  cells.changed = {{3, 0, 0}};
  network.tick(5, true, cells, serial);
  EXPECT_GT(network.units(), 0) << "they wake when water comes";
}

// Two lines that rest: who wakes one pays for all that the tick goes through, once; the other
// sleeps on.
TEST(PipesGrowth, what_a_command_wakes_is_a_part_of_its_cost) {
  constexpr int kLine = 1000;
  for (const sim::Slot block : {sim::Slot{4}, sim::Slot{2048}}) {
    Network run;
    run.network.set_block_nodes(block);
    for (int i = 0; i < 2 * kLine; ++i) {
      add(run.network, p(i), {.amount = 100});
      if (i % kLine != 0) link(run.network, i - 1, i);
    }
    run.network.arrange();
    for (int i = 0; i < 4000 && !run.network.at_rest(); ++i) run.tick();
    ASSERT_TRUE(run.network.at_rest());
    run.tick();
    const sim::UpgradePipe first{p(5), 9000, 0, 0};
    const sim::UpgradePipe second{p(9), 9000, 0, 0};
    const sim::UpgradePipe other{p(kLine + 5), 9000, 0, 0};
    const std::int64_t asleep = run.network.cost_of(first);
    EXPECT_GE(asleep, kLine);
    EXPECT_EQ(run.network.cost_of(other), asleep);
    ASSERT_EQ(reason(run.network.upgrade(first)), "");
    EXPECT_LT(run.network.cost_of(second), 100);
    if (block == 4) {
      EXPECT_EQ(run.network.cost_of(other), asleep);
    }
    run.tick();
    EXPECT_LT(run.network.cost_of(second), 100);
    for (int i = 0; i < 4000 && !run.network.at_rest(); ++i) run.tick();
    run.tick();
    EXPECT_EQ(run.network.cost_of(second), asleep);
    // A link makes one island of both, of which the next tick goes through all.
    const std::int64_t both = run.network.cost_of(sim::LinkPipes{p(5), p(kLine + 5), false});
    EXPECT_GE(both, block == 4 ? asleep + kLine : asleep);
  }
}

TEST(PipesGrowth, no_command_costs_more_than_was_said) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    Network run;  // all empty: what a tick does beside the building would be counted, too
    const int names = dice.roll(5, 300);
    const auto name = [&] { return p(dice.roll(0, names)); };
    for (int i = 0; i < 3000; ++i) {
      const std::int64_t before = run.network.work();
      std::int64_t said = 0;
      const std::string first = name();
      const std::string second = name();
      switch (dice.roll(0, 9)) {
        case 0:
        case 1: {
          sim::PipeFields fields;
          fields.name = first;
          fields.fluid = dice.chance(20) ? "oil" : "water";
          said = run.network.cost_of(fields);
          (void)run.network.add(fields, NodeKind::kPipe, 0, true);
          break;
        }
        case 2: {
          said = run.network.cost_of(sim::RemovePipe{first});
          Vec3 at;
          std::int32_t held = 0;
          (void)run.network.remove(first, at, held);
          break;
        }
        case 3:
          said = run.network.cost_of(sim::UnlinkPipes{first, second});
          (void)run.network.unlink(first, second);
          break;
        case 4:
          said = run.network.cost_of(sim::UpgradePipe{first, 9000, 0, 0});
          (void)run.network.upgrade({first, 9000, 0, 0});
          break;
        default:
          said = run.network.cost_of(sim::LinkPipes{first, second, false});
          (void)run.network.link(first, second, false);
          break;
      }
      run.network.tick(1, true, run.cells, run.serial);
      ASSERT_LE(run.network.work() - before, said + 2) << "seed " << seed << " command " << i;
    }
  }
}

}  // namespace
}  // namespace sluice::tests::pipes_growth_test
