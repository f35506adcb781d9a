// Goal: whoever asks for a position of their own gets one, whatever the others watch; there are so
// many and no more, and none outlives its viewers for long. Method: as in player_test.cpp, with
// little patience where something is waited for.
#include "server/playback/own_positions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/playback/comparison.h"
#include "tests/playback/players.h"
#include "tests/support/wait_until.h"

namespace sluice::playback::own_positions_test {
namespace {

using namespace test;
using namespace std::chrono_literals;

std::string alone_as(const std::string& name) {
  return R"({"cmd": "alone", "as": ")" + name + "\"}";
}

class Alone : public Players {
 protected:
  void start_alone(const std::vector<std::string>& files, PositionPatience patience = {}) {
    player_ = std::make_unique<Player>(open(files), Player::Manner::kReplay, *clock_);
    must(player_->begin_at(player_->first_tick()));
    own_ = std::make_unique<OwnPositions>(PositionBounds{}, patience, *clock_);
    own_->add_beside(*player_,
                     [this, files] { return Result<std::vector<Player::Recording>>(open(files)); });
    serve();
    own_->start(*server_);
  }
  void TearDown() override {
    if (own_) own_->stop();
    Players::TearDown();
    own_.reset();
  }
  /// What the name of a position leads to.
  static std::string at(const std::string& name, const std::string& world = "a") {
    return world + "?alone=" + name;
  }
  bool wait_count(std::size_t count) {
    return tests::wait_until([&] { return own_->count() == count; });
  }

  std::unique_ptr<OwnPositions> own_;
};

TEST_F(Alone, AViewerLooksElsewhereAndTheOthersStay) {
  record("one.sluice");
  start_alone({"one.sluice"});
  const auto others = watch("a");
  EXPECT_TRUE(others->command(seek_to(77)).applied);
  const auto asked = others->command(alone_as("me"));
  EXPECT_TRUE(asked.applied) << asked.reason;
  EXPECT_EQ(asked.tick, 77U);
  const auto me = watch(at("me"));
  expect_shown(*me, "one.sluice", 77);
  EXPECT_EQ(me->mirror().welcome().world, "a");
  EXPECT_EQ(me->command(seek_to(210)).tick, 210U);
  expect_shown(*me, "one.sluice", 210);
  EXPECT_EQ(others->command(R"({"cmd": "step", "by": 1})").tick, 78U);
  expect_shown(*others, "one.sluice", 78);
  expect_shown(*me, "one.sluice", 210);
  // Whoever comes new is with the others.
  const auto late = watch("a");
  expect_shown(*late, "one.sluice", 78);
}

TEST_F(Alone, EachPlaysAtASpeedOfItsOwn) {
  record("one.sluice");
  start_alone({"one.sluice"});
  const auto others = watch("a");
  EXPECT_TRUE(others->command(R"({"cmd": "alone", "as": "me", "to": 100})").applied);
  const auto me = watch(at("me"));
  expect_shown(*me, "one.sluice", 100);
  EXPECT_TRUE(me->command(R"({"cmd": "speed", "times": 64})").applied);
  EXPECT_TRUE(me->command(R"({"cmd": "play"})").applied);
  EXPECT_TRUE(others->command(R"({"cmd": "speed", "times": 32})").applied);
  EXPECT_TRUE(others->command(R"({"cmd": "play"})").applied);
  for (const auto* client : {&me, &others}) {
    ASSERT_TRUE((*client)->pump_until([&](auto) {
      return (*client)->mirror().tick() == 300 && !(*client)->mirror().playback()->playing;
    }));
    expect_shown(**client, "one.sluice", 300);
  }
  EXPECT_EQ(me->mirror().playback()->speed, 64000U);
  EXPECT_EQ(others->mirror().playback()->speed, 32000U);
}

TEST_F(Alone, BothRecordingsOfAComparisonAreAtOneTick) {
  record("one.sluice");
  HistoryOptions quiet;
  quiet.commands_per_tick = 0;
  record("two.sluice", quiet);
  start_alone({"one.sluice", "two.sluice"});
  const auto others = watch("a");
  EXPECT_TRUE(watch("b")->command(alone_as("me")).applied);  // by either of the two
  const auto a = watch(at("me", "a"));
  const auto b = watch(at("me", "b"));
  for (const std::uint64_t tick : {120U, 121U, 40U}) {
    EXPECT_TRUE((tick % 2 == 0 ? a : b)->command(seek_to(tick)).applied);
    expect_shown(*a, "one.sluice", tick);
    expect_shown(*b, "two.sluice", tick);
    EXPECT_GT(a->mirror().playback()->differing_cells, 0);
    EXPECT_EQ(a->mirror().playback()->differing_cells, b->mirror().playback()->differing_cells);
  }
  expect_shown(*others, "one.sluice", 0);
}

TEST_F(Alone, WhatMakesNoSenseIsRefused) {
  record("one.sluice");
  start_alone({"one.sluice"});
  const auto client = watch("a");
  const auto beyond = client->command(R"({"cmd": "alone", "as": "me", "to": 301})");
  EXPECT_FALSE(beyond.applied);
  EXPECT_EQ(beyond.reason, "alone: there is no tick 301; ticks 0 to 300 can be shown");
  EXPECT_EQ(own_->count(), 0U);
  EXPECT_THROW(watch(at("me")), std::runtime_error);
  EXPECT_FALSE(client->command(R"({"cmd": "alone", "as": "../me"})").applied);
  EXPECT_TRUE(client->command(R"({"cmd": "alone", "as": "me", "to": 300})").applied);
  const auto me = watch(at("me"));
  const auto again = me->command(alone_as("you"));
  EXPECT_FALSE(again.applied);
  EXPECT_EQ(again.reason, "alone: this is a position of one's own already");
  EXPECT_FALSE(me->command(seek_to(301)).applied);
  expect_shown(*me, "one.sluice", 300);
}

TEST_F(Alone, WhoAsksForAPositionThatThereIsComesAlong) {
  record("one.sluice");
  start_alone({"one.sluice"});
  const auto client = watch("a");
  EXPECT_TRUE(client->command(alone_as("us")).applied);
  const auto first = watch(at("us"));
  EXPECT_TRUE(first->command(seek_to(50)).applied);
  const auto asked = client->command(R"({"cmd": "alone", "as": "us", "to": 9})");
  EXPECT_TRUE(asked.applied);
  EXPECT_EQ(asked.tick, 50U);  // where it stands
  const auto second = watch(at("us"));
  expect_shown(*second, "one.sluice", 50);
  EXPECT_TRUE(second->command(seek_to(60)).applied);
  expect_shown(*first, "one.sluice", 60);
  EXPECT_EQ(own_->count(), 1U);
}

TEST_F(Alone, ThereAreSoManyAndNoMore) {
  record("one.sluice");
  start_alone({"one.sluice"}, {.unwatched = 1h, .settling = 1h});
  const auto client = watch("a");
  std::vector<std::unique_ptr<WireClient>> viewers;
  for (std::size_t i = 0; i < PositionBounds{}.most; ++i) {
    const std::string name = "v" + std::to_string(i);
    EXPECT_TRUE(client->command(alone_as(name)).applied);
    viewers.push_back(watch(at(name)));
    EXPECT_TRUE(viewers.back()->command(seek_to(10 * i)).applied);
  }
  const auto refused = client->command(alone_as("more"));
  EXPECT_FALSE(refused.applied);
  EXPECT_EQ(refused.reason,
            "alone: all 8 positions beside the shared one are taken; it is possible again when "
            "somebody goes back to the others");
  EXPECT_TRUE(client->command(alone_as("v3")).applied);  // that one there is
  for (std::size_t i = 0; i < viewers.size(); ++i) {
    expect_shown(*viewers[i], "one.sluice", 10 * i);
  }
  // Where one has left there is room, though its time is not over yet.
  viewers[5].reset();
  const auto given = [&] { return client->command(alone_as("more")).applied; };
  ASSERT_TRUE(tests::wait_until(given));
  expect_shown(*watch(at("more")), "one.sluice", 0);
  EXPECT_THROW(watch(at("v5")), std::runtime_error);
  EXPECT_EQ(own_->count(), PositionBounds{}.most);
  EXPECT_TRUE(viewers[4]->command(seek_to(1)).applied);
}

TEST_F(Alone, WhoIsYetToComeIsWaitedFor) {
  record("one.sluice");
  stop_time();
  start_alone({"one.sluice"}, {.unwatched = 1h, .settling = 500ms});
  const auto client = watch("a");
  for (std::size_t i = 0; i < PositionBounds{}.most; ++i) {
    EXPECT_TRUE(client->command(alone_as("v" + std::to_string(i))).applied);
  }
  hand_.move(499ms);
  EXPECT_FALSE(client->command(alone_as("more")).applied);
  hand_.move(1ms);
  EXPECT_TRUE(client->command(alone_as("other")).applied);
  EXPECT_EQ(own_->count(), PositionBounds{}.most);
  expect_shown(*watch(at("other")), "one.sluice", 0);
}

TEST_F(Alone, SoManyMayWaitForAPosition) {
  record("one.sluice");
  player_ = std::make_unique<Player>(open({"one.sluice"}));
  // It has not begun, so nobody is served.
  own_ = std::make_unique<OwnPositions>();
  own_->add_beside(*player_, [] { return Result<std::vector<Player::Recording>>(Error{"never"}); });
  net::CommandIntake& intake = *player_->hosted().front().intake;
  const auto ask = [&](std::size_t i) {
    net::ClientCommand command;
    command.json = alone_as("v" + std::to_string(i));
    command.session = i + 1;
    return intake.submit(std::move(command));
  };
  for (std::size_t i = 0; i < OwnPositions::kMostAsked; ++i) EXPECT_TRUE(ask(i).ok());
  const Status refused = ask(OwnPositions::kMostAsked);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error(), "alone: too many wait for a position (64)");
  EXPECT_EQ(ask(3).error(), "alone: the position that was asked for before is not made yet");
}

TEST_F(Alone, OneAskerHasSoManyAndNoMore) {
  record("one.sluice");
  player_ = std::make_unique<Player>(open({"one.sluice"}));
  must(player_->begin_at(0));
  own_ = std::make_unique<OwnPositions>(PositionBounds{.most_of_asker = 2},
                                        PositionPatience{.unwatched = 1h, .settling = 1h});
  std::mutex mutex;
  std::map<std::uint64_t, std::string> answers;  // by seq; guarded by mutex
  History history;
  history.open = [this] { return Result<std::vector<Player::Recording>>(open({"one.sluice"})); };
  history.shown_tick = [] { return 7; };
  history.answer = [&](const AskedAlone& asked, std::uint64_t /*tick*/, std::string refusal) {
    const std::lock_guard lock(mutex);
    answers[asked.seq] = std::move(refusal);
  };
  own_->add("world", std::move(history));
  serve();
  own_->start(*server_);
  std::uint64_t seq = 0;
  const auto ask = [&](const std::string& position, const std::string& asker) {
    ++seq;
    must(own_->ask("world", {position, std::nullopt, 0, seq, seq, asker}));
    EXPECT_TRUE(tests::wait_until([&] {
      const std::lock_guard lock(mutex);
      return answers.contains(seq);
    }));
    const std::lock_guard lock(mutex);
    return answers[seq];
  };
  EXPECT_EQ(ask("a1", "ann"), "");
  EXPECT_EQ(ask("a2", "ann"), "");
  EXPECT_EQ(ask("a3", "ann"),
            "alone: you have 2 positions in the past already; leave one of them first");
  EXPECT_EQ(ask("b1", "bob"), "");
  EXPECT_EQ(ask("c1", ""), "");
  EXPECT_EQ(ask("c2", ""), "");
  EXPECT_EQ(ask("c3", ""), "") << "who nobody knows is not bounded so";
  // One that was watched and is not any more makes room.
  { const auto ann = watch("a?alone=a1"); }
  EXPECT_TRUE(tests::wait_until([&] { return ask("a3", "ann") == ""; }));
  EXPECT_EQ(own_->sample("world").positions, 6U);
  EXPECT_THROW(watch("a?alone=a1"), std::runtime_error);
}

TEST_F(Alone, APositionThatNobodyWatchesIsFreed) {
  record("one.sluice");
  stop_time();
  start_alone({"one.sluice"}, {.unwatched = 150ms, .settling = 50ms});
  const auto client = watch("a");
  EXPECT_TRUE(client->command(alone_as("never")).applied);
  hand_.move(150ms);
  EXPECT_TRUE(wait_count(0)) << "that nobody came to";
  EXPECT_TRUE(client->command(alone_as("me")).applied);
  {
    const auto me = watch(at("me"));
    EXPECT_TRUE(me->command(R"({"cmd": "play"})").applied);
    hand_.move(500ms);
    // Before another one is made those that are there are looked at.
    EXPECT_TRUE(client->command(alone_as("other")).applied);
    EXPECT_EQ(own_->count(), 2U);
    me->abort();  // while it plays, and without a word
  }
  EXPECT_TRUE(tests::wait_until([&] {
    hand_.move(50ms);
    return own_->count() == 0;
  }));
  EXPECT_THROW(watch(at("me")), std::runtime_error);
  expect_shown(*client, "one.sluice", 0);
  // And it can be had again.
  EXPECT_TRUE(client->command(R"({"cmd": "alone", "as": "me", "to": 5})").applied);
  expect_shown(*watch(at("me")), "one.sluice", 5);
}

TEST_F(Alone, TheServerStopsWhilePositionsPlay) {
  record("one.sluice");
  start_alone({"one.sluice"});
  const auto client = watch("a");
  std::vector<std::unique_ptr<WireClient>> viewers;
  for (const std::string name : {"x", "y", "z"}) {
    EXPECT_TRUE(client->command(alone_as(name)).applied);
    viewers.push_back(watch(at(name)));
    EXPECT_TRUE(viewers.back()->command(R"({"cmd": "play"})").applied);
  }
  // Some are still asked for.
  for (int i = 0; i < 20; ++i) {
    client->session().send_command(alone_as("w" + std::to_string(i)));
  }
  client->flush();
  std::thread stopper([&] {
    own_->stop();
    player_->stop();
    server_->stop();
  });
  for (const auto& viewer : viewers) {
    EXPECT_TRUE(viewer->wait_closed());
    EXPECT_EQ(viewer->session().reason(), "refused: the server stops");
  }
  stopper.join();
}

}  // namespace
}  // namespace sluice::playback::own_positions_test
