// Workers to lend to the simulation (server/sim/executor.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "server/sim/executor.h"

namespace sluice::workers {

/// A fixed number of threads; the caller of run() is one of them. One run() at a time.
class ThreadPool final : public sim::Executor {
 public:
  /// `threads` counts the caller's: 1 starts none. 0 means one for each core.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void run(std::size_t pieces, const std::function<void(std::size_t)>& piece) override;

  [[nodiscard]] unsigned threads() const;

 private:
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

/// Hands the pieces on in an order drawn anew for each run: what must not matter, made different on
/// purpose (`--shuffle`).
class ShuffledExecutor final : public sim::Executor {
 public:
  ShuffledExecutor(sim::Executor& inner, std::uint64_t seed) : inner_(inner), seed_(seed) {}
  void run(std::size_t pieces, const std::function<void(std::size_t)>& piece) override;

 private:
  sim::Executor& inner_;
  std::uint64_t seed_;
  std::vector<std::size_t> order_;
};

}  // namespace sluice::workers
