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
