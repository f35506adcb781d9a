// One pool of workers for many worlds. A world that finds the pool at work for another one runs its
// pieces on its own thread: who runs a piece never changes a result.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>

#include "server/sim/executor.h"

namespace sluice::workers {

class SharedExecutor final : public sim::Executor {
 public:
  /// `pool` must outlive this.
  explicit SharedExecutor(sim::Executor& pool) : pool_(pool) {}

  void run(std::size_t pieces, const std::function<void(std::size_t)>& piece) override {
    if (pieces > 1) {
      const std::unique_lock lock(mutex_, std::try_to_lock);
      if (lock.owns_lock()) return pool_.run(pieces, piece);
    }
    for (std::size_t i = 0; i < pieces; ++i) piece(i);
  }

 private:
  sim::Executor& pool_;
  std::mutex mutex_;
};

}  // namespace sluice::workers
