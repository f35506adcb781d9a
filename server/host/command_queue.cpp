#include "server/host/command_queue.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <utility>

#include "protocol/base/sometimes.h"

namespace sluice::host {

namespace {

/// What the world's own motion takes in a tick, as far as the last ones tell: the second longest of
/// them. One that was quicker is no sign that there is room, when every sixteenth does more; one
/// that was slower than all others had another reason.
double usual_of(std::array<double, kTicksOfUsual> seconds) {
  std::nth_element(seconds.begin(), seconds.begin() + 1, seconds.end(), std::greater<>());
  return seconds[1];
}

}  // namespace

WorkLimits WorkLimits::for_ticks_of(std::uint32_t milliseconds) {
  WorkLimits limits;
  const double times = static_cast<double>(milliseconds) / kDefaultTickBudget;
  for (std::int64_t* work :
       {&limits.tick_work, &limits.least_tick_work, &limits.client_work_per_second}) {
    *work = std::llround(static_cast<double>(*work) * times);
  }
  limits.busy_seconds *= times;
  return limits;
}

CommandQueue::CommandQueue(WorkLimits limits, std::int32_t tick_rate)
    : limits_(limits), tick_rate_(tick_rate) {}

void CommandQueue::bound(Line& line, access::Role role) const {
  line.role = role;
  line.role_work = role_work_[static_cast<std::size_t>(role)];
  const std::int64_t of_role = line.role_work;
  const std::int64_t per_second = of_role == 0 ? limits_.client_work_per_second
                                               : std::min(of_role, limits_.client_work_per_second);
  line.per_tick = std::max<std::int64_t>(1, per_second / tick_rate_);
  line.most = of_role == 0 ? limits_.tick_work : std::min(of_role, limits_.tick_work);
  line.allowance = std::min(line.allowance, line.most);
}

Status CommandQueue::push(QueuedCommand command) {
  if (size_ >= limits_.commands) {
    SLUICE_SOMETIMES("the queue of commands was full");
    return Error{"the world has too many commands waiting (" + std::to_string(limits_.commands) +
                 ")"};
  }
  const auto [place, is_new] = lines_.try_emplace(command.session);
  Line& line = place->second;
  bound(line, command.role);
  if (is_new) {
    // Who has just come has saved nothing yet: else coming again would be a way to more.
    const bool saved = rested_.erase(command.session) > 0;
    line.allowance = saved ? line.most : 0;
  }
  if (line.commands.size() >= limits_.client_commands) {
    return Error{"too much at once: " + std::to_string(limits_.client_commands) +
                 " of your commands wait for their turn" +
                 (line.role_work == 0 ? std::string()
                                      : "; the role " + std::string(name_of(line.role)) +
                                            " gives " + std::to_string(line.role_work) +
                                            " units of work a second, and they come as it does")};
  }
  line.commands.push_back(std::move(command));
  ++size_;
  return Done{};
}

// What a client does not use is kept up to one tick's budget, so that its largest command can run.
void CommandQueue::refill() {
  for (auto line = lines_.begin(); line != lines_.end();) {
    Line& one = line->second;
    one.allowance = std::min(one.most, one.allowance + one.per_tick);
    const bool idle = one.commands.empty() && one.allowance == one.most;
    if (idle) rested_.insert(line->first);
    line = idle ? lines_.erase(line) : std::next(line);
  }
  while (rested_.size() > limits_.rested_clients) rested_.erase(rested_.begin());
}

// Each strand by a cell.
void CommandQueue::grow_strands() {
  ++tick_;
  grown_at_.erase(grown_at_.begin(), grown_at_.lower_bound(tick_));
  to_fall_ -= static_cast<std::int64_t>(grown_at_.size());
}

// What was set in motion so long ago.
void CommandQueue::forget_seen() {
  unseen_work_ -= std::exchange(unseen_[tick_ % kTicksUntilSeen], 0);
}

void CommandQueue::let_fall(std::int64_t cells) {
  if (cells > 0) {
    grown_at_.insert(tick_ + static_cast<std::uint64_t>(cells));
    to_fall_ += cells;
  } else if (cells < 0 && !grown_at_.empty()) {
    // That of a spring which is no more, or one with as far to go.
    auto strand = grown_at_.lower_bound(tick_ + static_cast<std::uint64_t>(-cells));
    if (strand == grown_at_.end()) --strand;
    to_fall_ -= static_cast<std::int64_t>(*strand - tick_);
    grown_at_.erase(strand);
  }
}

void CommandQueue::begin_tick(double own_seconds) {
  refill();
  grow_strands();
  forget_seen();
  const double most = kSecondsOfWork * static_cast<double>(limits_.tick_work);
  own_seconds_[tick_ % kTicksOfUsual] = own_seconds;
  const double taken = std::max(own_seconds, usual_of(own_seconds_));
  const std::int64_t own = std::llround(std::clamp(taken, 0.0, most) / kSecondsOfWork);
  const std::int64_t least = std::min(limits_.least_tick_work, limits_.tick_work);
  room_ = std::max(limits_.tick_work - own, least);
  taken_to_fall_ = 0;
  busy_ = taken > limits_.busy_seconds;
  // What nobody could use is kept for who waits with more than a busy tick gives.
  budget_ = std::min(limits_.tick_work, room_ + (ran_out_ ? budget_ : 0));
  ran_out_ = false;
  turns_.clear();
  again_.clear();
  turn_ = 0;
  const auto first = lines_.lower_bound(next_session_);
  for (auto at = first; at != lines_.end(); ++at) turns_.push_back(at->first);
  for (auto at = lines_.begin(); at != first; ++at) turns_.push_back(at->first);
}

std::string CommandQueue::refusal_of(const sim::CommandCost& needed, const Line& line) const {
  if (line.role_work != 0 && needed.work > line.most) {
    return "too much at once: the command takes " + std::to_string(needed.work) +
           " units of work, the role " + std::string(name_of(line.role)) + " gives " +
           std::to_string(line.most) + " a second; send it in smaller parts";
  }
  if (needed.work > limits_.tick_work) {
    return "too much at once: the command takes " + std::to_string(needed.work) +
           " units of work, a tick gives commands " + std::to_string(limits_.tick_work) +
           "; send it in smaller parts";
  }
  const std::int64_t falling =
      to_fall_ + taken_to_fall_ + std::max<std::int64_t>(0, needed.to_fall);
  const bool no_room = needed.work + unseen_work_ + sim::kWorkOfFallingCell * falling > room_;
  if (needed.sets_in_motion && (busy_ || no_room)) {
    return "too much at once: the world is busy with what moves already; try again later";
  }
  return {};
}

CommandQueue::Turn CommandQueue::take_from(std::uint64_t session, const Cost& cost,
                                           std::optional<QueuedCommand>& taken,
                                           std::vector<QueuedCommand>& turned_away) {
  const auto found = lines_.find(session);
  if (found == lines_.end() || found->second.commands.empty()) return Turn::kOver;
  Line& line = found->second;
  const sim::CommandCost needed = cost(line.commands.front().command);
  std::string refusal = refusal_of(needed, line);
  // Finding out that a command cannot run costs something, too.
  const std::int64_t work =
      refusal.empty() ? needed.work : std::min({needed.work, sim::kWorkOfCounting, line.most});
  if (work > line.allowance) return Turn::kOver;
  if (work > budget_) {
    SLUICE_SOMETIMES("a tick's budget for commands ran out");
    if (!std::exchange(ran_out_, true)) next_session_ = session;
    return Turn::kOver;
  }
  line.allowance -= work;
  budget_ -= work;
  QueuedCommand command = std::move(line.commands.front());
  line.commands.pop_front();
  --size_;
  if (refusal.empty()) {
    command.to_fall = needed.to_fall;
    taken_to_fall_ += std::max<std::int64_t>(0, needed.to_fall);
    if (needed.sets_in_motion) {
      unseen_[tick_ % kTicksUntilSeen] += needed.work;
      unseen_work_ += needed.work;
    }
    taken = std::move(command);
    return Turn::kTaken;
  }
  SLUICE_SOMETIMES("a command was turned away by its tick");
  command.applied = false;
  command.reason = std::move(refusal);
  turned_away.push_back(std::move(command));
  return Turn::kTurnedAway;
}

std::optional<QueuedCommand> CommandQueue::next(const Cost& cost,
                                                std::vector<QueuedCommand>& turned_away) {
  std::optional<QueuedCommand> taken;
  while (!taken) {
    if (turn_ == turns_.size()) {
      if (again_.empty()) return taken;
      turns_ = std::exchange(again_, {});
      turn_ = 0;
    }
    const std::uint64_t session = turns_[turn_++];
    if (take_from(session, cost, taken, turned_away) != Turn::kOver) again_.push_back(session);
  }
  return taken;
}

std::vector<QueuedCommand> CommandQueue::clear() {
  std::vector<QueuedCommand> all;
  for (auto& [session, line] : lines_) {
    std::move(line.commands.begin(), line.commands.end(), std::back_inserter(all));
  }
  lines_.clear();
  size_ = 0;
  return all;
}

}  // namespace sluice::host
