// Goal: the timeline knows when commands were given, where checkpoints lie and where two recordings
// part, of short recordings exactly and of long ones in pieces.
#include "server/replay/timeline.h"

#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "server/record/diff.h"
#include "tests/record/support.h"

namespace sluice::replay::timeline_test {
namespace {

using namespace record::test;
using Json = nlohmann::json;

Json complete(const Timeline& timeline) {
  while (!timeline.complete()) std::this_thread::yield();
  return Json::parse(timeline.json());
}

TEST(Timeline, TellsOfCommandsAndCheckpoints) {
  TemporaryFolder folder;
  const auto history = record_history(folder.file("one.sluice"));
  const Timeline timeline({{"bowl", folder.file("one.sluice"), "bowl", 0, 300}}, 0, 300, 20);
  const Json json = complete(timeline);
  Json marks = Json::array();
  std::size_t commands = 0;
  for (const auto& tick : history) {
    if (!tick.commands.empty()) marks.push_back({tick.tick, tick.commands.size()});
    commands += tick.commands.size();
  }
  const Json expected = {{"world", "bowl"},    {"file", "one.sluice"},
                         {"recorded", "bowl"}, {"first_tick", 0},
                         {"last_tick", 300},   {"commands", commands},
                         {"marks", marks},     {"checkpoints", {0, 100, 200, 300}}};
  EXPECT_EQ(json["recordings"], Json::array({expected}));
  EXPECT_EQ(json["first_tick"], 0);
  EXPECT_EQ(json["last_tick"], 300);
  EXPECT_EQ(json["tick_rate"], 20);
  EXPECT_EQ(json["first_difference"], nullptr);
  EXPECT_EQ(json["trouble"], "");
}

TEST(Timeline, CutsLongHistoriesIntoPieces) {
  TemporaryFolder folder;
  HistoryOptions options;
  options.ticks = 5000;
  options.commands_per_tick = 1;
  options.ticks_per_commit = 500;
  record_history(folder.file("one.sluice"), options);
  const Timeline timeline({{"bowl", folder.file("one.sluice"), "bowl", 0, 5000}}, 0, 5000, 20);
  const Json json = complete(timeline);
  const Json& marks = json["recordings"][0]["marks"];
  EXPECT_LE(marks.size(), Timeline::kMostMarks);
  EXPECT_GE(marks.size(), Timeline::kMostMarks / 2);
  std::uint64_t commands = 0;
  std::uint64_t before = 0;
  for (const Json& mark : marks) {
    EXPECT_GT(mark[0].get<std::uint64_t>(), before);
    before = mark[0].get<std::uint64_t>();
    commands += mark[1].get<std::uint64_t>();
  }
  EXPECT_EQ(commands, 5000U);
}

TEST(Timeline, FindsWhereTwoRecordingsPart) {
  TemporaryFolder folder;
  const auto write = [&](const std::string& name, std::uint64_t parts_at) {
    const auto world = make_world();
    auto recorder = must(record::Recorder::create(folder.file(name), kWorldFile, *world));
    for (std::uint64_t tick = 1; tick <= 200; ++tick) {
      std::vector<record::RecordedCommand> commands;
      if (tick == parts_at) {
        commands.push_back({{sim::Pour{{50, 60, 0}, 4096}}, "ann", 1, true, ""});
      }
      must(recorder->append(play(*world, std::move(commands))));
    }
    must(recorder->commit());
  };
  write("a.sluice", 0);
  write("b.sluice", 123);
  write("c.sluice", 0);
  for (const auto& [other, expected] :
       {std::pair{"b.sluice", Json(123)}, std::pair{"c.sluice", Json()}}) {
    const Timeline timeline(
        {{"a", folder.file("a.sluice"), "bowl", 0, 200}, {"b", folder.file(other), "bowl", 0, 200}},
        0, 200, 20);
    EXPECT_EQ(complete(timeline)["first_difference"], expected);
  }
}

TEST(Timeline, SaysWhatItCannotRead) {
  TemporaryFolder folder;
  const Timeline timeline({{"a", folder.file("none.sluice"), "bowl", 0, 200}}, 0, 200, 20);
  const std::string trouble = complete(timeline)["trouble"];
  EXPECT_EQ(trouble.find(folder.file("none.sluice")), 0U);
}

}  // namespace
}  // namespace sluice::replay::timeline_test
