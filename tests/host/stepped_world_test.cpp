// Goal: a hosted world stands still, saying so, when its recording fails; what comes to a world
// that is paused, read-only, alone or watched over by areas is as its operator said. Method: a real
// world and recorder without threads, on a clock that the test moves; a file size limit plays the
// full disk.
#include "server/record/database.h"
#include "server/record/reader.h"
#include "server/record/verify.h"
#include "tests/host/hosted_world.h"
#include "tests/support/hand_clock.h"

namespace sluice::host::stepped_world_test {
namespace {

/// A world without threads, on a clock that stands still until it is moved.
class SteppedWorldTest : public WorldRunnerTest {
 protected:
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
  tests::HandClock clock_;
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

}  // namespace
}  // namespace sluice::host::stepped_world_test
