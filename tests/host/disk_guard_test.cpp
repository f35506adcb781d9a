// Goal: a disk is never filled by what people send. Before it is, edits are refused with a reason
// that says until when, and are taken again when there is room.
// Method: a disk and a clock that the test sets; then the real functions on a real file.
#include "server/host/disk_guard.h"

#include <atomic>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/process.h"
#include "tests/support/wait_until.h"

namespace sluice::host::disk_guard_test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class DiskGuardTest : public ::testing::Test {
 protected:
  DiskGuard& guard(const DiskLimits& limits) {
    DiskGuard::Options options;
    options.folder = "data";
    options.limits = limits;
    options.free_bytes = [this](const std::string&) { return free_; };
    options.file_bytes = [this](const std::string& path) { return size_[path]; };
    options.now = [this] { return now_; };
    guard_ = std::make_unique<DiskGuard>(std::move(options));
    for (const char* world : {"cave", "lake"}) {
      guard_->add({world, world, [this, world](const std::string& why) {
                     refusal_[world] = why;
                     ++told_[world];
                   }});
    }
    guard_->look();
    return *guard_;
  }

  std::optional<std::uint64_t> free_ = 1000 * kMiB;
  std::int64_t now_ = 1'800'000'000 / 3600 * 3600;  // an hour begins
  std::map<std::string, std::uint64_t> size_;
  std::map<std::string, std::string> refusal_;
  std::map<std::string, int> told_;
  std::unique_ptr<DiskGuard> guard_;
};

TEST_F(DiskGuardTest, EditsAreRefusedWhileTheDiskHasLessThanItsReserve) {
  DiskGuard& guard = this->guard({100, 0});
  EXPECT_TRUE(told_.empty()) << "nothing is wrong";
  free_ = 100 * kMiB;  // to the limit
  guard.look();
  EXPECT_TRUE(told_.empty());
  free_ = 100 * kMiB - 1;  // and one beyond
  guard.look();
  for (const char* world : {"cave", "lake"}) {
    EXPECT_THAT(refusal_[world], HasSubstr("disk is nearly full"));
    EXPECT_TRUE(guard.sample(world).refuses_edits);
    EXPECT_EQ(guard.sample(world).free_bytes, 100 * kMiB - 1);
  }
  // Not to and fro: there has to be some more.
  free_ = 106 * kMiB;
  guard.look();
  EXPECT_NE(refusal_["cave"], "");
  free_ = 107 * kMiB;
  guard.look();
  EXPECT_EQ(refusal_["cave"], "");
  EXPECT_FALSE(guard.sample("cave").refuses_edits);
}

TEST_F(DiskGuardTest, AWorldThatGoesIsToldNothingMore) {
  DiskGuard& guard = this->guard({100, 0});
  size_["lake"] = 5;
  guard.look();
  guard.remove("cave");
  free_ = 0;
  guard.look();
  EXPECT_FALSE(told_.contains("cave"));
  EXPECT_NE(refusal_["lake"], "");
  EXPECT_EQ(guard.sample("lake").recording_bytes, 5U) << "the others keep what is known of them";
  EXPECT_EQ(guard.sample("cave").recording_bytes, 0U);
}

TEST_F(DiskGuardTest, WhatIsToBeWrittenNeedsRoomBesideTheReserve) {
  DiskGuard& guard = this->guard({100, 0});
  free_ = 110 * kMiB;
  EXPECT_EQ(guard.no_room_for(10 * kMiB), "");
  EXPECT_THAT(guard.no_room_for(10 * kMiB + 1),
              HasSubstr("has 110 MiB left; this needs 110 MiB, those included that are kept back"));
  free_ = std::nullopt;
  EXPECT_EQ(guard.no_room_for(10 * kMiB + 1), "");
}

TEST_F(DiskGuardTest, ADiskThatCannotTellRefusesNothing) {
  DiskGuard& guard = this->guard({100, 0});
  free_.reset();
  guard.look();
  EXPECT_TRUE(told_.empty());
}

TEST_F(DiskGuardTest, ARecordingGrowsByItsLimitInADay) {
  size_["cave"] = 500 * kMiB;  // what was there at the start does not count
  DiskGuard& guard = this->guard({0, 24});
  // A MiB an hour is just what it may.
  for (int hour = 0; hour < 100; ++hour) {
    size_["cave"] += kMiB - 1;
    guard.look();
    ASSERT_FALSE(guard.sample("cave").refuses_edits) << hour;
    now_ += 3600;
  }
  EXPECT_EQ(guard.sample("cave").grown_bytes, 24 * (kMiB - 1));
  size_["cave"] += 3 * kMiB;
  guard.look();
  EXPECT_THAT(refusal_["cave"], HasSubstr("grown by 24 MiB, as much as it may in a day"));
  EXPECT_THAT(refusal_["cave"], HasSubstr("within 2 h")) << "two hours have to be forgotten";
  EXPECT_FALSE(guard.sample("lake").refuses_edits) << "that is the other world's";
  now_ += 3600;
  guard.look();
  EXPECT_THAT(refusal_["cave"], HasSubstr("within 1 h"));
  now_ += 3600;
  guard.look();
  EXPECT_EQ(refusal_["cave"], "");
}

TEST_F(DiskGuardTest, AllOfADayIsForgottenAfterADay) {
  DiskGuard& guard = this->guard({0, 10});
  size_["cave"] = 11 * kMiB;
  guard.look();
  EXPECT_THAT(refusal_["cave"], HasSubstr("within 24 h"));
  now_ += 24 * 3600 - 1;
  guard.look();
  EXPECT_NE(refusal_["cave"], "");
  now_ += 1;
  guard.look();
  EXPECT_EQ(refusal_["cave"], "");
  EXPECT_EQ(guard.sample("cave").grown_bytes, 0U);
  // A clock that is set back, and a file that shrinks, are no reason for anything.
  now_ -= 1'000'000;
  size_["cave"] = kMiB;
  guard.look();
  EXPECT_EQ(guard.sample("cave").grown_bytes, 0U);
  size_["cave"] = 2 * kMiB;
  guard.look();
  EXPECT_EQ(guard.sample("cave").grown_bytes, kMiB);
}

TEST_F(DiskGuardTest, NothingIsBoundedByNought) {
  DiskGuard& guard = this->guard({0, 0});
  free_ = 0;
  size_["cave"] = kMiB << 20;
  guard.look();
  EXPECT_TRUE(told_.empty());
}

TEST(DiskGuard, LooksAgainAndAgain) {
  std::atomic<bool> full = false;
  std::atomic<int> told = 0;
  DiskGuard::Options options;
  EXPECT_EQ(options.interval, std::chrono::seconds(5)) << "as the document says";
  options.interval = std::chrono::milliseconds(1);
  options.free_bytes = [&full](const std::string&) { return full ? 0 : 1000 * kMiB; };
  options.file_bytes = [](const std::string&) { return std::uint64_t{0}; };
  options.now = [] { return std::int64_t{0}; };
  DiskGuard guard(std::move(options));
  guard.add({"cave", "cave", [&told](const std::string&) { ++told; }});
  guard.start();
  full = true;
  EXPECT_TRUE(tests::wait_until([&] { return told >= 2; }));
  guard.stop();
}

TEST(DiskGuard, LooksAtARealDisk) {
  const tests::TemporaryDirectory folder;
  const std::string path = folder.file("cave.sluice");
  for (const char* ending : {"", "-wal"}) std::ofstream(path + ending) << std::string(1000, 'x');
  EXPECT_EQ(DiskGuard::recording_bytes_of(path), 2000U);
  EXPECT_EQ(DiskGuard::recording_bytes_of(folder.file("none")), 0U);
  EXPECT_GT(DiskGuard::free_bytes_of(folder.file("")).value_or(0), 0U);
  EXPECT_FALSE(DiskGuard::free_bytes_of(folder.file("no/such/folder")));
}

}  // namespace
}  // namespace sluice::host::disk_guard_test
