// Goal: a hosted world answers every command once, after it is durable; and stands still, saying
// so, when its recording fails. Method: a real world and recorder; a file size limit plays the full
// disk.
#include "server/host/world_runner.h"

#include <filesystem>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "server/formats/world_file.h"
#include "tests/support/process.h"

namespace sluice::host {
namespace {

using std::chrono::milliseconds;

constexpr const char* kWorldText = R"(
[world]
name = "tub"
size = [64, 64, 1]
tick_rate = 200
)";

class WorldRunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto spec = formats::parse_world(kWorldText, "test world");
    auto world = std::move(sim::World::create(spec.value())).value();
    auto recorder = record::Recorder::create(path(), kWorldText, *world);
    ASSERT_TRUE(recorder.ok()) << recorder.error();
    runner_ = std::make_unique<WorldRunner>(std::move(world), std::move(recorder).value(),
                                            executor_, metrics_.add_world("tub"));
  }
  [[nodiscard]] std::string path() const { return directory_.file("tub.sluice"); }

  sim::Status pour(std::uint64_t seq) {
    return runner_->submit({7, "tester", seq, R"({"cmd": "pour", "at": [5, 60, 0], "units": 9})"});
  }
  // Takes mail until there are so many replies.
  std::vector<net::CommandReply> replies(std::size_t count) {
    std::vector<net::CommandReply> all;
    for (int i = 0; i < 2000 && all.size() < count; ++i) {
      auto mail = runner_->feed().take();
      all.insert(all.end(), mail.replies.begin(), mail.replies.end());
      std::this_thread::sleep_for(milliseconds(2));
    }
    return all;
  }

  tests::TemporaryDirectory directory_;
  sim::SerialExecutor executor_;
  Metrics metrics_;
  std::unique_ptr<WorldRunner> runner_;
};

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
  const sim::Status status = runner_->submit({7, "tester", 4, "{\"cmd\": \"flood\"}"});
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
  ASSERT_TRUE(runner_
                  ->submit({7, "tester", 1,
                            R"({"cmd": "remove_water", "from": [0, 0, 0], "size": [64, 64, 1]})"})
                  .ok());
  ASSERT_TRUE(replies(1).front().result.applied);
  runner_->stop();
}

TEST_F(WorldRunnerTest, StandsStillAndSaysSoWhenTheRecordingFails) {
  runner_->start();
  ASSERT_TRUE(pour(1).ok());
  ASSERT_EQ(replies(1).size(), 1U);
  EXPECT_EQ(runner_->trouble(), "");
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit full = before;
  full.rlim_cur = 1;  // every write past the first byte of a file fails, as on a full disk
  setrlimit(RLIMIT_FSIZE, &full);
  ASSERT_TRUE(pour(2).ok());
  const auto answers = replies(1);
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_FALSE(answers[0].result.applied);
  EXPECT_NE(answers[0].result.reason.find("the recording failed"), std::string::npos);
  EXPECT_NE(runner_->trouble(), "");
  EXPECT_FALSE(pour(3).ok());
  const std::uint64_t tick = runner_->feed().tick();
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_LE(runner_->feed().tick(), tick + 1);
  runner_->stop();
}

}  // namespace
}  // namespace sluice::host
