// Who runs the parts of a host that go on by themselves (a world, its recording's writer, the
// verifier), and by which clock: a thread each and the machine's clock, or, where somebody must be
// able to run all of it again event for event, their owner, step by step.
//
//   kThread:   the part's own thread:  step() ─► wait until it is due again, or called ─► step()
//   ... kOwner:    whoever made it calls step() when it is due, or at any other time
#pragma once

#include <chrono>
#include <cstdint>

namespace sluice::host {

class Clock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  virtual ~Clock() = default;
  /// Never earlier than it was.
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

struct Drive {
  enum class By : std::uint8_t { kThread, kOwner };
  By by = By::kThread;
  const Clock* clock = &machine_clock();  // outlives the part
};

}  // namespace sluice::host
