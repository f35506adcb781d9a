// Bounds what strangers can make the server write: so many lines a second, and then how many were
// left out.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "server/net/token_bucket.h"

namespace sluice::net {

class LogLimiter {
 public:
  using Clock = TokenBucket::Clock;

  LogLimiter(double lines_per_second, double at_once) : lines_(lines_per_second, at_once) {}

  /// Calls write(suffix) if a line may be written now. The suffix says how many were not since the
  /// last one; most often it is empty.
  template <class Write>
  void log(Clock::time_point now, Write&& write) {
    if (!lines_.take(1, now)) {
      ++left_out_;
      return;
    }
    const std::uint64_t left_out = std::exchange(left_out_, 0);
    write(left_out == 0 ? std::string() : " (" + std::to_string(left_out) + " like it before)");
  }

 private:
  TokenBucket lines_;
  std::uint64_t left_out_ = 0;
};

}  // namespace sluice::net
