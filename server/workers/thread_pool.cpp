#include "server/workers/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>

#include "server/sim/digest.h"

namespace sluice::workers {

namespace {

/// How often an idle worker looks for work before it lets its core go. A pass takes about as long
/// as going to sleep and waking up does, so giving up at once would cost what the worker brings.
constexpr int kSpins = 4000;

/// Below this many pieces a run is not worth waking anybody.
constexpr std::size_t kFewestPieces = 2;

}  // namespace

struct ThreadPool::Shared {
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable work_came;

  // The run under way. `ticket` names it: workers take part in a run once, and the caller waits for
  // those who entered. A piece is claimed by adding to `next`.
  const std::function<void(std::size_t)>* piece = nullptr;
  std::size_t pieces = 0;
  std::atomic<std::uint64_t> ticket{0};
  std::atomic<std::size_t> next{0};
  std::atomic<unsigned> inside{0};
  std::atomic<bool> open{false};
  std::atomic<bool> stopping{false};

  void work() {
    for (std::size_t i = next.fetch_add(1); i < pieces; i = next.fetch_add(1)) (*piece)(i);
  }

  void worker_loop() {
    std::uint64_t seen = 0;
    while (!stopping.load()) {
      if (!wait_for_work(seen)) return;
      seen = ticket.load();
      // Announce first, then look whether the run is still open: the caller closes it first, then
      // waits for everyone inside, so that nobody can be in a run that has returned.
      inside.fetch_add(1);
      if (open.load()) work();
      inside.fetch_sub(1);
    }
  }

  bool wait_for_work(std::uint64_t seen) {
    for (int i = 0; i < kSpins; ++i) {
      if (ticket.load() != seen || stopping.load()) return !stopping.load();
    }
    std::unique_lock lock(mutex);
    work_came.wait(lock, [&] { return ticket.load() != seen || stopping.load(); });
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
  s.piece = &piece;
  s.pieces = pieces;
  s.next = 0;
  s.open = true;
  {
    const std::lock_guard lock(s.mutex);
    s.ticket.fetch_add(1);
  }
  s.work_came.notify_all();
  s.work();
  s.open = false;
  while (s.inside.load() != 0) std::this_thread::yield();
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
