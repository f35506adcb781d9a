// Goal: the terminal's tools touch the cells that they mean, by every shape; whatever they send is
// a command that the server reads; and edits are taken back without touching what others did.
#include "client_stub/hand.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "client_stub/command_queue.h"
#include "protocol/base/map_text.h"
#include "server/formats/script.h"
#include "tests/client_stub/mirrors.h"
#include "tests/support/drawn_world.h"

namespace sluice::client::hand_test {
namespace {

using Lines = std::vector<std::string>;

/// The lower half rock, one cell of water on it at [10, 32].
protocol::Mirror make_mirror() {
  return mirror_of([](protocol::ChunkCells& cells) {
    for (std::size_t i = 0; i < 32 * 64; ++i) cells[i] = kRock;
    cells[32 * 64 + 10] = kFull;
  });
}

void expect_readable(const Lines& lines) {
  for (const std::string& line : lines) {
    const auto parsed = formats::parse_command(line, "tool");
    EXPECT_TRUE(parsed.ok()) << parsed.error();
  }
}

/// What the world is after the commands, as far as they set and pour.
protocol::ChunkCells after(const protocol::Mirror& mirror, const Lines& lines) {
  protocol::ChunkCells cells = *mirror.find({0, 0, 0});
  for (const std::string& line : lines) {
    const auto command = nlohmann::json::parse(line);
    if (command["cmd"] == "pour") {
      const auto at = command["at"].get<std::vector<int>>();
      int left = command["units"].get<int>();
      for (int y = at[1]; y <= at[1] + command["above"].get<int>() && left > 0; ++y) {
        std::int32_t& cell = cells[static_cast<std::size_t>(y * 64 + at[0])];
        const int units = std::clamp(kFull - cell, 0, left);
        cell += units;
        left -= units;
      }
      EXPECT_EQ(left, 0) << "it is refused: there is no room";
      continue;
    }
    const auto from = command["from"].get<std::vector<int>>();
    const auto size = command["size"].get<std::vector<int>>();
    const auto& cell = command["cell"];
    const int value = cell.is_object() ? cell["water"].get<int>() : cell == "#" ? kRock : 0;
    for (int y = from[1]; y < from[1] + size[1]; ++y) {
      for (int x = from[0]; x < from[0] + size[0]; ++x) {
        cells[static_cast<std::size_t>(y * 64 + x)] = value;
      }
    }
  }
  return cells;
}

std::set<std::pair<int, int>> differing(const protocol::Mirror& mirror, const Lines& lines) {
  const protocol::ChunkCells before = *mirror.find({0, 0, 0});
  const protocol::ChunkCells now = after(mirror, lines);
  std::set<std::pair<int, int>> cells;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] != before[i]) cells.insert({static_cast<int>(i % 64), static_cast<int>(i / 64)});
  }
  return cells;
}

TEST(Hand, TakingLeavesRockAloneAndComesBack) {
  protocol::Mirror mirror = make_mirror();
  Hand hand;
  hand.brush = 3;
  hand.tool = Tool::kTake;
  EXPECT_EQ(hand.use(mirror, {40, 40, 0}).commands, Lines{}) << "there is no water";
  const Lines taken = hand.use(mirror, {10, 32, 0}).commands;
  EXPECT_EQ(taken, Lines{R"({"cmd":"remove_water","from":[9,31,0],"size":[3,3,1]})"});
  expect_readable(taken);
  protocol::ChunkCells cells = *mirror.find({0, 0, 0});
  cells[32 * 64 + 10] = 96;
  send_chunk(mirror, cells, 2);
  EXPECT_EQ(hand.undo(mirror, true).commands,
            Lines{R"({"cmd":"pour","at":[10,32,0],"units":4000,"above":16})"})
      << "what is missing comes back";
  EXPECT_EQ(hand.redo(mirror).commands,
            Lines{R"({"cmd":"remove_water","from":[10,32,0],"size":[1,1,1]})"});
  hand.shape = Shape::kFill;
  EXPECT_EQ(hand.use(mirror, {10, 32, 0}).commands,
            Lines{R"({"cmd":"remove_water","from":[10,32,0],"size":[1,1,1]})"})
      << "the air beside it holds none";
  EXPECT_EQ(hand.use(mirror, {40, 40, 0}).commands, Lines{});
}

TEST(Hand, WhatIsPouredGoesThroughAllThatTheWorldHas) {
  const protocol::Mirror plain = make_mirror();
  EXPECT_EQ(next_mixture(plain, {}), Mixture{}) << "nothing but water";
  const protocol::Mirror mirror =
      mirror_of([](protocol::ChunkCells&) {}, {"tracer:red", "temperature", "tracer:mud"});
  Hand hand;
  hand.tool = Tool::kPour;
  std::vector<std::string> said;
  Lines sent;
  do {
    said.push_back(hand.mixture.describe());
    const Lines lines = hand.use(mirror, {3, 3, 0}).commands;
    ASSERT_EQ(lines.size(), 1U);
    sent.push_back(lines[0]);
    hand.mixture = next_mixture(mirror, hand.mixture);
  } while (!hand.mixture.is_plain());
  EXPECT_EQ(said, (Lines{"clear water", "'red' in it", "'mud' in it", "at 80 C", "at 1 C"}));
  EXPECT_TRUE(sent[0].ends_with(R"("above":16})")) << sent[0];
  EXPECT_TRUE(sent[1].ends_with(R"("above":16,"tracer":{"red":2048}})")) << sent[1];
  EXPECT_TRUE(sent[3].ends_with(R"("above":16,"temperature":20480})")) << sent[3];
  expect_readable(sent);
  EXPECT_NE(pour_line({1, 1, 0}, 1, {"red", {}}).find(R"({"red":1})"), std::string::npos)
      << "never nothing";
  hand.mixture = {"red", {}};
  hand.shape = Shape::kBox;
  (void)hand.begin(mirror, {0, 0, 0});
  (void)hand.move(mirror, {19, 19, 0});
  const Lines poured = hand.end(mirror).commands;
  ASSERT_EQ(poured.size(), 20U) << "a pour for each column";
  EXPECT_EQ(poured[0],
            R"({"cmd":"pour","at":[0,0,0],"units":81920,"above":35,"tracer":{"red":40960}})");
  (void)hand.undo(mirror, false);
  EXPECT_NE(hand.redo(mirror).commands.at(0).find("red"), std::string::npos);
}

TEST(Hand, BrushesAreCutToTheWorldAndPouringSparesRock) {
  const protocol::Mirror mirror = make_mirror();
  Hand hand;
  hand.brush = 4;
  EXPECT_EQ(hand.use(mirror, {0, 32, 0}).commands,
            Lines{R"({"cmd":"set_cells","from":[0,31,0],"size":[3,4,1],"cell":"."})"});
  hand.tool = Tool::kPour;
  const Lines pours = hand.use(mirror, {0, 32, 0}).commands;
  ASSERT_EQ(pours.size(), 3U) << "a pour for each column";
  EXPECT_EQ(pours[0], R"({"cmd":"pour","at":[0,32,0],"units":12288,"above":18})")
      << "the row of rock is left out";
}

// Setting a cell full would take from one that holds more.
TEST(Hand, PouringOnlyEverAdds) {
  const protocol::Mirror mirror = mirror_of([](protocol::ChunkCells& cells) {
    for (std::size_t y = 1; y < 5; ++y) cells[y * 64 + 8] = y == 4 ? 1024 : 5000;
    for (std::size_t y = 0; y < 4; ++y) cells[y * 64 + 9] = kFull;
    cells[4 * 64 + 9] = kRock;
  });
  Hand hand;
  hand.tool = Tool::kPour;
  EXPECT_EQ(hand.use(mirror, {8, 4, 0}).commands,
            Lines{R"({"cmd":"pour","at":[8,4,0],"units":3072,"above":16})"});
  EXPECT_EQ(hand.use(mirror, {8, 1, 0}).commands,
            Lines{R"({"cmd":"pour","at":[8,4,0],"units":3072,"above":16})"})
      << "deep in water it is the surface that rises";
  EXPECT_EQ(hand.use(mirror, {9, 0, 0}).commands, Lines{})
      << "what is full up to the rock has no room";
}

TEST(Hand, ALargePourLeavesWhatCameBeforeItCompressedOrNot) {
  const sluice::tests::Drawing empty(64, std::string(64, '.'));
  const auto world =
      sluice::tests::make_world(sluice::tests::drawn_spec(sim::WaterModel::kCellular, {empty}));
  sim::SerialExecutor executor;
  const std::vector<sim::Command> others = {{sim::SetCells{{10, 0, 0}, {3, 2, 1}, 5000}},
                                            {sim::SetCells{{20, 0, 0}, {1, 1, 1}, 1000}}};
  Hand hand;
  hand.tool = Tool::kPour;
  hand.shape = Shape::kBox;
  const protocol::Mirror before = mirror_of([](protocol::ChunkCells&) {});
  (void)hand.begin(before, {0, 0, 0});
  (void)hand.move(before, {63, 9, 0});
  std::vector<sim::Command> commands = others;
  for (const std::string& line : hand.end(before).commands) {
    auto parsed = formats::parse_command(line, "tool");
    ASSERT_TRUE(parsed.ok()) << parsed.error();
    commands.push_back(std::move(parsed).value());
  }
  EXPECT_LE(commands.size() - others.size(), 64U) << "a pour for each column";
  const sim::TickReport report = world->tick(commands, executor);
  for (const sim::CommandOutcome& outcome : report.outcomes) EXPECT_EQ(outcome.reason, "");
  EXPECT_EQ(world->totals().drained, 0);
  EXPECT_EQ(world->totals().sourced, 6 * 5000 + 1000 + 640 * kFull);
}

TEST(Hand, AStrokeOfTheMouseLeavesOutNoCell) {
  const protocol::Mirror mirror = make_mirror();
  Hand hand;
  Lines sent = hand.begin(mirror, {5, 20, 0}).commands;
  for (const Vec3 place : {Vec3{11, 20, 0}, Vec3{11, 14, 0}}) {
    for (std::string& line : hand.move(mirror, place).commands) sent.push_back(std::move(line));
  }
  EXPECT_TRUE(hand.end(mirror).commands.empty());
  EXPECT_EQ(differing(mirror, sent).size(), 13U);
  expect_readable(sent);
  EXPECT_TRUE(hand.move(mirror, {30, 20, 0}).commands.empty()) << "the stroke has ended";
}

TEST(Hand, LinesAndBoxesReachFromOneEndToTheOther) {
  const protocol::Mirror mirror = make_mirror();
  Hand hand;
  hand.tool = Tool::kRock;
  hand.shape = Shape::kBox;
  EXPECT_TRUE(hand.use(mirror, {20, 40, 0}).commands.empty());
  EXPECT_EQ(hand.preview(mirror, {17, 42, 0}), (std::vector<Box>{{{17, 40, 0}, {4, 3, 1}}}));
  const Lines box = hand.use(mirror, {17, 42, 0}).commands;
  EXPECT_EQ(box, Lines{R"({"cmd":"set_cells","from":[17,40,0],"size":[4,3,1],"cell":"#"})"});
  EXPECT_TRUE(hand.preview(mirror, {0, 0, 0}).empty()) << "it is done";
  hand.shape = Shape::kLine;
  (void)hand.begin(mirror, {40, 40, 0});
  (void)hand.move(mirror, {44, 44, 0});
  const Lines line = hand.end(mirror).commands;
  EXPECT_EQ(differing(mirror, line),
            (std::set<std::pair<int, int>>{{40, 40}, {41, 41}, {42, 42}, {43, 43}, {44, 44}}));
  (void)hand.use(mirror, {1, 50, 0});
  hand.cancel();
  EXPECT_TRUE(hand.preview(mirror, {5, 50, 0}).empty());
}

TEST(Hand, AFillTakesWhatHangsTogetherAndWaterNoMoreThanItsLevel) {
  const protocol::Mirror mirror = mirror_of([](protocol::ChunkCells& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = kRock;
    for (std::size_t y = 10; y < 40; ++y) {
      for (std::size_t x = 10; x < 40; ++x) cells[y * 64 + x] = 0;
    }
    cells[11 * 64 + 11] = 96;
  });
  Hand hand;
  hand.shape = Shape::kFill;
  hand.tool = Tool::kPour;
  const Lines pours = hand.use(mirror, {20, 19, 0}).commands;
  EXPECT_EQ(differing(mirror, pours).size(), 300U) << "ten rows of thirty cells";
  EXPECT_EQ(after(mirror, pours)[11 * 64 + 11], kFull);
  EXPECT_EQ(pours.size(), 30U) << "a pour for each column";
  expect_readable(pours);
  hand.tool = Tool::kRock;
  EXPECT_EQ(differing(mirror, hand.use(mirror, {20, 19, 0}).commands).size(), 900U);
  hand.tool = Tool::kDig;
  EXPECT_EQ(differing(mirror, hand.use(mirror, {0, 0, 0}).commands).size(), 64U * 64 - 900);
}

TEST(Hand, UndoGivesBackWhatCellsHadAndLeavesWhatOthersDid) {
  protocol::Mirror mirror = make_mirror();
  Hand hand;
  hand.brush = 3;
  const Lines dug = hand.use(mirror, {20, 31, 0}).commands;
  protocol::ChunkCells cells = after(mirror, dug);
  cells[31 * 64 + 20] = kRock;  // by somebody else
  cells[30 * 64 + 19] = 77;     // water that came
  send_chunk(mirror, cells, 2);
  const Act undone = hand.undo(mirror, true);
  expect_readable(undone.commands);
  EXPECT_NE(undone.said.find("1 cell was changed by others"), std::string::npos) << undone.said;
  const protocol::ChunkCells back = after(mirror, undone.commands);
  for (const std::size_t x : {19U, 20U, 21U}) {
    EXPECT_EQ(back[30 * 64 + x], kRock) << x;
    EXPECT_EQ(back[31 * 64 + x], kRock) << x;
    EXPECT_EQ(back[32 * 64 + x], 0) << x;
  }
  EXPECT_EQ(hand.undo(mirror, true).said, "there is nothing of yours to undo");
  send_chunk(mirror, back, 3);
  const Act again = hand.redo(mirror);
  EXPECT_EQ(differing(mirror, again.commands).size(), 6U);
  EXPECT_EQ(hand.redo(mirror).said, "there is nothing to redo");
  EXPECT_EQ(hand.undo(mirror, false).commands.size(), 1U) << "what was made again can be undone";
}

TEST(Hand, ARegionIsCopiedAndPutElsewhereToTheUnit) {
  protocol::Mirror mirror = make_mirror();
  Hand hand;
  EXPECT_TRUE(hand.paste(mirror, {30, 50, 0}).commands.empty()) << "nothing is held";
  (void)hand.copy(mirror, {11, 33, 0});
  ASSERT_TRUE(hand.copies());
  const Act held = hand.copy(mirror, {9, 31, 0});
  EXPECT_NE(held.said.find("3 x 3 cells: 3 rock, 1 with water"), std::string::npos) << held.said;
  const Act put = hand.paste(mirror, {30, 50, 0});
  expect_readable(put.commands);
  const protocol::ChunkCells now = after(mirror, put.commands);
  for (const std::size_t x : {29U, 30U, 31U}) {
    EXPECT_EQ(now[49 * 64 + x], kRock);
    EXPECT_EQ(now[50 * 64 + x], x == 30 ? kFull : 0);
  }
  send_chunk(mirror, now, 2);
  EXPECT_EQ(after(mirror, hand.undo(mirror, true).commands), *make_mirror().find({0, 0, 0}));
}

TEST(Hand, TakesUpTheToolForWhatLiesThere) {
  const protocol::Mirror mirror = make_mirror();
  Hand hand;
  (void)hand.pick(mirror, {10, 32, 0});
  EXPECT_EQ(hand.tool, Tool::kPour);
  (void)hand.pick(mirror, {10, 3, 0});
  EXPECT_EQ(hand.tool, Tool::kRock);
  (void)hand.pick(mirror, {10, 50, 0});
  EXPECT_EQ(hand.tool, Tool::kDig);
  EXPECT_TRUE(hand.begin(mirror, {10, 50, 0}, Tool::kRock).commands[0].ends_with(R"("cell":"#"})"));
  EXPECT_EQ(hand.tool, Tool::kDig) << "the right button changes no tool";
}

TEST(CommandQueue, KeepsOrderPaceAndSendsNothingTwice) {
  CommandQueue queue;
  const auto start = CommandQueue::Clock::now();
  Lines lines;
  for (int i = 0; i < 400; ++i) lines.push_back("command " + std::to_string(i));
  ASSERT_TRUE(queue.push(lines));
  ASSERT_TRUE(queue.push(lines));
  Lines sent;
  const auto send = [&](std::string line) {
    sent.push_back(std::move(line));
    return sent.size();
  };
  queue.flush(start, send);
  EXPECT_EQ(sent.size(), CommandQueue::kMostUnanswered) << "that many wait for their answers";
  for (std::uint64_t seq = 1; seq <= 256; ++seq) queue.answered(seq);
  queue.flush(start, send);
  EXPECT_EQ(sent, lines) << "once each, in order";
  EXPECT_FALSE(queue.idle());
  for (std::uint64_t seq = 257; seq <= 400; ++seq) queue.answered(seq);
  EXPECT_TRUE(queue.idle());
  ASSERT_TRUE(queue.push(lines)) << "what was answered may be sent again";
  queue.flush(start, send);
  EXPECT_EQ(sent.size(), 512U) << "a burst, and then the pace";
  queue.flush(start + std::chrono::milliseconds(50), send);
  EXPECT_EQ(sent.size(), 572U);
  EXPECT_EQ(queue.reset(), 400U);
  EXPECT_TRUE(queue.idle());
  EXPECT_FALSE(queue.push(Lines(CommandQueue::kMostQueued + 1, "too much")));
}

}  // namespace
}  // namespace sluice::client::hand_test
