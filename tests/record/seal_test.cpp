// Goal: old history that is cut off still verifies, and the rest goes on from it; nothing is lost
// whatever interrupts the cut; what is dropped is gone, and nothing else is.
// Method: small recordings cut at every place; a cut in a process of its own that is killed at
// random, and one on a full disk; a recorder that goes on with what is left.
#include "server/record/seal.h"

#include <chrono>
#include <random>

#include <gtest/gtest.h>

#include "server/record/database.h"
#include "server/record/exchange.h"
#include "server/record/verify.h"
#include "tests/record/support.h"
#include "tests/support/faulty_vfs.h"

namespace sluice::record::test::seal_test {
namespace {

class SealTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = folder_.file("a.sluice");
    history_ = record_history(path_, {.ticks = 300, .ticks_per_checkpoint = 50});
  }

  /// The file holds these ticks, replays, and has all that was recorded of them.
  void expect_part(const std::string& path, std::uint64_t first, std::uint64_t last) {
    auto reader = must(Reader::open(path));
    EXPECT_TRUE(must(find_damage(*reader)).whole());
    ASSERT_EQ(reader->first_tick(), first);
    ASSERT_EQ(reader->last_tick(), last);
    EXPECT_EQ(reader->world_file_text(), kWorldFile);
    EXPECT_EQ(reader->fact("model"), "cellular");
    EXPECT_EQ(must(reader->checkpoints()).size(), 1 + (last - first) / 50);
    sim::SerialExecutor executor;
    const VerifyReport report = must(verify(*reader, {}, executor));
    EXPECT_FALSE(report.divergence) << describe(*report.divergence);
    EXPECT_EQ(report.first_tick, first);
    EXPECT_EQ(report.last_tick, last);
    if (first == last) return;
    std::size_t next = first;
    must(reader->read_ticks(first + 1, last, [&](const TickRecord& tick) {
      expect_equal(tick, history_[next++]);
      return !testing::Test::HasFatalFailure();
    }));
  }

  TemporaryFolder folder_;
  std::string path_;
  std::vector<TickRecord> history_;
};

SealOptions keeping(std::uint64_t ticks) {
  SealOptions options;
  options.keep = ticks;
  return options;
}

TEST_F(SealTest, BothPartsVerifyWhereverItIsCut) {
  const std::string whole = read_file(path_);
  for (const std::uint64_t keep : {0U, 1U, 49U, 50U, 51U, 100U, 249U, 250U}) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    write_file(path, whole);
    const std::uint64_t cut = (300 - keep) / 50 * 50;
    const auto sealed = must(seal(path, keeping(keep)));
    ASSERT_TRUE(sealed);
    const std::string part = path + ".part-0-" + std::to_string(cut);
    EXPECT_EQ(sealed->old.path, part);
    EXPECT_EQ(sealed->main.first_tick, cut);
    expect_part(part, 0, cut);
    expect_part(path, cut, 300);
    EXPECT_EQ(folder.names(),
              (std::vector<std::string>{"a.sluice", "a.sluice.part-0-" + std::to_string(cut)}));
    std::size_t commands = 0;
    for (const TickRecord& tick : history_) commands += tick.commands.size();
    EXPECT_EQ(sealed->old_commands + sealed->kept_commands, commands);
    if (HasFailure()) return;
  }
}

TEST_F(SealTest, WhereThereIsTooLittleNothingChanges) {
  const std::string whole = read_file(path_);
  for (const std::uint64_t keep : {251U, 299U, 300U, 301U, 1'000'000U}) {
    EXPECT_FALSE(must(seal(path_, keeping(keep)))) << keep;
  }
  SealOptions options = keeping(100);
  options.at_least = 201;
  EXPECT_FALSE(must(seal(path_, options))) << "200 ticks are not worth it";
  EXPECT_EQ(read_file(path_), whole);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.sluice"});
  options.at_least = 200;
  EXPECT_TRUE(must(seal(path_, options)));
}

TEST_F(SealTest, WhatIsDroppedIsGoneAndSaid) {
  SealOptions options = keeping(120);
  options.drop = true;
  const auto sealed = must(seal(path_, options));
  ASSERT_TRUE(sealed);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.sluice"});
  expect_part(path_, 150, 300);
  EXPECT_NE(describe(*sealed).find("ticks 1 to 150 are gone: how the world came to be what it was "
                                   "at tick 150 can no longer be proved"),
            std::string::npos)
      << describe(*sealed);
}

TEST_F(SealTest, ARecorderGoesOnAndTheNextCutFollowsTheFirst) {
  must(seal(path_, keeping(140)));
  sim::SerialExecutor executor;
  {
    auto recovered = must(recover(path_, executor));
    auto recorder = must(Recorder::open(path_));
    CommandSource source(5, 2);
    for (int tick = 0; tick < 200; ++tick) {
      history_.push_back(play(*recovered.world, source.some(0.5)));
      must(recorder->append(history_.back()));
      if (tick % 50 == 49) must(recorder->checkpoint(CheckpointImage::of(*recovered.world)));
    }
    EXPECT_FALSE(seal(path_, keeping(0)).ok()) << "while it is written";
  }
  const auto sealed = must(seal(path_, keeping(140)));
  ASSERT_TRUE(sealed);
  EXPECT_EQ(sealed->old.path, path_ + ".part-150-350");
  expect_part(path_ + ".part-0-150", 0, 150);
  expect_part(path_ + ".part-150-350", 150, 350);
  expect_part(path_, 350, 500);
}

TEST_F(SealTest, ADamagedRecordingIsRefusedAndLeftAsItIs) {
  for (const char* change : {"UPDATE history SET digests = zeroblob(16) WHERE first_tick = 201",
                             "UPDATE checkpoints SET core = x'00' WHERE tick = 100"}) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    record_history(path, {.ticks = 300, .ticks_per_commit = 10, .ticks_per_checkpoint = 50});
    must(must(Database::open(path, Database::Mode::kWrite))->execute(change));
    const std::string damaged = read_file(path);
    const auto sealed = seal(path, keeping(120));
    ASSERT_FALSE(sealed.ok()) << change;
    EXPECT_NE(sealed.error().find(path), std::string::npos);
    EXPECT_NE(sealed.error().find("damaged"), std::string::npos) << sealed.error();
    EXPECT_EQ(read_file(path), damaged);
    EXPECT_EQ(folder.names(), std::vector<std::string>{"a.sluice"});
  }
}

TEST_F(SealTest, AFullDiskLeavesTheFile) {
  const std::string whole = read_file(path_);
  tests::FaultyVfs medium;
  for (const std::uint64_t at : {1U, 5U, 20U, 40U}) {
    medium.fail(tests::Fault::kFull, at);
    const auto sealed = seal(path_, keeping(120));
    medium.heal();
    ASSERT_FALSE(sealed.ok());
    EXPECT_NE(sealed.error().find("the disk is full"), std::string::npos) << sealed.error();
    EXPECT_EQ(read_file(path_), whole);
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.sluice"});
  }
  EXPECT_TRUE(must(seal(path_, keeping(120))));
}

TEST_F(SealTest, OneThatWasKilledAtAnyMomentLosesNothing) {
  const std::string whole = read_file(path_);
  const auto begun = std::chrono::steady_clock::now();
  must(seal(path_, keeping(120)));
  const auto took = std::chrono::steady_clock::now() - begun;
  std::mt19937 random(3);
  for (int round = 0; round < 30; ++round) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    write_file(path, whole);
    kill_within(took, random, [&] { (void)seal(path, keeping(120)); });
    ASSERT_TRUE(std::filesystem::exists(path)) << "else a server would begin a new world";
    (void)must(seal(path, keeping(120)));
    expect_part(path + ".part-0-150", 0, 150);
    expect_part(path, 150, 300);
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.sluice", "a.sluice.part-0-150"}));
    if (HasFailure()) return;
  }
}

// The moments of the exchange are too short to be hit by chance: here each is ended on purpose.
TEST_F(SealTest, EveryStepOfTheExchangeMayBeTheLast) {
  const std::string whole = read_file(path_);
  for (const bool decided : {false, true}) {
    for (int step = 0; step < 3; ++step) {
      TemporaryFolder folder;
      const std::string path = folder.file("a.sluice");
      write_file(path, whole);
      must(seal(path, keeping(120)));
      std::filesystem::rename(path, path + (decided ? ".repaired" : ".new-main"));
      write_file(path, whole);
      std::filesystem::create_hard_link(path, path + ".uncut");
      if (step < 1 || !decided) {
        std::filesystem::rename(path + ".part-0-150", path + ".new-part-0-150");
      }
      if (step < 2) write_file(path + "-shm", "shared");
      // What a start does, whatever it is told of old history.
      must(finish_repair(path));
      expect_part(path, decided ? 150 : 0, 300);
      (void)must(seal(path, keeping(120)));
      expect_part(path + ".part-0-150", 0, 150);
      expect_part(path, 150, 300);
      EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.sluice", "a.sluice.part-0-150"}));
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace sluice::record::test::seal_test
