// Goal: which fluid pipes belong to, and how many fluids fit, is a matter of what there is: of no
// order of links, and of nothing that was there once.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/random_network.h"
#include "tests/support/reason.h"

namespace sluice::tests::pipes_fluid_test {
namespace {

using sim::PipeNetwork;
using testing::HasSubstr;

sim::PipeFields pipe(const std::string& name, const std::string& fluid, std::int32_t amount) {
  sim::PipeFields fields;
  fields.name = name;
  fields.fluid = fluid;
  fields.amount = amount;
  return fields;
}

std::string add(PipeNetwork& network, const std::string& name, const std::string& fluid,
                std::int32_t amount) {
  return reason(network.add(pipe(name, fluid, amount), NodeKind::kPipe, 0, true));
}

std::string remove(PipeNetwork& network, const std::string& name) {
  Vec3 at;
  std::int32_t held = 0;
  return reason(network.remove(name, at, held));
}

std::string fluid_of(const PipeNetwork& network, const std::string& name) {
  return std::string(network.node(network.find(name).value()).fluid);
}

/// The fluid of every pipe, or the first refusal's kind, for links made in that order.
std::string outcome(const std::vector<sim::PipeFields>& pipes,
                    const std::vector<std::pair<std::string, std::string>>& links) {
  PipeNetwork network;
  for (const sim::PipeFields& one : pipes) {
    EXPECT_EQ(reason(network.add(one, NodeKind::kPipe, 0, true)), "");
  }
  for (const auto& [from, to] : links) {
    if (!network.link(from, to, false)) return "refused";
  }
  std::string fluids;
  for (const sim::PipeFields& one : pipes) fluids += fluid_of(network, one.name) + " ";
  network.check();
  return fluids;
}

TEST(PipeFluids, the_order_of_links_says_nothing) {
  const std::vector<std::string> fluids = {"water", "oil", "lava"};
  Dice dice(7);
  for (int round = 0; round < 400; ++round) {
    std::vector<sim::PipeFields> pipes;
    for (const char* name : {"a", "b", "c", "d"}) {
      pipes.push_back(pipe(name, fluids[dice.next() % 3], dice.chance(30) ? 100 : 0));
    }
    std::vector<std::pair<std::string, std::string>> links = {{"a", "b"}, {"b", "c"}, {"c", "d"}};
    const std::string expected = outcome(pipes, links);
    for (int permutation = 0; permutation < 12; ++permutation) {
      shuffle(links, dice);
      for (auto& [from, to] : links) {
        if (dice.chance(50)) std::swap(from, to);
      }
      ASSERT_EQ(outcome(pipes, links), expected) << "round " << round;
    }
  }
}

TEST(PipeFluids, what_is_held_decides_before_what_was_said) {
  EXPECT_EQ(outcome({pipe("a", "oil", 0), pipe("b", "water", 0), pipe("c", "lava", 5)},
                    {{"a", "b"}, {"b", "c"}}),
            "lava lava lava ");
  EXPECT_EQ(outcome({pipe("a", "oil", 5), pipe("b", "water", 0), pipe("c", "lava", 5)},
                    {{"b", "c"}, {"a", "b"}}),
            "refused");
  EXPECT_EQ(outcome({pipe("a", "oil", 0), pipe("b", "water", 5)}, {{"b", "a"}}), "water water ");
  // All empty: water gives way, and of two others the first in the alphabet stays.
  EXPECT_EQ(outcome({pipe("a", "oil", 0), pipe("b", "water", 0), pipe("c", "lava", 0)},
                    {{"a", "b"}, {"b", "c"}}),
            "lava lava lava ");
}

TEST(PipeFluids, a_port_keeps_a_network_to_water) {
  PipeNetwork network;
  ASSERT_EQ(add(network, "a", "water", 0), "");
  ASSERT_EQ(add(network, "b", "oil", 0), "");
  ASSERT_EQ(reason(network.add_port({"a", {0, 0, 0}, PortKind::kInlet, 5})), "");
  ASSERT_EQ(reason(network.link("b", "a", false)), "");
  EXPECT_EQ(fluid_of(network, "b"), "water");
  ASSERT_EQ(add(network, "c", "oil", 3), "");
  EXPECT_THAT(reason(network.link("c", "b", false)), HasSubstr("never mix"));
}

TEST(PipeFluids, a_side_that_was_cut_off_takes_another_fluid_alone) {
  PipeNetwork network;
  for (const char* name : {"a", "b", "c"}) ASSERT_EQ(add(network, name, "oil", 0), "");
  ASSERT_EQ(reason(network.link("a", "b", false)), "");
  ASSERT_EQ(reason(network.link("b", "c", false)), "");
  ASSERT_EQ(add(network, "full", "lava", 10), "");
  ASSERT_EQ(reason(network.unlink("b", "c")), "");
  ASSERT_EQ(reason(network.link("c", "full", false)), "");  // in the same tick
  EXPECT_EQ(fluid_of(network, "c"), "lava");
  EXPECT_EQ(fluid_of(network, "b"), "oil");
  network.check();
}

TEST(PipeFluids, names_of_fluids_that_are_gone_leave_no_trace) {
  PipeNetwork network;
  ASSERT_EQ(add(network, "stays", "water", 0), "");
  for (int i = 0; i < 3 * sim::kMaxFluids; ++i) {
    ASSERT_EQ(add(network, "p", "fluid" + std::to_string(i), 0), "") << i;
    ASSERT_EQ(remove(network, "p"), "");
  }
  EXPECT_EQ(add(network, "p", "another", 0), "");
}

TEST(PipeFluids, a_restored_network_takes_and_refuses_the_same) {
  Dice dice(3);
  PipeNetwork live;
  live.set_limits({.nodes = 12, .links = 10, .ports = 4, .fluids = 4});
  TestCells cells(3);
  sim::SerialExecutor serial;
  int refused = 0;
  for (std::uint64_t tick = 1; tick <= 3000; ++tick) {
    PipeNetwork restored(4);
    ASSERT_TRUE(restored.load(live.image()));
    restored.set_limits({.nodes = 12, .links = 10, .ports = 4, .fluids = 4});
    for (int i = 0; i < 3; ++i) {
      const std::uint64_t drawn = dice.next();
      const auto command = [&](PipeNetwork& network) -> std::string {
        Dice own(drawn);
        const auto name = [&] { return "n" + std::to_string(own.roll(0, 14)); };
        const std::string first = name();
        switch (own.roll(0, 6)) {
          case 0:
          case 1:
            return add(network, first, "f" + std::to_string(own.roll(0, 8)),
                       own.chance(20) ? 100 : 0);
          case 2:
            return remove(network, first);
          case 3:
          case 4:
            return reason(network.link(first, name(), false));
          case 5:
            return reason(network.unlink(first, name()));
          default:
            return reason(network.add_port({first, {own.roll(0, 3), own.roll(0, 3), 0}, {}, 5}));
        }
      };
      const std::string expected = command(live);
      refused += expected.empty() ? 0 : 1;
      ASSERT_EQ(command(restored), expected) << "tick " << tick;
    }
    ASSERT_EQ(restored.digest(), live.digest()) << "tick " << tick;
    live.tick(tick, true, cells, serial);
    live.check();
    const sim::PipesImage image = live.image();
    for (const sim::PipesImage::Node& node : image.nodes) {
      ASSERT_EQ(fluid_of(live, node.fields.name), node.fields.fluid);
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace sluice::tests::pipes_fluid_test
