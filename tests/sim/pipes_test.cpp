// Goal: each rule of server/sim/pipes/pipes.md by a small network with its expected result.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/sim/pipes/image.h"
#include "server/sim/pipes/network.h"
#include "tests/support/random_network.h"
#include "tests/support/reason.h"

namespace sluice::tests::pipes_test {
namespace {

using sim::PipeNetwork;
using testing::HasSubstr;

/// A network that is built and run line by line.
class Net {
 public:
  struct Measures {
    std::int32_t amount = 0;
    std::int32_t capacity = 20000;
    std::int32_t height = 10000;
    std::int32_t base = 0;
    std::string fluid = "water";
    std::int32_t throughput = 0;
  };

  Net& node(const std::string& name, const Measures& m, NodeKind kind = NodeKind::kPipe,
            std::int32_t rate = 0) {
    EXPECT_EQ(reason(network.add(
                  {name, m.fluid, m.capacity, m.height, m.base, m.amount, m.throughput, kNowhere},
                  kind, rate, true)),
              "");
    return *this;
  }
  Net& pipe(const std::string& name, std::int32_t amount) { return node(name, {.amount = amount}); }
  Net& pump(const std::string& name, std::int32_t rate, std::int32_t amount = 0) {
    return node(name, {.amount = amount}, NodeKind::kPump, rate);
  }
  Net& link(const std::string& from, const std::string& to, bool one_way = false) {
    EXPECT_EQ(reason(network.link(from, to, one_way)), "");
    return *this;
  }
  /// Pipes name0 to name(count - 1) in a row; the first holds `amount`.
  Net& line(const std::string& name, int count, std::int32_t amount) {
    for (int i = 0; i < count; ++i) pipe(name + std::to_string(i), i == 0 ? amount : 0);
    for (int i = 1; i < count; ++i) link(name + std::to_string(i - 1), name + std::to_string(i));
    return *this;
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      network.tick(++tick, true, cells, serial);
      network.check();
    }
  }
  void rest() {
    while (!network.at_rest()) {
      ASSERT_LT(tick, 100000U);
      run(1);
    }
  }
  [[nodiscard]] std::int32_t holds(const std::string& name) const {
    return amount_of(network, name);
  }
  [[nodiscard]] std::int64_t flow(const std::string& from, const std::string& to) const {
    std::int64_t found = 0;
    network.for_each_link([&](const sim::LinkView& link) {
      const auto a = network.node(link.from).name;
      const auto b = network.node(link.to).name;
      if (a == from && b == to) found = link.flow;
      if (a == to && b == from) found = -link.flow;
    });
    return found;
  }

  PipeNetwork network;
  TestCells cells{1};
  sim::SerialExecutor serial;
  std::uint64_t tick = 0;
};

TEST(Pipes, equal_branches_get_the_same_in_every_tick) {
  Net net;
  net.pipe("source", 20000).pipe("a", 0).pipe("b", 0).pipe("c", 0);
  net.link("source", "a").link("b", "source").link("source", "c");
  for (int i = 0; i < 300; ++i) {
    net.run(1);
    ASSERT_EQ(net.holds("a"), net.holds("b"));
    ASSERT_EQ(net.holds("a"), net.holds("c"));
  }
}

TEST(Pipes, equal_feeders_give_the_same_in_every_tick) {
  Net net;
  net.pipe("sink", 3).pipe("a", 7777).pipe("b", 7777);
  net.link("a", "sink").link("sink", "b");
  for (int i = 0; i < 300; ++i) {
    net.run(1);
    ASSERT_EQ(net.holds("a"), net.holds("b"));
  }
}

TEST(Pipes, two_equal_pumps_share_a_source) {
  Net net;
  net.pipe("source", 600).pump("a", 500).pump("b", 500);
  net.link("source", "a").link("source", "b").run(1);
  EXPECT_EQ(net.holds("a"), 300);
  EXPECT_EQ(net.holds("b"), 300);
  EXPECT_EQ(net.holds("source"), 0);
}

TEST(Pipes, pumps_share_in_proportion_to_their_rates) {
  Net net;
  net.pipe("source", 600).pump("a", 200).pump("b", 1000);
  net.link("source", "a").link("source", "b").run(1);
  EXPECT_EQ(net.holds("a"), 150);  // of 600, by what each could draw: 200 and 600
  EXPECT_EQ(net.holds("b"), 450);
}

TEST(Pipes, a_pump_draws_in_proportion_to_what_its_inlets_hold) {
  Net net;
  net.pipe("much", 9000).pipe("little", 3000).pump("p", 400);
  net.link("much", "p").link("little", "p").run(1);
  EXPECT_EQ(net.holds("much"), 8700);
  EXPECT_EQ(net.holds("little"), 2900);
}

TEST(Pipes, a_pump_that_goes_short_at_one_inlet_asks_at_the_others_again) {
  Net net;
  net.pipe("contested", 100).pipe("free", 100).pump("a", 1000).pump("b", 1000);
  net.link("contested", "a").link("contested", "b").link("free", "a").run(1);
  EXPECT_EQ(net.holds("contested") + net.holds("free"), 0);
}

TEST(Pipes, a_pump_lifts_against_the_level_and_never_draws_from_its_outlet) {
  Net net;
  net.pipe("low", 5000).pump("p", 100, 20000).node("high", {.amount = 0, .base = 5000});
  net.link("low", "p").link("p", "high").run(400);
  EXPECT_EQ(net.holds("low"), 0);
  EXPECT_GT(net.holds("high"), 0);
  EXPECT_EQ(net.holds("low") + net.holds("p") + net.holds("high"), 25000);
  EXPECT_THAT(reason(net.network.link("high", "p", false)), HasSubstr("linked already"));
}

TEST(Pipes, a_loop_of_pumps_filled_to_the_brim_neither_locks_nor_creates) {
  Net net;
  net.pump("a", 300, 20000).pump("b", 300, 20000).pump("c", 300, 20000).pipe("out", 0);
  net.link("a", "b").link("b", "c").link("c", "a").run(50);
  EXPECT_EQ(net.network.units(), 60000);
  net.link("c", "out").run(50);
  EXPECT_EQ(net.network.units(), 60000);
  EXPECT_GT(net.holds("out"), 1000);
  EXPECT_NE(net.flow("a", "b"), 0);
}

TEST(Pipes, fluid_takes_a_tick_a_pipe_and_far_less_than_the_square) {
  constexpr int kLength = 100;
  Net net;
  net.line("p", kLength, 20000);
  const std::string last = "p" + std::to_string(kLength - 1);
  int arrived = 0;
  while (net.holds(last) == 0 && arrived < 100 * kLength) {
    net.run(1);
    ++arrived;
  }
  EXPECT_GE(arrived, kLength - 1);
  EXPECT_LT(arrived, 40 * kLength);
}

/// Units a tick that leave a line of `pipes` whose first is kept full and whose last is kept empty.
std::int64_t throughput(int pipes, bool pump_in_the_middle) {
  Net net;
  // The grid's part is played by pumps: one that presses in, one that sucks out.
  net.node("lake", {.amount = 1 << 28, .capacity = 1 << 29, .height = 20000});
  net.node("sea", {.capacity = 1 << 30, .height = 10, .base = -20000});
  for (int i = 0; i < pipes; ++i) {
    const std::string name = "p" + std::to_string(i);
    if (pump_in_the_middle && i == pipes / 2)
      net.pump(name, 4000);
    else
      net.pipe(name, 0);
    net.link(i == 0 ? "lake" : "p" + std::to_string(i - 1), name);
  }
  net.link("p" + std::to_string(pipes - 1), "sea");
  for (int i = 0; i < 3000; ++i) net.network.tick(++net.tick, true, net.cells, net.serial);
  const std::int32_t before = net.holds("sea");
  constexpr int kTicks = 500;
  for (int i = 0; i < kTicks; ++i) net.network.tick(++net.tick, true, net.cells, net.serial);
  return (net.holds("sea") - before) / kTicks;
}

TEST(Pipes, throughput_falls_with_length_and_rises_with_a_pump) {
  EXPECT_GT(throughput(2, false), throughput(5, false));
  EXPECT_GT(throughput(5, false), throughput(10, false));
  EXPECT_GT(throughput(10, false), throughput(20, false));
  EXPECT_GT(throughput(20, false), throughput(40, false));
  EXPECT_GT(throughput(20, true), throughput(20, false));
  EXPECT_GT(throughput(40, true), throughput(40, false));
}

TEST(Pipes, full_low_pipes_carry_pressure_between_tanks) {
  Net net;
  net.node("a", {.amount = 80000, .capacity = 100000, .height = 10000});
  net.node("b", {.amount = 0, .capacity = 100000, .height = 10000});
  for (int i = 0; i < 5; ++i) {
    const std::string name = "p" + std::to_string(i);
    net.node(name, {.capacity = 1000, .height = 500});
    net.link(i == 0 ? "a" : "p" + std::to_string(i - 1), name);
  }
  net.link("p4", "b");
  net.run(20);
  // Far above the low pipes' top, and still on the way: neither stuck nor there at a stroke.
  EXPECT_GT(net.holds("b"), 5000);
  EXPECT_LT(net.holds("b"), 35000);
  EXPECT_GT(net.flow("p2", "p3"), 0);
  net.rest();
  EXPECT_EQ(net.holds("p2"), 1000);
  EXPECT_NEAR(net.holds("a"), net.holds("b"), 1);
}

TEST(Pipes, check_valves_pass_pressure_one_way) {
  for (const bool forwards : {true, false}) {
    Net net;
    net.node("a", {.amount = 80000, .capacity = 100000});
    net.node("b", {.capacity = 100000});
    net.node("p", {.amount = 1000, .capacity = 1000, .height = 500});
    net.node("q", {.amount = 1000, .capacity = 1000, .height = 500});
    net.link("a", "p").link(forwards ? "p" : "q", forwards ? "q" : "p", true).link("q", "b");
    net.rest();
    if (forwards) {
      EXPECT_NEAR(net.holds("a"), net.holds("b"), 100);
    } else {
      EXPECT_LE(net.holds("b"), 5000);
    }
  }
}

TEST(Pipes, a_full_line_siphons_over_a_crest_until_its_ends_are_level) {
  Net net;
  net.node("a", {.amount = 80000, .capacity = 100000});         // level 8,000
  net.node("b", {.amount = 10000, .capacity = 100000});         // level 1,000
  const std::int32_t bases[] = {2000, 6000, 9000, 6000, 2000};  // the crest above both
  for (int i = 0; i < 5; ++i) {
    const std::string name = "p" + std::to_string(i);
    net.node(name, {.amount = 500, .capacity = 500, .height = 500, .base = bases[i]});
    net.link(i == 0 ? "a" : "p" + std::to_string(i - 1), name);
  }
  net.link("p4", "b");
  net.run(10);
  EXPECT_GT(net.holds("b"), 10000 + 5 * 500);  // more than the line held
  EXPECT_EQ(net.holds("p2"), 500);
  net.rest();
  EXPECT_NEAR(net.holds("a"), net.holds("b"), 3000);
  EXPECT_EQ(net.holds("p2"), 0);  // nothing is stranded above
}

TEST(Pipes, an_empty_pipe_above_holds_no_full_one_up) {
  Net net;  // the middle of three steps is full, and so is the lowest
  net.node("highest", {.capacity = 500, .height = 600, .base = 30000});
  net.node("high", {.amount = 500, .capacity = 500, .height = 600, .base = 18000});
  net.node("low", {.amount = 500, .capacity = 500, .height = 600, .base = 6000});
  net.node("tank", {.amount = 73601, .capacity = 90000, .height = 9000});
  net.link("highest", "high").link("high", "low").link("low", "tank").rest();
  EXPECT_EQ(net.holds("high"), 0);
  EXPECT_EQ(net.holds("tank"), 73601 + 500);
}

TEST(Pipes, an_empty_crest_passes_nothing) {
  Net net;
  net.node("a", {.amount = 80000, .capacity = 100000});
  net.node("crest", {.capacity = 500, .height = 500, .base = 9000});
  net.node("b", {.amount = 10000, .capacity = 100000});
  net.link("a", "crest").link("crest", "b").rest();
  EXPECT_EQ(net.holds("a"), 80000);
  EXPECT_EQ(net.holds("b"), 10000);
}

TEST(Pipes, a_siphon_stops_when_the_upper_end_is_dry) {
  Net net;
  net.node("a", {.amount = 3000, .capacity = 100000, .base = 3000});
  net.node("crest", {.amount = 500, .capacity = 500, .height = 500, .base = 9000});
  net.node("b", {.capacity = 100000});
  net.link("a", "crest").link("crest", "b").rest();
  EXPECT_EQ(net.holds("crest"), 0);
  EXPECT_EQ(net.holds("a") + net.holds("b"), 3500);
}

TEST(Pipes, a_closed_valve_passes_nothing) {
  Net net;
  net.pipe("a", 10000).node("v", {}, NodeKind::kValve).pipe("b", 0);
  net.link("a", "v").link("v", "b");
  EXPECT_EQ(reason(net.network.set_valve("v", false)), "");
  net.rest();
  EXPECT_EQ(net.holds("a"), 10000);
  EXPECT_EQ(reason(net.network.set_valve("v", true)), "");
  net.rest();
  EXPECT_NEAR(net.holds("b"), 3333, 1);
}

TEST(Pipes, a_check_valve_passes_one_way) {
  Net net;
  net.pipe("a", 0).pipe("b", 10000).link("a", "b", true).rest();
  EXPECT_EQ(net.holds("a"), 0);
  Net other;
  other.pipe("a", 10000).pipe("b", 0).link("a", "b", true).rest();
  EXPECT_EQ(other.holds("b"), 5000);
}

TEST(Pipes, tall_thin_pipes_do_not_swap_for_ever) {
  Net net;
  const Net::Measures thin = {.amount = 0, .capacity = 5000, .height = 10000};
  Net::Measures filled = thin;
  filled.amount = 4000;
  net.node("a", filled).node("b", thin).link("a", "b").rest();
  EXPECT_EQ(net.holds("a"), 2000);
  EXPECT_EQ(net.holds("b"), 2000);
}

TEST(Pipes, a_line_stands_level_from_end_to_end) {
  Net net;
  net.line("p", 50, 20000);
  for (int i = 0; i < 50; ++i) (void)net.network.upgrade({"p" + std::to_string(i), 0, 0, 0});
  net.rest();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(net.holds("p" + std::to_string(i)), 400) << i;
  Net odd;
  odd.line("p", 50, 19987).rest();
  for (int i = 0; i < 50; ++i) EXPECT_NEAR(odd.holds("p" + std::to_string(i)), 400, 1) << i;
}

TEST(Pipes, what_alike_branches_cannot_share_stays_with_its_donor) {
  Net net;
  net.pipe("hub", 4002);
  for (int i = 0; i < 3; ++i) net.pipe(std::to_string(i), 0).link("hub", std::to_string(i));
  net.rest();
  EXPECT_EQ(net.holds("hub"), 1002);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(net.holds(std::to_string(i)), 1000);
}

TEST(Pipes, different_fluids_are_kept_apart_until_one_side_is_empty) {
  Net net;
  net.node("oil", {.amount = 100, .fluid = "oil"}).pipe("water", 100).pipe("empty", 0);
  EXPECT_THAT(reason(net.network.link("oil", "water", false)), HasSubstr("never mix"));
  net.link("empty", "oil");  // takes the oil's side
  EXPECT_THAT(reason(net.network.link("empty", "water", false)), HasSubstr("never mix"));
  net.run(20);
  EXPECT_EQ(net.network.node(*net.network.find("empty")).fluid, "oil");
  EXPECT_THAT(reason(net.network.add_port({"empty", {0, 0, 0}, PortKind::kInlet, 5})),
              HasSubstr("the grid holds water"));
}

TEST(Pipes, upgrading_keeps_the_content_and_refuses_what_would_not_hold_it) {
  Net net;
  net.pipe("a", 9000);
  EXPECT_EQ(reason(net.network.upgrade({"a", 40000, 5000, 700})), "");
  const sim::NodeView view = net.network.node(*net.network.find("a"));
  EXPECT_EQ(view.amount, 9000);
  EXPECT_EQ(view.capacity, 40000);
  EXPECT_EQ(view.height, 5000);
  EXPECT_EQ(view.throughput, 700);
  EXPECT_THAT(reason(net.network.upgrade({"a", 8999, 0, 0})), HasSubstr("holds 9000 units"));
}

TEST(Pipes, upgrading_sets_the_base_where_one_is_given) {
  // At rest on one level; then the right one is lowered, and drinks the left one empty.
  Net net;
  net.pipe("left", 6000).pipe("right", 6000).link("left", "right").run(20);
  EXPECT_TRUE(net.network.at_rest());
  EXPECT_EQ(reason(net.network.upgrade({"right", 0, 0, 0}, -30000)), "");
  net.run(200);
  EXPECT_EQ(net.network.node(*net.network.find("right")).base, -30000);
  EXPECT_EQ(net.holds("left"), 0);
  EXPECT_EQ(net.holds("right"), 12000);

  // It is then what it would be if it had been built there.
  Net built;
  built.pipe("left", 0).node("right", {.amount = 12000, .base = -30000}).link("left", "right");
  built.run(200);
  EXPECT_EQ(net.network.digest(), built.network.digest());
  EXPECT_EQ(net.network.digest(), net.network.recompute_digest());

  EXPECT_EQ(reason(net.network.upgrade({"right", 0, 0, 0}, sim::kMaxPipeBase)), "");
  EXPECT_EQ(reason(net.network.upgrade({"right", 0, 0, 0}, -sim::kMaxPipeBase)), "");
  EXPECT_THAT(reason(net.network.upgrade({"right", 0, 0, 0}, sim::kMaxPipeBase + 1)),
              HasSubstr("base"));
  EXPECT_EQ(net.network.node(*net.network.find("right")).base, -sim::kMaxPipeBase);
  EXPECT_EQ(reason(net.network.upgrade({"right", 30000, 0, 0})), "");
  EXPECT_EQ(net.network.node(*net.network.find("right")).base, -sim::kMaxPipeBase);
}

TEST(Pipes, throughput_limits_what_passes_a_node) {
  Net net;
  net.pipe("a", 20000).node("narrow", {.throughput = 7}).pipe("b", 0);
  net.link("a", "narrow").link("narrow", "b").run(100);
  EXPECT_LE(net.holds("narrow") + net.holds("b"), 700);
  EXPECT_GE(net.holds("b"), 300);
}

TEST(Pipes, building_and_removing_disturbs_nothing_else) {
  Net busy;
  Net quiet;
  for (Net* net : {&busy, &quiet}) net->line("p", 30, 20000).pump("x", 50).link("p9", "x");
  for (int i = 0; i < 200; ++i) {
    const std::string name = "other" + std::to_string(i % 7);
    Vec3 at;
    std::int32_t held = 0;
    (void)busy.network.remove(name, at, held);
    busy.node(name, {.amount = i});
    if (i % 7 > 0) (void)busy.network.link(name, "other" + std::to_string(i % 7 - 1), false);
    busy.run(1);
    quiet.run(1);
    for (int k = 0; k < 30; ++k) {
      const std::string pipe = "p" + std::to_string(k);
      ASSERT_EQ(busy.holds(pipe), quiet.holds(pipe)) << "tick " << i;
    }
  }
}

TEST(Pipes, wrong_input_is_refused_with_a_reason) {
  Net net;
  net.pipe("a", 0).pump("p", 10);
  const auto add = [&](const sim::PipeFields& fields) {
    return reason(net.network.add(fields, NodeKind::kPipe, 0, true));
  };
  EXPECT_THAT(add({.name = "a"}), HasSubstr("already"));
  EXPECT_THAT(add({.name = ""}), HasSubstr("no pipe's name"));
  EXPECT_THAT(add({.name = "a b"}), HasSubstr("no pipe's name"));
  EXPECT_THAT(add({.name = "b", .capacity = 0}), HasSubstr("capacity 0 is out of range"));
  EXPECT_THAT(add({.name = "b", .height = -1}), HasSubstr("height -1 is out of range"));
  EXPECT_THAT(add({.name = "b", .capacity = 5, .amount = 6}), HasSubstr("does not fit"));
  EXPECT_THAT(reason(net.network.link("a", "zz", false)), HasSubstr("no pipe, pump or valve 'zz'"));
  EXPECT_THAT(reason(net.network.link("a", "a", false)), HasSubstr("itself"));
  EXPECT_THAT(reason(net.network.unlink("a", "p")), HasSubstr("not linked"));
  EXPECT_THAT(reason(net.network.set_valve("a", true)), HasSubstr("no valve"));
  EXPECT_THAT(reason(net.network.set_pump("a", 1)), HasSubstr("no pump"));
  EXPECT_THAT(reason(net.network.set_pump("p", -1)), HasSubstr("out of range"));
  EXPECT_THAT(reason(net.network.add_port({"a", {0, 0, 0}, PortKind::kInlet, 0})),
              HasSubstr("rate 0 is out of range"));
  EXPECT_THAT(reason(net.network.remove_port("a", {0, 0, 0})), HasSubstr("no port"));
  EXPECT_EQ(net.network.version() > 0, true);
}

}  // namespace
}  // namespace sluice::tests::pipes_test
