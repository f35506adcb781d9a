// Goal: the terminal shows what pipes hold and which way they flow, and its keys become commands
// that the server understands.
#include <gtest/gtest.h>

#include "client_stub/hand.h"
#include "client_stub/pipe_copy.h"
#include "client_stub/pipe_picture.h"
#include "client_stub/pipe_tool.h"
#include "protocol/pipe_codec.h"
#include "server/formats/script.h"

namespace sluice::client::pipes_test {
namespace {

/// A pipe "a" at [10, 32], half full, flowing to the pump "p" at [20, 32], which feeds the closed
/// valve "v" at [20, 40]; "z" has no place; a port of "a" in [10, 30] that rock blocks.
protocol::Mirror make_mirror() {
  protocol::Welcome welcome;
  welcome.size = {64, 64, 1};
  protocol::Mirror mirror(welcome);
  protocol::PipePlan plan;
  plan.nodes.push_back({0, NodeKind::kPipe, true, "a", "water", 100, 50, 7, 0, 0, {10, 32, 0}});
  plan.nodes.push_back({1, NodeKind::kPump, true, "p", "water", 100, 50, 7, 0, 9, {20, 32, 0}});
  plan.nodes.push_back({2, NodeKind::kValve, false, "v", "water", 100, 50, 7, 0, 0, {20, 40, 0}});
  const protocol::PipeKey key{{0, 0, 0}, 0};
  plan.links = {{0, {key, 1}, true}, {1, {key, 2}, true}};
  plan.ports = {{0, PortKind::kInlet, {10, 30, 0}, 5}};
  const std::vector<std::int32_t> values = {
      50, 0, 0, protocol::flow_class(40), 0, protocol::port_value(PortState::kBlocked, 0)};
  const auto payload_of = [](const protocol::PipeKey& where, const protocol::PipePlan& what,
                             const std::vector<std::int32_t>& amounts) {
    protocol::Bytes bytes;
    protocol::Bytes payload;
    protocol::encode_plan(where, {6, 6, 0}, what, bytes);
    protocol::encode_pipe_keyframe(bytes, amounts, payload);
    return payload;
  };
  protocol::PipePlan nowhere;
  nowhere.nodes.push_back({0, NodeKind::kPipe, true, "z", "oil", 100, 50, 7, 0, 0, {}});
  const protocol::Bytes placed_payload = payload_of(key, plan, values);
  const protocol::Bytes nowhere_payload = payload_of({}, nowhere, {3});
  protocol::Tick tick;
  tick.tick = 1;
  tick.pipes = {{key, placed_payload}, {protocol::PipeKey{}, nowhere_payload}};
  EXPECT_TRUE(mirror.apply(tick).ok());
  return mirror;
}

std::string picture_of(const protocol::Mirror& mirror) {
  Picture picture;
  picture.width = 64;
  picture.height = 64;
  picture.fit({64, 64, 1});
  Screen screen;
  screen.resize(64, 33);
  draw_pipes(picture, mirror, "", screen);
  return screen.take_changes();
}

TEST(PipePicture, ShowsFillsFlowsPumpsValvesAndPorts) {
  const std::string shown = picture_of(make_mirror());
  for (const char* glyph : {"▄", "P", "X", "^", "→", "─", "│"}) {
    EXPECT_NE(shown.find(glyph), std::string::npos) << glyph;
  }
  for (const char* glyph : {"←", "↑", "↓", "V"}) {
    EXPECT_EQ(shown.find(glyph), std::string::npos) << glyph;
  }
}

TEST(PipePicture, DescribesANode) {
  const protocol::Mirror mirror = make_mirror();
  EXPECT_EQ(
      describe_node(mirror.pipes(), *mirror.pipes().find_name("a")),
      "a  pipe  water 50 of 100 (50 %)  level 32  in 0  out ~40  inlet at [10, 30, 0] blocked");
  EXPECT_EQ(describe_node(mirror.pipes(), *mirror.pipes().find_name("p")),
            "p  pump  water 0 of 100 (0 %)  level 7  in ~40  out 0  rate 9");
}

TEST(PipePicture, AnyCameraIsSafe) {
  const protocol::Mirror mirror = make_mirror();
  for (int zoom = -6; zoom <= 4; ++zoom) {
    for (const double center : {0.0, 32.0, 64.0}) {
      Picture picture;
      picture.width = 20;
      picture.height = 10;
      picture.zoom = zoom;
      picture.center_on(center, center, {64, 64, 1});
      Screen screen;
      screen.resize(20, 6);
      draw_pipes(picture, mirror, "a", screen);
      (void)screen.take_changes();
    }
  }
}

/// The commands of a key, each of which the server can read.
std::vector<std::string> commands_of(PipeTool& tool, char key, Vec3 cursor,
                                     const protocol::Mirror& mirror) {
  EXPECT_TRUE(PipeTool::takes(key));
  std::vector<std::string> commands = tool.press(key, cursor, mirror).commands;
  for (const std::string& command : commands) {
    const auto parsed = formats::parse_command(command, "key");
    EXPECT_TRUE(parsed.ok()) << parsed.error();
  }
  return commands;
}

std::vector<std::string> readable(const Act& act) {
  for (const std::string& command : act.commands) {
    const auto parsed = formats::parse_command(command, "copy");
    EXPECT_TRUE(parsed.ok()) << parsed.error() << " in " << command;
  }
  return act.commands;
}

// "v" lies outside of the box, so neither it nor the link to it is copied; "z" has no place.
TEST(PipeCopy, IsBuiltElsewhereUnderOtherNamesAndTakenBack) {
  const protocol::Mirror mirror = make_mirror();
  Hand hand;
  (void)hand.copy(mirror, {9, 29, 0});
  EXPECT_EQ(hand.copy(mirror, {21, 33, 0}).said,
            "copied 13 x 5 cells: 2 pipes; Y puts it at the cursor");
  const auto lines = readable(hand.paste(mirror, {46, 52, 0}));
  const std::vector<std::string> expected = {
      R"({"cmd":"add_pipe","name":"a-1.1","fluid":"water","capacity":100,"height":50,"amount":50,)"
      R"("base":86023,"throughput":0,"at":[41,53,0]})",
      R"({"cmd":"add_pump","name":"p-1.2","fluid":"water","capacity":100,"height":50,"amount":0,)"
      R"("base":86023,"throughput":0,"at":[51,53,0],"rate":9})",
      R"({"cmd":"link","from":"a-1.1","to":"p-1.2","one_way":true})",
      R"({"cmd":"add_port","node":"a-1.1","cell":[41,51,0],"kind":"inlet","rate":5})"};
  EXPECT_EQ(lines, expected) << "21 cells higher, so 86,016 level units";
  EXPECT_EQ(readable(hand.undo(mirror, false)),
            (std::vector<std::string>{R"({"cmd":"remove_pipe","name":"a-1.1"})",
                                      R"({"cmd":"remove_pipe","name":"p-1.2"})"}));
  const auto again = readable(hand.redo(mirror));
  ASSERT_EQ(again.size(), 4U);
  EXPECT_NE(again[2].find(R"("from":"a-1.3","to":"p-1.4")"), std::string::npos)
      << again[2] << ": the first may yet come to be";
  EXPECT_TRUE(hand.undo(mirror, true).commands.empty()) << "nobody has seen them: they are gone";
}

TEST(PipeCopy, LeavesOutWhatWouldLieOutsideTheWorld) {
  const protocol::Mirror mirror = make_mirror();
  Hand hand;
  (void)hand.copy(mirror, {9, 29, 0});
  (void)hand.copy(mirror, {21, 33, 0});
  const auto lines = readable(hand.paste(mirror, {60, 0, 0}));
  ASSERT_EQ(lines.size(), 1U) << "neither the pump, nor the link to it, nor the port";
  EXPECT_NE(lines[0].find(R"("at":[55,1,0])"), std::string::npos) << lines[0];
}

TEST(PipeCopy, ACopyOfACopyIsNamedAfterTheFirst) {
  PipeCopy copy;
  for (const char* name : {"main-7k.3", "a-b", "a long name of a pipe",
                           "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6-\xc3\xbc\xc3\xa4"}) {
    PipeCopy::Node node;
    node.node.name = name;
    copy.nodes.push_back(node);
  }
  std::uint64_t named = 0;
  EXPECT_EQ(pipes_to_build(copy, {}, make_mirror(), named).names,
            (std::vector<std::string>{"main-1.1", "a-b-1.2", "a long name -1.3",
                                      "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6--1.4"}));
}

TEST(PipeTool, BuildsOnFromWhatItBuilt) {
  const protocol::Mirror mirror = make_mirror();
  PipeTool tool;
  EXPECT_EQ(commands_of(tool, 'b', {1, 2, 0}, mirror).size(), 1U);
  const auto second = commands_of(tool, 'v', {2, 2, 0}, mirror);
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(second[1], R"({"cmd":"link","from":"pipe-1","to":"valve-2"})");
  tool.clear();
  EXPECT_EQ(commands_of(tool, 'P', {3, 2, 0}, mirror).size(), 1U);
  EXPECT_EQ(commands_of(tool, 'B', {4, 2, 0}, mirror).size(), 2U);
}

TEST(PipeTool, WorksOnWhatLiesUnderTheCursor) {
  const protocol::Mirror mirror = make_mirror();
  PipeTool tool;
  const Vec3 a{10, 32, 0};
  const Vec3 p{20, 32, 0};
  const Vec3 v{20, 40, 0};
  using Commands = std::vector<std::string>;
  EXPECT_EQ(commands_of(tool, 'o', v, mirror),
            Commands{R"({"cmd":"set_valve","name":"v","open":true})"});
  EXPECT_EQ(commands_of(tool, 'o', p, mirror),
            Commands{R"({"cmd":"set_pump","name":"p","rate":0})"});
  EXPECT_EQ(commands_of(tool, 'o', a, mirror), Commands{});
  EXPECT_EQ(commands_of(tool, 'C', a, mirror), Commands{});  // from here
  EXPECT_EQ(commands_of(tool, 'C', v, mirror),
            Commands{R"({"cmd":"link","from":"a","to":"v","one_way":true})"});
  EXPECT_EQ(commands_of(tool, 'm', a, mirror), Commands{});
  EXPECT_EQ(commands_of(tool, 'u', p, mirror), Commands{R"({"cmd":"unlink","from":"a","to":"p"})"});
  EXPECT_EQ(commands_of(tool, 'X', a, mirror), Commands{R"({"cmd":"remove_pipe","name":"a"})"});
  EXPECT_EQ(commands_of(tool, 'n', a, mirror), Commands{});
  EXPECT_EQ(tool.marked(), "z");
  EXPECT_EQ(commands_of(tool, 'i', {5, 5, 0}, mirror),
            Commands{R"({"cmd":"add_port","node":"z","cell":[5,5,0],"kind":"inlet","rate":1000})"});
  EXPECT_EQ(commands_of(tool, 'E', {10, 32, 0}, mirror),
            Commands{R"({"cmd":"remove_port","node":"a","cell":[10,32,0]})"});
  tool.clear();
  EXPECT_EQ(commands_of(tool, 'e', {5, 5, 0}, mirror), Commands{});
  EXPECT_EQ(commands_of(tool, 'X', {5, 5, 0}, mirror), Commands{});
  EXPECT_FALSE(PipeTool::takes('x'));
}

}  // namespace
}  // namespace sluice::client::pipes_test
