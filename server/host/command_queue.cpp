#include "server/host/command_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::host {

CommandQueue::CommandQueue(WorkLimits limits, std::int32_t tick_rate)
    : limits_(limits),
      allowance_per_tick_(std::max<std::int64_t>(1, limits.client_work_per_second / tick_rate)) {}

sim::Status CommandQueue::push(QueuedCommand command) {
  if (size_ >= limits_.commands) {
    return sim::Error{"the world has too many commands waiting (" +
                      std::to_string(limits_.commands) + ")"};
  }
  const auto [place, is_new] = lines_.try_emplace(command.session);
  Line& line = place->second;
  if (is_new) line.allowance = limits_.tick_work;
  if (line.commands.size() >= limits_.client_commands) {
    return sim::Error{"too much at once: " + std::to_string(limits_.client_commands) +
                      " of your commands wait for their turn"};
  }
  line.commands.push_back(std::move(command));
  ++size_;
  return sim::Done{};
}

// What a client does not use is kept up to one tick's budget, so that its largest command can run.
void CommandQueue::refill() {
  for (auto line = lines_.begin(); line != lines_.end();) {
    std::int64_t& allowance = line->second.allowance;
    allowance = std::min(limits_.tick_work, allowance + allowance_per_tick_);
    const bool idle = line->second.commands.empty() && allowance == limits_.tick_work;
    line = idle ? lines_.erase(line) : std::next(line);
  }
}

CommandQueue::Turn CommandQueue::take_from(Line& line, const Cost& cost, bool busy,
                                           std::int64_t& budget, std::vector<QueuedCommand>& taken,
                                           std::vector<TurnedAway>& turned_away) {
  if (line.commands.empty()) return Turn::kWaitsForAllowance;
  const sim::CommandCost needed = cost(line.commands.front().command);
  std::string refusal;
  if (needed.work > limits_.tick_work) {
    refusal = "too much at once: the command takes " + std::to_string(needed.work) +
              " units of work, a tick gives commands " + std::to_string(limits_.tick_work) +
              "; send it in smaller parts";
  } else if (busy && needed.sets_in_motion) {
    refusal = "too much at once: the world is busy with what moves already; try again later";
  }
  // Finding out that a command cannot run costs something, too.
  const std::int64_t work = refusal.empty()
                                ? needed.work
                                : std::min({needed.work, sim::kWorkOfCounting, limits_.tick_work});
  if (work > line.allowance) return Turn::kWaitsForAllowance;
  if (work > budget) return Turn::kWaitsForBudget;
  line.allowance -= work;
  budget -= work;
  QueuedCommand command = std::move(line.commands.front());
  line.commands.pop_front();
  --size_;
  if (refusal.empty()) {
    taken.push_back(std::move(command));
  } else {
    turned_away.push_back({std::move(command), std::move(refusal)});
  }
  return Turn::kGoesOn;
}

std::vector<QueuedCommand> CommandQueue::take(const Cost& cost, double last_tick_seconds,
                                              std::vector<TurnedAway>& turned_away) {
  refill();
  const bool busy = last_tick_seconds > limits_.busy_seconds;
  std::int64_t budget = limits_.tick_work;
  std::vector<QueuedCommand> taken;
  std::vector<std::uint64_t> turns;  // sessions, in the order of their turns
  for (auto at = lines_.lower_bound(next_session_); at != lines_.end(); ++at) {
    turns.push_back(at->first);
  }
  for (auto at = lines_.begin(); at != lines_.lower_bound(next_session_); ++at) {
    turns.push_back(at->first);
  }
  bool ran_out = false;
  while (!turns.empty()) {
    std::vector<std::uint64_t> again;
    for (const std::uint64_t session : turns) {
      const Turn turn = take_from(lines_.at(session), cost, busy, budget, taken, turned_away);
      if (turn == Turn::kGoesOn) again.push_back(session);
      if (turn == Turn::kWaitsForBudget && !ran_out) {
        ran_out = true;
        next_session_ = session;
      }
    }
    turns = std::move(again);
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
