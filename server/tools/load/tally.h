// What many clients of `sluice load` felt, and how it is printed.
#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace sluice::tools {

using LoadClock = std::chrono::steady_clock;

struct Tally {
  int open = 0;  // clients that have not closed
  int connected = 0;
  int stalled = 0;
  int mirrors = 0;  // clients that hold the world, and compare it
  std::uint64_t ticks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t sent = 0;
  std::uint64_t applied = 0;
  std::uint64_t refused = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t checked = 0;
  std::vector<double> intervals;    // milliseconds
  std::vector<double> round_trips;  // milliseconds
  // Milliseconds from one moment that all share to a tick's coming, less that tick's place in the
  // world's time: the least of them is the tick that was least late.
  std::vector<double> offsets;
  std::vector<std::string> errors;
};

[[nodiscard]] double milliseconds_since(LoadClock::time_point then, LoadClock::time_point now);

/// Of one client: which tick it saw last, and when.
class TickTimes {
 public:
  /// `rate`: the world's ticks a second; 0 is none. Messages of the same tick count once.
  void came(std::uint64_t tick, std::uint32_t rate, LoadClock::time_point start, Tally& tally);

 private:
  std::uint64_t last_tick_ = 0;
  LoadClock::time_point last_time_;
};

/// One JSON object, in one line.
void print_json(Tally& tally, double seconds, std::ostream& out);
/// Quantiles for people.
void print_table(Tally& tally, double seconds, std::ostream& out);

}  // namespace sluice::tools
