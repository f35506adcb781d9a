// Goal: backups are made when they are due and asked for, hold all that was recorded, take the
// place of older ones only when they are there, and a world goes on from one. Method: a recording
// that grows, and a clock that the test moves.
#include "server/host/backups.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "server/record/reader.h"
#include "server/record/recorder.h"
#include "server/record/verify.h"
#include "tests/record/support.h"

namespace sluice::host::backups_test {
namespace {

using record::test::must;

class BackupsTest : public testing::Test {
 protected:
  void SetUp() override {
    world_ = record::test::make_world();
    recorder_ = must(record::Recorder::create(recording_, record::test::kWorldFile, *world_));
    run_to(20);
    Backups::Options options;
    options.folder = folder_.file("backups");
    options.interval_seconds = 3600;
    options.kept = 2;
    options.now = [this] { return now_; };
    backups_ = std::make_unique<Backups>(std::move(options));
    backups_->add("bowl", recording_);
  }
  void run_to(std::uint64_t last) {
    while (world_->tick_number() < last) must(recorder_->append(record::test::play(*world_, {})));
    must(recorder_->commit());
  }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file("backups"))) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  record::test::TemporaryFolder folder_;
  const std::string recording_ = folder_.file("bowl.sluice");
  std::int64_t now_ = 0;
  std::unique_ptr<sim::World> world_;
  std::unique_ptr<record::Recorder> recorder_;
  std::unique_ptr<Backups> backups_;
};

TEST_F(BackupsTest, AWorldGoesOnFromOne) {
  const auto made = must(backups_->make("bowl"));
  EXPECT_EQ(made.file, "bowl-19700101T000000Z.sluice");
  EXPECT_EQ(made.tick, 20U);
  const sim::Digest then = world_->digest();
  run_to(30);
  const std::string backup = folder_.file("backups/" + made.file);
  auto reader = must(record::Reader::open(backup));
  sim::SerialExecutor executor;
  const auto report = must(record::verify(*reader, {}, executor));
  EXPECT_FALSE(report.divergence);
  reader.reset();
  auto recovered = must(record::recover(backup, executor));
  sim::World* const restored = recovered.world.get();
  EXPECT_EQ(restored->digest(), then);
  while (restored->tick_number() < 30) record::test::play(*restored, {});
  EXPECT_EQ(restored->digest(), world_->digest());
}

TEST_F(BackupsTest, AreMadeWhenTheyAreDueAndTheNewestAreKept) {
  std::filesystem::create_directories(folder_.file("backups"));
  for (const char* other : {"bowl-2-19700101T000000Z.sluice", "bowl-notes.sluice", "bowl.sluice"}) {
    std::ofstream(folder_.file("backups/" + std::string(other))) << "not ours";
  }
  backups_->make_due();
  now_ = 3599;
  backups_->make_due();
  EXPECT_EQ(backups_->sample("bowl").made, 1U);
  now_ = 3600;
  backups_->make_due();
  EXPECT_EQ(backups_->sample("bowl").made, 2U);
  now_ = 7200;
  run_to(25);
  backups_->make_due();
  EXPECT_EQ(backups_->sample("bowl").tick, 25U);
  EXPECT_EQ(files(), (std::set<std::string>{
                         "bowl-19700101T010000Z.sluice", "bowl-19700101T020000Z.sluice",
                         "bowl-2-19700101T000000Z.sluice", "bowl-notes.sluice", "bowl.sluice"}));
}

TEST_F(BackupsTest, OfAWorldThatWentNoneIsMade) {
  backups_->make_due();
  backups_->remove("bowl");
  now_ = 3600;
  backups_->make_due();
  EXPECT_EQ(files(), std::set<std::string>{"bowl-19700101T000000Z.sluice"});
  EXPECT_EQ(backups_->make("bowl").error(), "no such world: bowl");
}

TEST_F(BackupsTest, WhatCannotBeMadeTakesNothingAway) {
  backups_->make_due();
  for (const char* left : {".new", ".new-journal", ".new-wal"}) {
    std::ofstream(folder_.file("backups/bowl-19700101T001000Z.sluice" + std::string(left)))
        << "killed";
  }
  recorder_.reset();
  std::filesystem::resize_file(recording_, 100);
  now_ = 3600;
  backups_->make_due();
  now_ = 3630;
  backups_->make_due();  // tried again
  EXPECT_EQ(backups_->sample("bowl").made, 1U);
  EXPECT_EQ(backups_->sample("bowl").failures, 2U);
  EXPECT_EQ(files(), std::set<std::string>{"bowl-19700101T000000Z.sluice"});
}

}  // namespace
}  // namespace sluice::host::backups_test
