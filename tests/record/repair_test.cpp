// Goal: of a damaged recording what can be read is kept, what cannot is named to the tick, the
// damaged file is set aside unchanged; and a backup is replaced only by a better one.
// Method: rows and chunks changed behind the recorder's back, at places that the test knows.
#include "server/record/repair.h"

#include <gtest/gtest.h>

#include "server/record/database.h"
#include "server/record/recorder.h"
#include "server/record/verify.h"
#include "tests/record/support.h"

namespace sluice::record::test::repair_test {
namespace {

class RepairTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = folder_.file("a.sluice");
    history_ = record_history(path_, {.ticks = 300, .ticks_per_checkpoint = 50});
  }
  void change(const std::string& sql) {
    must(must(Database::open(path_, Database::Mode::kWrite))->execute(sql.c_str()));
  }
  /// Spoils the page where a table or an index begins.
  void spoil_root_of(const std::string& name) {
    const auto page =
        must(must(Database::open(path_, Database::Mode::kRead))
                 ->integer("SELECT rootpage FROM sqlite_master WHERE name = '" + name + "'"));
    std::string bytes = read_file(path_);
    bytes[static_cast<std::size_t>(page - 1) * 4096] = '\xff';
    write_file(path_, bytes);
  }
  /// Of a world to which nobody does anything.
  static TickRecord next_tick(sim::World& world) {
    sim::SerialExecutor executor;
    TickRecord record;
    record.digest = world.tick({}, executor).digest;
    record.tick = world.tick_number();
    return record;
  }
  void expect_verifies(const std::string& path, std::uint64_t first, std::uint64_t last) {
    auto reader = must(Reader::open(path));
    EXPECT_EQ(reader->first_tick(), first) << path;
    EXPECT_EQ(reader->last_tick(), last) << path;
    sim::SerialExecutor executor;
    const VerifyReport report = must(verify(*reader, {}, executor));
    EXPECT_FALSE(report.divergence) << describe(*report.divergence);
    EXPECT_EQ(must(world_at(*reader, last, executor)).world->digest(), history_[last - 1].digest);
  }

  TemporaryFolder folder_;
  std::string path_;
  std::vector<TickRecord> history_;
};

TEST_F(RepairTest, AWholeFileIsLeftAlone) {
  const std::string before = read_file(path_);
  const Repair result = must(repair(path_));
  EXPECT_TRUE(result.damage.whole());
  EXPECT_EQ(result.set_aside, "");
  EXPECT_EQ(read_file(path_), before);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.sluice"});
}

// What a start does not read: the index by which a writer finds the chunks that it may share. Each
// writer once met it anew, and none of them could go on.
TEST_F(RepairTest, DamageThatOnlyAWriterMeetsIsKnownToTheNextOne) {
  spoil_root_of("sqlite_autoindex_chunks_1");
  sim::SerialExecutor executor;
  {
    auto recovered = must(recover(path_, executor));
    auto recorder = must(Recorder::open(path_));
    must(recorder->append(next_tick(*recovered.world)));
    const Status written = recorder->checkpoint(CheckpointImage::of(*recovered.world));
    ASSERT_FALSE(written.ok());
    EXPECT_NE(written.error().find("is damaged"), std::string::npos) << written.error();
  }
  EXPECT_EQ(Recorder::open(path_).error(),
            path_ + ": is damaged: a write after tick 300 met damage in it");
  const Repair result = must(repair(path_));
  EXPECT_FALSE(result.damage.whole());
  EXPECT_TRUE(result.damage.ticks.empty() && result.damage.checkpoints.empty());
  expect_verifies(path_, 0, 300);
  auto recovered = must(recover(path_, executor));
  auto recorder = must(Recorder::open(path_));
  must(recorder->append(next_tick(*recovered.world)));
  must(recorder->checkpoint(CheckpointImage::of(*recovered.world)));
  recorder.reset();
  EXPECT_TRUE(must(repair(path_)).damage.whole());
}

// Nothing in such a file says where its history ended. "No tick is lost" was said of it.
TEST_F(RepairTest, AHistoryWithoutAnEndIsSaidToBeLost) {
  path_ = folder_.file("b.sluice");
  (void)record_history(path_, {.ticks = 40, .ticks_per_checkpoint = 1000});
  spoil_root_of("history");
  const Repair result = must(repair(path_));
  EXPECT_TRUE(result.damage.end_unknown);
  EXPECT_EQ(result.main.last_tick, 0U);
  const std::string text = describe(result);
  EXPECT_NE(text.find("lost: whatever came after tick 0,"), std::string::npos) << text;
  EXPECT_EQ(text.find("no tick"), std::string::npos) << text;
}

// A wrong number says of such a file that it went on for ever: it was looked for tick by tick.
TEST_F(RepairTest, AFileIsNotLookedThroughForMoreTicksThanItCanHold) {
  path_ = folder_.file("b.sluice");
  (void)record_history(path_, {.ticks = 40, .ticks_per_checkpoint = 10});
  change("UPDATE checkpoints SET tick = 1 << 40 WHERE tick = 40");
  spoil_root_of("history");
  const std::uint64_t most = std::filesystem::file_size(path_) / 8;
  const Repair result = must(repair(path_));
  ASSERT_EQ(result.damage.ticks.size(), 1U);
  EXPECT_EQ(result.damage.ticks[0].first, 1U);
  EXPECT_EQ(result.damage.ticks[0].last, most);
  EXPECT_NE(describe(result).find("names tick 1099511627776, and has no room for ticks after " +
                                  std::to_string(most)),
            std::string::npos)
      << describe(result);
  expect_verifies(path_, result.main.first_tick, result.main.last_tick);
}

// The same of its beginning: with the facts went all that said so.
TEST_F(RepairTest, AHistoryWithoutABeginningIsSaidToBeLostOrCutOff) {
  change(
      "DELETE FROM facts; DELETE FROM history WHERE first_tick <= 250; "
      "DELETE FROM checkpoints WHERE tick < 250");
  const Repair result = must(repair(path_));
  EXPECT_TRUE(result.damage.begin_unknown);
  EXPECT_EQ(result.first_known_tick, 250U);
  const std::string text = describe(result);
  EXPECT_NE(text.find("lost, or cut off long ago: whatever came up to tick 250,"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("at least 0 ticks cannot be replayed"), std::string::npos) << text;
  EXPECT_EQ(text.find("no tick"), std::string::npos) << text;
  expect_verifies(path_, 250, 300);
}

// It begins where the first row stands, not at the first checkpoint that is left.
TEST_F(RepairTest, WithoutTheFactOfItsBeginningEveryRowCounts) {
  change("DELETE FROM facts; DELETE FROM checkpoints WHERE tick < 100");
  const Repair result = must(repair(path_));
  EXPECT_FALSE(result.damage.begin_unknown);
  EXPECT_EQ(result.first_known_tick, 0U);
  ASSERT_EQ(result.without_state.size(), 1U) << describe(result);
  EXPECT_EQ(result.without_state[0].first, 1U);
  EXPECT_EQ(result.without_state[0].last, 100U);
  expect_verifies(path_, 100, 300);
}

TEST_F(RepairTest, TheFactOfItsBeginningAloneCostsNothing) {
  change("DELETE FROM facts WHERE name = 'begins'");
  const Repair result = must(repair(path_));
  EXPECT_FALSE(result.damage.begin_unknown);
  EXPECT_NE(describe(result).find("no tick and no command is lost"), std::string::npos);
  expect_verifies(path_, 0, 300);
}

TEST_F(RepairTest, AWriterThatMetDamageSaysHowFarTheHistoryWent) {
  path_ = folder_.file("b.sluice");
  (void)record_history(path_, {.ticks = 40, .ticks_per_checkpoint = 1000});
  sim::SerialExecutor executor;
  {
    auto recovered = must(recover(path_, executor));
    auto recorder = must(Recorder::open(path_));
    spoil_root_of("history");
    must(recorder->append(next_tick(*recovered.world)));
    ASSERT_FALSE(recorder->commit().ok());
  }
  const Repair result = must(repair(path_));
  ASSERT_EQ(result.lost.size(), 1U);
  EXPECT_EQ(result.lost[0].first, 1U);
  EXPECT_EQ(result.lost[0].last, 40U);
  EXPECT_TRUE(result.lost[0].commands_unknown);
  const std::string text = describe(result);
  EXPECT_NE(text.find("lost: ticks 1 to 40, at least"), std::string::npos) << text;
  EXPECT_NE(text.find("lost: whatever came after tick 40,"), std::string::npos) << text;
}

TEST_F(RepairTest, ARowLostInTheMiddleCutsTheHistoryInTwo) {
  // Merging leaves rows of their own for ticks 1 to 198 and then of 3 ticks each.
  change("UPDATE history SET digests = zeroblob(16) WHERE first_tick = 220");
  const std::string damaged = read_file(path_);
  const Repair result = must(repair(path_));
  ASSERT_EQ(result.damage.ticks.size(), 1U);
  EXPECT_EQ(result.damage.ticks[0].first, 220U);
  EXPECT_EQ(result.damage.ticks[0].last, 222U);
  EXPECT_EQ(result.main.first_tick, 250U);
  ASSERT_EQ(result.parts.size(), 1U);
  expect_verifies(path_, 250, 300);
  expect_verifies(result.parts[0].path, 0, 219);
  ASSERT_EQ(result.without_state.size(), 1U);
  EXPECT_EQ(result.without_state[0].first, 223U);
  EXPECT_EQ(result.without_state[0].last, 250U);
  EXPECT_EQ(read_file(result.set_aside), damaged);
  const std::string text = describe(result);
  EXPECT_NE(text.find("lost: ticks 220 to 222"), std::string::npos) << text;
  EXPECT_NE(text.find("kept: ticks 250 to 300"), std::string::npos) << text;
  // And it goes on.
  EXPECT_TRUE(Recorder::open(path_).ok());
  EXPECT_TRUE(must(repair(path_)).damage.whole());
}

TEST_F(RepairTest, ALostCheckpointCostsNoHistory) {
  change("UPDATE checkpoints SET core = x'00' WHERE tick = 300");
  const Repair result = must(repair(path_));
  EXPECT_TRUE(result.damage.ticks.empty());
  ASSERT_EQ(result.damage.checkpoints.size(), 1U);
  EXPECT_EQ(result.damage.checkpoints[0].tick, 300U);
  expect_verifies(path_, 0, 300);
}

// Rows of chunks went with their page, and later ones got their numbers: each is whole, and the
// checkpoint's own row, too.
TEST_F(RepairTest, ACheckpointWhoseRowsHoldOtherChunksIsFound) {
  change(
      "CREATE TABLE other AS SELECT content_hash, data FROM chunks WHERE id = "
      "(SELECT max(id) FROM chunks WHERE substr(data, 1, 1) != x'02')");
  change("DELETE FROM chunks WHERE content_hash = (SELECT content_hash FROM other)");
  change(
      "UPDATE chunks SET (content_hash, data) = (SELECT content_hash, data FROM other) "
      "WHERE id = (SELECT min(id) FROM chunks)");
  change("DROP TABLE other");
  ASSERT_TRUE(must(Reader::open(path_))->read_checkpoint(0).ok());
  const Repair result = must(repair(path_));
  ASSERT_FALSE(result.damage.checkpoints.empty());
  EXPECT_EQ(result.damage.checkpoints[0].tick, 0U);
  auto reader = must(Reader::open(path_));
  EXPECT_TRUE(reader->restore(reader->first_tick()).ok());
}

// Where a page was hit, SQLite comes to rows that are not where it looked. Whoever asked for the
// one before asked for ever.
TEST_F(RepairTest, ATableOfCheckpointsOutOfOrderEndsNoSearchLate) {
  const std::string whole = read_file(path_);
  for (std::size_t a = 0; a < 7; ++a) {  // at tick 0, and each 50th
    for (std::size_t b = a + 1; b < 7; ++b) {
      write_file(path_, whole);
      swap_rows(path_, "checkpoints", a, b);
      sim::SerialExecutor executor;
      {
        auto reader = must(Reader::open_damaged(path_));
        EXPECT_FALSE(must(find_damage(*reader)).whole());
        for (const std::uint64_t tick : {20U, 120U, 300U}) {
          const auto reached = world_at(*reader, tick, executor);
          if (!reached) continue;
          EXPECT_EQ(reached->world->digest(), history_[tick - 1].digest);
        }
      }
      const Repair result = must(repair(path_));
      EXPECT_TRUE(result.lost.empty());
      EXPECT_TRUE(result.without_state.empty());
      expect_verifies(path_, 0, 300);
      std::filesystem::remove(result.set_aside);
    }
  }
}

// Likewise: a row that nobody comes to, be it the last one, is not missed in silence, and not lost.
TEST_F(RepairTest, AHistoryOutOfOrderLosesNoTick) {
  std::filesystem::remove(path_);
  history_ = record_history(
      path_,
      {.ticks = 60, .commands_per_tick = 0, .ticks_per_commit = 6, .ticks_per_checkpoint = 40});
  const auto rows = static_cast<std::size_t>(must(
      must(Database::open(path_, Database::Mode::kRead))->integer("SELECT count(*) FROM history")));
  const std::string whole = read_file(path_);
  for (std::size_t a = 0; a < rows; ++a) {
    for (std::size_t b = a + 1; b < rows; ++b) {
      write_file(path_, whole);
      swap_rows(path_, "history", a, b);
      {
        // Of a writer that goes on, too.
        const auto reader = Reader::open(path_);
        EXPECT_TRUE(!reader || !must(find_damage(**reader)).whole()) << a << ", " << b;
      }
      const Repair result = must(repair(path_));
      EXPECT_FALSE(result.damage.whole()) << a << ", " << b;
      EXPECT_TRUE(result.lost.empty()) << a << ", " << b;
      expect_verifies(path_, 0, 60);
      std::filesystem::remove(result.set_aside);
    }
  }
}

// What cannot be verified is not called whole, though a second look finds all of it.
TEST_F(RepairTest, WhatOnlyAFirstLookMeetsIsDamage) {
  for (const char* table : {"history", "checkpoints"}) {
    std::filesystem::remove(path_);
    history_ = record_history(
        path_,
        {.ticks = 60, .commands_per_tick = 0, .ticks_per_commit = 6, .ticks_per_checkpoint = 40});
    const std::string whole = read_file(path_);
    for (const std::uint8_t bit : {std::uint8_t{0x20}, std::uint8_t{0x40}, std::uint8_t{0x80}}) {
      write_file(path_, whole);
      mislead(path_, table, 1, bit);
      {
        // Of a writer that goes on, too.
        const auto reader = Reader::open(path_);
        EXPECT_TRUE(!reader || !must(find_damage(**reader)).whole()) << table;
      }
      const Repair result = must(repair(path_));
      EXPECT_FALSE(result.damage.whole()) << table;
      EXPECT_TRUE(result.lost.empty()) << table;
      expect_verifies(path_, 0, 60);
      std::filesystem::remove(result.set_aside);
    }
  }
}

TEST_F(RepairTest, TheFirstCheckpointLostCostsWhatLiesBeforeTheNext) {
  change("UPDATE checkpoints SET core = x'00' WHERE tick = 0");
  const Repair result = must(repair(path_));
  EXPECT_EQ(result.main.first_tick, 50U);
  ASSERT_EQ(result.without_state.size(), 1U);
  EXPECT_EQ(result.without_state[0].last, 50U);
  expect_verifies(path_, 50, 300);
}

TEST_F(RepairTest, ALossAtTheEndKeepsWhatComesBefore) {
  change("UPDATE history SET digests = zeroblob(16) WHERE first_tick >= 280");
  const Repair result = must(repair(path_));
  // A checkpoint of tick 300 is there: the world as it was last is not lost.
  EXPECT_EQ(result.main.first_tick, 300U);
  EXPECT_EQ(result.main.last_tick, 300U);
  ASSERT_EQ(result.parts.size(), 1U);
  expect_verifies(result.parts[0].path, 0, result.damage.ticks[0].first - 1);
}

TEST_F(RepairTest, WithoutAnyCheckpointNothingIsChanged) {
  change("UPDATE checkpoints SET core = x'00'");
  const std::string damaged = read_file(path_);
  const auto result = repair(path_);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find("restore a backup"), std::string::npos) << result.error();
  EXPECT_EQ(read_file(path_), damaged);
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.sluice"});
}

TEST_F(RepairTest, AFileThatIsBeingWrittenIsRefused) {
  const auto recorder = must(Recorder::open(path_));
  EXPECT_NE(repair(path_).error().find("written by another process"), std::string::npos);
}

TEST_F(RepairTest, ABackupOfARunningWriterIsWholeAndASingleFile) {
  sim::SerialExecutor executor;
  auto world = must(recover(path_, executor)).world;
  auto recorder = must(Recorder::open(path_));
  history_.push_back(play(*world, {}));
  must(recorder->append(history_.back()));
  must(recorder->commit());
  const std::string copy = folder_.file("backup.sluice");
  EXPECT_EQ(must(backup(path_, copy)), 301U);
  EXPECT_FALSE(std::filesystem::exists(copy + "-wal"));
  expect_verifies(copy, 0, 301);
  history_.push_back(play(*world, {}));
  must(recorder->append(history_.back()));
  must(recorder->commit());
  EXPECT_EQ(must(backup(path_, copy)), 302U) << "replaces one that it goes on from";
  expect_verifies(copy, 0, 302);
}

TEST_F(RepairTest, AGoodBackupNeverGivesWayToABadFile) {
  const std::string copy = folder_.file("backup.sluice");
  must(backup(path_, copy));
  const std::string good = read_file(copy);
  const auto refused = [&](const std::string& why) {
    const auto result = backup(path_, copy);
    EXPECT_FALSE(result.ok());
    EXPECT_NE(result.error().find(why), std::string::npos) << result.error();
    EXPECT_EQ(read_file(copy), good);
    EXPECT_EQ(folder_.names(), (std::vector<std::string>{"a.sluice", "backup.sluice"}));
  };
  change("UPDATE chunks SET data = x'0000' WHERE id = 1");
  refused("is damaged: chunk 1");
  change("UPDATE history SET checksum = 0 WHERE first_tick = 220");
  refused("the checksum of the history of ticks 220 to 222");
  write_file(path_, "");
  refused("is not a recording");
  std::filesystem::remove(path_);
  record_history(path_, {.ticks = 20});
  refused("holds less");
  std::filesystem::remove(path_);
  record_history(path_, {.ticks = 320, .commands_per_tick = 0.1});
  refused("holds another history");
  write_file(copy, "somebody's text");
  EXPECT_NE(backup(path_, copy).error().find("it is not replaced"), std::string::npos);
  EXPECT_EQ(read_file(copy), "somebody's text");
}

}  // namespace
}  // namespace sluice::record::test::repair_test
