#include "server/host/world_runner.h"

#include <utility>

#include <spdlog/spdlog.h>

#include "server/formats/script.h"
#include "server/record/client_name.h"

namespace sluice::host {

namespace {

constexpr std::chrono::milliseconds kStandstillLook{20};

double seconds_of(TickClock::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

WorldRunner::WorldRunner(std::unique_ptr<sim::World> world,
                         std::unique_ptr<record::Recorder> recorder, sim::Executor& executor,
                         WorldMetrics& metrics, WorkLimits limits)
    : name_(world->config().name),
      world_(std::move(world)),
      executor_(executor),
      metrics_(metrics),
      feed_(*world_),
      writer_(
          name_, std::move(recorder),
          [this](std::vector<net::CommandReply> replies) { feed_.deliver(std::move(replies)); }),
      keeper_(*world_),
      queue_(limits, world_->config().tick_rate) {}

WorldRunner::~WorldRunner() {
  stop();
}

void WorldRunner::start() {
  thread_ = std::thread([this] { run(); });
}

void WorldRunner::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (std::exchange(stopped_, true)) return;
  if (thread_.joinable()) thread_.join();
  refuse_queue("the server stops");
  writer_.push_checkpoint(keeper_.take(*world_));
  writer_.stop();
  if (!writer_.failed()) spdlog::info("{}: stopped at tick {}", name_, world_->tick_number());
}

sim::Status WorldRunner::submit(net::ClientCommand command) {
  if (writer_.failed()) return sim::Error{"the world stands still: its recording failed"};
  auto parsed = formats::parse_command(command.json, "command " + std::to_string(command.seq));
  if (!parsed.ok()) return sim::Error{parsed.error()};
  const std::lock_guard lock(mutex_);
  if (stopping_) return sim::Error{"the server stops"};
  return queue_.push({std::move(parsed).value(), command.session,
                      record::client_in_history(command.client, command.account), command.seq});
}

void WorldRunner::run() {
  TickClock clock(world_->config().tick_rate, std::chrono::steady_clock::now());
  while (wait_for_tick(clock)) tick(clock);
}

// False when the world is to stop. Commands that came too late for this tick wait for the next.
bool WorldRunner::wait_for_tick(const TickClock& clock) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, clock.due(), [this] { return stopping_; });
  if (stopping_) return false;
  while (writer_.failed()) {
    // The writer tries again by itself; a command that came meanwhile is not kept waiting for it.
    lock.unlock();
    refuse_queue("the world stands still: its recording failed");
    lock.lock();
    changed_.wait_for(lock, kStandstillLook, [this] { return stopping_; });
    if (stopping_) return false;
  }
  queue_.begin_tick(own_seconds_);
  return true;
}

/// Each command's cost is that in the world as the commands before it left it.
class WorldRunner::Taken final : public sim::CommandSource {
 public:
  explicit Taken(WorldRunner& runner) : runner_(runner) {}

  const sim::Command* next(const sim::World& world) override {
    const auto cost = [&world](const sim::Command& command) {
      return sim::cost_of(command, world);
    };
    const std::lock_guard lock(runner_.mutex_);
    std::optional<QueuedCommand> queued = runner_.queue_.next(cost, turned_away);
    if (!queued) {
      ended = std::chrono::steady_clock::now();
      return nullptr;
    }
    commands.push_back(std::move(*queued));
    return &commands.back().command;
  }

  std::deque<QueuedCommand> commands;
  std::vector<TurnedAway> turned_away;
  std::chrono::steady_clock::time_point ended = std::chrono::steady_clock::now();

 private:
  WorldRunner& runner_;
};

void WorldRunner::tick(TickClock& clock) {
  const auto begin = std::chrono::steady_clock::now();
  TickSample sample;
  sample.lateness_seconds = seconds_of(clock.begin_tick(begin));
  Taken taken(*this);
  const sim::TickReport report = world_->tick(taken, executor_);
  const auto end = std::chrono::steady_clock::now();
  sample.seconds = seconds_of(end - begin);
  own_seconds_ = seconds_of(end - taken.ended);
  sample.tick = report.tick;
  sample.dropped_ticks = clock.dropped();
  sample.active_chunks = report.active_chunks;
  sample.stored_chunks = world_->grid().chunk_count();
  for (const sim::CommandOutcome& outcome : report.outcomes) {
    ++(outcome.applied() ? sample.commands_applied : sample.commands_refused);
  }
  const bool commanded = !taken.commands.empty();
  turn_away(std::move(taken.turned_away));
  record(report, std::move(taken.commands));
  feed_.publish(*world_);
  if (auto image = keeper_.after_tick(*world_, report, commanded)) {
    writer_.push_checkpoint(std::move(*image));
  }
  sample.recorder_lag_ticks = writer_.lag_ticks();
  metrics_.report(sample);
}

void WorldRunner::record(const sim::TickReport& report, std::deque<QueuedCommand> commands) {
  record::TickRecord tick{report.tick, report.digest, {}};
  std::vector<net::CommandReply> replies;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    QueuedCommand& queued = commands[i];
    const sim::CommandOutcome& outcome = report.outcomes[i];
    replies.push_back(
        {queued.session, {queued.seq, outcome.applied(), report.tick, outcome.reason}});
    tick.commands.push_back({std::move(queued.command), std::move(queued.client), queued.seq,
                             outcome.applied(), outcome.reason});
  }
  writer_.push(std::move(tick), std::move(replies));
}

// They never reach the world, so they are no part of its history.
void WorldRunner::turn_away(std::vector<TurnedAway> turned_away) {
  std::vector<net::CommandReply> replies;
  for (TurnedAway& one : turned_away) {
    replies.push_back({one.queued.session, {one.queued.seq, false, 0, std::move(one.reason)}});
  }
  feed_.deliver(std::move(replies));
}

void WorldRunner::refuse_queue(const std::string& reason) {
  std::vector<QueuedCommand> commands;
  {
    const std::lock_guard lock(mutex_);
    commands = queue_.clear();
  }
  std::vector<net::CommandReply> replies;
  for (const QueuedCommand& queued : commands) {
    replies.push_back({queued.session, {queued.seq, false, 0, reason}});
  }
  feed_.deliver(std::move(replies));
}

}  // namespace sluice::host
