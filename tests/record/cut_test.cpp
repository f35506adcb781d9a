// Goal: old history is cut off while the world goes on, and every tick and command is there
// afterwards, in parts that verify one after the other; whoever reads meanwhile reads what was
// there; whatever ends the cut, nothing that was committed is lost.
// Method: a recorder that is cut again and again at moments that the dice say, with images that
// tell the changes as a server's do; readers that stay open; a process that is killed at random.
// What a failing medium does to it stands in tests/hunt/cut_test.cpp.
#include "server/record/cut.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "server/record/checkpoint_keeper.h"
#include "server/record/exchange.h"
#include "server/record/replaced_files.h"
#include "server/record/verify.h"
#include "tests/record/support.h"

namespace sluice::record::test::cut_test {
namespace {

/// A world that runs and is recorded, each tick committed.
struct Running {
  explicit Running(const std::string& path, std::uint64_t spacing = 10)
      : world(make_world()),
        recorder(must(Recorder::create(path, kWorldFile, *world))),
        keeper(*world) {
    keeper.set_spacing(spacing);
  }

  void go_on(std::uint64_t ticks) {
    sim::SerialExecutor executor;
    for (std::uint64_t i = 0; i < ticks; ++i) {
      std::vector<RecordedCommand> commands = source.some(0.5);
      std::vector<sim::Command> bare;
      for (const RecordedCommand& recorded : commands) bare.push_back(recorded.command);
      const sim::TickReport report = world->tick(bare, executor);
      for (std::size_t j = 0; j < commands.size(); ++j) {
        commands[j].applied = report.outcomes[j].applied();
        commands[j].reason = report.outcomes[j].reason;
      }
      history.push_back({report.tick, report.digest, commands});
      must(recorder->append(history.back()));
      if (auto image = keeper.after_tick(*world, report, !commands.empty())) {
        must(recorder->append_checkpoint(std::move(*image)));
      }
      must(recorder->commit());
    }
  }

  std::unique_ptr<sim::World> world;
  std::unique_ptr<Recorder> recorder;
  CheckpointKeeper keeper;
  CommandSource source{5, 3};
  std::vector<TickRecord> history;
};

SealOptions keeping(std::uint64_t ticks) {
  SealOptions options;
  options.keep = ticks;
  return options;
}

/// Null where nothing is to be cut off.
std::unique_ptr<Cut> prepared(const std::string& path, const SealOptions& options) {
  std::unique_ptr<Cut> cut = must(Cut::find(path, options));
  if (cut != nullptr) must(cut->prepare());
  return cut;
}

/// The file replays, and has all that was recorded after its first tick. Returns its last.
std::uint64_t expect_whole(const std::string& path, std::uint64_t first,
                           const std::vector<TickRecord>& history) {
  auto reader = must(Reader::open(path));
  EXPECT_TRUE(must(find_damage(*reader)).whole()) << path;
  EXPECT_EQ(reader->first_tick(), first) << path;
  sim::SerialExecutor executor;
  const VerifyReport report = must(verify(*reader, {}, executor));
  EXPECT_FALSE(report.divergence) << describe(*report.divergence);
  EXPECT_EQ(report.last_tick, reader->last_tick());
  if (reader->last_tick() > first) {
    must(reader->read_ticks(first + 1, reader->last_tick(), [&](const TickRecord& tick) {
      expect_equal(tick, history.at(tick.tick - 1));
      return !testing::Test::HasFatalFailure();
    }));
  }
  return reader->last_tick();
}

/// All parts beside the file, one after the other, and the file.
void expect_all(const std::string& path, const std::vector<std::uint64_t>& cuts,
                const std::vector<TickRecord>& history) {
  std::uint64_t first = 0;
  for (const std::uint64_t cut : cuts) {
    const std::string part = path + ".part-" + std::to_string(first) + "-" + std::to_string(cut);
    EXPECT_EQ(expect_whole(part, first, history), cut);
    first = cut;
  }
  EXPECT_EQ(expect_whole(path, first, history), history.size());
}

TEST(CutTest, AWorldThatRunsIsCutAgainAndAgain) {
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    Running running(path);
    std::mt19937 random(seed);
    std::vector<std::uint64_t> cuts;
    for (int round = 0; round < 5; ++round) {
      running.go_on(40 + random() % 60);
      auto cut = prepared(path, keeping(random() % 30));
      ASSERT_NE(cut, nullptr);
      for (auto i = random() % 3; i > 0; --i) {
        const std::uint64_t ticks = random() % 25;
        running.go_on(ticks);
        EXPECT_EQ(must(cut->catch_up()), ticks);
      }
      running.go_on(random() % 20);
      const auto sealed = must(cut->take_place(*running.recorder, 20));
      ASSERT_TRUE(sealed);
      cut.reset();
      EXPECT_EQ(sealed->main.last_tick, running.history.size());
      cuts.push_back(sealed->old.last_tick);
      // The first image after it may tell the changes from one before it.
      running.go_on(15);
    }
    running.recorder.reset();
    expect_all(path, cuts, running.history);
    EXPECT_EQ(folder.names().size(), cuts.size() + 1);
    if (HasFailure()) return;
  }
}

TEST(CutTest, TheLastCheckpointMayBeThePlaceOfTheCut) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  Running running(path);
  running.go_on(40);
  auto cut = prepared(path, keeping(0));
  ASSERT_TRUE(must(cut->take_place(*running.recorder, 0)));
  cut.reset();
  running.go_on(35);
  running.recorder.reset();
  expect_all(path, {40}, running.history);
}

// Found by the hunt: the next image told the changes from a checkpoint that the new file lacked.
TEST(CutTest, ACheckpointThatComesAfterItsTickWasCopiedIsNotForgotten) {
  for (const bool caught_up : {false, true}) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    Running running(path, 1000);
    running.go_on(10);
    must(running.recorder->checkpoint(running.keeper.take(*running.world)));
    running.go_on(50);
    auto cut = prepared(path, keeping(0));
    if (caught_up) {
      running.go_on(3);
      EXPECT_EQ(must(cut->catch_up()), 3U);
    }
    must(running.recorder->checkpoint(running.keeper.take(*running.world)));
    const std::uint64_t late = running.history.size();
    ASSERT_TRUE(must(cut->take_place(*running.recorder, 0)));
    cut.reset();
    running.go_on(5);
    must(running.recorder->checkpoint(running.keeper.take(*running.world)));
    running.recorder.reset();
    expect_all(path, {10}, running.history);
    const auto reader = must(Reader::open(path));
    EXPECT_EQ(must(reader->checkpoint_before(late))->tick, late);
    must(reader->check_checkpoint(late + 5));
  }
}

TEST(CutTest, ACutThatIsTooFarBehindCatchesUpFirst) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  Running running(path);
  running.go_on(60);
  auto cut = prepared(path, keeping(10));
  running.go_on(5);
  EXPECT_FALSE(must(cut->take_place(*running.recorder, 4)));
  EXPECT_EQ(must(Reader::open(path))->first_tick(), 0U) << "nothing has changed";
  running.go_on(3);
  EXPECT_EQ(must(cut->catch_up()), 8U);
  EXPECT_EQ(must(cut->catch_up()), 0U);
  running.go_on(4);
  EXPECT_TRUE(must(cut->take_place(*running.recorder, 4)));
  cut.reset();
  running.recorder.reset();
  expect_all(path, {50}, running.history);
}

TEST(CutTest, OneThatIsGivenUpLeavesNothing) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  Running running(path);
  running.go_on(60);
  const std::vector<std::string> before = folder.names();
  prepared(path, keeping(10)).reset();
  EXPECT_EQ(folder.names(), before);
  const std::atomic<bool> stop{true};
  SealOptions options = keeping(10);
  options.stop = &stop;
  auto to_stop = must(Cut::find(path, options));
  const Status stopped = to_stop->prepare();
  to_stop.reset();
  ASSERT_FALSE(stopped.ok());
  EXPECT_NE(stopped.error().find("was stopped"), std::string::npos) << stopped.error();
  EXPECT_EQ(folder.names(), before);
  EXPECT_EQ(must(Cut::find(path, keeping(1000))), nullptr);
  EXPECT_EQ(folder.names(), before);
}

TEST(CutTest, WhoReadsGoesOnInWhatWasThere) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  Running running(path);
  running.go_on(100);
  auto before = must(Reader::open(path));
  auto cut = prepared(path, keeping(20));
  EXPECT_FALSE(before->replaced());
  ASSERT_TRUE(must(cut->take_place(*running.recorder, 20)));
  cut.reset();
  EXPECT_TRUE(before->replaced());
  running.go_on(30);
  must(before->refresh());
  EXPECT_EQ(before->last_tick(), 100U) << "it is another file";
  must(before->read_ticks(1, 100, [&](const TickRecord& tick) {
    expect_equal(tick, running.history.at(tick.tick - 1));
    return !testing::Test::HasFatalFailure();
  }));
  EXPECT_TRUE(must(find_damage(*before)).whole());
  auto after = must(Reader::open(path));
  EXPECT_FALSE(after->replaced());
  EXPECT_EQ(after->first_tick(), 80U);
  EXPECT_EQ(after->last_tick(), 130U);
  // What is closed takes nothing away that has its name now.
  before.reset();
  running.go_on(20);
  must(after->refresh());
  EXPECT_EQ(after->last_tick(), 150U);
  after.reset();
  running.recorder.reset();
  expect_all(path, {80}, running.history);
}

TEST(CutTest, ReadersThatOpenItAllTheTimeNeverMixTheFiles) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  Running running(path);
  running.go_on(50);
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  std::atomic<int> read{0};
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!over) {
        auto reader = must(Reader::open(path));
        const std::uint64_t last = reader->last_tick();
        if (last > reader->first_tick()) {
          must(reader->digests(reader->first_tick() + 1, last));
          const auto info = must(reader->checkpoint_before(last));
          must(reader->read_checkpoint(info.value().tick));
        }
        ++read;
      }
    });
  }
  std::vector<std::uint64_t> cuts;
  for (int round = 0; round < 12; ++round) {
    running.go_on(20);
    auto cut = prepared(path, keeping(15));
    if (cut == nullptr) continue;
    const auto sealed = must(cut->take_place(*running.recorder, 10));
    ASSERT_TRUE(sealed);
    cuts.push_back(sealed->old.last_tick);
  }
  over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(read.load(), 0);
  EXPECT_GT(cuts.size(), 5U);
  running.recorder.reset();
  expect_all(path, cuts, running.history);
}

// What was committed is counted in a pipe, which outlasts the process.
TEST(CutTest, OneThatIsKilledWhileItsWorldRunsLosesNothing) {
  const auto work = [](const std::string& path, int acknowledged) {
    Running running(path);
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 30; ++i) {
        running.go_on(1);
        (void)!write(acknowledged, "x", 1);
      }
      auto cut = prepared(path, keeping(10));
      if (cut == nullptr) continue;
      running.go_on(3);
      (void)!write(acknowledged, "xxx", 3);
      (void)must(cut->take_place(*running.recorder, 5));
    }
  };
  const auto begun = std::chrono::steady_clock::now();
  std::vector<TickRecord> history;
  {
    TemporaryFolder folder;
    Running running(folder.file("a.sluice"));
    running.go_on(132);
    history = running.history;
    work(folder.file("b.sluice"), STDERR_FILENO);
  }
  const auto took = std::chrono::steady_clock::now() - begun;
  std::mt19937 random(9);
  for (int round = 0; round < 25; ++round) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    kill_within(took, random, [&] { work(path, ends[1]); });
    close(ends[1]);
    std::uint64_t acknowledged = 0;
    char byte = 0;
    while (read(ends[0], &byte, 1) == 1) ++acknowledged;
    close(ends[0]);
    if (acknowledged == 0) continue;
    (void)must(finish_repair(path));
    sim::SerialExecutor executor;
    ASSERT_GE(must(recover(path, executor)).world->tick_number(), acknowledged);
    (void)must(Recorder::open(path));
    EXPECT_FALSE(has_leftovers(path));
    // Each part begins where the one before it ends.
    std::uint64_t first = 0;
    const std::uint64_t begin = must(Reader::open(path))->first_tick();
    while (first < begin) {
      std::string next;
      for (const std::string& name : folder.names()) {
        if (name.starts_with("a.sluice.part-" + std::to_string(first) + "-")) next = name;
      }
      ASSERT_FALSE(next.empty()) << "after tick " << first;
      first = expect_whole(folder.file(next), first, history);
    }
    expect_whole(path, first, history);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace sluice::record::test::cut_test
