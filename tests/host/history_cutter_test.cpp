// Goal: old history is cut off while a world runs, by the rule and when somebody asks, with nothing
// lost; what stands in the way is said once and tried again, and leaves what there was.
// Method: a real world with its recorder and writer, on threads of its own; and the same without
// threads, on a clock that the test moves, where its steps and the world's come in any order.
#include "server/host/history_cutter.h"

#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include "tests/host/hosted_world.h"
#include "tests/record/parts.h"
#include "tests/support/hand_clock.h"

namespace sluice::host::history_cutter_test {
namespace {

using record::test::expect_history_verifies;
using record::test::files_of_history;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

class HistoryCutterTest : public WorldRunnerTest {
 protected:
  void SetUp() override {
    WorldRunnerTest::SetUp();
    runner_->set_checkpoint_spacing(20);
    before_ = spdlog::default_logger();
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_)));
  }
  void TearDown() override {
    cutter_.reset();
    runner_.reset();
    spdlog::set_default_logger(before_);
  }
  virtual HistoryCutter::Options options() {
    HistoryCutter::Options options;
    options.name = "tub";
    options.recording = path();
    options.ticks_per_hour = 100;
    options.interval = milliseconds(2);
    options.turn = &turn_;
    return options;
  }
  void cut_by(HistoryCutter::Options options) {
    cutter_ = std::make_unique<HistoryCutter>(std::move(options), runner_->writer());
  }
  /// With something that happens, so that there are checkpoints.
  void run_to(std::uint64_t tick) {
    while (runner_->writer().durable_tick() < tick) {
      ASSERT_TRUE(pour(++poured_).ok());
      const std::vector<net::CommandReply> answers = replies(1);
      ASSERT_TRUE(answers[0].result.applied) << answers[0].result.reason;
    }
  }
  std::uint64_t end() {
    if (cutter_) cutter_->stop();
    runner_->stop();
    const std::uint64_t tick = runner_->writer().durable_tick();
    EXPECT_EQ(tick, runner_->world().tick_number());
    cutter_.reset();
    runner_.reset();
    return tick;
  }
  [[nodiscard]] std::size_t times_logged(const std::string& what) const {
    const std::string log = log_.str();
    std::size_t times = 0;
    for (auto at = log.find(what); at != std::string::npos; at = log.find(what, at + 1)) ++times;
    return times;
  }

  std::uint64_t poured_ = 0;
  std::mutex turn_;
  std::ostringstream log_;
  std::shared_ptr<spdlog::logger> before_;
  std::unique_ptr<HistoryCutter> cutter_;
};

TEST_F(HistoryCutterTest, ByTheRuleAWorldThatRunsIsCutAgainAndAgain) {
  HistoryCutter::Options rule = options();
  rule.rule.hours = 1;
  cut_by(rule);
  runner_->start();
  (void)runner_->set_speed(5 * kOwnSpeed);
  while (cutter_->sample().made < 4) run_to(runner_->writer().durable_tick() + 1);
  // A machine with other work may let the world run ahead of the copy: then it is tried again.
  EXPECT_EQ(cutter_->sample().failures,
            times_logged("its world goes faster than its recording can be copied"))
      << log_.str();
  const std::uint64_t last = end();
  EXPECT_EQ(expect_history_verifies(path()), last);
  EXPECT_GE(files_of_history(path()).size(), 5U);
  const auto reader = std::move(record::Reader::open(path())).value();
  EXPECT_GE(reader->last_tick() - reader->first_tick(), 100U);
  EXPECT_THAT(log_.str(), HasSubstr("and verifies by itself"));
}

TEST_F(HistoryCutterTest, WhoAsksIsToldWhatCameOfIt) {
  cut_by(options());
  runner_->start();
  run_to(150);
  const auto cut = cutter_->ask(40, true, 60s);
  ASSERT_TRUE(cut.ok()) << cut.error();
  ASSERT_TRUE(cut->sealed);
  EXPECT_EQ(cut->sealed->old.first_tick, 0U);
  EXPECT_GE(cut->sealed->old.last_tick, 80U);
  EXPECT_EQ(cut->sealed->old.path, "");
  EXPECT_THAT(log_.str(), HasSubstr("can no longer be proved"));
  const auto none = cutter_->ask(1'000'000, false, 60s);
  ASSERT_TRUE(none.ok()) << none.error();
  EXPECT_FALSE(none->sealed || none->under_way);
  EXPECT_LE(cutter_->sample().kept_ticks, runner_->writer().durable_tick() - 80);
  const std::uint64_t last = end();
  EXPECT_EQ(std::move(record::Reader::open(path())).value()->last_tick(), last);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_.file("")), {}), 1);
}

TEST_F(HistoryCutterTest, WhatStandsInTheWayIsSaidAndLeavesWhatThereWas) {
  HistoryCutter::Options full = options();
  std::atomic<bool> room{false};
  full.no_room = [&room] { return std::string(room ? "" : "the disk has 3 MiB left"); };
  cut_by(full);
  runner_->start();
  run_to(100);
  const auto refused = cutter_->ask(10, false, 60s);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error(), "the disk has 3 MiB left");
  EXPECT_EQ(files_of_history(path()).size(), 1U);
  EXPECT_EQ(cutter_->sample().failures, 1U);
  {
    const std::lock_guard another(turn_);
    const auto busy = cutter_->ask(10, false, 60s);
    ASSERT_FALSE(busy.ok());
    EXPECT_THAT(busy.error(), HasSubstr("another world is being cut"));
  }
  room = true;
  const auto cut = cutter_->ask(10, false, 60s);
  ASSERT_TRUE(cut.ok()) << cut.error();
  EXPECT_TRUE(cut->sealed);
  const std::uint64_t last = end();
  EXPECT_EQ(expect_history_verifies(path()), last);
}

TEST_F(HistoryCutterTest, OneThatTakesLongIsGivenUpWhenItsWorldEnds) {
  HistoryCutter::Options slow = options();
  std::atomic<bool> began{false};
  slow.before_cut = [&began](const std::atomic<bool>& stop) -> Status {
    began = true;
    EXPECT_TRUE(tests::wait_until([&stop] { return stop.load(); }));
    return Done{};
  };
  cut_by(slow);
  runner_->start();
  run_to(100);
  const auto asked = cutter_->ask(10, false, milliseconds(1));
  ASSERT_TRUE(asked.ok()) << asked.error();
  EXPECT_TRUE(asked->under_way);
  EXPECT_FALSE(cutter_->ask(10, false, milliseconds(1)).ok()) << "one at a time";
  EXPECT_TRUE(tests::wait_until([&began] { return began.load(); }));
  const std::uint64_t last = end();
  EXPECT_EQ(expect_history_verifies(path()), last);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_.file("")), {}), 1);
}

/// Without threads.
class SteppedCutterTest : public HistoryCutterTest {
 protected:
  [[nodiscard]] Drive drive() const override { return {Drive::By::kOwner, &clock_}; }
  HistoryCutter::Options options() override {
    HistoryCutter::Options options = HistoryCutterTest::options();
    options.drive = drive();
    options.most_behind = 4;
    options.retry = 60s;
    options.longest_retry = 200s;
    return options;
  }
  /// The world's ticks, all of them durable.
  void tick(std::uint64_t ticks) {
    for (std::uint64_t i = 0; i < ticks; ++i) {
      clock_.move(milliseconds(5));
      if (i % 8 == 0) (void)pour(++poured_);
      (void)runner_->step();
      (void)runner_->writer().step();
    }
    clock_.move(1s);
    (void)runner_->step();
    (void)runner_->writer().step();
  }

  tests::HandClock clock_;
};

TEST_F(SteppedCutterTest, TheWorldGoesOnBetweenItsSteps) {
  cut_by(options());
  runner_->start();
  for (int round = 0; round < 3; ++round) {
    tick(100);
    ASSERT_TRUE(cutter_->ask(10, false, {}).ok());
    ASSERT_TRUE(cutter_->step()) << "prepared";
    tick(30);
    ASSERT_TRUE(cutter_->step()) << "too many ticks came meanwhile";
    tick(2);
    while (cutter_->step()) tick(1);
    EXPECT_EQ(cutter_->sample().made, static_cast<std::uint64_t>(round) + 1) << log_.str();
    tick(25);
  }
  EXPECT_EQ(files_of_history(path()).size(), 4U);
  const std::uint64_t last = end();
  EXPECT_EQ(expect_history_verifies(path()), last);
}

TEST_F(SteppedCutterTest, AWorldThatIsTooFastIsLeftAloneForAWhile) {
  HistoryCutter::Options rule = options();
  rule.rule.hours = 1;
  cut_by(rule);
  runner_->start();
  tick(150);
  int steps = 0;
  while (cutter_->step()) {
    tick(20);
    ASSERT_LT(++steps, 100);
  }
  EXPECT_GE(steps, HistoryCutter::kMostRounds);
  EXPECT_EQ(cutter_->sample().failures, 1U);
  EXPECT_THAT(log_.str(), HasSubstr("goes faster than its recording can be copied"));
  EXPECT_FALSE(cutter_->step()) << "not at once";
  clock_.move(120s);
  while (cutter_->step()) {
  }
  EXPECT_EQ(cutter_->sample().made, 1U);
  const std::uint64_t last = end();
  EXPECT_EQ(expect_history_verifies(path()), last);
}

TEST_F(SteppedCutterTest, TheSameReasonIsSaidOnceAndTriedLaterEachTime) {
  HistoryCutter::Options rule = options();
  rule.rule.hours = 1;
  int tried = 0;
  rule.no_room = [&tried] {
    ++tried;
    return std::string("there is no room");
  };
  cut_by(rule);
  runner_->start();
  tick(150);
  std::vector<int> at;  // seconds
  for (int second = 0; second < 1000; ++second) {
    const int before = tried;
    EXPECT_FALSE(cutter_->step());
    if (tried > before) at.push_back(second);
    clock_.move(1s);
  }
  EXPECT_EQ(at, (std::vector<int>{0, 60, 180, 380, 580, 780, 980}));
  EXPECT_EQ(times_logged("there is no room"), 1U);
  EXPECT_EQ(cutter_->sample().failures, at.size());
  end();
}

TEST_F(SteppedCutterTest, ARecordingThatFailsIsNotCutAndGoesOnWhenItCan) {
  cut_by(options());
  runner_->start();
  tick(100);
  ASSERT_TRUE(cutter_->ask(10, false, {}).ok());
  ASSERT_TRUE(cutter_->step());
  {
    const FullDisk full;
    EXPECT_FALSE(cutter_->step()) << "what is made cannot grow";
    EXPECT_EQ(cutter_->sample().failures, 1U);
    EXPECT_EQ(runner_->trouble(), "") << "and the world does not notice";
    tick(5);
    EXPECT_NE(runner_->trouble(), "");
    ASSERT_TRUE(cutter_->ask(10, false, {}).ok());
    EXPECT_FALSE(cutter_->step());
    EXPECT_THAT(log_.str(), HasSubstr("is not cut off: the recording failed"));
  }
  tick(5);
  EXPECT_EQ(runner_->trouble(), "");
  ASSERT_TRUE(cutter_->ask(10, false, {}).ok());
  while (cutter_->step()) {
  }
  EXPECT_EQ(cutter_->sample().made, 1U) << log_.str();
  const std::uint64_t last = end();
  EXPECT_EQ(expect_history_verifies(path()), last);
}

}  // namespace
}  // namespace sluice::host::history_cutter_test
