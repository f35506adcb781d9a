// Commands that wait for their tick: one line for each client, in the order in which it sent them.
//
//   client a:  a1 a2 a3 ─┐
//   client b:  b1 ───────┼─► next(): a1 b1 c1 a2 c2 ... while the tick's budget lasts
//   client c:  c1 c2 ────┘
//
// Every tick takes a command from each client in turn, as far as the work that the tick may spend
// on commands goes and as far as the client's own allowance does. What is left waits, in order. A
// tick begins with the client at which the one before ran out, so nobody waits for ever. No client
// can delay another by more than that, nor a tick by more than its budget.
//
// What the water and the pipes did in the last tick by themselves they will do in the next one too:
// it is taken off the budget, so that what commands set in motion does not add up. What was set in
// motion of late does not show there yet, and springs that were taken have yet to grow their
// strands, cell by cell: for more motion, both are taken off, too.
//
// Nothing here looks at a clock. Not for two threads at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/access/roles.h"
#include "server/host/tick_budget.h"
#include "server/record/records.h"
#include "server/sim/commands/commands.h"
#include "server/sim/commands/cost.h"

namespace sluice::host {

/// What one unit of work takes, at the most (sim::CommandCost).
inline constexpr double kSecondsOfWork = 4e-9;
/// Over how many ticks the usual time of the world's own motion is taken: pipes that stand level
/// out every sixteenth.
inline constexpr std::size_t kTicksOfUsual = 32;
/// For so many ticks what a command sets in motion counts as its cost says: by then it has spread,
/// and shows in what the world's own motion takes.
inline constexpr std::size_t kTicksUntilSeen = 32;

struct WorkLimits {
  /// For ticks that commands may bring to so many milliseconds.
  static WorkLimits for_ticks_of(std::uint32_t milliseconds);

  std::int64_t tick_work = 4'000'000;                // of one tick: some 16 ms
  std::int64_t least_tick_work = 250'000;            // of its commands, however busy the world is
  std::int64_t client_work_per_second = 16'000'000;  // of one client's; saved up to one tick's
  std::size_t client_commands = 1024;                // that wait, of one client
  std::size_t commands = 8192;                       // that wait, of all
  std::size_t rested_clients = 4096;  // remembered as having saved all they can; the oldest go
  /// A world that takes longer than this for a tick's own motion gets no more of it from commands.
  double busy_seconds = 0.010;
};

/// A command on its way into the recording: what becomes of it is written down in it.
struct QueuedCommand : record::RecordedCommand {
  std::uint64_t session = 0;                 // to be answered
  access::Role role = access::Role::kBuild;  // of who sent it
  /// Of one that was taken: what its cost said.
  std::int64_t to_fall = 0;
};

class CommandQueue {
 public:
  using Cost = std::function<sim::CommandCost(const sim::Command&)>;

  CommandQueue(WorkLimits limits, std::int32_t tick_rate);

  /// Bounds a client's work by its role, below what everybody's is (access::RoleLimits); 0: it does
  /// not. For commands that come from now on.
  using WorkByRole = std::array<std::uint32_t, access::kRoleNames.size()>;
  void set_role_work(const WorkByRole& work_per_second) { role_work_ = work_per_second; }

  /// An error is the reason why it was not taken in.
  [[nodiscard]] Status push(QueuedCommand command);

  /// Begins the next tick. `own_seconds` is what the last one took beside its commands.
  void begin_tick(double own_seconds);

  /// The tick's next command, in the order in which they apply; none when it has all. `cost` tells
  /// what a command costs now that those before it have been applied. Commands that can never run,
  /// and those that a busy world does not take, are written to `turned_away`, with the reason.
  [[nodiscard]] std::optional<QueuedCommand> next(const Cost& cost,
                                                  std::vector<QueuedCommand>& turned_away);

  /// A command of the tick under way applied, and what it lets flow falls so far
  /// (CommandCost::to_fall).
  void let_fall(std::int64_t cells);

  /// Everything that waits, by client; the queue is empty afterwards.
  [[nodiscard]] std::vector<QueuedCommand> clear();

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Line {
    std::deque<QueuedCommand> commands;
    std::int64_t allowance = 0;  // work
    std::int64_t per_tick = 0;   // that it grows by
    std::int64_t most = 0;       // that is saved
    access::Role role = access::Role::kBuild;
    std::uint32_t role_work = 0;  // that its role gives a second; 0: there is no such bound
  };
  /// What became of a client's turn: one command left its line, or it takes no more of this tick.
  enum class Turn : std::uint8_t { kTaken, kTurnedAway, kOver };

  [[nodiscard]] Turn take_from(std::uint64_t session, const Cost& cost,
                               std::optional<QueuedCommand>& taken,
                               std::vector<QueuedCommand>& turned_away);
  /// Why no tick as busy as this one takes a command of that cost; empty when one does.
  [[nodiscard]] std::string refusal_of(const sim::CommandCost& needed, const Line& line) const;
  void bound(Line& line, access::Role role) const;
  void refill();
  void grow_strands();
  void forget_seen();

  const WorkLimits limits_;
  const std::int32_t tick_rate_;
  WorkByRole role_work_{};
  std::map<std::uint64_t, Line> lines_;  // by session; those with nothing to wait for are dropped
  std::set<std::uint64_t> rested_;       // without a line, who have saved all that they may
  std::uint64_t next_session_ = 0;       // where the next tick begins
  std::size_t size_ = 0;
  std::array<double, kTicksOfUsual> own_seconds_{};     // that the world's own motion took; a ring
  std::array<std::int64_t, kTicksUntilSeen> unseen_{};  // work set in motion, by the tick; a ring
  std::int64_t unseen_work_ = 0;                        // together
  std::uint64_t tick_ = 0;
  std::multiset<std::uint64_t> grown_at_;  // strands that still grow: the tick of their last cell
  std::int64_t to_fall_ = 0;               // cells that they will grow by, together

  // Of the tick under way.
  std::int64_t room_ = 0;             // what the world's own motion leaves
  bool busy_ = false;                 // it leaves nothing for more motion
  std::int64_t taken_to_fall_ = 0;    // by springs that it has taken
  std::int64_t budget_ = 0;           // what is left for commands
  bool ran_out_ = false;              // somebody waits for the next tick's budget
  std::vector<std::uint64_t> turns_;  // sessions, in the order of their turns
  std::vector<std::uint64_t> again_;  // those that have a turn in the next round
  std::size_t turn_ = 0;
};

}  // namespace sluice::host
