// A clock that stands still until a test moves it.
#pragma once

#include <atomic>

#include "server/net/clock.h"

namespace sluice::tests {

class HandClock final : public net::Clock {
 public:
  [[nodiscard]] Time now() const override { return Time(since_begin_.load()); }
  void move(Duration by) { since_begin_ = since_begin_.load() + by; }

 private:
  std::atomic<Duration> since_begin_{Duration::zero()};
};

}  // namespace sluice::tests
