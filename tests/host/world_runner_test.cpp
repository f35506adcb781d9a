// Goal: a hosted world answers every command once, after it is durable. Method: a real world and
// recorder, on threads of their own; a file size limit plays the full disk.
#include "server/host/world_runner.h"

#include <atomic>
#include <set>
#include <thread>

#include "server/host/past_results.h"
#include "server/record/recorder.h"
#include "tests/host/hosted_world.h"

namespace sluice::host::world_runner_test {
namespace {

TEST_F(WorldRunnerTest, AnswersEachCommandOnceWithItsTick) {
  runner_->start();
  for (std::uint64_t seq = 1; seq <= 20; ++seq) ASSERT_TRUE(pour(seq).ok());
  const auto answers = replies(20);
  ASSERT_EQ(answers.size(), 20U);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].session, 7U);
    EXPECT_EQ(answers[i].result.seq, i + 1);
    EXPECT_TRUE(answers[i].result.applied);
    EXPECT_GT(answers[i].result.tick, 0U);
  }
  runner_->stop();
  EXPECT_FALSE(pour(21).ok());
  sim::SerialExecutor executor;
  runner_.reset();
  const auto recovered = record::recover(path(), executor);
  ASSERT_TRUE(recovered.ok()) << recovered.error();
  EXPECT_EQ(recovered->world->totals().sourced, 20 * 9);
  EXPECT_EQ(recovered->replayed_ticks, 0U);  // stopping made a checkpoint
}

TEST_F(WorldRunnerTest, RefusesWhatIsNoCommandAtOnce) {
  const Status status = runner_->submit({{4, "{\"cmd\": \"flood\"}"}, 7, "tester"});
  ASSERT_FALSE(status.ok());
  EXPECT_TRUE(status.error().starts_with("command 4")) << status.error();
}

TEST_F(WorldRunnerTest, CommandsThatNoTickTookAreRefusedWhenItStops) {
  // It never ran, so nothing was taken.
  const std::size_t most = WorkLimits{}.client_commands;
  for (std::uint64_t seq = 1; seq <= most; ++seq) ASSERT_TRUE(pour(seq).ok());
  EXPECT_EQ(pour(9999).error(), "too much at once: 1024 of your commands wait for their turn");
  runner_->start();
  runner_->stop();
  const auto answers = replies(most);
  ASSERT_EQ(answers.size(), most);
  std::set<std::uint64_t> answered;
  for (const net::CommandReply& answer : answers) {
    answered.insert(answer.result.seq);
    if (answer.result.applied) continue;  // a tick was quick
    EXPECT_EQ(answer.result.reason, "the server stops");
    EXPECT_EQ(answer.result.tick, 0U);
  }
  EXPECT_EQ(answered.size(), most);  // each once
}

// The world has no room for it, so nothing of it is recorded.
TEST_F(WorldRunnerTest, ACommandTooLargeForATickIsTurnedAway) {
  runner_->start();
  ASSERT_TRUE(
      runner_
          ->submit({{1, R"({"cmd": "remove_water", "from": [0, 0, 0], "size": [64, 64, 1]})"},
                    7,
                    "tester"})
          .ok());
  ASSERT_TRUE(replies(1).front().result.applied);
  runner_->stop();
}

TEST_F(WorldRunnerTest, AWorldThatNeverRanAnswersToo) {
  for (std::uint64_t seq = 1; seq <= 50; ++seq) ASSERT_TRUE(pour(seq).ok());
  runner_->stop();
  const auto answers = replies(50);
  ASSERT_EQ(answers.size(), 50U);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].result.seq, i + 1);
    EXPECT_FALSE(answers[i].result.applied);
    EXPECT_EQ(answers[i].result.reason, "the server stops");
  }
  EXPECT_EQ(pour(51).error(), "the server stops");
  runner_.reset();
  auto reader = record::Reader::open(path());
  ASSERT_TRUE(reader.ok()) << reader.error();
  EXPECT_EQ((*reader)->last_tick(), 0U) << "what was refused is not recorded";
}

TEST_F(WorldRunnerTest, EveryCommandIsAnsweredOnceWhenItStopsUnderLoad) {
  runner_->start();
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<bool> stopped = false;
  std::thread client([&] {
    // A full queue is no end: what waits in it is taken by a tick.
    while (!stopped) sent += pour(sent + 1).ok() ? 1 : 0;
  });
  auto answers = replies(200);  // the load is on: some are answered, and more wait
  runner_->stop();
  stopped = true;
  client.join();
  const auto rest = replies(sent - answers.size());
  answers.insert(answers.end(), rest.begin(), rest.end());
  ASSERT_EQ(answers.size(), sent);
  std::set<std::uint64_t> seqs;
  std::int64_t applied = 0;
  for (const net::CommandReply& answer : answers) {
    seqs.insert(answer.result.seq);
    applied += answer.result.applied ? 1 : 0;
    if (!answer.result.applied && answer.result.tick == 0) {
      EXPECT_EQ(answer.result.reason, "the server stops");
    }
  }
  EXPECT_EQ(seqs.size(), sent);
  runner_.reset();
  sim::SerialExecutor executor;
  const auto recovered = record::recover(path(), executor);
  ASSERT_TRUE(recovered.ok()) << recovered.error();
  EXPECT_EQ(recovered->world->totals().sourced, applied * 9);
}

TEST_F(WorldRunnerTest, ResultsOfClientsThatMayComeBackAreInTheRecording) {
  runner_->start();
  const auto send = [this](std::uint64_t seq, const char* units) {
    const std::string json =
        std::string(R"({"cmd": "pour", "at": [5, 60, 0], "units": )") + units + "}";
    return runner_->submit({{seq, json}, 7, "tester", "ada", "0123456789a"});
  };
  ASSERT_TRUE(pour(1).ok());  // of a client that may not
  ASSERT_TRUE(send(8, "9").ok());
  ASSERT_TRUE(send(9, "-9").ok());
  const auto answers = replies(3);
  ASSERT_EQ(answers.size(), 3U);
  runner_->stop();
  const std::uint64_t last = runner_->feed().tick();
  runner_.reset();

  const auto past = read_past_results(path());
  ASSERT_TRUE(past.ok()) << past.error();
  EXPECT_EQ(past->complete_since, 0U);
  ASSERT_EQ(past->results.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const net::PastResult& one = past->results[i];
    const protocol::CommandResult& told = answers[i + 1].result;
    EXPECT_EQ(one.client, net::ResultBook::key_of("ada", "0123456789a"));
    EXPECT_EQ(one.result.seq, told.seq);
    EXPECT_EQ(one.result.applied, told.applied);
    EXPECT_EQ(one.result.tick, told.tick);
    EXPECT_EQ(one.result.reason, told.reason);
  }
  EXPECT_FALSE(past->results[1].result.applied);

  const std::uint64_t after = past->results[1].result.tick;
  const auto later = read_past_results(path(), last - after);
  ASSERT_TRUE(later.ok()) << later.error();
  EXPECT_EQ(later->complete_since, after);
  EXPECT_TRUE(later->results.empty());

  // Of more than are kept the oldest are left out, and so all that came before them.
  EXPECT_EQ(read_past_results(path(), kTicksReadBack, 2)->results.size(), 2U);
  const auto fewer = read_past_results(path(), kTicksReadBack, 1);
  ASSERT_TRUE(fewer.ok()) << fewer.error();
  ASSERT_EQ(fewer->results.size(), 1U);
  EXPECT_EQ(fewer->results[0].result.seq, 9U);
  EXPECT_EQ(fewer->complete_since, past->results[0].result.tick);
}

TEST_F(WorldRunnerTest, WhoComesToAPausedWorldWakesIt) {
  runner_->start();
  ASSERT_TRUE(pour(1).ok());
  ASSERT_EQ(replies(1).size(), 1U);
  runner_->pause();
  runner_->feed().set_watched(true);
  EXPECT_TRUE(tests::wait_until([&] {
    const std::optional<net::Publication> publication = runner_->feed().take().publication;
    return publication && publication->complete;
  }));
  runner_->stop();
}

TEST_F(WorldRunnerTest, AServerThatStopsOnAFullDiskSaysSo) {
  runner_->start();
  ASSERT_TRUE(pour(1).ok());
  ASSERT_EQ(replies(1).size(), 1U);
  {
    const FullDisk full;
    (void)pour(2);
    (void)replies(1);
    runner_->stop();
  }
  EXPECT_NE(runner_->trouble(), "");
  runner_.reset();
  sim::SerialExecutor executor;
  const auto recovered = record::recover(path(), executor);
  ASSERT_TRUE(recovered.ok()) << recovered.error();
  EXPECT_GE(recovered->world->totals().sourced, 9) << "what was acknowledged is there";
}

}  // namespace
}  // namespace sluice::host::world_runner_test
