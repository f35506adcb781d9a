// Goal: a recording can be read, verified and copied from while a server writes it.
// Method: one thread records as fast as it can, with merges and checkpoints; this one verifies all
// that is there, again and again.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "server/record/verify.h"
#include "tests/record/support.h"

namespace sluice::record::test::concurrent_test {
namespace {

// A row that grows while it is passed over takes ticks in that come after it.
TEST(Concurrent, NoCommandIsPassedOverWhileRowsAreMerged) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto world = make_world();
  auto recorder = must(Recorder::create(path, kWorldFile, *world));
  std::atomic<std::uint64_t> sent = 0;
  std::atomic<bool> done = false;
  std::thread writer([&] {
    CommandSource source(2, 4);
    for (std::uint64_t tick = 1; tick <= 2100; ++tick) {
      // Long stretches without any, whose rows are passed over.
      TickRecord record = play(*world, tick % 97 < 3 ? source.some(2) : source.some(0));
      const std::size_t commands = record.commands.size();
      must(recorder->append(std::move(record)));
      must(recorder->commit());
      sent += commands;
    }
    done = true;
  });
  auto reader = must(Reader::open(path));
  std::uint64_t read = 0;
  for (std::uint64_t from = 0;;) {
    const bool ended = done;
    must(reader->refresh());
    const std::uint64_t to = reader->last_tick();
    if (to == from && ended) break;
    if (to == from) continue;
    must(reader->read_commands(from + 1, to, [&](const TickRecord& tick) {
      EXPECT_GT(tick.tick, from);
      EXPECT_LE(tick.tick, to);
      EXPECT_FALSE(tick.commands.empty());
      read += tick.commands.size();
      return true;
    }));
    from = to;
  }
  writer.join();
  EXPECT_GT(read, 50U);
  EXPECT_EQ(read, sent.load());
}

TEST(Concurrent, VerifiesWhatARunningWriterHasCommitted) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto world = make_world();
  auto recorder = must(Recorder::create(path, kWorldFile, *world));
  std::atomic<std::uint64_t> durable = 0;
  std::thread writer([&] {
    CommandSource source(1, 4);
    for (std::uint64_t tick = 1; tick <= 2100; ++tick) {
      must(recorder->append(play(*world, source.some(0.3))));
      must(recorder->commit());
      durable = tick;
      if (tick % 300 == 0) must(recorder->checkpoint(CheckpointImage::of(*world)));
    }
  });
  auto reader = must(Reader::open(path));
  int rounds = 0;
  std::uint64_t from = 0;
  for (std::uint64_t seen = 0; seen < 2100; ++rounds) {
    const std::uint64_t promised = durable;
    must(reader->refresh());
    EXPECT_GE(reader->last_tick(), promised);
    EXPECT_GE(reader->last_tick(), seen);
    seen = reader->last_tick();
    VerifyOptions options;
    options.from = from;
    sim::SerialExecutor executor;
    const VerifyReport report = must(verify(*reader, options, executor));
    EXPECT_FALSE(report.divergence) << describe(*report.divergence);
    EXPECT_EQ(report.last_tick, seen);
    from = seen;
  }
  writer.join();
  EXPECT_GT(rounds, 1);
}

TEST(Concurrent, AnOpenReaderDoesNotHinderStoppingOrStarting) {
  TemporaryFolder folder;
  const std::string path = folder.file("a.sluice");
  const auto world = make_world();
  auto recorder = must(Recorder::create(path, kWorldFile, *world));
  must(recorder->append(play(*world, {})));
  must(recorder->commit());
  auto reader = must(Reader::open(path));
  recorder.reset();
  recorder = must(Recorder::open(path));
  must(recorder->append(play(*world, {})));
  must(recorder->commit());
  must(reader->refresh());
  EXPECT_EQ(reader->last_tick(), 2U);
}

}  // namespace
}  // namespace sluice::record::test::concurrent_test
