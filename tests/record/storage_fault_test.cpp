// Goal: whatever the medium does, nothing that was acknowledged is lost unless the medium itself
// lost it; what comes back is a beginning of the true history; what was lost is said. Method: a
// recorder on an SQLite VFS that fails from its n-th write on, for many n and each kind of fault;
// then the medium is sound again and the world is brought back. And one flipped bit in every page
// of a file.
#include <chrono>
#include <utility>

#include <gtest/gtest.h>

#include "server/record/checkpoint_keeper.h"
#include "server/record/database.h"
#include "server/record/reader.h"
#include "server/record/recorder.h"
#include "server/record/repair.h"
#include "server/record/verify.h"
#include "tests/record/support.h"
#include "tests/support/faulty_vfs.h"

namespace sluice::record::test::storage_fault_test {
namespace {

using tests::Fault;

constexpr std::uint64_t kTicks = 260;  // enough for a merge of rows

std::vector<sim::Digest> true_digests() {
  const auto world = make_world();
  std::vector<sim::Digest> digests{world->digest()};
  CommandSource source(6, 3);
  while (world->tick_number() < kTicks) digests.push_back(play(*world, source.some(0.5)).digest);
  return digests;
}

struct Outcome {
  std::uint64_t acknowledged = 0;  // the last tick whose commit returned ok
  std::string error;               // of the commit that did not
};

/// Records until the end or until a commit fails; each tick is committed.
Outcome record_on(const std::string& path) {
  Outcome outcome;
  const auto world = make_world();
  auto recorder = Recorder::create(path, kWorldFile, *world);
  if (!recorder) return {0, recorder.error()};
  CommandSource source(6, 3);
  for (std::uint64_t tick = 1; tick <= kTicks; ++tick) {
    must((*recorder)->append(play(*world, source.some(0.5))));
    const Status done = tick % 40 == 0 ? (*recorder)->checkpoint(CheckpointImage::of(*world))
                                       : (*recorder)->commit();
    if (!done) {
      outcome.error = done.error();
      EXPECT_FALSE((*recorder)->append({tick + 1, 0, {}}).ok()) << "it stays failed";
      return outcome;
    }
    outcome.acknowledged = tick;
  }
  return outcome;
}

/// The tick that comes back; its digest is that of the true history.
std::uint64_t recovered_tick(const std::string& path, const std::vector<sim::Digest>& digests) {
  sim::SerialExecutor executor;
  const auto recovered = recover(path, executor);
  EXPECT_TRUE(recovered.ok()) << recovered.error();
  if (!recovered.ok()) return UINT64_MAX;
  const std::uint64_t tick = recovered->world->tick_number();
  EXPECT_EQ(recovered->world->digest(), digests.at(tick));
  return tick;
}

class StorageFault : public testing::TestWithParam<Fault> {};

TEST_P(StorageFault, NothingThatWasAcknowledgedIsLost) {
  const auto digests = true_digests();
  tests::FaultyVfs medium;
  std::uint64_t all_writes = 0;
  {
    TemporaryFolder folder;
    medium.heal();
    EXPECT_EQ(record_on(folder.file("a.sluice")).acknowledged, kTicks);
    all_writes = medium.writes();
  }
  ASSERT_GT(all_writes, 500U);
  int struck = 0;
  for (std::uint64_t at = 1; at < all_writes; at += 1 + all_writes / 40) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    medium.fail(GetParam(), at);
    const Outcome outcome = record_on(path);
    struck += medium.struck() ? 1 : 0;
    medium.heal();
    if (!std::filesystem::exists(path)) {
      // It failed while the file was being made: then there is none, and none was promised.
      EXPECT_EQ(outcome.acknowledged, 0U);
      continue;
    }
    const std::uint64_t tick = recovered_tick(path, digests);
    if (GetParam() != Fault::kDropped) {
      EXPECT_GE(tick, outcome.acknowledged) << "fault at write " << at;
      EXPECT_LE(tick, outcome.acknowledged + 1);
      // A fault in what tidying up writes is nobody's loss.
      EXPECT_EQ(outcome.error.empty(), outcome.acknowledged == kTicks);
    }
    // And the world goes on.
    EXPECT_TRUE(Recorder::open(path).ok());
  }
  EXPECT_GT(struck, 30);
}

INSTANTIATE_TEST_SUITE_P(Kinds, StorageFault,
                         testing::Values(Fault::kFull, Fault::kTorn, Fault::kForbidden,
                                         Fault::kGone),
                         [](const auto& kind) {
                           switch (kind.param) {
                             case Fault::kFull:
                               return "FullDisk";
                             case Fault::kTorn:
                               return "TornWrite";
                             case Fault::kForbidden:
                               return "PermissionLost";
                             default:
                               return "DeviceGone";
                           }
                         });

TEST(StorageFaults, TheReasonIsSaid) {
  tests::FaultyVfs medium;
  for (const auto& [fault, words] : {std::pair{Fault::kFull, "the disk is full"},
                                     {Fault::kForbidden, "no permission"},
                                     {Fault::kGone, "the disk or file system failed"}}) {
    TemporaryFolder folder;
    medium.fail(fault, 200);
    const Outcome outcome = record_on(folder.file("a.sluice"));
    medium.heal();
    EXPECT_NE(outcome.error.find(words), std::string::npos) << outcome.error;
  }
}

TEST(StorageFaults, AMediumThatLosesWhatItAcknowledgedLosesTheEndAlone) {
  const auto digests = true_digests();
  tests::FaultyVfs medium;
  for (const std::uint64_t at : {60U, 150U, 250U, 400U}) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    {
      const auto world = make_world();
      auto recorder = must(Recorder::create(path, kWorldFile, *world));
      medium.fail(Fault::kDropped, at);
      CommandSource source(6, 3);
      while (world->tick_number() < kTicks) {
        must(recorder->append(play(*world, source.some(0.5))));
        if (!recorder->commit().ok()) break;
      }
      // The process ends here without tidying up, as in a loss of power.
      static auto& never_closed = *new std::vector<std::unique_ptr<Recorder>>;
      never_closed.push_back(std::move(recorder));
    }
    EXPECT_TRUE(medium.struck());
    medium.heal();
    // The lock went with the process; here it is another one's file that is looked at.
    TemporaryFolder after;
    const std::string copy = after.file("a.sluice");
    write_file(copy, read_file(path));
    if (std::filesystem::exists(path + "-wal")) write_file(copy + "-wal", read_file(path + "-wal"));
    EXPECT_LT(recovered_tick(copy, digests), kTicks);
  }
}

TEST(StorageFaults, EachCommitIsSyncedBeforeItReturns) {
  TemporaryFolder folder;
  tests::FaultyVfs medium;
  const auto world = make_world();
  auto recorder = must(Recorder::create(folder.file("a.sluice"), kWorldFile, *world));
  for (int tick = 1; tick <= 50; ++tick) {
    must(recorder->append(play(*world, {})));
    medium.heal();
    must(recorder->commit());
    EXPECT_GT(medium.writes(), 0U) << "tick " << tick;
    EXPECT_GE(medium.syncs(), 1U) << "tick " << tick;
  }
  must(recorder->append(play(*world, {})));
  medium.heal();
  must(recorder->checkpoint(CheckpointImage::of(*world)));
  EXPECT_GE(medium.syncs(), 1U);
}

TEST(StorageFaults, ASyncThatFailsIsACommitThatFails) {
  TemporaryFolder folder;
  tests::FaultyVfs medium;
  const auto world = make_world();
  auto recorder = must(Recorder::create(folder.file("a.sluice"), kWorldFile, *world));
  must(recorder->append(play(*world, {})));
  medium.fail_syncs();
  EXPECT_FALSE(recorder->commit().ok());
  medium.heal();
}

TEST(StorageFaults, WhereNoLogCanBeKeptNothingIsRecorded) {
  TemporaryFolder folder;
  tests::FaultyVfs medium;
  medium.share_no_memory();
  const auto world = make_world();
  const auto recorder = Recorder::create(folder.file("a.sluice"), kWorldFile, *world);
  ASSERT_FALSE(recorder.ok());
  EXPECT_NE(recorder.error().find("its journal mode stays"), std::string::npos) << recorder.error();
}

// A full disk that is freed, a device that comes back.
TEST_P(StorageFault, WhenTheMediumIsSoundAgainTheRecordingGoesOn) {
  const auto digests = true_digests();
  tests::FaultyVfs medium;
  int struck = 0;
  for (std::uint64_t at = 1; at < 700; at += 41) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    medium.heal();
    const auto world = make_world();
    auto recorder = must(Recorder::create(path, kWorldFile, *world));
    CheckpointKeeper keeper(*world);
    CommandSource source(6, 3);
    medium.fail(GetParam(), at);
    int resumed = 0;
    while (world->tick_number() < kTicks) {
      must(recorder->append(play(*world, source.some(0.5))));
      sim::TickReport report;
      report.tick = world->tick_number();
      if (auto image = keeper.after_tick(*world, report, true)) {
        must(recorder->append_checkpoint(std::move(*image)));
      }
      if (recorder->commit().ok()) continue;
      ASSERT_TRUE(medium.struck());
      EXPECT_FALSE(recorder->resume().ok()) << "the medium still fails";
      EXPECT_FALSE(recorder->commit().ok());
      medium.heal();
      must(recorder->resume());
      must(recorder->commit());
      ++resumed;
    }
    struck += resumed;
    EXPECT_LE(resumed, 1);
    recorder.reset();
    medium.heal();
    ASSERT_EQ(recovered_tick(path, digests), kTicks) << "fault at write " << at;
    auto reader = must(Reader::open(path));
    sim::SerialExecutor executor;
    const VerifyReport report = must(verify(*reader, {}, executor));
    EXPECT_FALSE(report.divergence) << describe(*report.divergence);
    EXPECT_EQ(report.checkpoints, kTicks / 40);
    if (HasFailure()) return;
  }
  EXPECT_GT(struck, 10);
}

// A backup program, say, or somebody's SQLite shell.
TEST(StorageFaults, ALockOfAnotherProcessIsWaitedForAndThenNamed) {
  tests::FaultyVfs medium;
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto world = make_world();
  auto recorder = must(Recorder::create(path, kWorldFile, *world));
  must(recorder->append(play(*world, {})));
  must(recorder->commit());
  const auto other = must(Database::open(path, Database::Mode::kWrite));
  must(other->execute("BEGIN IMMEDIATE"));
  bool locked = true;
  medium.wait_by([&](std::chrono::microseconds waited) {
    if (waited >= std::chrono::milliseconds(300) && std::exchange(locked, false)) {
      must(other->execute("ROLLBACK"));
    }
  });
  must(recorder->append(play(*world, {})));
  EXPECT_TRUE(recorder->commit().ok()) << "it was only a moment";
  EXPECT_FALSE(locked);

  std::chrono::microseconds patience{};
  medium.wait_by([&](std::chrono::microseconds waited) { patience = waited; });
  must(other->execute("BEGIN IMMEDIATE"));
  must(recorder->append(play(*world, {})));
  const Status refused = recorder->commit();
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().find("is locked by another process"), std::string::npos)
      << refused.error();
  EXPECT_GE(patience, std::chrono::seconds(9));
  medium.wait_by({});
  must(other->execute("ROLLBACK"));
  recorder.reset();
  sim::SerialExecutor executor;
  EXPECT_EQ(must(recover(path, executor)).world->tick_number(), 2U) << "what was acknowledged";
}

TEST(StorageFaults, AClockThatGoesBackwardsChangesNothing) {
  const auto digests = true_digests();
  tests::FaultyVfs medium;
  medium.turn_back_the_clock();
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  EXPECT_EQ(record_on(path).acknowledged, kTicks);
  EXPECT_EQ(recovered_tick(path, digests), kTicks);
}

TEST(StorageFaults, RotInAnyPageIsFoundAndTheRestIsKept) {
  const auto digests = true_digests();
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  EXPECT_EQ(record_on(path).acknowledged, kTicks);
  const std::string sound = read_file(path);
  constexpr std::size_t kPage = 4096;
  int kept = 0;
  int refused = 0;
  for (std::size_t page = 0; page < sound.size() / kPage; ++page) {
    TemporaryFolder place;
    const std::string copy = place.file("a.sluice");
    std::string rotten = sound;
    // Within the page's content, which SQLite fills from its end.
    rotten[(page + 1) * kPage - 100 - page % 500] ^= 0x10;
    write_file(copy, rotten);
    const auto repaired = repair(copy);
    if (!repaired.ok()) {
      EXPECT_EQ(read_file(copy), rotten) << "what cannot be repaired is left as it is";
      ++refused;
      continue;
    }
    ++kept;
    if (!repaired->damage.whole()) {
      EXPECT_EQ(read_file(repaired->set_aside), rotten);
    }
    auto reader = must(Reader::open(copy));
    sim::SerialExecutor executor;
    const VerifyReport report = must(verify(*reader, {}, executor));
    EXPECT_FALSE(report.divergence) << "page " << page << ": " << describe(*report.divergence);
    EXPECT_EQ(must(world_at(*reader, reader->last_tick(), executor)).world->digest(),
              digests.at(reader->last_tick()));
  }
  std::printf("rot in %d pages: repaired or harmless, in %d: refused\n", kept, refused);
  EXPECT_GT(kept, refused);
}

}  // namespace
}  // namespace sluice::record::test::storage_fault_test
