// Goal: viewers see the recorded worlds at the tick that they ask for, all of them the same one;
// what is asked for and cannot be is refused with the reason. Method: a player behind a real server
// in this process, watched by clients over the wire; cells are compared with those of a world
// replayed by itself.
#include "server/playback/player.h"

#include <gtest/gtest.h>

#include "server/playback/comparison.h"
#include "tests/playback/players.h"

namespace sluice::playback::player_test {
namespace {

using namespace test;
using namespace std::chrono_literals;

TEST_F(Players, ShowAnyTickThatIsAskedFor) {
  record("one.sluice");
  start({"one.sluice"});
  const auto client = watch("a");
  expect_shown(*client, "one.sluice", 0);
  for (const std::uint64_t tick : {250U, 40U, 41U, 40U, 39U, 300U, 0U, 299U, 120U}) {
    const auto result = client->command(seek_to(tick));
    EXPECT_TRUE(result.applied) << result.reason;
    EXPECT_EQ(result.tick, tick);
    expect_shown(*client, "one.sluice", tick);
  }
  const protocol::Playback& playback = *client->mirror().playback();
  EXPECT_EQ(playback, (protocol::Playback{0, 300, false, 1000, -1, ""}));
}

TEST_F(Players, StepsAreCutToWhatCanBeShown) {
  record("one.sluice");
  start({"one.sluice"});
  const auto client = watch("a");
  EXPECT_EQ(client->command(R"({"cmd": "step", "by": 1})").tick, 1U);
  expect_shown(*client, "one.sluice", 1);
  EXPECT_EQ(client->command(R"({"cmd": "step", "by": 30})").tick, 31U);
  EXPECT_EQ(client->command(R"({"cmd": "step", "by": -2})").tick, 29U);
  expect_shown(*client, "one.sluice", 29);
  EXPECT_EQ(client->command(R"({"cmd": "step", "by": 9223372036854775807})").tick, 300U);
  EXPECT_EQ(client->command(R"({"cmd": "step", "by": 1})").tick, 300U);
  EXPECT_EQ(client->command(R"({"cmd": "step", "by": -9223372036854775808})").tick, 0U);
  EXPECT_EQ(client->command(R"({"cmd": "step", "by": -1})").tick, 0U);
  expect_shown(*client, "one.sluice", 0);
}

TEST_F(Players, PlayToTheEndAndThenFromTheBeginning) {
  record("one.sluice");
  stop_time();
  start({"one.sluice"});
  const auto client = watch("a");
  EXPECT_TRUE(client->command(R"({"cmd": "speed", "times": "max"})").applied);
  EXPECT_TRUE(client->command(R"({"cmd": "play"})").applied);
  const auto ended = [&](auto) {
    return client->mirror().tick() == 300 && !client->mirror().playback()->playing;
  };
  ASSERT_TRUE(client->pump_until(ended));
  expect_shown(*client, "one.sluice", 300);
  // At 64 times 20 ticks a second.
  EXPECT_TRUE(client->command(R"({"cmd": "speed", "times": 64})").applied);
  EXPECT_EQ(client->command(R"({"cmd": "play"})").tick, 0U);
  hand_.move(200ms);
  ASSERT_TRUE(wait_tick(*client, 256));
  EXPECT_TRUE(client->mirror().playback()->playing);
  hand_.move(35ms);
  ASSERT_TRUE(client->pump_until(ended));
  expect_shown(*client, "one.sluice", 300);
}

TEST_F(Players, PlayAtTheSpeedAskedForAndPause) {
  record("one.sluice");
  stop_time();
  start({"one.sluice"});
  const auto client = watch("a");
  ASSERT_TRUE(wait_tick(*client, 0));
  EXPECT_TRUE(client->command(R"({"cmd": "play"})").applied);
  hand_.move(499ms);
  ASSERT_TRUE(wait_tick(*client, 9)) << "20 ticks a second";
  hand_.move(1ms);
  ASSERT_TRUE(wait_tick(*client, 10));
  EXPECT_TRUE(client->mirror().playback()->playing);
  const std::uint64_t paused = client->command(R"({"cmd": "pause"})").tick;
  EXPECT_EQ(paused, 10U);
  // What was done is published before it is answered.
  EXPECT_FALSE(client->mirror().playback()->playing);
  expect_shown(*client, "one.sluice", paused);
}

TEST_F(Players, WhoComesLaterSeesTheSameTick) {
  record("one.sluice");
  start({"one.sluice"});
  {
    const auto first = watch("a");
    EXPECT_TRUE(first->command(seek_to(77)).applied);
    const auto second = watch("a");
    expect_shown(*second, "one.sluice", 77);
    EXPECT_TRUE(second->command(seek_to(180)).applied);
    expect_shown(*first, "one.sluice", 180);
  }
  const auto third = watch("a");  // nobody was there for a while, and nothing moves
  expect_shown(*third, "one.sluice", 180);
}

// A second viewer of nothing but air was once told nothing, because no chunk was to be sent.
TEST_F(Players, WhoSeesNothingStillLearnsTheTick) {
  record("one.sluice");
  start({"one.sluice"});
  const auto first = watch("a");
  EXPECT_TRUE(first->command(seek_to(77)).applied);
  WireClient second(server_->port(), "/worlds/a");
  ASSERT_TRUE(second.greet());
  second.session().set_view({{0, 0, 0}, {0, 0, 0}});
  second.flush();
  EXPECT_TRUE(wait_tick(second, 77));
}

TEST_F(Players, RefuseWhatCannotBe) {
  record("one.sluice");
  start({"one.sluice"});
  const auto client = watch("a");
  const auto beyond = client->command(seek_to(301));
  EXPECT_FALSE(beyond.applied);
  EXPECT_EQ(beyond.reason, "seek: there is no tick 301; ticks 0 to 300 can be shown");
  EXPECT_FALSE(client->command(seek_to(UINT64_MAX)).applied);
  const auto pour = client->command(R"({"cmd": "pour", "at": [4, 60, 0], "units": 9})");
  EXPECT_FALSE(pour.applied);
  EXPECT_EQ(pour.reason.find("this is a replay: what happened cannot be changed"), 0U);
  EXPECT_FALSE(client->command("{").applied);
  EXPECT_TRUE(client->command(seek_to(5)).applied);
  expect_shown(*client, "one.sluice", 5);
}

TEST_F(Players, ShowTwoRecordingsAtTheSameTickAndCountWhatDiffers) {
  record("one.sluice");
  HistoryOptions quiet;
  quiet.commands_per_tick = 0;
  quiet.ticks = 250;
  record("two.sluice", quiet);
  start({"one.sluice", "two.sluice"});
  const auto a = watch("a");
  const auto b = watch("b");
  const auto one = must(Cursor::open(folder_.file("one.sluice"), executor_));
  const auto two = must(Cursor::open(folder_.file("two.sluice"), executor_));
  for (const std::uint64_t tick : {0U, 100U, 50U, 51U, 250U, 49U}) {
    EXPECT_TRUE((tick % 2 == 0 ? a : b)->command(seek_to(tick)).applied);
    expect_shown(*a, "one.sluice", tick);
    expect_shown(*b, "two.sluice", tick);
    must(one->seek(tick));
    must(two->seek(tick));
    const std::int64_t differing = count_differing_cells(one->world(), two->world());
    EXPECT_EQ(a->mirror().playback()->differing_cells, differing);
    EXPECT_EQ(b->mirror().playback()->differing_cells, differing);
    EXPECT_EQ(differing > 0, tick > 0) << tick;
  }
  EXPECT_EQ(a->mirror().playback()->last_tick, 250U);
  EXPECT_FALSE(a->command(seek_to(251)).applied);
}

TEST_F(Players, ATickThatDoesNotReplayIsToldAndTheOthersAreShown) {
  // The digest of tick 150 is recorded wrong; a checkpoint behind it leads on.
  const auto world = make_world();
  auto recorder = must(record::Recorder::create(folder_.file("odd.sluice"), kWorldFile, *world));
  for (std::uint64_t tick = 1; tick <= 300; ++tick) {
    record::TickRecord record = play(*world, {});
    if (tick == 150) record.digest ^= 1;
    must(recorder->append(record));
    if (tick % 100 == 0) must(recorder->checkpoint(record::CheckpointImage::of(*world)));
  }
  must(recorder->commit());
  start({"odd.sluice"});
  const auto client = watch("a");
  EXPECT_TRUE(client->command(seek_to(140)).applied);
  EXPECT_TRUE(client->command(R"({"cmd": "speed", "times": 64})").applied);
  EXPECT_TRUE(client->command(R"({"cmd": "play"})").applied);
  const auto stopped = [&](auto) { return !client->mirror().playback()->trouble.empty(); };
  ASSERT_TRUE(client->pump_until(stopped));
  EXPECT_NE(client->mirror().playback()->trouble.find("diverges from the recording at tick 150"),
            std::string::npos);
  EXPECT_FALSE(client->mirror().playback()->playing);
  expect_shown(*client, "odd.sluice", 149);
  const auto step = client->command(R"({"cmd": "step", "by": 1})");
  EXPECT_FALSE(step.applied);
  EXPECT_NE(step.reason.find("at tick 150"), std::string::npos) << step.reason;
  EXPECT_TRUE(client->command(seek_to(210)).applied);
  expect_shown(*client, "odd.sluice", 210);
  EXPECT_EQ(client->mirror().playback()->trouble, "");
}

TEST_F(Players, ARecordingThatGrowsIsFollowed) {
  const auto world = make_world();
  auto recorder = must(record::Recorder::create(folder_.file("grows.sluice"), kWorldFile, *world));
  const auto grow = [&](int ticks) {
    for (int i = 0; i < ticks; ++i) must(recorder->append(play(*world, {})));
    must(recorder->commit());
  };
  grow(20);
  start({"grows.sluice"});
  const auto client = watch("a");
  EXPECT_TRUE(client->command(seek_to(20)).applied);
  grow(20);
  ASSERT_TRUE(
      client->pump_until([&](auto) { return client->mirror().playback()->last_tick == 40; }));
  EXPECT_TRUE(client->command(seek_to(35)).applied);
  expect_shown(*client, "grows.sluice", 35);
}

}  // namespace
}  // namespace sluice::playback::player_test
