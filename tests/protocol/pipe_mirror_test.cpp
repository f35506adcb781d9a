// Goal: a mirror that is fed sections equals the networks that they came from, finds out when it
// does not, refuses what no server should send, and says of a node what people want to know.
#include "protocol/pipe_mirror.h"

#include <deque>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "protocol/mirror.h"
#include "protocol/pipe_codec.h"
#include "tests/protocol/pipe_generators.h"

namespace sluice::protocol::pipe_mirror_test {
namespace {

struct State {
  PipePlan plan;
  std::vector<std::int32_t> values;
};

Bytes plan_of(const PipeKey& key, const PipePlan& plan) {
  Bytes bytes;
  encode_plan(key, kPipeSides, plan, bytes);
  return bytes;
}

// A tick message and the payloads that it points to.
struct Frame {
  std::deque<Bytes> payloads;
  Tick tick;

  void keyframe(const PipeKey& key, const State& state) {
    encode_pipe_keyframe(plan_of(key, state.plan), state.values, payloads.emplace_back());
    tick.pipes.push_back({key, payloads.back()});
  }
  void delta(const PipeKey& key, const std::vector<std::int32_t>& before,
             const std::vector<std::int32_t>& after) {
    encode_pipe_delta(before, after, payloads.emplace_back());
    tick.pipes.push_back({key, payloads.back()});
  }
  void digest(const PipeKey& key, const State& state) {
    tick.pipe_digests.push_back({key, pipe_checksum(plan_of(key, state.plan), state.values)});
  }
};

Mirror new_mirror() {
  Welcome welcome;
  welcome.size = {256, 192, 1};
  return Mirror(welcome);
}

RC_GTEST_PROP(PipeMirror, FollowsAnyNetwork, ()) {
  std::map<PipeKey, State> world;
  Mirror mirror = new_mirror();
  for (std::uint64_t tick = 1; tick <= 10; ++tick) {
    Frame frame;
    frame.tick.tick = tick;
    const PipeKey key = any_key();
    const auto held = world.find(key);
    if (held == world.end() || *rc::gen::inRange(0, 4) == 0) {
      State& state = world[key];
      state.plan = any_plan(key);
      state.values = any_values(state.plan);
      frame.keyframe(key, state);
    } else if (*rc::gen::inRange(0, 4) == 0) {
      world.erase(held);
      frame.tick.pipes_dropped.push_back(key);
    } else {
      const std::vector<std::int32_t> before = held->second.values;
      held->second.values = any_values(held->second.plan);
      frame.delta(key, before, held->second.values);
    }
    for (const auto& [each, state] : world) frame.digest(each, state);
    RC_ASSERT(mirror.apply(frame.tick).ok());
  }
  RC_ASSERT(mirror.pipes().section_count() == world.size());
  for (const auto& [key, state] : world) {
    RC_ASSERT(mirror.pipes().find(key)->plan == state.plan);
    RC_ASSERT(mirror.pipes().find(key)->values == state.values);
  }
  RC_ASSERT(mirror.stats().digest_mismatches == 0U);
}

/// a (placed, in the right chunk) -> p (placed, in the left one), a port at a.
State two_nodes(PipeKey& left, State& right) {
  left = {{0, 0, 0}, 0};
  State state;
  state.plan.nodes.push_back({3, NodeKind::kPump, true, "p", "oil", 100, 50, 7, 0, 9, {5, 6, 0}});
  state.values = {40};
  right.plan.nodes.push_back({0, NodeKind::kPipe, true, "a", "oil", 200, 50, 0, 0, 0, {64, 6, 0}});
  right.plan.links.push_back({0, {left, 3}, false});
  right.plan.ports.push_back({0, PortKind::kInlet, {64, 5, 0}, 500});
  right.values = {20, flow_class(96), port_value(PortState::kRunning, 8)};
  return state;
}

TEST(PipeMirror, LooksAtNodesAcrossSections) {
  PipeKey left;
  State right_state;
  const State left_state = two_nodes(left, right_state);
  const PipeKey right{{1, 0, 0}, 0};
  Mirror mirror = new_mirror();
  Frame frame;
  frame.keyframe(right, right_state);
  ASSERT_TRUE(mirror.apply(frame.tick).ok());
  EXPECT_FALSE(mirror.pipes().look({left, 3}).has_value());  // the link's far end is not held
  Frame second;
  second.keyframe(left, left_state);
  ASSERT_TRUE(mirror.apply(second.tick).ok());
  const auto pump = mirror.pipes().find_name("p");
  ASSERT_TRUE(pump.has_value());
  EXPECT_EQ(pump->level, 7 + 40 * 50 / 100);
  EXPECT_EQ(mirror.pipes().flows(*pump).in, flow_of_class(flow_class(96)));
  EXPECT_EQ(mirror.pipes().flows(*pump).out, 0);
  const auto in_cell = mirror.pipes().nodes_in({64, 6, 0});
  ASSERT_EQ(in_cell.size(), 1U);
  EXPECT_EQ(in_cell[0].node->name, "a");
  EXPECT_EQ(mirror.pipes().flows(in_cell[0]).in, flow_of_class(flow_class(8)));
  EXPECT_EQ(mirror.pipes().flows(in_cell[0]).out, flow_of_class(flow_class(96)));
  EXPECT_TRUE(mirror.pipes().nodes_in({63, 6, 0}).empty());
}

TEST(PipeMirror, AWrongSectionIsFoundAndAskedFor) {
  PipeKey key;
  State right;
  State state = two_nodes(key, right);
  Mirror mirror = new_mirror();
  Frame frame;
  frame.keyframe(key, state);
  state.values[0] += 1;
  frame.digest(key, state);
  ASSERT_TRUE(mirror.apply(frame.tick).ok());
  EXPECT_EQ(mirror.stats().digest_mismatches, 1U);
  EXPECT_EQ(mirror.take_wanted_pipe_resyncs(), std::vector<PipeKey>{key});
  EXPECT_TRUE(mirror.take_wanted_pipe_resyncs().empty());
}

TEST(PipeMirror, RefusesWhatNoServerSends) {
  PipeKey key;
  State right;
  const State state = two_nodes(key, right);
  {
    Mirror mirror = new_mirror();
    Frame frame;
    frame.keyframe({{9, 0, 0}, 0}, state);
    EXPECT_EQ(mirror.apply(frame.tick).error(),
              "tick: pipe section [9, 0, 0] lies outside the world");
  }
  Mirror mirror = new_mirror();
  Frame frame;
  frame.payloads.push_back({7});
  frame.tick.pipes.push_back({key, frame.payloads.back()});
  EXPECT_EQ(
      mirror.apply(frame.tick).error(),
      "tick: pipe section [0, 0, 0], part 0: pipe payload, byte 0: unknown tag 7 (1 keyframe, "
      "2 delta)");
}

}  // namespace
}  // namespace sluice::protocol::pipe_mirror_test
