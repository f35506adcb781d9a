#include "server/workers/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>

#include "protocol/base/assert.h"
#include "server/sim/digest.h"

namespace sluice::workers {

namespace {

/// How often an idle worker looks for work before it lets its core go: some tens of microseconds,
/// longer than the serial work between two passes, so that a worker sleeps between ticks, not
/// between passes (going to sleep and waking up takes as long as a pass).
constexpr int kSpins = 20000;

/// Below this many pieces a run is not worth waking anybody.
constexpr std::size_t kFewestPieces = 2;

}  // namespace

struct ThreadPool::Shared {
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable work_came;
  std::atomic<bool> stopping{false};

  // The run under way. A claim is the run's number (high half) and the next piece (low half) in
  // one word, so that a worker who wakes late can never take a piece of a run that has returned:
  // the caller waits for the pieces, not for the workers, and a worker that the machine has set
  // aside before it took one holds nobody up.
  std::atomic<std::uint64_t> claim{0};
  std::atomic<std::size_t> pieces{0};
  std::atomic<std::size_t> finished{0};
  const std::function<void(std::size_t)>* piece = nullptr;  // read only with a piece in hand

  static constexpr std::uint64_t kClosed = 0xffffffffU;  // more than any run has pieces
  static std::uint64_t run_of(std::uint64_t claim) { return claim >> 32; }
  static std::size_t piece_of(std::uint64_t claim) { return claim & 0xffffffffU; }

  void work(std::uint64_t run) {
    std::uint64_t seen = claim.load();
    while (run_of(seen) == run && piece_of(seen) < pieces.load()) {
      if (!claim.compare_exchange_weak(seen, seen + 1)) continue;
      (*piece)(piece_of(seen));
      finished.fetch_add(1);
      seen = claim.load();
    }
  }

  void worker_loop() {
    std::uint64_t run = 0;
    while (wait_for_run_after(run)) {
      run = run_of(claim.load());
      work(run);
    }
  }

  bool wait_for_run_after(std::uint64_t run) {
    const auto came = [&] { return run_of(claim.load()) != run || stopping.load(); };
    for (int i = 0; i < kSpins && !came(); ++i) {
    }
    if (!came()) {
      std::unique_lock lock(mutex);
      work_came.wait(lock, came);
    }
    return !stopping.load();
  }
};

ThreadPool::ThreadPool(unsigned threads) : shared_(std::make_unique<Shared>()) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 1; i < threads; ++i) {
    shared_->workers.emplace_back([shared = shared_.get()] { shared->worker_loop(); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stopping = true;
  }
  shared_->work_came.notify_all();
  for (std::thread& worker : shared_->workers) worker.join();
}

unsigned ThreadPool::threads() const {
  return static_cast<unsigned>(shared_->workers.size()) + 1;
}

void ThreadPool::run(std::size_t pieces, const std::function<void(std::size_t)>& piece) {
  if (shared_->workers.empty() || pieces < kFewestPieces) {
    for (std::size_t i = 0; i < pieces; ++i) piece(i);
    return;
  }
  Shared& s = *shared_;
  SLUICE_ASSERT(pieces < Shared::kClosed);
  // Closes the last run first: a worker still looking at its claim must not find a piece in it when
  // the number of pieces changes below. Then nobody holds a piece, so nobody reads these.
  const std::uint64_t last = Shared::run_of(s.claim.load());
  s.claim = last << 32 | Shared::kClosed;
  s.piece = &piece;
  s.pieces = pieces;
  s.finished = 0;
  const std::uint64_t run = (last + 1) & 0xffffffffU;
  {
    const std::lock_guard lock(s.mutex);
    s.claim = run << 32;
  }
  s.work_came.notify_all();
  s.work(run);
  for (int spins = 0; s.finished.load() != pieces; ++spins) {
    if (spins > kSpins) std::this_thread::yield();
  }
}

void ShuffledExecutor::run(std::size_t pieces, const std::function<void(std::size_t)>& piece) {
  order_.resize(pieces);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  for (std::size_t i = pieces; i > 1; --i) {
    seed_ = sim::combine(seed_, i);
    std::swap(order_[i - 1], order_[seed_ % i]);
  }
  inner_.run(pieces, [&](std::size_t i) { piece(order_[i]); });
}

}  // namespace sluice::workers
