// What a page draws its timeline from: the bounds of the recordings shown, when commands were
// given, where checkpoints lie, and the first tick at which two recordings part. Reading a day's
// history takes a while, so a thread of its own does it, and what is known is told at any time.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace sluice::replay {

/// One recording as the timeline knows it.
struct TimelineRow {
  std::string world;  // the name that it is served under
  std::string path;
  std::string recorded;  // the world's own name
  std::uint64_t first_tick = 0;
  std::uint64_t last_tick = 0;
};

class Timeline {
 public:
  /// Marks are so many at the most: the range is cut into pieces, and each that holds any commands
  /// gets a mark at the first one's tick.
  static constexpr std::uint64_t kMostMarks = 1000;

  /// `first_tick` and `last_tick` are what can be shown.
  Timeline(std::vector<TimelineRow> rows, std::uint64_t first_tick, std::uint64_t last_tick,
           std::int64_t tick_rate);
  /// Stops reading.
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// What is known by now, as JSON (README.md). On any thread.
  [[nodiscard]] std::string json() const;
  /// Everything is known, or could not be read. On any thread.
  [[nodiscard]] bool complete() const;

 private:
  struct Mark {
    std::uint64_t tick = 0;  // of the first command
    std::uint64_t commands = 0;
  };
  struct Overview {
    std::vector<Mark> marks;
    std::vector<std::uint64_t> checkpoints;
    std::uint64_t commands = 0;
  };

  void run();
  [[nodiscard]] std::string look(std::size_t row);
  [[nodiscard]] std::string compare();

  const std::vector<TimelineRow> rows_;
  const std::uint64_t first_tick_;
  const std::uint64_t last_tick_;
  const std::int64_t tick_rate_;

  mutable std::mutex mutex_;
  std::vector<Overview> overviews_;  // by row; guarded by mutex_, as all that follows
  std::optional<std::uint64_t> first_difference_;
  std::string trouble_;
  bool complete_ = false;

  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace sluice::replay
