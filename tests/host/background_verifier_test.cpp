// Goal: a running world's recording is replayed behind it; a machine that goes wrong raises the
// alarm and leaves a bundle; a viewer's difference leaves one too; a sound world raises nothing.
// Method: a recorder that is fed here, from a world whose state is changed behind its back.
#include "server/host/background_verifier.h"

#include <filesystem>
#include <memory>
#include <mutex>

#include <gtest/gtest.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include "server/record/cut.h"
#include "server/record/database.h"
#include "server/record/recorder.h"
#include "server/record/verify.h"
#include "tests/record/support.h"
#include "tests/support/wait_until.h"
#include "tests/support/world_access.h"

namespace sluice::host::background_verifier_test {
namespace {

using record::test::must;
using std::chrono::milliseconds;

class BackgroundVerifierTest : public testing::Test {
 protected:
  void SetUp() override {
    world_ = record::test::make_world();
    recorder_ = must(record::Recorder::create(path(), record::test::kWorldFile, *world_));
  }

  [[nodiscard]] std::string path() const { return folder_.file("bowl.sluice"); }

  /// Records ticks up to `last`; after tick `wrong` (0: never) the machine moves a bit.
  void run_to(std::uint64_t last, std::uint64_t wrong) {
    while (world_->tick_number() < last) {
      record::TickRecord tick = record::test::play(*world_, {});
      if (tick.tick == wrong) sim::WorldTestAccess::flip_cell(*world_, {7, 3, 0}, 5);
      tick.digest = world_->recompute_digest();
      must(recorder_->append(tick));
    }
    must(recorder_->commit());
  }

  BackgroundVerifier::Options options() {
    BackgroundVerifier::Options options;
    options.name = "bowl";
    options.recording = path();
    options.interval = milliseconds(5);
    options.mismatches = [this] { return mismatches_.load(); };
    options.claimants = [this] { return claimants_.load(); };
    return options;
  }

  record::test::TemporaryFolder folder_;
  std::unique_ptr<sim::World> world_;
  std::unique_ptr<record::Recorder> recorder_;
  std::atomic<std::uint64_t> mismatches_{0};
  std::atomic<std::uint64_t> claimants_{0};
};

TEST_F(BackgroundVerifierTest, FollowsASoundRecordingAFewSecondsBehind) {
  BackgroundVerifier verifier(options());
  run_to(200, 0);
  EXPECT_TRUE(tests::wait_until([&] { return verifier.verified_tick() == 100; }));
  run_to(400, 0);
  EXPECT_TRUE(tests::wait_until([&] { return verifier.verified_tick() == 300; }));
  EXPECT_FALSE(verifier.alarmed());
  EXPECT_EQ(verifier.detail(), "");
  EXPECT_EQ(verifier.bundles(), 0U);
}

TEST_F(BackgroundVerifierTest, FollowsARecordingWhoseOldHistoryIsCutOff) {
  run_to(50, 0);
  must(recorder_->checkpoint(record::CheckpointImage::of(*world_)));
  BackgroundVerifier verifier(options());
  run_to(200, 0);
  ASSERT_TRUE(tests::wait_until([&] { return verifier.verified_tick() == 100; }));
  must(recorder_->checkpoint(record::CheckpointImage::of(*world_)));
  run_to(230, 0);
  record::SealOptions keeping;
  keeping.keep = 10;
  auto cut = must(record::Cut::find(path(), keeping));
  must(cut->prepare());
  ASSERT_TRUE(must(cut->take_place(*recorder_, 0)));
  cut.reset();
  EXPECT_TRUE(tests::wait_until([&] { return verifier.verified_tick() == 230; }))
      << "what was recorded before the cut, all of it";
  run_to(400, 0);
  EXPECT_TRUE(tests::wait_until([&] { return verifier.verified_tick() == 300; }));
  EXPECT_FALSE(verifier.alarmed()) << verifier.detail();
  run_to(500, 450);
  run_to(600, 0);
  EXPECT_TRUE(tests::wait_until([&] { return verifier.alarmed(); }));
  EXPECT_NE(verifier.detail().find("diverges at tick 450"), std::string::npos) << verifier.detail();
}

TEST_F(BackgroundVerifierTest, RaisesTheAlarmAndLeavesABundle) {
  run_to(50, 0);
  BackgroundVerifier verifier(options());
  run_to(300, 123);
  ASSERT_TRUE(tests::wait_until([&] { return verifier.alarmed(); }));
  EXPECT_NE(verifier.detail().find("diverges at tick 123"), std::string::npos) << verifier.detail();
  EXPECT_NE(verifier.detail().find("one flipped bit"), std::string::npos) << verifier.detail();
  EXPECT_EQ(verifier.bundles(), 1U);
  EXPECT_EQ(verifier.detail().find(folder_.file("")), std::string::npos)
      << "it is shown to everybody: " << verifier.detail();
  const std::string bundle = folder_.file("bowl-123.bundle.sluice");
  auto reader = must(record::Reader::open(bundle));
  sim::SerialExecutor executor;
  const auto report = must(record::verify(*reader, {}, executor));
  ASSERT_TRUE(report.divergence) << "the bundle shows what the recording shows";
  EXPECT_EQ(report.divergence->tick, 123U);
  EXPECT_NE(reader->fact("bundle_reason").find("diverges at tick 123"), std::string::npos);
}

TEST_F(BackgroundVerifierTest, AViewersDifferenceLeavesABundle) {
  run_to(60, 0);
  BackgroundVerifier verifier(options());
  mismatches_ = 2;
  ASSERT_TRUE(tests::wait_until([&] { return verifier.bundles() == 1; }));
  EXPECT_FALSE(verifier.alarmed());
  EXPECT_NE(verifier.detail().find("what viewers were sent differed"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder_.file("bowl-60.bundle.sluice")));
}

// A log that stands on a slow disk.
class SlowSink : public spdlog::sinks::base_sink<std::mutex> {
 private:
  void sink_it_(const spdlog::details::log_msg&) override {
    std::this_thread::sleep_for(milliseconds(100));
  }
  void flush_() override {}
};

// Whoever saw the count of bundles rise asked for the detail, and found none.
TEST_F(BackgroundVerifierTest, WhatIsCountedCanBeRead) {
  run_to(60, 0);
  auto& sinks = spdlog::default_logger()->sinks();
  sinks.push_back(std::make_shared<SlowSink>());
  {
    BackgroundVerifier verifier(options());
    mismatches_ = 1;
    EXPECT_TRUE(tests::wait_until([&] { return verifier.bundles() == 1; }));
    EXPECT_NE(verifier.detail(), "");
  }
  sinks.pop_back();
}

// A client that lies about checksums used up all bundles of a run.
TEST_F(BackgroundVerifierTest, LiesUseUpTheirOwnBundlesOnly) {
  run_to(60, 0);
  BackgroundVerifier verifier(options());
  for (std::uint64_t lie = 1; lie <= 2 * BackgroundVerifier::kMostClaimBundles; ++lie) {
    claimants_ = lie;
    const std::uint64_t expected = std::min(lie, BackgroundVerifier::kMostClaimBundles);
    ASSERT_TRUE(tests::wait_until([&] { return verifier.bundles() == expected; }));
  }
  mismatches_ = 1;
  ASSERT_TRUE(tests::wait_until(
      [&] { return verifier.bundles() == BackgroundVerifier::kMostClaimBundles + 1; }));
  EXPECT_EQ(verifier.detail().find(".sluice"), std::string::npos) << "health shows no paths";
}

TEST_F(BackgroundVerifierTest, DamageBeforeTheLastCheckpointIsNoticedSoonAfterTheStart) {
  run_to(50, 0);
  must(recorder_->checkpoint(record::CheckpointImage::of(*world_)));
  run_to(100, 0);
  must(recorder_->checkpoint(record::CheckpointImage::of(*world_)));
  must(must(record::Database::open(path(), record::Database::Mode::kWrite))
           ->execute("UPDATE checkpoints SET core = x'00' WHERE tick = 50"));
  BackgroundVerifier verifier(options());
  ASSERT_TRUE(tests::wait_until([&] { return verifier.alarmed(); }));
  EXPECT_NE(verifier.detail().find("the recording is damaged: the checkpoint of tick 50"),
            std::string::npos)
      << verifier.detail();
  // And what comes is compared as before.
  run_to(300, 0);
  EXPECT_TRUE(tests::wait_until([&] { return verifier.verified_tick() == 200; }));
}

// Each of them is whole.
TEST_F(BackgroundVerifierTest, CheckpointsOutOfOrderAreDamage) {
  for (std::uint64_t tick = 50; tick <= 200; tick += 50) {
    run_to(tick, 0);
    must(recorder_->checkpoint(record::CheckpointImage::of(*world_)));
  }
  {
    const auto database = must(record::Database::open(path(), record::Database::Mode::kWrite));
    must(database->execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  }
  record::test::swap_rows(path(), "checkpoints", 1, 2);
  BackgroundVerifier verifier(options());
  ASSERT_TRUE(tests::wait_until([&] { return verifier.alarmed(); }));
  const std::string said =
      "bowl.sluice: is damaged: its table of checkpoints is not in order; stop";
  EXPECT_TRUE(verifier.detail().starts_with(said)) << verifier.detail();
}

}  // namespace
}  // namespace sluice::host::background_verifier_test
