// Goal: every piece of a run is done exactly once, and no worker reaches into another run.
#include "server/workers/thread_pool.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

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

TEST(ThreadPool, DoesEveryPieceOfUnevenRunsOnce) {
  for (const unsigned threads : {1U, 2U, 3U, 7U}) {
    workers::ThreadPool pool(threads);
    for (std::size_t run = 0; run < 200; ++run) {
      std::vector<std::atomic<int>> done(run * 7 % 301);
      // All the work is in one thread's range: the others help with it.
      std::atomic<std::uint64_t> sum{0};
      pool.run(done.size(), [&](std::size_t i) {
        const std::size_t work = i < done.size() / 8 ? 500 : 1;
        for (std::size_t j = 0; j < work; ++j) sum.fetch_add(j);
        done[i].fetch_add(1);
      });
      for (const auto& count : done) ASSERT_EQ(count.load(), 1);
    }
  }
}

// What a thread wrote in one pass is in its core's cache in the next one: runs of as many pieces
// are cut in the same way, and each thread begins with its own part.
TEST(ThreadPool, EveryThreadBeginsWithTheSamePieceInEachRun) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kPieces = 22;
  workers::ThreadPool pool(kThreads);
  std::map<std::thread::id, std::size_t> begun_with;
  for (int run = 0; run < 50; ++run) {
    std::map<std::thread::id, std::size_t> first;
    std::mutex mutex;
    std::atomic<std::size_t> arrived{0};
    pool.run(kPieces, [&](std::size_t i) {
      {
        const std::lock_guard lock(mutex);
        if (!first.emplace(std::this_thread::get_id(), i).second) return;
      }
      // Nobody goes on before all have begun, so nobody takes another one's first piece.
      ++arrived;
      while (arrived.load() < kThreads) std::this_thread::yield();
    });
    ASSERT_EQ(first.size(), kThreads);
    if (run == 0) begun_with = first;
    EXPECT_EQ(first, begun_with);
  }
  EXPECT_EQ(begun_with.at(std::this_thread::get_id()), 0U);
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
