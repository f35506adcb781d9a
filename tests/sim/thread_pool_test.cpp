// Goal: every piece of a run is done exactly once, and no worker reaches into another run.
#include "server/workers/thread_pool.h"

#include <atomic>

#include <gtest/gtest.h>

namespace sluice::tests::thread_pool_test {
namespace {

// A worker that woke late took a piece of a run whose number of pieces had just been raised: a
// piece ran twice, and the caller waited for ever.
TEST(ThreadPool, DoesEveryPieceOfManyShortRunsOnce) {
  workers::ThreadPool pool(4);
  for (std::size_t run = 0; run < 20000; ++run) {
    const std::size_t pieces = run % 7;
    std::array<std::atomic<int>, 7> done{};
    pool.run(pieces, [&](std::size_t i) { done[i].fetch_add(1); });
    for (std::size_t i = 0; i < done.size(); ++i) ASSERT_EQ(done[i].load(), i < pieces ? 1 : 0);
  }
}

TEST(ThreadPool, ShufflingKeepsEveryPiece) {
  workers::ThreadPool pool(2);
  workers::ShuffledExecutor shuffled(pool, 42);
  std::vector<std::atomic<int>> done(1000);
  shuffled.run(done.size(), [&](std::size_t i) { done[i].fetch_add(1); });
  for (const auto& count : done) EXPECT_EQ(count.load(), 1);
}

}  // namespace
}  // namespace sluice::tests::thread_pool_test
