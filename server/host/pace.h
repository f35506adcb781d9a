// How a world's time goes: at its own rate, faster or slower, or a tick at a time. It changes when
// ticks happen, never what they do. Not for two threads at once.
#pragma once

#include <cstdint>

#include "server/host/tick_clock.h"

namespace sluice::host {

/// Thousandths of the world's own rate.
inline constexpr std::int32_t kOwnSpeed = 1000;
inline constexpr std::int32_t kSlowestSpeed = 10;
inline constexpr std::int32_t kFastestSpeed = 100'000;
/// Ticks that one step may ask for.
inline constexpr std::uint64_t kMostSteps = 100'000;

struct Pace {
  bool paused = false;
  std::uint64_t steps = 0;  // to be taken while it is paused
  std::int32_t speed = kOwnSpeed;

  [[nodiscard]] TickClock::Duration period(std::int32_t tick_rate) const {
    return TickClock::period_of(tick_rate) * kOwnSpeed / speed;
  }
};

}  // namespace sluice::host
