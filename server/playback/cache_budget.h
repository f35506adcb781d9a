// What the caches of one recording's positions may hold together. Each may hold an even part of it;
// one that joins makes the others' parts smaller, and they let go of what is beyond at their next
// look. Until then there may be less for it than its part, but never more than all in use.
#pragma once

#include <cstddef>
#include <mutex>

namespace sluice::playback {

/// For any thread.
class CacheBudget {
 public:
  explicit CacheBudget(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// What is beyond it goes as where another cache joined.
  void set_most(std::size_t most_bytes) {
    const std::lock_guard lock(mutex_);
    most_bytes_ = most_bytes;
  }

  /// A cache begins, or ends, to take from it.
  void join() {
    const std::lock_guard lock(mutex_);
    ++caches_;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    --caches_;
  }

  /// The even part of one that joined, in bytes, rounded down.
  [[nodiscard]] std::size_t share() const {
    const std::lock_guard lock(mutex_);
    return most_bytes_ / caches_;
  }

  /// False, and nothing is taken: all of them would hold more than they may.
  [[nodiscard]] bool take(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes_ > most_bytes_ || bytes > most_bytes_ - bytes_) return false;
    bytes_ += bytes;
    return true;
  }
  void give_back(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    bytes_ -= bytes;
  }
  /// Taken by all.
  [[nodiscard]] std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  mutable std::mutex mutex_;
  std::size_t most_bytes_;  // guarded by mutex_
  std::size_t bytes_ = 0;   // guarded by mutex_
  std::size_t caches_ = 0;  // guarded by mutex_
};

}  // namespace sluice::playback
