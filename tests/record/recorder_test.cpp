// Goal: what is recorded comes back, however it was committed, merged, closed and reopened; and
// nothing that exists is ever overwritten.
// Method: histories of a small world with commands of several clients.
#include "server/record/recorder.h"

#include <gtest/gtest.h>

#include "server/record/format.h"
#include "server/record/reader.h"
#include "tests/record/support.h"

namespace sluice::record::test::recorder_test {
namespace {

void expect_holds(const std::string& path, const std::vector<TickRecord>& history) {
  auto reader = must(Reader::open(path));
  ASSERT_EQ(reader->last_tick(), history.size());
  std::size_t next = 0;
  must(reader->read_ticks(1, history.size(), [&](const TickRecord& record) {
    expect_equal(record, history[next++]);
    return !testing::Test::HasFatalFailure();
  }));
  EXPECT_EQ(next, history.size());
}

TEST(Recorder, HistoryComesBackWhateverTheCommits) {
  for (const std::uint64_t ticks_per_commit : {1U, 7U, 100U, 5000U}) {
    TemporaryFolder folder;
    const std::string path = folder.file("a.sluice");
    HistoryOptions options;
    options.ticks = 2300;  // enough for a merge
    options.ticks_per_commit = ticks_per_commit;
    options.ticks_per_checkpoint = 1000;
    const auto history = record_history(path, options);
    expect_holds(path, history);
    EXPECT_EQ(must(Reader::open(path))->world_file_text(), kWorldFile);
  }
}

TEST(Recorder, RowsOfManyCommandsAreMergedByTheirNumber) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  // Each of them applies: of refused ones there would be fewer.
  const auto world = make_world();
  auto recorder = must(Recorder::create(path, kWorldFile, *world));
  std::vector<TickRecord> history;
  for (std::uint64_t tick = 1; tick <= 60; ++tick) {
    std::vector<RecordedCommand> commands(1000);
    for (std::size_t i = 0; i < commands.size(); ++i) {
      commands[i].client = "client-" + std::to_string(i % 5);
      commands[i].seq = 200 * tick + i / 5;
      commands[i].command.body =
          sim::RemoveWater{{static_cast<std::int32_t>(i % 90), 70, 0}, {1, 1, 1}};
    }
    history.push_back(play(*world, std::move(commands)));
    must(recorder->append(history.back()));
    must(recorder->commit());
  }
  recorder.reset();
  expect_holds(path, history);
  auto reader = must(Reader::open(path));
  EXPECT_EQ(must(reader->row_at(1)).size(), Limits().commands_per_row / 1000 + 1);
}

TEST(Recorder, ReadsAnyRangeOfTicks) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto history = record_history(path);
  auto reader = must(Reader::open(path));
  for (const auto& [from, to] : {std::pair{1, 1}, {4, 9}, {299, 300}, {57, 203}}) {
    auto next = static_cast<std::size_t>(from);
    must(reader->read_ticks(next, static_cast<std::uint64_t>(to), [&](const TickRecord& record) {
      expect_equal(record, history[next - 1]);
      ++next;
      return true;
    }));
    EXPECT_EQ(next, static_cast<std::size_t>(to) + 1);
  }
  const auto digests = must(reader->digests(57, 203));
  ASSERT_EQ(digests.size(), 147U);
  EXPECT_EQ(digests.front(), history[56].digest);
  EXPECT_EQ(digests.back(), history[202].digest);
}

TEST(Recorder, GoingOnAfterRestartIsGoingOn) {
  TemporaryFolder folder;
  const std::string broken = folder.file("broken.sluice");
  const std::string whole = folder.file("whole.sluice");
  HistoryOptions options;
  options.ticks = 240;
  const auto expected = record_history(whole, options);

  // The same commands, with a restart after every few ticks, at times without a checkpoint.
  std::unique_ptr<sim::World> world = make_world();
  auto recorder = must(Recorder::create(broken, kWorldFile, *world));
  sim::SerialExecutor executor;
  for (const TickRecord& tick : expected) {
    auto commands = tick.commands;
    must(recorder->append(play(*world, std::move(commands))));
    if (tick.tick % 37 != 0) continue;
    must(recorder->commit());
    if (tick.tick % 2 == 0) must(recorder->checkpoint(CheckpointImage::of(*world)));
    recorder.reset();
    world.reset();
    auto recovered = must(recover(broken, executor));
    EXPECT_TRUE(recovered.warnings.empty());
    EXPECT_EQ(recovered.world->tick_number(), tick.tick);
    EXPECT_EQ(recovered.world->digest(), tick.digest);
    EXPECT_EQ(recovered.world_file_text, kWorldFile);
    EXPECT_EQ(recovered.replayed_ticks, tick.tick % 2 == 0 ? 0 : 37);
    world = std::move(recovered.world);
    recorder = must(Recorder::open(broken));
    EXPECT_EQ(recorder->last_tick(), tick.tick);
  }
  must(recorder->commit());
  recorder.reset();
  expect_holds(broken, expected);
}

TEST(Recorder, UncommittedTicksAreDropped) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto world = make_world();
  auto recorder = must(Recorder::create(path, kWorldFile, *world));
  must(recorder->append(play(*world, {})));
  must(recorder->commit());
  must(recorder->append(play(*world, {})));
  recorder.reset();
  EXPECT_EQ(must(Reader::open(path))->last_tick(), 1U);
}

TEST(Recorder, NeverOverwrites) {
  TemporaryFolder folder;
  const auto world = make_world();
  for (const std::string suffix : {"", "-wal", "-journal"}) {
    const std::string path = folder.file("taken" + suffix + "x");
    write_file(path + suffix, "precious");
    const auto made = Recorder::create(path, kWorldFile, *world);
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.error().find("never overwritten"), std::string::npos) << made.error();
    EXPECT_EQ(read_file(path + suffix), "precious");
  }
  const auto nowhere = Recorder::create(folder.file("no/such/folder.sluice"), kWorldFile, *world);
  EXPECT_FALSE(nowhere.ok());
}

TEST(Recorder, OneWriterAFile) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto world = make_world();
  auto recorder = must(Recorder::create(path, kWorldFile, *world));
  const auto second = Recorder::open(path);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().find("written by another process"), std::string::npos);
  recorder.reset();
  EXPECT_TRUE(Recorder::open(path).ok());
}

TEST(Recorder, LeavesOneFile) {
  TemporaryFolder folder;
  record_history(folder.file("a.sluice"));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.sluice"});
}

TEST(Recorder, ChunksOfEqualContentAreStoredOnce) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto world = make_world();
  auto recorder = must(Recorder::create(path, kWorldFile, *world));
  const auto grow = [&](int checkpoints) {
    for (int i = 0; i < checkpoints; ++i) {
      TickRecord tick{recorder->last_tick() + 1, 0, {}};
      must(recorder->append(tick));
      // The world itself stands still: its image is that of tick 0 under other numbers.
      CheckpointImage image = CheckpointImage::of(*world);
      image.tick = tick.tick;
      must(recorder->checkpoint(image));
    }
  };
  grow(1);
  recorder.reset();
  const auto before = std::filesystem::file_size(path);
  recorder = must(Recorder::open(path));
  grow(20);
  recorder.reset();
  const auto after = std::filesystem::file_size(path);
  EXPECT_LT(after - before, 20 * 1024U) << "20 checkpoints of known chunks";
}

}  // namespace
}  // namespace sluice::record::test::recorder_test
