// Goal: a section is what was encoded, whatever it holds; a chain of deltas leads where the values
// went; no bytes can harm the decoder; and the bytes are the ones that README.md shows.
#include "protocol/pipe_codec.h"

#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/protocol/pipe_generators.h"

namespace sluice::protocol::pipe_codec_test {
namespace {

using Payload = std::vector<std::uint8_t>;

Payload plan_of(const PipeKey& key, const PipePlan& plan) {
  Payload bytes;
  encode_plan(key, kPipeSides, plan, bytes);
  return bytes;
}

Payload keyframe_of(const PipeKey& key, const PipePlan& plan,
                    const std::vector<std::int32_t>& values) {
  Payload payload;
  encode_pipe_keyframe(plan_of(key, plan), values, payload);
  return payload;
}

Payload delta_of(const std::vector<std::int32_t>& before, const std::vector<std::int32_t>& after) {
  Payload payload;
  encode_pipe_delta(before, after, payload);
  return payload;
}

std::string hex(const Payload& payload) {
  std::ostringstream text;
  for (std::size_t i = 0; i < payload.size(); ++i) {
    text << (i == 0 ? "" : " ") << std::hex << std::setw(2) << std::setfill('0') << int{payload[i]};
  }
  return text.str();
}

void expect_documented(const std::string& text) {
  static const std::string kDocument = [] {
    std::ifstream file(SLUICE_PROTOCOL_README);
    std::stringstream content;
    content << file.rdbuf();
    return content.str();
  }();
  EXPECT_NE(kDocument.find("`" + text + "`"), std::string::npos)
      << "protocol/README.md does not show `" << text << "`";
}

/// The network of the document: a tank, a pump that draws from it, a port.
PipePlan documented_plan() {
  PipePlan plan;
  plan.nodes.push_back(
      {0, NodeKind::kPipe, true, "tank", "water", 20000, 10000, 0, 0, 0, {3, 4, 0}});
  plan.nodes.push_back({1, NodeKind::kPump, true, "p", "water", 2000, 4096, -1, 0, 500, {4, 4, 0}});
  plan.links.push_back({0, {{{0, 0, 0}, 0}, 1}, true});
  plan.links.push_back({1, {{{1, 0, 0}, 0}, 7}, true});
  plan.ports.push_back({0, PortKind::kInlet, {3, 5, 0}, 1000});
  return plan;
}

TEST(PipeCodec, BytesAreTheDocumentedOnes) {
  const PipeKey key{{0, 0, 0}, 0};
  const PipePlan plan = documented_plan();
  const std::vector<std::int32_t> values = {4096, 0, 0, 0, 0};
  const std::vector<std::int32_t> later = {3696, 500, flow_class(500), 0,
                                           port_value(PortState::kRunning, 100)};
  const Payload keyframe = keyframe_of(key, plan, values);
  expect_documented(hex(keyframe));
  expect_documented(hex(delta_of(values, later)));
  std::ostringstream sum;
  sum << std::hex << std::setw(16) << std::setfill('0') << pipe_checksum(plan_of(key, plan), later);
  expect_documented(sum.str());
  PipeSection section;
  ASSERT_TRUE(decode_pipes(key, kPipeSides, keyframe, section).ok());
  EXPECT_EQ(section.plan, plan);
  EXPECT_EQ(section.values, values);
}

RC_GTEST_PROP(PipeCodec, KeyframesComeBack, ()) {
  PipeKey key = any_key();
  key.part |= *rc::gen::inRange<std::uint32_t>(0, 2) << 16;
  const PipePlan plan = any_plan(key);
  const std::vector<std::int32_t> values = any_values(plan);
  const Payload payload = keyframe_of(key, plan, values);
  RC_ASSERT(payload.size() <= kMaxPipePayloadBytes);
  PipeSection section;
  section.values = {1, 2, 3};  // a keyframe must not look at what was held
  RC_ASSERT(decode_pipes(key, kPipeSides, payload, section).ok());
  RC_ASSERT(section.plan == plan);
  RC_ASSERT(section.values == values);
  RC_ASSERT(section.plan_bytes == plan_of(key, plan));
}

RC_GTEST_PROP(PipeCodec, ChainsOfDeltasComeBack, ()) {
  const PipeKey key = any_key();
  const PipePlan plan = any_plan(key);
  std::vector<std::int32_t> values = any_values(plan);
  PipeSection section;
  RC_ASSERT(decode_pipes(key, kPipeSides, keyframe_of(key, plan, values), section).ok());
  for (int i = 0; i < 6; ++i) {
    const std::vector<std::int32_t> before = values;
    for (std::int32_t& value : values) {
      if (*rc::gen::inRange(0, 3) == 0) value = any_value();
    }
    RC_ASSERT(decode_pipes(key, kPipeSides, delta_of(before, values), section).ok());
    RC_ASSERT(section.values == values);
  }
}

RC_GTEST_PROP(PipeCodec, DamagedPayloadsAreASectionOrAnError, ()) {
  const PipeKey key = any_key();
  const PipePlan plan = any_plan(key);
  const std::vector<std::int32_t> values = any_values(plan);
  Payload payload = *rc::gen::inRange(0, 2) == 0 ? keyframe_of(key, plan, values)
                                                 : *rc::gen::arbitrary<Payload>();
  if (!payload.empty()) {
    const auto at = *rc::gen::inRange<std::size_t>(0, payload.size());
    payload[at] = static_cast<std::uint8_t>(payload[at] ^ (1 << *rc::gen::inRange(0, 8)));
    payload.resize(*rc::gen::inRange<std::size_t>(0, payload.size() + 1));
  }
  PipeSection section;
  RC_ASSERT(decode_pipes(key, kPipeSides, keyframe_of(key, plan, values), section).ok());
  const Status status = decode_pipes(key, kPipeSides, payload, section);
  RC_ASSERT(section.values.size() == section.plan.value_count());
  if (status.ok()) return;
  RC_ASSERT(section.plan == plan);
  RC_ASSERT(section.values == values);
}

TEST(PipeCodec, ErrorsNameTheOffset) {
  const auto error_of = [](const Payload& payload) {
    PipeSection section;
    const Status status = decode_pipes({{0, 0, 0}, 0}, kPipeSides, payload, section);
    return status.ok() ? std::string() : status.error();
  };
  EXPECT_EQ(error_of({}), "pipe payload, byte 0: no tag");
  EXPECT_EQ(error_of({9}), "pipe payload, byte 0: unknown tag 9 (1 keyframe, 2 delta)");
  EXPECT_EQ(error_of({1}), "pipe payload, byte 1: not a number");
  EXPECT_EQ(error_of({1, 0, 0, 0, 0}), "");
  EXPECT_EQ(error_of({1, 0x81, 0x02}),
            "pipe payload, byte 1: the number of fluids is 257, at most 256");
  EXPECT_EQ(error_of({1, 1, 2, 'a', '\n'}),
            "pipe payload, byte 2: a fluid's name is not printable ASCII");
  EXPECT_EQ(error_of({1, 1, 9, 'a'}), "pipe payload, byte 2: a fluid's name is cut off or empty");
  EXPECT_EQ(error_of({1, 0, 1, 0, 1, 'a'}), "pipe payload, byte 6: a node without a fluid");
  EXPECT_EQ(error_of({1, 1, 1, 'w', 1, 0, 1, 'a', 0, 0, 0}),
            "pipe payload, byte 11: a node without capacity");
  EXPECT_EQ(error_of({1, 0, 0, 0, 0, 0, 1, 2}),
            "pipe payload, byte 5: a group that reaches past the row's end");
  EXPECT_EQ(error_of({2, 0, 1, 2}),
            "pipe payload, byte 1: a group that reaches past the row's end");
  EXPECT_EQ(error_of({1, 0, 0, 1, 0, 4, 0}),
            "pipe payload, byte 6: a link's flags contradict each other");
}

TEST(PipeCodec, TheLargestSectionKeepsItsLimit) {
  const PipeKey key{{0, 0, 0}, 0};
  PipePlan plan;
  for (std::size_t i = 0; i < kMaxSectionNodes; ++i) {
    const std::string text = std::to_string(1000 + i) + std::string(kMaxPipeNameBytes - 4, 'x');
    plan.nodes.push_back({static_cast<std::uint8_t>(i),
                          NodeKind::kPump,
                          true,
                          text,
                          text,
                          INT32_MAX,
                          INT32_MAX,
                          INT32_MIN,
                          INT32_MAX,
                          INT32_MAX,
                          {63, 63, 0}});
  }
  for (std::size_t i = 0; i < kMaxSectionLinks; ++i) {
    plan.links.push_back({255, {{{INT32_MAX, INT32_MAX, INT32_MAX}, 0xffff}, 255}, true});
  }
  for (std::size_t i = 0; i < kMaxSectionPorts; ++i) {
    plan.ports.push_back({255, PortKind::kOpen, {INT32_MAX, INT32_MAX, INT32_MAX}, INT32_MAX});
  }
  const std::vector<std::int32_t> values(plan.value_count(), INT32_MIN);
  const Payload payload = keyframe_of(key, plan, values);
  EXPECT_LE(payload.size(), kMaxPipePayloadBytes);
  PipeSection section;
  ASSERT_TRUE(decode_pipes(key, kPipeSides, payload, section).ok());
  EXPECT_EQ(section.plan, plan);
}

TEST(PipeCodec, TheCheckSumSeesEveryPart) {
  const std::vector<std::uint8_t> plan = {1, 2, 3, 4, 5};
  const std::vector<std::int32_t> values = {6, 7};
  const std::uint64_t sum = pipe_checksum(plan, values);
  EXPECT_NE(sum, pipe_checksum(std::vector<std::uint8_t>{1, 2, 3, 4, 6}, values));
  EXPECT_NE(sum, pipe_checksum(plan, std::vector<std::int32_t>{6, 8}));
  EXPECT_NE(sum, pipe_checksum(plan, std::vector<std::int32_t>{6, 7, 0}));
  EXPECT_NE(sum, pipe_checksum(std::vector<std::uint8_t>{1, 2, 3, 4, 5, 0}, values));
  // More than one block of words.
  std::vector<std::int32_t> many(9000, 1);
  const std::uint64_t before = pipe_checksum(plan, many);
  many[10] = 2;
  EXPECT_NE(before, pipe_checksum(plan, many));
}

TEST(FlowClass, IsWithinAQuarterAndKeepsTheSign) {
  for (const std::int64_t flow : {1, 2, 3, 4, 5, 6, 7, 8, 100, 500, 511, 512, 513, 4096, 1 << 24}) {
    const std::int64_t back = flow_of_class(flow_class(flow));
    EXPECT_LE(std::abs(back - flow) * 4, flow) << flow;
    EXPECT_EQ(flow_of_class(flow_class(-flow)), -back);
    EXPECT_EQ(flow_class(back), flow_class(flow));
    EXPECT_LE(flow_class(flow), 63);
  }
  EXPECT_EQ(flow_class(0), 0);
  EXPECT_EQ(flow_class(INT64_MIN), -flow_class(INT32_MAX));
  EXPECT_EQ(flow_of_class(INT32_MIN), -std::int64_t{INT32_MAX});
  for (const PortState state : {PortState::kIdle, PortState::kBeyond}) {
    EXPECT_EQ(state_of_port(port_value(state, -700)), state);
    EXPECT_EQ(class_of_port(port_value(state, -700)), flow_class(-700));
  }
}

}  // namespace
}  // namespace sluice::protocol::pipe_codec_test
