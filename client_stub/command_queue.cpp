#include "client_stub/command_queue.h"

#include <algorithm>
#include <utility>

namespace sluice::client {

bool CommandQueue::push(std::vector<std::string> commands) {
  if (commands.size() > kMostQueued - waiting_.size()) return false;
  for (std::string& command : commands) {
    if (known_.insert(command).second) waiting_.push_back(std::move(command));
  }
  return true;
}

void CommandQueue::flush(Clock::time_point now,
                         const std::function<std::uint64_t(std::string)>& send) {
  const double seconds = std::chrono::duration<double>(now - refilled_).count();
  tokens_ = std::min(kBurst, tokens_ + seconds * kPerSecond);
  refilled_ = now;
  while (!waiting_.empty() && unanswered_.size() < kMostUnanswered && tokens_ >= 1) {
    std::string line = std::move(waiting_.front());
    waiting_.pop_front();
    tokens_ -= 1;
    unanswered_[send(line)] = std::move(line);
  }
}

void CommandQueue::answered(std::uint64_t seq) {
  const auto sent = unanswered_.find(seq);
  if (sent == unanswered_.end()) return;
  known_.erase(sent->second);
  unanswered_.erase(sent);
}

std::size_t CommandQueue::reset() {
  const std::size_t lost = waiting_.size() + unanswered_.size();
  waiting_.clear();
  unanswered_.clear();
  known_.clear();
  return lost;
}

}  // namespace sluice::client
