#include "server/host/operator_desk.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "server/host/world_runner.h"

namespace sluice::host {

OperatorDesk::OperatorDesk(AdminApi& api, const HostedWorlds& worlds)
    : api_(api), worlds_(worlds), thread_([this] { run(); }) {}

OperatorDesk::~OperatorDesk() {
  stop();
}

Status OperatorDesk::ask(net::ClientCommand command, std::weak_ptr<const void> asker,
                         const std::string& world) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return Error{"the server stops"};
  if (waiting_.size() >= kMostWaiting) {
    return Error{"too much is asked of those who run this server: " + std::to_string(kMostWaiting) +
                 " actions wait; try again later"};
  }
  waiting_.push_back({std::move(command), std::move(asker), world});
  changed_.notify_all();
  return Done{};
}

void OperatorDesk::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void OperatorDesk::run() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    const Asked asked = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    act(asked);
  }
}

void OperatorDesk::act(const Asked& asked) {
  auto body = nlohmann::json::parse(asked.command.json, nullptr, false);
  if (!body.is_object()) return;  // the runner has read it before
  const auto named = body.find("action");
  const std::string action =
      named != body.end() && named->is_string() ? named->get<std::string>() : "";
  body.erase("cmd");
  body.erase("action");
  // While this goes on no world comes or goes, so that whoever asked is not mistaken for another.
  const auto one_at_a_time = api_.alone();
  if (asked.asker.expired()) return;
  const net::AdminAnswer answer =
      api_.act(action, asked.world, asked.command.account, body.empty() ? "" : body.dump());
  if (asked.asker.expired()) return;  // a world that was reset: its viewers are told otherwise
  const auto said = nlohmann::json::parse(answer.body, nullptr, false);
  const bool done = answer.status == 200;
  WorldRunner* const runner = worlds_.runner(asked.world);
  if (runner == nullptr) return;
  const std::string reason = done || !said.is_object() ? "" : said.value("error", "");
  runner->feed().deliver(
      {{asked.command.session, {asked.command.seq, done, runner->feed().tick(), reason}}});
}

}  // namespace sluice::host
