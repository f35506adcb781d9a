// What the server sent of each chunk lately: which are awake, and what they cost. As
// client_stub/web/src/activity.ts has it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

#include "protocol/mirror.h"

namespace sluice::client {

class Activity {
 public:
  using Clock = std::chrono::steady_clock;
  /// After its last change a chunk still counts as awake for so long.
  static constexpr std::chrono::milliseconds kAwakeFor{1000};

  /// To be called after the mirror took a message in.
  void note(const protocol::Mirror& mirror, Clock::time_point now);
  /// Since the chunk changed; nothing: it did not while it was watched.
  [[nodiscard]] std::optional<std::chrono::milliseconds> since_change(ChunkCoord chunk,
                                                                      Clock::time_point now) const;
  /// Over the last seconds.
  [[nodiscard]] double bytes_per_second(ChunkCoord chunk, Clock::time_point now) const;

 private:
  struct Entry {
    std::optional<Clock::time_point> changed;
    double bytes = 0;      // each worth less the longer ago it came
    Clock::time_point at;  // when `bytes` was right
  };
  std::map<ChunkCoord, Entry> entries_;
};

}  // namespace sluice::client
