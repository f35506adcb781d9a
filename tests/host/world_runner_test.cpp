// Goal: a hosted world answers every command once, after it is durable; and stands still, saying
// so, when its recording fails. Method: a real world and recorder; a file size limit plays the full
// disk.
#include "server/host/world_runner.h"

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "server/formats/world_file.h"
#include "server/host/past_results.h"
#include "server/record/database.h"
#include "server/record/reader.h"
#include "server/record/verify.h"
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

/// However long the machine takes for a tick, commands are taken.
WorkLimits patient() {
  WorkLimits limits;
  limits.busy_seconds = 1e9;
  return limits;
}

class WorldRunnerTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto spec = formats::parse_world(kWorldText, "test world");
    auto world = std::move(sim::World::create(spec.value())).value();
    auto recorder = record::Recorder::create(path(), kWorldText, *world);
    ASSERT_TRUE(recorder.ok()) << recorder.error();
    runner_ =
        std::make_unique<WorldRunner>(std::move(world), std::move(recorder).value(), executor_,
                                      metrics_.add_world("tub"), patient(), drive());
  }
  [[nodiscard]] virtual Drive drive() const { return {}; }
  [[nodiscard]] std::string path() const { return directory_.file("tub.sluice"); }

  Status pour(std::uint64_t seq) {
    return runner_->submit(
        {{seq, R"({"cmd": "pour", "at": [5, 60, 0], "units": 9})"}, 7, "tester"});
  }
  // Takes mail until there are so many replies.
  std::vector<net::CommandReply> replies(std::size_t count) {
    std::vector<net::CommandReply> all;
    for (int i = 0; i < 30000 && all.size() < count; ++i) {
      auto mail = runner_->feed().take();
      all.insert(all.end(), mail.replies.begin(), mail.replies.end());
      if (all.size() < count) std::this_thread::sleep_for(milliseconds(1));
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

/// Every write past the first byte of a file fails, as on a full disk, until it is freed.
class FullDisk {
 public:
  FullDisk() {
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit full = before_;
    full.rlim_cur = 1;
    setrlimit(RLIMIT_FSIZE, &full);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

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

/// A world without threads, on a clock that stands still until it is moved.
class SteppedWorldTest : public WorldRunnerTest {
 protected:
  class HandClock final : public Clock {
   public:
    [[nodiscard]] Time now() const override { return now_; }
    void move(Duration by) { now_ += by; }

   private:
    Time now_{};
  };

  [[nodiscard]] Drive drive() const override { return {Drive::By::kOwner, &clock_}; }
  /// As long as that takes, whatever is due is done.
  void run_for(milliseconds time) {
    for (; time.count() > 0; time -= kPeriod) {
      clock_.move(kPeriod);
      (void)runner_->step();
      (void)runner_->writer().step();
    }
  }
  std::vector<net::CommandReply> answers() { return runner_->feed().take().replies; }

  static constexpr milliseconds kPeriod{5};
  HandClock clock_;
};

TEST_F(SteppedWorldTest, StandsStillWhileTheRecordingFailsAndGoesOnWhenItCan) {
  runner_->start();
  ASSERT_TRUE(pour(1).ok());
  run_for(kPeriod);
  ASSERT_EQ(answers().size(), 1U);
  EXPECT_EQ(runner_->trouble(), "");
  {
    const FullDisk full;
    ASSERT_TRUE(pour(2).ok());
    run_for(kPeriod);
    const auto answers = this->answers();
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_FALSE(answers[0].result.applied);
    EXPECT_EQ(answers[0].result.kind, protocol::ResultKind::kUnknown);
    EXPECT_FALSE(answers[0].late);
    EXPECT_NE(answers[0].result.reason.find("the recording failed"), std::string::npos);
    EXPECT_EQ(answers[0].result.reason.find(path()), std::string::npos)
        << "a path is nobody's business: " << answers[0].result.reason;
    EXPECT_NE(runner_->trouble(), "");
    EXPECT_EQ(runner_->trouble().find("tub.sluice"), std::string::npos) << runner_->trouble();
    EXPECT_FALSE(pour(3).ok()) << "a world that stands still takes none";
    const std::uint64_t tick = runner_->world().tick_number();
    run_for(3 * RecordWriter::Limits{}.retry);
    EXPECT_EQ(runner_->world().tick_number(), tick);
    EXPECT_NE(runner_->trouble(), "");
  }
  const std::uint64_t stood_at = runner_->world().tick_number();
  run_for(RecordWriter::Limits{}.retry);
  ASSERT_EQ(runner_->trouble(), "") << "the disk is free again";
  // What was in doubt is settled, for a client that asks again.
  std::vector<net::CommandReply> answers = this->answers();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(answers[0].late);
  EXPECT_EQ(answers[0].result.seq, 2U);
  EXPECT_TRUE(answers[0].result.applied);
  EXPECT_EQ(answers[0].result.kind, protocol::ResultKind::kNew);
  ASSERT_TRUE(pour(4).ok());
  run_for(kPeriod);
  answers = this->answers();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(answers[0].result.applied) << answers[0].result.reason;
  EXPECT_GT(answers[0].result.tick, stood_at);
  runner_->stop();
  EXPECT_EQ(runner_->trouble(), "");
  const std::int64_t sourced = 3 * 9;  // 1, 2 (which was not lost after all) and 4
  runner_.reset();
  sim::SerialExecutor executor;
  auto reader = record::Reader::open(path());
  ASSERT_TRUE(reader.ok()) << reader.error();
  const auto report = record::verify(**reader, {}, executor);
  ASSERT_TRUE(report.ok()) << report.error();
  EXPECT_FALSE(report->divergence);
  const auto recovered = record::recover(path(), executor);
  ASSERT_TRUE(recovered.ok()) << recovered.error();
  EXPECT_EQ(recovered->world->totals().sourced, sourced);
}

// The disk is well again, but the file is not: waiting is in vain, and the reason must say so.
TEST_F(SteppedWorldTest, SaysSoWhereTheFileWasDamagedWhileTheDiskWasFull) {
  runner_->start();
  {
    const FullDisk full;
    ASSERT_TRUE(pour(1).ok());
    run_for(kPeriod);
    EXPECT_EQ(runner_->trouble().find("is damaged"), std::string::npos) << runner_->trouble();
  }
  {
    auto file = record::Database::open(path(), record::Database::Mode::kWrite);
    ASSERT_TRUE(file.ok()) << file.error();
    ASSERT_TRUE((*file)->execute("UPDATE facts SET value = 'another'").ok());
  }
  run_for(2 * RecordWriter::Limits{}.retry);
  EXPECT_NE(runner_->trouble().find("is damaged"), std::string::npos) << runner_->trouble();
  EXPECT_EQ(runner_->trouble().find("tub.sluice"), std::string::npos) << runner_->trouble();
}

TEST_F(SteppedWorldTest, WhoComesToAPausedWorldSeesIt) {
  runner_->start();
  ASSERT_TRUE(pour(1).ok());
  run_for(kPeriod);
  runner_->pause();
  run_for(kPeriod);
  (void)runner_->feed().take();
  runner_->feed().set_watched(true);
  run_for(kPeriod);
  const std::optional<net::Publication> seen = runner_->feed().take().publication;
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->complete);
  EXPECT_EQ(seen->chunks.size(), 1U);
  EXPECT_EQ(seen->tick, runner_->world().tick_number());
  run_for(10 * kPeriod);
  EXPECT_FALSE(runner_->feed().take().publication) << "once is enough";
}

TEST_F(WorldRunnerTest, WhoComesToAPausedWorldWakesIt) {
  runner_->start();
  ASSERT_TRUE(pour(1).ok());
  ASSERT_EQ(replies(1).size(), 1U);
  runner_->pause();
  runner_->feed().set_watched(true);
  bool seen = false;
  for (int i = 0; i < 30000 && !seen; ++i) {
    const std::optional<net::Publication> publication = runner_->feed().take().publication;
    seen = publication && publication->complete;
    if (!seen) std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_TRUE(seen);
  runner_->stop();
}

TEST_F(SteppedWorldTest, WhileEditsAreRefusedTimeGoesOn) {
  runner_->start();
  runner_->refuse_edits("the disk is nearly full");
  EXPECT_EQ(pour(1).error(), "the disk is nearly full");
  run_for(4 * kPeriod);
  EXPECT_EQ(runner_->world().tick_number(), 4U);
  runner_->refuse_edits("");
  ASSERT_TRUE(pour(2).ok());
  run_for(kPeriod);
  EXPECT_TRUE(answers().at(0).result.applied);
}

TEST_F(SteppedWorldTest, AnAreaIsChangedByThoseWhoMay) {
  using access::Role;
  runner_->set_areas(
      Areas({{{{5, 60, 0}, {2, 1, 1}}, Role::kOperate}, {{{6, 0, 0}, {1, 64, 1}}, Role::kAdmin}}));
  runner_->start();
  std::uint64_t seq = 0;
  const auto reason = [&](Role role, const std::string& json) {
    EXPECT_TRUE(runner_->submit({{++seq, json}, 7, "tester", "", "", role}).ok());
    run_for(kPeriod);
    const auto told = answers();
    EXPECT_EQ(told.size(), 1U) << json;
    EXPECT_EQ(told.at(0).result.seq, seq);
    EXPECT_EQ(told.at(0).result.applied, told.at(0).result.reason.empty());
    return told.at(0).result.reason;
  };
  const std::string in_it = R"({"cmd": "pour", "at": [5, 60, 0], "units": 9})";
  const std::string over_it = R"({"cmd": "remove_water", "from": [0, 0, 0], "size": [64, 64, 1]})";
  EXPECT_EQ(reason(Role::kBuild, R"({"cmd": "pour", "at": [4, 60, 0], "units": 9})"), "");
  EXPECT_EQ(reason(Role::kBuild, in_it),
            "not allowed: that lies in an area (from [5, 60, 0], size [2, 1, 1]) which needs the "
            "role operate");
  EXPECT_EQ(reason(Role::kOperate, in_it), "");
  EXPECT_THAT(reason(Role::kOperate, over_it), testing::HasSubstr("needs the role admin"));
  EXPECT_EQ(reason(Role::kAdmin, over_it), "");
  EXPECT_THAT(reason(Role::kOperate, R"({"cmd": "set_wind", "speed": 1})"),
              testing::HasSubstr("may reach an area"));
  // What is not allowed is no part of the history.
  runner_->stop();
  runner_.reset();
  auto reader = record::Reader::open(path());
  ASSERT_TRUE(reader.ok()) << reader.error();
  std::size_t recorded = 0;
  const auto count = [&](const record::TickRecord& tick) {
    recorded += tick.commands.size();
    return true;
  };
  EXPECT_TRUE((*reader)->read_ticks(1, (*reader)->last_tick(), count).ok());
  EXPECT_EQ(recorded, 3U);
}

TEST_F(SteppedWorldTest, AloneItsTimeStandsAndIsNotMadeUpFor) {
  runner_->pause_when_alone();
  runner_->start();
  run_for(milliseconds(500));
  EXPECT_EQ(runner_->world().tick_number(), 0U);
  EXPECT_TRUE(runner_->alone());
  EXPECT_LE(*runner_->step() - clock_.now(), milliseconds(50)) << "as the document says";
  // Whoever commands it from afar, as an admin's script does, is somebody.
  ASSERT_TRUE(pour(1).ok());
  run_for(2 * kPeriod);
  EXPECT_EQ(runner_->world().tick_number(), 1U);
  EXPECT_TRUE(answers().at(0).result.applied);
  run_for(milliseconds(500));
  EXPECT_EQ(runner_->world().tick_number(), 1U);

  runner_->feed().counters().viewers = 1;
  run_for(11 * kPeriod);
  EXPECT_FALSE(runner_->alone());
  EXPECT_EQ(runner_->world().tick_number(), 11U) << "each in its time, and none at once";
  runner_->feed().counters().viewers = 0;
  run_for(10 * kPeriod);
  EXPECT_EQ(runner_->world().tick_number(), 11U);

  // Paused by somebody, it takes the steps that it is told to.
  runner_->pause();
  run_for(kPeriod);
  ASSERT_TRUE(runner_->step(3).ok());
  run_for(4 * kPeriod);
  EXPECT_EQ(runner_->world().tick_number(), 14U);
  EXPECT_FALSE(runner_->alone());
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
}  // namespace sluice::host
