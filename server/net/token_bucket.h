// A rate limit: a bucket that fills at a steady rate up to its size; each use takes from it.
#pragma once

#include <algorithm>
#include <chrono>

namespace sluice::net {

class TokenBucket {
 public:
  using Clock = std::chrono::steady_clock;

  /// Begins full. `per_second` and `size` are in uses.
  TokenBucket(double per_second, double size)
      : per_second_(per_second), size_(size), tokens_(size), filled_(Clock::time_point::min()) {}

  /// Takes `uses` if they are there.
  [[nodiscard]] bool take(double uses, Clock::time_point now) {
    fill(now);
    if (tokens_ < uses) return false;
    tokens_ -= uses;
    return true;
  }

  /// How many more take() would need for so many, as of the last call; what is owed included.
  [[nodiscard]] double missing(double uses) const { return std::max(0.0, uses - tokens_); }
  /// How long until take() has so many, as of the last call.
  [[nodiscard]] double seconds_until(double uses) const { return missing(uses) / per_second_; }

  /// Takes `uses` of something that was done already, there or not: what is owed has to fill up
  /// before take() succeeds again.
  void charge(double uses, Clock::time_point now) {
    fill(now);
    tokens_ -= uses;
  }
  /// Puts so many in, from elsewhere.
  void add(double uses) { tokens_ += uses; }

 private:
  void fill(Clock::time_point now) {
    if (filled_ != Clock::time_point::min()) {
      const std::chrono::duration<double> passed = now - filled_;
      tokens_ = std::min(size_, tokens_ + per_second_ * std::max(0.0, passed.count()));
    }
    filled_ = now;
  }

  double per_second_;
  double size_;
  double tokens_;
  Clock::time_point filled_;
};

}  // namespace sluice::net
