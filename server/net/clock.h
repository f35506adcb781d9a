// What time it is, for whatever goes by time: the machine's clock, or one that its owner moves.
#pragma once

#include <chrono>

namespace sluice::net {

class Clock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  virtual ~Clock() = default;
  /// Never earlier than it was. Any thread.
  [[nodiscard]] virtual Time now() const = 0;
};

class MachineClock final : public Clock {
 public:
  [[nodiscard]] Time now() const override { return std::chrono::steady_clock::now(); }
};

inline const Clock& machine_clock() {
  static const MachineClock clock;
  return clock;
}

}  // namespace sluice::net
