// Goal: whatever ends the writer, everything that commit() promised is there afterwards, and
// nothing else than the true history.
// Method: writers in processes of their own, ended by _exit, SIGKILL and a file-size limit that
// acts like a full disk; write-ahead logs cut and damaged at many places. Each child reports what
// is durable over a pipe before it goes on.
#include <csignal>
#include <cstdio>
#include <random>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/record/database.h"
#include "server/record/reader.h"
#include "server/record/recorder.h"
#include "tests/record/support.h"

namespace sluice::record::test::crash_test {
namespace {

/// Runs `body` in a child process; it gets the writing end of the pipe that read_ticks() reads.
class Child {
 public:
  template <class Body>
  explicit Child(Body body) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      body(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    pipe_ = ends[0];
  }
  ~Child() {
    close(pipe_);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void kill_now() const { kill(process_, SIGKILL); }
  /// The last tick that the child reported; blocks until it reached `at_least` or ended.
  std::uint64_t wait_for(std::uint64_t at_least) {
    std::uint64_t tick = 0;
    while (last_ < at_least && read(pipe_, &tick, sizeof(tick)) == sizeof(tick)) last_ = tick;
    return last_;
  }

 private:
  pid_t process_ = 0;
  int pipe_ = -1;
  std::uint64_t last_ = 0;
};

void report(int pipe_end, std::uint64_t tick) {
  if (write(pipe_end, &tick, sizeof(tick)) != sizeof(tick)) _exit(3);
}

/// Goes on with the recording at `path` (or begins it) until `last_tick`, one commit a tick. What
/// happens in a tick depends on its number alone, so that any restart leads to the same history.
void write_history(const std::string& path, std::uint64_t last_tick, int pipe_end) {
  std::unique_ptr<sim::World> world;
  std::unique_ptr<Recorder> recorder;
  if (std::filesystem::exists(path)) {
    sim::SerialExecutor executor;
    world = must(recover(path, executor)).world;
    recorder = must(Recorder::open(path));
  } else {
    world = make_world();
    recorder = must(Recorder::create(path, kWorldFile, *world));
  }
  report(pipe_end, world->tick_number());
  while (world->tick_number() < last_tick) {
    const std::uint64_t tick = world->tick_number() + 1;
    CommandSource source(static_cast<std::uint32_t>(tick), 3);
    must(recorder->append(play(*world, source.some(2))));
    must(recorder->commit());
    report(pipe_end, tick);
    if (tick % 50 == 0) must(recorder->checkpoint(CheckpointImage::of(*world)));
  }
  // The caller ends the process without running destructors: a crash.
  (void)recorder.release();
}

std::vector<sim::Digest> true_digests(std::uint64_t ticks) {
  const auto world = make_world();
  std::vector<sim::Digest> digests{world->digest()};
  for (std::uint64_t tick = 1; tick <= ticks; ++tick) {
    CommandSource source(static_cast<std::uint32_t>(tick), 3);
    digests.push_back(play(*world, source.some(2)).digest);
  }
  return digests;
}

TEST(Crash, KilledWriterLosesNothingThatWasCommitted) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto digests = true_digests(1500);
  std::mt19937 random(3);
  std::uint64_t reached = 0;
  for (int round = 0; round < 12; ++round) {
    Child child([&](int pipe_end) { write_history(path, 1500, pipe_end); });
    child.wait_for(reached + 1 + random() % 60);
    usleep(static_cast<useconds_t>(random() % 3000));
    child.kill_now();
    const std::uint64_t durable = child.wait_for(UINT64_MAX);
    sim::SerialExecutor executor;
    const auto recovered = must(recover(path, executor));
    reached = recovered.world->tick_number();
    EXPECT_GE(reached, durable);
    EXPECT_EQ(recovered.world->digest(), digests.at(reached));
  }
  EXPECT_GT(reached, 12U);
}

// What the killed writer's log holds may never have reached the medium, and is written anew.
TEST(Crash, WhoGoesOnFoldsTheLogAndWaitsForWhoReadsIt) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  {
    Child child([&](int pipe_end) { write_history(path, 30, pipe_end); });
    ASSERT_EQ(child.wait_for(UINT64_MAX), 30U);
  }
  const auto log_bytes = [&] { return std::filesystem::file_size(path + "-wal"); };
  ASSERT_GT(log_bytes(), 0U);
  auto reader = must(Database::open(path, Database::Mode::kRead));
  must(reader->execute("BEGIN; SELECT count(*) FROM history"));
  const auto refused = Recorder::open(path);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error(), path + ": is being read; its log cannot be folded back");
  EXPECT_GT(log_bytes(), 0U);
  must(reader->execute("COMMIT"));
  const auto recorder = must(Recorder::open(path));
  EXPECT_EQ(log_bytes(), 0U);
  EXPECT_EQ(must(Reader::open(path))->last_tick(), 30U);
}

class CutLog : public testing::Test {
 protected:
  static constexpr std::uint64_t kTicks = 130;

  void SetUp() override {
    const std::string path = folder_.file("a.sluice");
    Child child([&](int pipe_end) { write_history(path, kTicks, pipe_end); });
    ASSERT_EQ(child.wait_for(UINT64_MAX), kTicks);
    file_ = read_file(path);
    log_ = read_file(path + "-wal");
    ASSERT_GT(log_.size(), 100000U);
    digests_ = true_digests(kTicks);
  }

  /// The tick that comes back from the file with this log beside it.
  std::uint64_t recovered_tick(const std::string& log) {
    const std::string path = folder_.file("copy" + std::to_string(copies_++) + ".sluice");
    write_file(path, file_);
    write_file(path + "-wal", log);
    sim::SerialExecutor executor;
    const auto recovered = recover(path, executor);
    EXPECT_TRUE(recovered.ok()) << recovered.error();
    if (!recovered.ok()) return 0;
    EXPECT_EQ(recovered->world->digest(), digests_.at(recovered->world->tick_number()));
    EXPECT_EQ(read_file(path), file_) << "recovering reads only";
    EXPECT_EQ(read_file(path + "-wal"), log) << "recovering reads only";
    return recovered->world->tick_number();
  }

  TemporaryFolder folder_;
  std::string file_;
  std::string log_;
  std::vector<sim::Digest> digests_;
  int copies_ = 0;
};

TEST_F(CutLog, WholeLogBringsAllBack) {
  EXPECT_EQ(recovered_tick(log_), kTicks);
}

TEST_F(CutLog, TruncatedLogBringsBackAnEarlierTick) {
  std::uint64_t before = 0;
  for (std::size_t size = 0; size < log_.size(); size += log_.size() / 40 + 13) {
    const std::uint64_t tick = recovered_tick(log_.substr(0, size));
    EXPECT_GE(tick, before) << "a longer log holds no less";
    before = tick;
  }
  EXPECT_GT(before, kTicks / 2);
}

TEST_F(CutLog, DamagedLogBringsBackAnEarlierTick) {
  for (std::size_t place = 5; place < log_.size(); place += log_.size() / 30) {
    std::string log = log_;
    log[place] = static_cast<char>(log[place] ^ 0x10);
    EXPECT_LT(recovered_tick(log), kTicks);
  }
}

TEST(Crash, AfterAFailedCommitEveryCallFailsAndTheFileIsGood) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  Child child([&](int pipe_end) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {200000, 200000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto world = make_world();
    auto recorder = must(Recorder::create(path, kWorldFile, *world));
    for (std::uint64_t tick = 1; tick <= 2000; ++tick) {
      const TickRecord record = play(*world, {});
      must(recorder->append(record));
      const Status committed = recorder->commit();
      if (committed.ok()) {
        report(pipe_end, tick);
        continue;
      }
      const bool stays =
          recorder->commit().error() == committed.error() &&
          recorder->append({tick + 1, 0, {}}).error() == committed.error() &&
          recorder->checkpoint(CheckpointImage::of(*world)).error() == committed.error();
      if (stays) report(pipe_end, 1000000 + tick);
      _exit(0);
    }
  });
  const std::uint64_t reported = child.wait_for(UINT64_MAX);
  ASSERT_GT(reported, 1000000U) << "the commit must have failed, and gone on failing";
  sim::SerialExecutor executor;
  const auto recovered = must(recover(path, executor));
  EXPECT_GE(recovered.world->tick_number() + 1, reported - 1000000);
}

}  // namespace
}  // namespace sluice::record::test::crash_test
