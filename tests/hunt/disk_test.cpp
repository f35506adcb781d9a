// Goal: the medium keeps what was synced and nothing else for sure; else the hunter's crashes would
// prove nothing. Method: files by hand, and a database that is cut off at every change.
#include "tests/hunt/disk.h"

#include <cstdlib>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace sluice::hunt::disk_test {
namespace {

TEST(DiskTest, WhatIsNotSyncedMayBeLostAndMayStay) {
  std::set<std::string> left;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Disk disk(seed);
    const Disk::FilePtr file = disk.make("/a");
    ASSERT_EQ(disk.write(*file, "one", 3, 0), SQLITE_OK);
    ASSERT_TRUE(disk.sync("/a"));
    ASSERT_TRUE(disk.sync_folder_of("/a"));
    ASSERT_EQ(disk.write(*file, "two", 3, 3), SQLITE_OK);
    disk.restart(true);
    left.insert(disk.find("/a")->now);
  }
  EXPECT_EQ(left, (std::set<std::string>{"one", "onetwo"}));
}

TEST(DiskTest, ANameIsLostWithoutItsFolder) {
  std::set<bool> there;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Disk disk(seed);
    (void)disk.make("/a");
    ASSERT_TRUE(disk.sync("/a"));
    disk.restart(true);
    there.insert(disk.exists("/a"));
  }
  EXPECT_EQ(there, (std::set<bool>{false, true}));
}

TEST(DiskTest, AProcessThatDiesLosesNothingThatItWrote) {
  Disk disk(1);
  (void)disk.make("/a");
  disk.die();
  EXPECT_EQ(disk.make("/b"), nullptr);
  EXPECT_FALSE(disk.sync("/a"));
  disk.restart(false);
  EXPECT_TRUE(disk.exists("/a"));
  EXPECT_FALSE(disk.exists("/b"));
}

TEST(DiskTest, AFailedSyncMayForgetWhatItWasGiven) {
  std::set<std::string> left;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Disk disk(seed);
    const Disk::FilePtr file = disk.make("/a");
    ASSERT_TRUE(disk.sync_folder_of("/a"));
    ASSERT_EQ(disk.write(*file, "one", 3, 0), SQLITE_OK);
    disk.set_fault(DiskFault::kSyncsFail);
    ASSERT_FALSE(disk.sync("/a"));
    disk.set_fault(DiskFault::kNone);
    ASSERT_TRUE(disk.sync("/a"));
    EXPECT_EQ(file->now, "one");
    disk.restart(true);
    left.insert(disk.find("/a")->now);
  }
  EXPECT_EQ(left, (std::set<std::string>{"", "one"}));
}

/// Rows that a database holds; -1: none can be had.
int rows_of(const char* path) {
  sqlite3* base = nullptr;
  int rows = -1;
  if (sqlite3_open(path, &base) == SQLITE_OK) {
    const auto take = [](void* out, int, char** values, char**) {
      *static_cast<int*>(out) = std::atoi(values[0]);
      return 0;
    };
    sqlite3_exec(base, "SELECT count(*) FROM t", take, &rows, nullptr);
  }
  sqlite3_close(base);
  return rows;
}

TEST(DiskTest, ADatabaseKeepsItsCommitsWhereverThePowerIsCut) {
  for (std::uint64_t cut = 1; cut <= 120; ++cut) {
    Disk disk(cut);
    sqlite3* base = nullptr;
    ASSERT_EQ(sqlite3_open("/base", &base), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(base,
                           "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
                           "CREATE TABLE t (x); INSERT INTO t VALUES (0)",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    ASSERT_TRUE(disk.sync_folder_of("/base"));
    int committed = 1;
    disk.die_in(cut);
    while (sqlite3_exec(base, "INSERT INTO t VALUES (1)", nullptr, nullptr, nullptr) == SQLITE_OK) {
      ++committed;
    }
    sqlite3_close(base);
    disk.restart(true);
    const int rows = rows_of("/base");
    // One more may be there: it was on its way when the power went.
    EXPECT_TRUE(rows == committed || rows == committed + 1) << cut << ": " << rows;
  }
}

}  // namespace
}  // namespace sluice::hunt::disk_test
