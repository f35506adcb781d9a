// Goal: whoever may watch a living world can leave the present and come back, within bounds that
// each say why they refuse; the world goes on meanwhile, and ends its positions when it goes.
// Method: real worlds, recordings and sockets in this process; what is shown is compared with a
// cursor of the test's own in the same recording.
#include "server/host/look_back.h"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/host/hosted_worlds.h"
#include "server/net/server.h"
#include "server/record/verify.h"
#include "tests/host/look_back.h"
#include "tests/support/wait_until.h"
#include "tests/support/wire_client.h"

namespace sluice::host::look_back_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPour = R"({"cmd": "pour", "at": [5, 60, 0], "units": 9})";

std::string seek_to(std::uint64_t tick) {
  return R"({"cmd": "seek", "to": )" + std::to_string(tick) + "}";
}
std::string alone_as(const std::string& name, std::optional<std::uint64_t> tick = std::nullopt) {
  return R"({"cmd": "alone", "as": ")" + name + "\"" +
         (tick ? ", \"to\": " + std::to_string(*tick) : "") + "}";
}

TEST_F(LookBackTest, AWatcherLooksAtWhatWasAndTheWorldGoesOn) {
  serve();
  run_to(120);
  EXPECT_THAT(tests::http_request(server_->port(), "GET", "/worlds").body,
              HasSubstr("\"look_back\": true"));
  const auto live = watch("lake");
  EXPECT_TRUE(live->mirror().welcome().watch_only);
  const auto asked = live->command(alone_as("me", 40));
  ASSERT_TRUE(asked.applied) << asked.reason;
  EXPECT_EQ(asked.tick, 40U);
  const auto me = watch_at("me");
  EXPECT_EQ(me->mirror().welcome().world, "lake");
  EXPECT_FALSE(me->mirror().welcome().watch_only) << "whoever may watch steers";
  expect_shown(*me, 40);
  EXPECT_EQ(me->command(R"({"cmd": "step", "by": -1})").tick, 39U);
  expect_shown(*me, 39);
  EXPECT_EQ(me->command(seek_to(100)).tick, 100U);
  expect_shown(*me, 100);
  const std::uint64_t now = worlds_->runner("lake")->feed().tick();
  ASSERT_TRUE(live->pump_until([&](auto) { return live->mirror().tick() > now + 20; }))
      << "the world goes on, and its viewers with it";
  EXPECT_FALSE(live->mirror().playback());
  EXPECT_EQ(worlds_->runner("lake")->feed().counters().viewers, 1);
  EXPECT_EQ(look_back_->sample("lake").positions, 1U);
  EXPECT_GT(look_back_->bytes(), 3U * 4096U);
  const std::string fixtures =
      tests::http_request(server_->port(), "GET", "/worlds/lake/fixtures?alone=me").body;
  EXPECT_THAT(fixtures, HasSubstr("\"sources\": [[5, 60, 0, 900]]"));
}

TEST_F(LookBackTest, NothingThatWasCanBeChanged) {
  serve();
  run_to(50);
  const auto live = watch("lake");
  EXPECT_THAT(live->command(kPour).reason, HasSubstr("not allowed: "));
  ASSERT_TRUE(live->command(alone_as("me", 10)).applied);
  const auto me = watch_at("me");
  const auto refused = me->command(kPour);
  EXPECT_FALSE(refused.applied);
  EXPECT_EQ(refused.reason,
            "this is the past: what happened cannot be changed, so there is no \"pour\" here; "
            "allowed: play, pause, seek, step, speed and alone");
  EXPECT_EQ(me->command(alone_as("you")).reason, "alone: this is a position of one's own already");
  EXPECT_THAT(live->command(seek_to(3)).reason, HasSubstr("not allowed: "))
      << "a living world is not sought through";
}

TEST_F(LookBackTest, TicksThatAreNotThereAreTheLastOnesOrRefused) {
  serve();
  run_to(50);
  const auto live = watch("lake");
  const auto asked = live->command(alone_as("me", 1'000'000'000));
  ASSERT_TRUE(asked.applied) << asked.reason;
  EXPECT_GE(asked.tick, 50U);
  EXPECT_LE(asked.tick, worlds_->runner("lake")->feed().tick());
  const auto me = watch_at("me");
  const auto beyond = me->command(seek_to(1'000'000'000));
  EXPECT_FALSE(beyond.applied);
  EXPECT_THAT(beyond.reason, HasSubstr("seek: there is no tick 1000000000; ticks 0 to "));
  EXPECT_EQ(me->command(seek_to(0)).tick, 0U);
  expect_shown(*me, 0);
  EXPECT_THAT(live->command(R"({"cmd": "alone", "as": "../me"})").reason,
              HasSubstr("characters of a to z and 0 to 9"));
  EXPECT_THAT(live->command(R"({"cmd": "alone", "as": "me", "to": -1})").reason,
              HasSubstr("must be a tick"));
}

TEST_F(LookBackTest, AtTheEndItPlaysOnAsTheRecordingGrows) {
  serve();
  run_to(30);
  const auto live = watch("lake");
  const auto asked = live->command(alone_as("me"));
  ASSERT_TRUE(asked.applied) << asked.reason;
  const auto me = watch_at("me");
  EXPECT_TRUE(me->command(R"({"cmd": "speed", "times": "max"})").applied);
  EXPECT_TRUE(me->command(R"({"cmd": "play"})").applied);
  ASSERT_TRUE(me->pump_until(
      [&](auto) { return me->mirror().tick() > asked.tick + 400 && me->mirror().playback(); }));
  EXPECT_TRUE(me->mirror().playback()->playing);
}

TEST_F(LookBackTest, WhoLooksBackStaysWhileOldHistoryIsCutOff) {
  serve();
  run_to(500);
  const auto live = watch("lake");
  ASSERT_TRUE(live->command(alone_as("late", 495)).applied);
  ASSERT_TRUE(live->command(alone_as("early", 40)).applied);
  const auto late = watch_at("late");
  const auto early = watch_at("early");
  expect_shown(*late, 495);
  expect_shown(*early, 40);
  // A checkpoint comes every two seconds, in tick 400 for one.
  const auto cut = worlds_->seal("lake", 90, false);
  ASSERT_TRUE(cut.ok()) << cut.error();
  ASSERT_TRUE(cut->sealed);
  const std::uint64_t first = cut->sealed->main.first_tick;
  ASSERT_GE(first, 400U);
  // One is brought to what is left, the other one is not moved.
  expect_shown(*early, first);
  EXPECT_THAT(early->mirror().playback()->trouble,
              HasSubstr("what was before tick " + std::to_string(first) + " was cut off"));
  if (first < 495) expect_shown(*late, 495);
  EXPECT_EQ(early->mirror().playback()->first_tick, first);
  EXPECT_THAT(early->command(seek_to(40)).reason, HasSubstr("there is no tick 40; ticks "));
  const std::uint64_t now = worlds_->runner("lake")->feed().tick();
  run_to(now);
  ASSERT_TRUE(tests::wait_until([&] { return late->command(seek_to(now)).applied; }))
      << "it goes on to grow";
  expect_shown(*late, now);
  EXPECT_EQ(look_back_->sample("lake").positions, 2U);
}

TEST_F(LookBackTest, AWorldHasSoManyPositionsAndNoMore) {
  serve({.positions = 8, .per_world = 2, .memory = 64});
  run_to(20);
  const auto live = watch("lake");
  ASSERT_TRUE(live->command(alone_as("a", 1)).applied);
  ASSERT_TRUE(live->command(alone_as("b", 2)).applied);
  const auto a = watch_at("a");
  const auto b = watch_at("b");
  const auto refused = live->command(alone_as("c", 3));
  EXPECT_FALSE(refused.applied);
  EXPECT_EQ(refused.reason,
            "alone: all 2 positions in the past of this world are taken (look_back_per_world); "
            "there is one again when somebody goes back to live");
  EXPECT_EQ(look_back_->sample("lake").positions, 2U);
  EXPECT_EQ(look_back_->sample("lake").made, 2U);
  EXPECT_EQ(look_back_->sample("lake").refused, 1U);
  EXPECT_TRUE(live->command(alone_as("b", 9)).applied) << "that one there is";
}

TEST_F(LookBackTest, TheServerHasSoManyPositionsAndNoMore) {
  serve({.positions = 2, .per_world = 2, .memory = 64}, {1h, 1h}, {"lake", "pond"});
  run_to(20);
  run_to(20, "pond");
  const auto lake = watch("lake");
  const auto pond = watch("pond");
  ASSERT_TRUE(lake->command(alone_as("a", 1)).applied);
  ASSERT_TRUE(pond->command(alone_as("a", 2)).applied) << "each world has names of its own";
  const auto a = watch_at("a");
  const auto b = watch_at("a", "pond");
  expect_shown(*a, 1);
  EXPECT_EQ(b->mirror().tick(), 2U);
  EXPECT_EQ(pond->command(alone_as("c", 3)).reason,
            "alone: all 2 positions in the past that this server has are taken (look_back); there "
            "is one again when somebody goes back to live");
}

TEST_F(LookBackTest, OneAccountOrAddressHasTwoAndNoMore) {
  serve({.positions = 100, .per_world = 100, .memory = 64});
  run_to(20);
  std::uint64_t seq = 0;
  const auto ask = [&](const std::string& account, const std::string& address) {
    ++seq;
    net::ClientCommand command;
    command.seq = seq;
    command.session = 1000 + seq;
    command.json = alone_as("v" + std::to_string(seq), 1);
    command.account = account;
    command.address = address;
    EXPECT_TRUE(worlds_->runner("lake")->submit(std::move(command)).ok());
    const auto answered = [&] {
      const auto sample = look_back_->sample("lake");
      return sample.made + sample.refused == seq;
    };
    EXPECT_TRUE(tests::wait_until(answered));
  };
  for (int i = 0; i < 3; ++i) ask("", "10.0.0.7");
  EXPECT_EQ(look_back_->sample("lake").positions, 2U);
  ask("", "10.0.0.8");
  for (int i = 0; i < 3; ++i) ask("ann", i == 0 ? "10.0.0.8" : "127.0.0.1");
  EXPECT_EQ(look_back_->sample("lake").positions, 5U);
  for (int i = 0; i < 3; ++i) ask("", "127.0.0.1");
  EXPECT_EQ(look_back_->sample("lake").positions, 8U) << "a proxy may stand there";
  EXPECT_EQ(look_back_->sample("lake").refused, 2U);
}

TEST_F(LookBackTest, MemoryIsBounded) {
  serve({.positions = 100, .per_world = 100, .memory = 1});
  run_to(20);
  const auto live = watch("lake");
  std::vector<std::unique_ptr<WireClient>> viewers;
  std::string reason;
  while (viewers.size() < 100) {
    const std::string name = "v" + std::to_string(viewers.size());
    const auto asked = live->command(alone_as(name, 10));
    reason = asked.reason;
    if (!asked.applied) break;
    viewers.push_back(watch_at(name));
  }
  EXPECT_GT(viewers.size(), 3U);
  EXPECT_LT(viewers.size(), 100U);
  EXPECT_EQ(reason,
            "alone: a position at that tick takes 1 MiB; of the 1 MiB that this server has for "
            "them (look_back_memory) 1 MiB are taken");
  EXPECT_LE(look_back_->bytes(), std::size_t{1} << 20);
}

// The bounds may shrink, and worlds may grow after a position was made.
TEST_F(LookBackTest, WhatIsBeyondTheBoundsEnds) {
  serve({.positions = 8, .per_world = 8, .memory = 64}, {1h, 1h});
  run_to(20);
  const auto live = watch("lake");
  std::vector<std::unique_ptr<WireClient>> viewers;
  for (const std::string name : {"z", "y", "x"}) {
    ASSERT_TRUE(live->command(alone_as(name, 10)).applied);
    viewers.push_back(watch_at(name));
  }
  look_back_->set_bounds({.positions = 2, .per_world = 8, .memory = 64});
  EXPECT_TRUE(viewers[2]->wait_closed()) << "the newest";
  EXPECT_EQ(viewers[2]->session().reason(),
            "refused: this server lets fewer people look back than before");
  EXPECT_TRUE(wait_positions(2));
  look_back_->set_bounds({.positions = 0, .per_world = 8, .memory = 64});
  EXPECT_TRUE(wait_positions(0));
  EXPECT_EQ(live->command(alone_as("me")).reason,
            "alone: this server lets nobody look back (look_back)");
  EXPECT_EQ(tests::http_request(server_->port(), "GET", "/worlds").body.find("look_back"),
            std::string::npos);
}

TEST_F(LookBackTest, OneThatTakesTooMuchMemoryEnds) {
  serve({.positions = 100, .per_world = 100, .memory = 64});
  run_to(20);
  const auto live = watch("lake");
  std::vector<std::unique_ptr<WireClient>> viewers;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "v" + std::to_string(i);
    ASSERT_TRUE(live->command(alone_as(name, 10)).applied);
    viewers.push_back(watch_at(name));
  }
  ASSERT_GT(look_back_->bytes(), std::size_t{1} << 19);
  look_back_->set_bounds({.positions = 100, .per_world = 100, .memory = 1});
  EXPECT_TRUE(tests::wait_until([&] { return look_back_->bytes() <= std::size_t{1} << 20; }));
  EXPECT_LT(look_back_->sample("lake").positions, 40U);
}

TEST_F(LookBackTest, PositionsThatNobodyWatchesAreFreed) {
  serve({.positions = 8, .per_world = 1, .memory = 64}, {.unwatched = 150ms, .settling = 50ms});
  run_to(20);
  const auto live = watch("lake");
  ASSERT_TRUE(live->command(alone_as("never", 1)).applied);
  EXPECT_TRUE(wait_positions(0)) << "that nobody came to";
  // Again and again, without a word in between.
  for (int i = 0; i < 20; ++i) {
    const std::string name = "v" + std::to_string(i);
    ASSERT_TRUE(tests::wait_until([&] { return live->command(alone_as(name, 5)).applied; }));
    watch_at(name)->abort();
    EXPECT_LE(look_back_->sample("lake").positions, 1U);
  }
  EXPECT_TRUE(wait_positions(0));
  EXPECT_EQ(worlds_->runner("lake")->trouble(), "");
}

TEST_F(LookBackTest, WhoSeeksAllTheTimeIsAnsweredForEachOfThem) {
  serve();
  run_to(60);
  const auto live = watch("lake");
  ASSERT_TRUE(live->command(alone_as("me", 1)).applied);
  const auto me = watch_at("me");
  constexpr int kSeeks = 300;
  for (int i = 0; i < kSeeks; ++i) me->session().send_command(seek_to(i % 2 == 0 ? 0 : 50));
  me->flush();
  EXPECT_EQ(me->command(seek_to(33)).tick, 33U);
  expect_shown(*me, 33);
}

TEST_F(LookBackTest, AWorldThatGoesEndsItsPositions) {
  for (const std::string how : {"unload", "reset", "remove"}) {
    SCOPED_TRACE(how);
    TearDown();
    std::filesystem::remove_all(folder_.file(""));
    std::filesystem::create_directories(folder_.file(""));
    metrics_.remove_world("lake");
    serve({}, {1h, 1h});
    run_to(60);
    const auto live = watch("lake");
    ASSERT_TRUE(live->command(alone_as("me", 5)).applied);
    const auto me = watch_at("me");
    EXPECT_TRUE(me->command(R"({"cmd": "play"})").applied);
    // One is being made, and one is asked for.
    for (int i = 0; i < 3; ++i) live->session().send_command(alone_as("w" + std::to_string(i)));
    live->flush();
    const auto ended = how == "unload"  ? worlds_->unload("lake")
                       : how == "reset" ? worlds_->reset("lake", RecordingFate::kKeep)
                                        : worlds_->remove("lake", RecordingFate::kKeep);
    ASSERT_TRUE(ended.ok()) << ended.error();
    EXPECT_TRUE(me->wait_closed());
    EXPECT_THAT(me->session().reason(), HasSubstr("refused: the world was " + how));
    EXPECT_EQ(look_back_->sample("lake").positions, 0U);
    // Nobody had it open any more, so it was moved as it was.
    auto reader = record::Reader::open(folder_.file(ended->recording));
    ASSERT_TRUE(reader.ok()) << reader.error();
    EXPECT_EQ((*reader)->last_tick(), ended->tick);
    if (how != "reset") continue;
    const auto again = watch("lake");
    const auto asked = again->command(alone_as("me", 60));
    ASSERT_TRUE(asked.applied) << asked.reason;
  }
}

TEST_F(LookBackTest, ARecordingThatCannotBeReadIsToldWithoutItsPath) {
  serve();
  const auto live = watch("lake");
  look_back_->remove("lake", "for the test");
  EXPECT_EQ(live->command(alone_as("me")).reason,
            "alone: the world begins, or goes: nobody can look back just now");
  look_back_->add(*worlds_->runner("lake"), folder_.file("none.sluice"));
  const auto refused = live->command(alone_as("me"));
  EXPECT_FALSE(refused.applied);
  EXPECT_EQ(refused.reason, "alone: its recording cannot be read; the server's log says why");
}

TEST_F(LookBackTest, TheServerStopsWhilePositionsPlay) {
  serve();
  run_to(30);
  const auto live = watch("lake");
  std::vector<std::unique_ptr<WireClient>> viewers;
  for (const std::string name : {"x", "y"}) {
    ASSERT_TRUE(live->command(alone_as(name, 0)).applied);
    viewers.push_back(watch_at(name));
    EXPECT_TRUE(viewers.back()->command(R"({"cmd": "play"})").applied);
  }
  std::thread stopper([&] { TearDown(); });
  for (const auto& viewer : viewers) {
    EXPECT_TRUE(viewer->wait_closed());
    EXPECT_EQ(viewer->session().reason(), "refused: the server stops");
  }
  stopper.join();
}

}  // namespace
}  // namespace sluice::host::look_back_test
