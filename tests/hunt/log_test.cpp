// Goal: what was acknowledged outlasts a sync that failed, a process that died of it, and a loss of
// power at any moment of the next one's start. Method: a recorder on the hunter's disk, which gives
// up a part of what a failed sync was given; the next process loses power after each of its
// changes.
#include <gtest/gtest.h>

#include "server/record/database.h"
#include "server/record/reader.h"
#include "server/record/recorder.h"
#include "tests/hunt/disk.h"
#include "tests/record/support.h"
#include "tests/support/effort.h"

namespace sluice::hunt::log_test {
namespace {

using record::Database;
using record::Recorder;

constexpr const char* kPath = "/world.sluice";
constexpr std::uint64_t kFolded = 30;
constexpr std::uint64_t kAcknowledged = kFolded + 1;

void go_on(sim::World& world, Recorder& recorder, std::uint64_t to) {
  while (world.tick_number() < to) ASSERT_TRUE(recorder.append(record::test::play(world, {})));
}

/// A history that was folded, a commit that is in the log alone, and a larger one whose sync
/// failed; the process died. Rows are merged and checkpoints thinned in it, so that it changes old
/// pages.
void leave_a_part_of_a_log(Disk& disk) {
  const auto world = record::test::make_world();
  record::Limits limits;
  limits.ticks_per_row = 4;
  limits.ticks_per_short_merge = 2;
  auto recorder =
      record::test::must(Recorder::create(kPath, record::test::kWorldFile, *world, limits));
  ASSERT_TRUE(disk.sync_folder_of(kPath));
  for (std::uint64_t tick = 1; tick <= kFolded; ++tick) {
    go_on(*world, *recorder, tick);
    ASSERT_TRUE(recorder->commit());
    ASSERT_TRUE(recorder->checkpoint(record::CheckpointImage::of(*world)));
  }
  recorder.reset();
  recorder = record::test::must(Recorder::open(kPath, limits));
  go_on(*world, *recorder, kAcknowledged);
  ASSERT_TRUE(recorder->commit());
  disk.set_fault(DiskFault::kSyncsFail);
  go_on(*world, *recorder, kAcknowledged + 7);
  ASSERT_TRUE(recorder->append_checkpoint(record::CheckpointImage::of(*world)));
  ASSERT_FALSE(recorder->commit());
  disk.set_fault(DiskFault::kNone);
}

TEST(LogTest, IsWrittenAnewBeforeItIsFolded) {
  for (std::uint64_t seed = 1; seed <= tests::cases(200, 40); ++seed) {
    Disk disk(seed);
    ASSERT_NO_FATAL_FAILURE(leave_a_part_of_a_log(disk)) << "seed " << seed;
    disk.restart(false);
    disk.die_in(1 + seed % 40);  // in any of its changes, or after them
    {
      const auto started = Recorder::open(kPath);
      disk.die();
    }
    disk.restart(true);
    const auto found = record::test::must(Database::open(kPath, Database::Mode::kRead));
    const auto whole = found->text("PRAGMA integrity_check");
    ASSERT_TRUE(whole.ok()) << "seed " << seed << ": " << whole.error();
    ASSERT_EQ(*whole, "ok") << "seed " << seed;
    const auto again = Recorder::open(kPath);
    ASSERT_TRUE(again.ok()) << "seed " << seed << ": " << again.error();
    ASSERT_GE(record::test::must(record::Reader::open(kPath))->last_tick(), kAcknowledged)
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace sluice::hunt::log_test
