// Commands that wait for their tick: one line for each client, in the order in which it sent them.
//
//   client a:  a1 a2 a3 ─┐
//   client b:  b1 ───────┼─► take(): a1 b1 c1 a2 c2 ... while the tick's budget lasts
//   client c:  c1 c2 ────┘
//
// Every tick takes a command from each client in turn, as far as the work that the tick may spend
// on commands goes and as far as the client's own allowance does. What is left waits, in order. A
// tick begins with the client at which the one before ran out, so nobody waits for ever. No client
// can delay another by more than that, nor a tick by more than its budget.
//
// Time is counted in ticks: nothing here looks at a clock. Not for two threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "server/sim/command_cost.h"
#include "server/sim/commands.h"
#include "server/sim/result.h"

namespace sluice::host {

/// Work is counted as sim::CommandCost counts it: a unit is some four nanoseconds.
struct WorkLimits {
  std::int64_t tick_work = 4'000'000;                // of all commands of one tick: some 16 ms
  std::int64_t client_work_per_second = 16'000'000;  // of one client's; saved up to one tick's
  std::size_t client_commands = 1024;                // that wait, of one client
  std::size_t commands = 8192;                       // that wait, of all
  /// A tick that takes longer than this makes the world busy: until it is not, no command may set
  /// in motion what is at rest.
  double busy_seconds = 0.020;
};

struct QueuedCommand {
  sim::Command command;
  std::uint64_t session = 0;
  std::string client;
  std::uint64_t seq = 0;
};

/// A command that no tick takes, and why.
struct TurnedAway {
  QueuedCommand queued;
  std::string reason;
};

class CommandQueue {
 public:
  using Cost = std::function<sim::CommandCost(const sim::Command&)>;

  CommandQueue(WorkLimits limits, std::int32_t tick_rate);

  /// An error is the reason why it was not taken in.
  [[nodiscard]] sim::Status push(QueuedCommand command);

  /// The commands of the next tick, in the order in which they apply. `cost` tells what each costs
  /// now; `last_tick_seconds` is what the last tick took. Commands that can never run, and those
  /// that a busy world does not take, are written to `turned_away`.
  [[nodiscard]] std::vector<QueuedCommand> take(const Cost& cost, double last_tick_seconds,
                                                std::vector<TurnedAway>& turned_away);

  /// Everything that waits, by client; the queue is empty afterwards.
  [[nodiscard]] std::vector<QueuedCommand> clear();

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Line {
    std::deque<QueuedCommand> commands;
    std::int64_t allowance = 0;  // work
  };
  enum class Turn : std::uint8_t { kGoesOn, kWaitsForAllowance, kWaitsForBudget };

  [[nodiscard]] Turn take_from(Line& line, const Cost& cost, bool busy, std::int64_t& budget,
                               std::vector<QueuedCommand>& taken,
                               std::vector<TurnedAway>& turned_away);
  void refill();

  const WorkLimits limits_;
  const std::int64_t allowance_per_tick_;
  std::map<std::uint64_t, Line> lines_;  // by session; those with nothing to wait for are dropped
  std::uint64_t next_session_ = 0;       // where the next tick begins
  std::size_t size_ = 0;
};

}  // namespace sluice::host
