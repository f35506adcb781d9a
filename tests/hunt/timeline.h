// The run's time and its events, in one order: by time, and at one time in the order that the dice
// say. Nothing here or behind it looks at the machine's clock.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "server/host/drive.h"
#include "tests/support/dice.h"

namespace sluice::hunt {

using Time = host::Clock::Time;
using Duration = host::Clock::Duration;

class Timeline final : public host::Clock {
 public:
  using Action = std::function<void()>;
  /// What the run cannot be said to have settled without.
  enum class Kind : std::uint8_t { kRegular, kMessage };

  explicit Timeline(std::uint64_t seed) : dice_(seed) {}

  [[nodiscard]] Time now() const override { return now_; }
  void after(Duration delay, const char* name, Kind kind, Action action) {
    if (kind == Kind::kMessage) ++messages_;
    const Time when = now_ + std::max(delay, Duration::zero());
    events_.emplace(Key{when, dice_.next() & 0xffff, ++made_},
                    Event{name, kind, std::move(action)});
  }
  /// Time goes on by itself, as when the machine was suspended.
  void jump(Duration by) { now_ += by; }

  [[nodiscard]] bool empty() const { return events_.empty(); }
  /// Messages that are on their way.
  [[nodiscard]] std::size_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t happened() const { return happened_; }
  /// The next event happens. Returns its name.
  const char* step() {
    auto first = events_.extract(events_.begin());
    now_ = std::max(now_, first.key().when);
    ++happened_;
    if (first.mapped().kind == Kind::kMessage) --messages_;
    first.mapped().action();
    return first.mapped().name;
  }

 private:
  struct Key {
    Time when;
    std::uint64_t lot;
    std::uint64_t number;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Event {
    const char* name;
    Kind kind;
    Action action;
  };

  tests::Dice dice_;
  Time now_{std::chrono::hours(1)};
  std::map<Key, Event> events_;
  std::size_t messages_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t happened_ = 0;
};

}  // namespace sluice::hunt
