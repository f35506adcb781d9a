// The terminal's commands that wait to be sent, in the order in which they were made: so many may
// wait for their answers, and so many are sent a second, since the server takes 2,000 of a client.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sluice::client {

class CommandQueue {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostUnanswered = 256;
  static constexpr std::size_t kMostQueued = 32768;
  static constexpr double kBurst = 512;
  static constexpr double kPerSecond = 1200;

  /// False: there are too many already, and none of these was taken. A command that waits in the
  /// very same words is not taken twice: a brush that rests pours once.
  [[nodiscard]] bool push(std::vector<std::string> commands);
  /// Sends what may be sent now; `send` returns the number that the answer will carry.
  void flush(Clock::time_point now, const std::function<std::uint64_t(std::string)>& send);
  void answered(std::uint64_t seq);
  /// The connection is lost. Returns how many were not sent, or have no answer.
  std::size_t reset();
  /// Nothing waits to be sent or answered: the mirror shows what was done.
  [[nodiscard]] bool idle() const { return waiting_.empty() && unanswered_.empty(); }

 private:
  std::deque<std::string> waiting_;
  std::map<std::uint64_t, std::string> unanswered_;
  std::set<std::string> known_;  // the lines of both
  double tokens_ = kBurst;
  Clock::time_point refilled_ = Clock::now();
};

}  // namespace sluice::client
