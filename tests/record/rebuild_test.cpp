// Goal: a repair gives back all that the file still holds: what can be replayed is not lost, and a
// repair that is ended at any moment is begun again as if nothing had been. A system that fails is
// not a file that is damaged.
// Method: rows, chunks and facts changed behind the recorder's back; a repair in a process of its
// own that is killed at random; a medium that does not read.
#include <random>

#include <gtest/gtest.h>

#include "server/record/database.h"
#include "server/record/exchange.h"
#include "server/record/packing.h"
#include "server/record/repair.h"
#include "server/record/verify.h"
#include "tests/record/support.h"
#include "tests/support/faulty_vfs.h"

namespace sluice::record::test::rebuild_test {
namespace {

RepairOptions with_world_file() {
  RepairOptions options;
  options.build_world = [](const std::string& text, std::string_view /*water*/) {
    EXPECT_EQ(text, kWorldFile);
    return Result<std::unique_ptr<sim::World>>(make_world());
  };
  return options;
}

class RebuildTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = folder_.file("a.sluice");
    history_ = record_history(path_, {.ticks = 300, .ticks_per_checkpoint = 50});
  }
  void change(const std::string& sql) {
    must(must(Database::open(path_, Database::Mode::kWrite))->execute(sql.c_str()));
  }
  /// Of any row of a table that has a value there.
  void flip_a_bit(const std::string& table, const std::string& key, const std::string& column,
                  std::mt19937& random) {
    auto database = must(Database::open(path_, Database::Mode::kWrite));
    const std::string rows = " FROM " + table + " WHERE " + column + " NOT NULL";
    const std::int64_t count = must(database->integer(("SELECT count(*)" + rows).c_str()));
    auto read = must(database->prepare(
        ("SELECT " + key + ", " + column + rows + " ORDER BY 1 LIMIT 1 OFFSET ?1").c_str()));
    ASSERT_TRUE(must(read.bind(1, static_cast<std::int64_t>(random()) % count).step()));
    const std::int64_t id = read.integer(0);
    Bytes data(read.blob(1).begin(), read.blob(1).end());
    read.reset();
    data[random() % data.size()] ^= static_cast<std::byte>(1U << random() % 8);
    auto write = must(database->prepare(
        ("UPDATE " + table + " SET " + column + " = ?2 WHERE " + key + " = ?1").c_str()));
    must(database->execute("BEGIN"));
    must(write.bind(1, id).bind(2, data).run());
    must(database->execute("COMMIT"));
  }
  /// All of the history and every checkpoint.
  void expect_all_there(const std::string& path) {
    auto reader = must(Reader::open(path));
    EXPECT_TRUE(must(find_damage(*reader)).whole());
    ASSERT_EQ(reader->first_tick(), 0U);
    ASSERT_EQ(reader->last_tick(), 300U);
    EXPECT_EQ(must(reader->checkpoints()).size(), 7U);
    sim::SerialExecutor executor;
    const VerifyReport report = must(verify(*reader, {}, executor));
    EXPECT_FALSE(report.divergence) << describe(*report.divergence);
    EXPECT_EQ(report.checkpoints, 6U);
    std::size_t next = 0;
    must(reader->read_ticks(1, 300, [&](const TickRecord& tick) {
      expect_equal(tick, history_[next++]);
      return !testing::Test::HasFatalFailure();
    }));
  }

  TemporaryFolder folder_;
  std::string path_;
  std::vector<TickRecord> history_;
};

TEST_F(RebuildTest, AChunkThatAllCheckpointsShareIsHadAgainFromTheWorldFile) {
  change("UPDATE chunks SET data = x'0000'");
  ASSERT_EQ(must(find_damage(*must(Reader::open(path_)))).checkpoints.size(), 7U);
  const Repair result = must(repair(path_, with_world_file()));
  EXPECT_TRUE(result.lost.empty());
  EXPECT_TRUE(result.not_rebuilt.empty());
  EXPECT_TRUE(result.parts.empty());
  EXPECT_NE(describe(result).find("no tick and no command is lost"), std::string::npos)
      << describe(result);
  expect_all_there(path_);
}

TEST_F(RebuildTest, EveryBitOfAChunkIsHadAgain) {
  // One bit at a time, at many places.
  const std::string whole = read_file(path_);
  std::mt19937 random(7);
  for (int i = 0; i < 25; ++i) {
    flip_a_bit("chunks", "id", "data", random);
    must(repair(path_, with_world_file()));
    expect_all_there(path_);
    if (HasFailure()) return;
    write_file(path_, whole);
  }
}

TEST_F(RebuildTest, LaterCheckpointsAreHadAgainFromAnEarlierOne) {
  // No world file can be read here; the checkpoints of ticks 0 and 50 are enough.
  change("UPDATE checkpoints SET core = x'00' WHERE tick > 50 AND tick <> 200");
  const Repair result = must(repair(path_));
  EXPECT_TRUE(result.not_rebuilt.empty());
  expect_all_there(path_);
}

TEST_F(RebuildTest, ADigestThatWasHitIsHadAgain) {
  change("UPDATE history SET digests = zeroblob(24) WHERE first_tick = 220");
  const Repair result = must(repair(path_));
  ASSERT_EQ(result.damage.ticks.size(), 1U);
  EXPECT_TRUE(result.lost.empty()) << "its commands lead to digests that fit the checksum";
  expect_all_there(path_);
}

TEST_F(RebuildTest, ACheckSumThatWasHitIsHadAgain) {
  change("UPDATE history SET checksum = 0");
  EXPECT_TRUE(must(repair(path_)).lost.empty());
  expect_all_there(path_);
}

TEST_F(RebuildTest, EveryBitOfARowIsHadAgainWithItsClientsAndNumbers) {
  // Clients and numbers are in no digest: no replay proves them.
  const std::string whole = read_file(path_);
  std::mt19937 random(11);
  for (int i = 0; i < 40; ++i) {
    flip_a_bit("history", "first_tick", i % 2 == 0 ? "commands" : "digests", random);
    EXPECT_TRUE(must(repair(path_)).lost.empty());
    expect_all_there(path_);
    if (HasFailure()) return;
    write_file(path_, whole);
  }
}

TEST(MendRow, FindsTheOneBitWithinItsBudget) {
  const Bytes first(24, std::byte{3});
  const Bytes second(40, std::byte{5});
  const std::int64_t checksum = row_checksum(9, first, second);
  constexpr std::uint64_t kAll = std::uint64_t{8} * 64 * 64;
  const auto mends = [&](Bytes digests, Bytes commands, std::int64_t sum, std::uint64_t budget) {
    return mend_row(9, digests, commands, sum, budget) && digests == first && commands == second;
  };
  for (const bool in_second : {false, true}) {
    for (std::size_t bit = 0; bit < 8 * (in_second ? second : first).size(); ++bit) {
      Bytes digests = first;
      Bytes commands = second;
      (in_second ? commands : digests)[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
      EXPECT_TRUE(mends(digests, commands, checksum, kAll)) << bit;
      EXPECT_FALSE(mends(digests, commands, checksum, kAll - 1)) << bit;
      (in_second ? digests : commands)[0] ^= std::byte{0x18};
      EXPECT_FALSE(mends(digests, commands, checksum, kAll)) << "more than one bit";
    }
  }
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_TRUE(mends(first, second, checksum ^ static_cast<std::int64_t>(1ULL << bit), 0));
  }
  EXPECT_FALSE(mends(first, second, checksum ^ 5, 0));
}

// A file of nothing but ruined rows is read in bounded time.
TEST(MendRow, TakesWhatItTriesFromTheBudgetUpToTheMostOfARow) {
  std::uint64_t largest = 0;
  while (8 * (largest + 1) * (largest + 1) <= kMendingOfARow) ++largest;
  for (const std::uint64_t size : {largest, largest + 1}) {
    Bytes digests;
    Bytes commands(size, std::byte{5});
    const std::int64_t checksum = row_checksum(9, digests, commands);
    commands[3] ^= std::byte{16};
    std::uint64_t budget = kMendingOfAFile;
    EXPECT_EQ(mend_row(9, digests, commands, checksum, budget), size == largest);
    EXPECT_EQ(kMendingOfAFile - budget, size == largest ? 8 * size * size : 0);
  }
}

TEST_F(RebuildTest, FactsAndWorldFileDoNotStandInTheWayOfHistory) {
  change("UPDATE facts SET value = '17' WHERE name = 'begins'");
  EXPECT_TRUE(must(repair(path_)).lost.empty());
  expect_all_there(path_);
  change("UPDATE world SET world_file = 'xyz'");
  const Repair result = must(repair(path_));
  EXPECT_NE(describe(result).find("the checksum of its world file"), std::string::npos);
  expect_all_there(path_);
}

TEST_F(RebuildTest, AGoodCheckpointInsideALossBeginsTheNewMainFile) {
  // The last 70 ticks are gone, and so is the checkpoint of the last one; that of tick 250 is not.
  change("UPDATE history SET digests = zeroblob(8) WHERE first_tick >= 232");
  change("DELETE FROM checkpoints WHERE tick = 300");
  const Repair result = must(repair(path_));
  EXPECT_EQ(result.main.first_tick, 250U) << describe(result);
  EXPECT_EQ(result.main.last_tick, 250U);
  ASSERT_EQ(result.parts.size(), 1U);
  EXPECT_EQ(result.parts[0].last_tick, 231U);
  auto reader = must(Reader::open(path_));
  EXPECT_EQ(must(reader->restore(250))->digest(), history_[249].digest);
  EXPECT_EQ(must(Reader::open(result.parts[0].path))->last_tick(), 231U);
}

TEST_F(RebuildTest, WhatIsLostIsToldInTicksCommandsAndClients) {
  std::uint64_t commands = 0;
  std::set<std::string> clients;
  for (std::uint64_t tick = 220; tick <= 250; ++tick) {
    for (const RecordedCommand& recorded : history_[tick - 1].commands) {
      if (tick >= 223) ++commands;
      if (tick >= 223) clients.insert(recorded.client);
    }
  }
  change("DELETE FROM history WHERE first_tick = 220");
  const Repair result = must(repair(path_));
  ASSERT_EQ(result.without_state.size(), 1U);
  EXPECT_EQ(result.without_state[0].commands, commands);
  EXPECT_EQ(result.without_state[0].clients, clients);
  ASSERT_EQ(result.lost.size(), 1U);
  EXPECT_TRUE(result.lost[0].commands_unknown);
  const std::string text = describe(result);
  EXPECT_NE(text.find("lost: ticks 220 to 222, at least 0 commands"), std::string::npos) << text;
  EXPECT_NE(
      text.find("in all 31 ticks cannot be replayed, with at least " + std::to_string(commands) +
                " commands of " + std::to_string(clients.size()) + " clients (client-"),
      std::string::npos)
      << text;
}

TEST_F(RebuildTest, AHistoryThatEndsBeforeItsLastCheckpointIsDamaged) {
  // Else the ticks between would be lost without a word.
  change("DELETE FROM history WHERE first_tick >= 280");
  const auto reader = Reader::open(path_);
  ASSERT_FALSE(reader.ok());
  EXPECT_NE(reader.error().find("before the checkpoint of tick 300"), std::string::npos);
  const Repair result = must(repair(path_));
  EXPECT_EQ(result.main.first_tick, 300U);
  EXPECT_EQ(result.main.last_tick, 300U);
}

TEST_F(RebuildTest, ARowIsReadBeforeItIsUsedAgain) {
  // The rock of a chunk that comes back: its row is damaged, its hash is not.
  change("UPDATE chunks SET data = x'0000' WHERE id = 1");
  sim::SerialExecutor executor;
  {
    auto recorder = must(Recorder::open(path_));
    auto world = make_world();
    TickRecord tick{301, 0, {}};
    must(recorder->append(tick));
    CheckpointImage image = CheckpointImage::of(*world);  // that of tick 0, under another number
    image.tick = 301;
    must(recorder->checkpoint(std::move(image)));
  }
  auto reader = must(Reader::open(path_));
  EXPECT_TRUE(reader->read_checkpoint(301).ok());
  EXPECT_TRUE(reader->read_checkpoint(0).ok()) << "whoever shares the row has it again";
}

TEST_F(RebuildTest, LeftoversOfAnInterruptedRepairAreNoHindrance) {
  change("UPDATE history SET digests = zeroblob(16) WHERE first_tick = 220");
  for (const char* left : {".new-main", ".new-main-wal", ".new-main-shm", ".new-main-lock",
                           ".new-main.new", ".new-part-0-219", ".new-aside"}) {
    write_file(path_ + left, "what a process left that was killed");
  }
  const Repair result = must(repair(path_));
  EXPECT_EQ(result.main.first_tick, 250U);
  EXPECT_EQ(folder_.names(),
            (std::vector<std::string>{"a.sluice", "a.sluice.damaged", "a.sluice.part-0-219"}));
}

TEST_F(RebuildTest, ARepairThatWasKilledAtAnyMomentIsCompletedByTheNext) {
  change("UPDATE history SET digests = zeroblob(16) WHERE first_tick = 220");
  change("UPDATE checkpoints SET core = x'00' WHERE tick = 300");
  const std::string damaged = read_file(path_);
  const auto begun = std::chrono::steady_clock::now();
  must(repair(path_));
  const auto took = std::chrono::steady_clock::now() - begun;
  std::mt19937 random(2);
  int killed_in_exchange = 0;
  for (int round = 0; round < 60; ++round) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    write_file(path, damaged);
    kill_within(took, random, [&] { (void)repair(path); });
    killed_in_exchange += is_exchanging(path) ? 1 : 0;
    ASSERT_TRUE(std::filesystem::exists(path)) << "else a server would begin a new world";
    const Repair result = must(repair(path));
    EXPECT_EQ(result.main.path, path);
    auto reader = must(Reader::open(path));
    EXPECT_EQ(reader->first_tick(), 250U);
    EXPECT_EQ(reader->last_tick(), 300U);
    EXPECT_TRUE(must(find_damage(*reader)).whole());
    EXPECT_EQ(must(Reader::open(path + ".part-0-219"))->last_tick(), 219U);
    EXPECT_EQ(read_file(path + ".damaged"), damaged);
    reader.reset();
    EXPECT_EQ(folder.names(),
              (std::vector<std::string>{"a.sluice", "a.sluice.damaged", "a.sluice.part-0-219"}));
    if (HasFailure()) return;
  }
  std::printf("60 repairs killed, %d of them while files changed places\n", killed_in_exchange);
}

// The moments of the exchange are too short to be hit by chance: here each is ended on purpose.
TEST_F(RebuildTest, EveryStepOfTheExchangeMayBeTheLast) {
  change("UPDATE history SET digests = zeroblob(16) WHERE first_tick = 220");
  const std::string damaged = read_file(path_);
  const std::string log = "a log that belongs to the damaged file alone";
  for (int step = 0; step < 4; ++step) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    write_file(path, damaged);
    must(repair(path));
    // As it was when the repair had decided, and had done so many steps after that.
    std::filesystem::rename(path, path + ".repaired");
    write_file(path, damaged);
    if (step < 1) std::filesystem::rename(path + ".part-0-219", path + ".new-part-0-219");
    if (step < 2) write_file(path + "-wal", log);
    if (step < 3) write_file(path + "-shm", "shared");
    const Repair result = must(repair(path));
    EXPECT_TRUE(result.damage.whole());
    EXPECT_TRUE(result.completed_another);
    EXPECT_EQ(must(Reader::open(path))->first_tick(), 250U);
    EXPECT_EQ(folder.names(),
              (std::vector<std::string>{"a.sluice", "a.sluice.damaged", "a.sluice.part-0-219"}));
  }
}

TEST_F(RebuildTest, ASystemThatFailsIsNotAFileThatIsDamaged) {
  const std::string whole = read_file(path_);
  tests::FaultyVfs medium;
  (void)must(find_damage(*must(Reader::open(path_))));
  for (const auto fault :
       {tests::ReadFault::kDevice, tests::ReadFault::kNoMemory, tests::ReadFault::kNoDescriptors}) {
    medium.heal();
    must(repair(path_));
    const std::uint64_t moments =
        fault == tests::ReadFault::kNoDescriptors ? medium.openings() : medium.reads();
    ASSERT_GT(moments, 1U);
    int failed = 0;
    for (std::uint64_t at = 1; at <= moments; ++at) {
      medium.fail_reads(fault, at);
      const auto result = repair(path_);
      medium.heal();
      failed += result.ok() ? 0 : 1;
      EXPECT_TRUE(!result.ok() || result->damage.whole()) << describe(*result);
      EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.sluice"}) << at;
      if (HasFailure()) return;
    }
    EXPECT_GT(failed, 0);
    EXPECT_EQ(read_file(path_), whole);
  }
}

TEST_F(RebuildTest, ADamagedFileOnAFailingSystemIsLeftAsItIs) {
  change("UPDATE history SET digests = zeroblob(16) WHERE first_tick = 220");
  const std::string damaged = read_file(path_);
  tests::FaultyVfs medium;
  int refused = 0;
  for (std::uint64_t at = 1; at < 60; at += 3) {
    medium.fail_reads(tests::ReadFault::kDevice, at);
    const auto result = repair(path_);
    medium.heal();
    if (result.ok()) break;  // it was done before the device failed
    ++refused;
    EXPECT_NE(result.error().find("the disk or file system failed"), std::string::npos)
        << result.error();
    EXPECT_EQ(read_file(path_), damaged);
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.sluice"});
  }
  EXPECT_GT(refused, 3);
}

TEST_F(RebuildTest, AFullDiskIsTheRepairsOwnErrorAndLeavesTheFile) {
  change("UPDATE history SET digests = zeroblob(16) WHERE first_tick = 220");
  const std::string damaged = read_file(path_);
  tests::FaultyVfs medium;
  for (const std::uint64_t at : {1U, 5U, 20U, 40U}) {
    medium.fail(tests::Fault::kFull, at);
    const auto result = repair(path_);
    medium.heal();
    ASSERT_FALSE(result.ok());
    EXPECT_NE(result.error().find("the disk is full"), std::string::npos) << result.error();
    EXPECT_EQ(read_file(path_), damaged);
    EXPECT_EQ(folder_.names(), std::vector<std::string>{"a.sluice"});
  }
  EXPECT_EQ(must(repair(path_)).main.first_tick, 250U);
}

TEST_F(RebuildTest, WhatWaitsWhileAPartIsWrittenIsBounded) {
  // 8,000 ticks and 160 checkpoints in commits of a bounded size: the log never holds them all.
  const std::string path = folder_.file("long.sluice");
  record_history(path, {.ticks = 8000,
                        .commands_per_tick = 0.1,
                        .ticks_per_commit = 100,
                        .ticks_per_checkpoint = 50});
  must(must(Database::open(path, Database::Mode::kWrite))
           ->execute("UPDATE checkpoints SET core = x'00' WHERE tick = 4000"));
  tests::FaultyVfs medium;
  must(repair(path));
  EXPECT_GT(medium.syncs(), 6U);
}

}  // namespace
}  // namespace sluice::record::test::rebuild_test
