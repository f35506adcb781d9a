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

/// How often an idle worker looks for work before it sleeps, and how often before each time that it
/// offers its core to whoever waits for one: some 100 microseconds, longer than the serial work
/// between two passes, so that a worker sleeps between ticks, not between passes (going to sleep
/// and waking up takes as long as a pass).
constexpr int kLooks = 200;
constexpr int kSpinsPerLook = 100;

/// Below this many pieces a run is not worth waking anybody.
constexpr std::size_t kFewestPieces = 2;

/// Whether it came true.
template <class Condition>
bool spin_until(const Condition& condition) {
  for (int look = 0; look < kLooks; ++look) {
    for (int i = 0; i < kSpinsPerLook; ++i) {
      if (condition()) return true;
    }
    std::this_thread::yield();
  }
  return condition();
}

}  // namespace

struct ThreadPool::Shared {
  explicit Shared(unsigned threads) : claims(threads) {}

  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable work_came;
  std::atomic<bool> stopping{false};

  // The run under way. Each thread has a range of its pieces, the same ones in each run of as many
  // pieces: what it wrote in one run is in its core's cache in the next one. Who is done with its
  // own range helps the others with theirs. A claim is the run's number (high half) and the
  // range's next piece (low half) in one word, so that a worker who wakes late can never take a
  // piece of a run that has returned: the caller waits for the pieces, not for the workers, and a
  // worker that the machine has set aside before it took one holds nobody up.
  struct alignas(64) Claim {  // a cache line each, so that nobody waits for another one's claims
    std::atomic<std::uint64_t> next{0};
  };
  std::vector<Claim> claims;  // by thread, the caller's first
  std::atomic<std::uint64_t> run{0};
  std::atomic<std::size_t> pieces{0};
  std::atomic<std::size_t> finished{0};
  const std::function<void(std::size_t)>* piece = nullptr;  // read only with a piece in hand

  static constexpr std::uint64_t kClosed = 0xffffffffU;  // more than any run has pieces
  static std::uint64_t run_of(std::uint64_t claim) { return claim >> 32; }
  static std::size_t piece_of(std::uint64_t claim) { return claim & 0xffffffffU; }

  /// The first piece of a thread's range; the next thread's is its end.
  [[nodiscard]] std::size_t first_of(std::size_t thread) const {
    return thread * pieces.load() / claims.size();
  }

  void work(std::uint64_t of_run, std::size_t thread) {
    for (std::size_t i = 0; i < claims.size(); ++i) {
      work_on_range(of_run, (thread + i) % claims.size());
    }
  }

  void work_on_range(std::uint64_t of_run, std::size_t range) {
    std::atomic<std::uint64_t>& next = claims[range].next;
    std::size_t done = 0;
    std::uint64_t seen = next.load();
    while (run_of(seen) == of_run && piece_of(seen) < first_of(range + 1)) {
      if (!next.compare_exchange_weak(seen, seen + 1)) continue;
      (*piece)(piece_of(seen));
      ++done;
      seen = next.load();
    }
    if (done > 0) finished.fetch_add(done);
  }

  void worker_loop(std::size_t thread) {
    std::uint64_t last = 0;
    while (wait_for_run_after(last)) {
      last = run.load();
      work(last, thread);
    }
  }

  bool wait_for_run_after(std::uint64_t last) {
    const auto came = [&] { return run.load() != last || stopping.load(); };
    if (!spin_until(came)) {
      std::unique_lock lock(mutex);
      work_came.wait(lock, came);
    }
    return !stopping.load();
  }

  /// Returns the run's number.
  std::uint64_t begin(std::size_t count, const std::function<void(std::size_t)>& each) {
    // Closes the last run first: a worker still looking at its claims must not find a piece in them
    // when the number of pieces changes below. Then nobody holds a piece, so nobody reads these.
    const std::uint64_t last = run.load();
    for (Claim& claim : claims) claim.next = last << 32 | kClosed;
    piece = &each;
    pieces = count;
    finished = 0;
    const std::uint64_t begun = (last + 1) & 0xffffffffU;
    for (std::size_t i = 0; i < claims.size(); ++i) claims[i].next = begun << 32 | first_of(i);
    {
      const std::lock_guard lock(mutex);
      run = begun;
    }
    work_came.notify_all();
    return begun;
  }
};

ThreadPool::ThreadPool(unsigned threads)
    : shared_(std::make_unique<Shared>(
          threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency()))) {
  for (std::size_t i = 1; i < shared_->claims.size(); ++i) {
    shared_->workers.emplace_back([shared = shared_.get(), i] { shared->worker_loop(i); });
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
  s.work(s.begin(pieces, piece), 0);
  while (!spin_until([&] { return s.finished.load() == pieces; })) {
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
