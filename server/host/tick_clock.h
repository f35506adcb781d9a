// When the next tick is due. Late ticks are caught up one right after the other, up to a bound;
// beyond it the backlog is let go, so that a world that was held up goes on at its rate instead of
// racing. It reads no clock itself: the caller says what time it is.
#pragma once

#include <chrono>
#include <cstdint>

namespace sluice::host {

class TickClock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  /// Ticks that are run in a row at the most to catch up.
  static constexpr std::int64_t kMaxBehind = 10;

  TickClock(std::int32_t ticks_per_second, Time now)
      : period_(period_of(ticks_per_second)), due_(now + period_) {}

  static Duration period_of(std::int32_t ticks_per_second) {
    return std::chrono::duration_cast<Duration>(std::chrono::seconds(1)) / ticks_per_second;
  }

  /// From now on at another pace; what was late is let go.
  void restart(Duration period, Time now) {
    period_ = period;
    due_ = now + period_;
  }

  /// When the next tick is due; in the past when it is late.
  [[nodiscard]] Time due() const { return due_; }

  /// A tick begins. Returns how late it is.
  Duration begin_tick(Time now) {
    const Duration late = now > due_ ? now - due_ : Duration::zero();
    due_ += period_;
    if (const std::int64_t behind = (now - due_) / period_; now > due_ && behind > kMaxBehind) {
      dropped_ += static_cast<std::uint64_t>(behind - kMaxBehind);
      due_ += period_ * (behind - kMaxBehind);
    }
    return late;
  }

  /// Ticks that were let go since the start.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] Duration period() const { return period_; }

 private:
  Duration period_;
  Time due_;
  std::uint64_t dropped_ = 0;
};

}  // namespace sluice::host
