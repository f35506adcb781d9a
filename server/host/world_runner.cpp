#include "server/host/world_runner.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "protocol/base/sometimes.h"
#include "protocol/limits.h"
#include "server/access/accounts.h"
#include "server/formats/script.h"
#include "server/record/client_name.h"
#include "server/record/format.h"

namespace sluice::host {

namespace {

// What a client claims, the separator and the account are recorded whole.
static_assert(record::kMaxClientBytes >=
              protocol::kMaxClientNameBytes + access::kMaxNameBytes + net::kResumeTextBytes + 2);

constexpr std::chrono::milliseconds kStandstillLook{20};
constexpr std::chrono::milliseconds kAloneLook{50};

double seconds_of(TickClock::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Nearly no command is: what does not speak of it is not read twice.
bool is_command(const protocol::Command& command, const std::string& name) {
  if (command.json.find('"' + name + '"') == std::string::npos) return false;
  const auto read = nlohmann::json::parse(command.json, nullptr, false);
  return read.is_object() && read.contains("cmd") && read["cmd"] == name;
}

/// `tick`: in which it was applied or refused; 0: it reached none.
net::CommandReply reply_to(const QueuedCommand& queued, std::uint64_t tick) {
  return {queued.session, {queued.seq, queued.applied, tick, queued.reason}};
}

}  // namespace

WorldRunner::WorldRunner(std::unique_ptr<sim::World> world,
                         std::unique_ptr<record::Recorder> recorder, sim::Executor& executor,
                         WorldMetrics& metrics, WorkLimits limits, Drive drive,
                         const RecordWriter::Limits& record_limits)
    : name_(world->config().name),
      drive_(drive),
      world_(std::move(world)),
      executor_(executor),
      metrics_(metrics),
      feed_(*world_),
      writer_(
          name_, std::move(recorder),
          [this](std::vector<net::CommandReply> replies) { feed_.deliver(std::move(replies)); },
          record_limits, drive),
      keeper_(*world_),
      clock_(world_->config().tick_rate, drive.clock->now()),
      queue_(limits, world_->config().tick_rate) {
  feed_.set_watch([this] {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  });
}

WorldRunner::~WorldRunner() {
  stop();
}

void WorldRunner::start() {
  clock_.restart(clock_.period(), drive_.clock->now());
  if (drive_.by == Drive::By::kThread) thread_ = std::thread([this] { run(); });
}

void WorldRunner::stop(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) why_stopping_ = why;
    stopping_ = true;
    changed_.notify_all();
    saved_.notify_all();
  }
  if (std::exchange(stopped_, true)) return;
  if (thread_.joinable()) thread_.join();
  refuse_queue(why);
  writer_.push_checkpoint(keeper_.take(*world_));
  writer_.stop();
  holdings_.keep(*world_, writer_.durable_tick() == world_->tick_number());
  if (!writer_.failed()) spdlog::info("{}: stopped at tick {}", name_, world_->tick_number());
}

access::Role WorldRunner::role_for(const protocol::Command& command) const {
  if (is_command(command, "operate")) return access::Role::kOperate;
  const bool looks = look_back_.ask && is_command(command, "alone");
  return looks ? access::Role::kWatch : access::Role::kBuild;
}

Status WorldRunner::submit(net::ClientCommand command) {
  if (is_command(command, "operate")) {
    if (!operate_) return Error{"this world is not run from here"};
    return operate_(std::move(command), alive_);
  }
  if (look_back_.ask && is_command(command, "alone")) return look_back_.ask(std::move(command));
  if (writer_.failed()) return Error{"the world stands still: its recording failed"};
  auto parsed = formats::parse_command(command.json, "command " + std::to_string(command.seq));
  if (!parsed.ok()) return Error{parsed.error()};
  const std::lock_guard lock(mutex_);
  if (stopping_) return Error{why_stopping_};
  if (!edits_refused_.empty()) return Error{edits_refused_};
  QueuedCommand queued;
  queued.command = std::move(parsed).value();
  const std::string who =
      command.account.empty() ? holdings_.visitor_at(command.address) : command.account;
  queued.client = record::client_in_history(command.client, who, command.resume);
  queued.seq = command.seq;
  queued.session = command.session;
  queued.role = command.role;
  return queue_.push(std::move(queued));
}

void WorldRunner::pause() {
  const std::lock_guard lock(mutex_);
  pace_.paused = true;
  pace_.steps = 0;
  pace_changed_ = true;
  feed_.set_pace(pace_.paused, pace_.speed);
  changed_.notify_all();
}

void WorldRunner::resume() {
  const std::lock_guard lock(mutex_);
  pace_.paused = false;
  pace_.steps = 0;
  pace_changed_ = true;
  feed_.set_pace(pace_.paused, pace_.speed);
  changed_.notify_all();
}

Status WorldRunner::step(std::uint64_t ticks) {
  const std::lock_guard lock(mutex_);
  if (!pace_.paused) return Error{"the world is not paused; only a paused one is stepped"};
  if (ticks == 0 || ticks > kMostSteps - std::min(pace_.steps, kMostSteps)) {
    return Error{"ticks must be from 1 to " + std::to_string(kMostSteps) +
                 ", those that are still to be taken included"};
  }
  pace_.steps += ticks;
  pace_changed_ = true;
  feed_.set_pace(pace_.paused, pace_.speed);
  changed_.notify_all();
  return Done{};
}

Status WorldRunner::set_speed(std::int32_t speed) {
  if (speed < kSlowestSpeed || speed > kFastestSpeed) {
    return Error{"speed must be from 0.01 to 100 times the world's own"};
  }
  const std::lock_guard lock(mutex_);
  pace_.speed = speed;
  pace_changed_ = true;
  feed_.set_pace(pace_.paused, pace_.speed);
  changed_.notify_all();
  return Done{};
}

Pace WorldRunner::pace() const {
  const std::lock_guard lock(mutex_);
  return pace_;
}

Result<std::uint64_t> WorldRunner::save(std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = ++saves_asked_;
  changed_.notify_all();
  const bool taken = saved_.wait_until(
      lock, deadline, [&] { return saves_taken_ >= mine || stopping_ || writer_.failed(); });
  if (writer_.failed()) return Error{"the recording failed: " + writer_.failure()};
  if (stopping_) return Error{why_stopping_};
  if (!taken) return Error{"the world did not come to it in time"};
  const std::uint64_t tick = saved_tick_;
  lock.unlock();
  while (writer_.durable_tick() < tick) {
    if (writer_.failed()) return Error{"the recording failed: " + writer_.failure()};
    if (std::chrono::steady_clock::now() > deadline) {
      return Error{"the disk did not take it in time"};
    }
    std::this_thread::sleep_for(kStandstillLook);
  }
  return tick;
}

void WorldRunner::refuse_edits(std::string why) {
  const std::lock_guard lock(mutex_);
  edits_refused_ = std::move(why);
}

void WorldRunner::set_role_limits(const access::LimitsByRole& limits) {
  CommandQueue::WorkByRole work{};
  for (std::size_t i = 0; i < work.size(); ++i) work[i] = limits[i].work_per_second;
  holdings_.set_bounds(limits);
  const std::lock_guard lock(mutex_);
  queue_.set_role_work(work);
}

void WorldRunner::set_holdings(Holdings::Source source, const access::LimitsByRole& limits) {
  holdings_.set_source(std::move(source));
  set_role_limits(limits);
  holdings_.count_now(*world_);
}

std::size_t WorldRunner::waiting_commands() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

void WorldRunner::run() {
  while (const std::optional<Clock::Time> due = step()) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, *due, [this] { return called(); });
  }
}

// Only with mutex_ held.
bool WorldRunner::called() const {
  return stopping_ || pace_changed_ || saves_asked_ != saves_taken_ || feed_.awaited();
}

std::optional<Clock::Time> WorldRunner::step() {
  std::unique_lock lock(mutex_);
  if (stopping_) return std::nullopt;
  save_if_asked(lock);
  if (std::exchange(pace_changed_, false)) {
    clock_.restart(pace_.period(world_->config().tick_rate), drive_.clock->now());
  }
  if (const auto later = due_later(lock)) {
    lock.unlock();
    // A world that stands still has no tick that would show it to who comes.
    if (feed_.awaited()) feed_.publish(*world_);
    return later;
  }
  if (stopping_) return std::nullopt;
  if (pace_.paused) --pace_.steps;
  queue_.begin_tick(own_seconds_);
  lock.unlock();
  tick();
  lock.lock();
  // Steps are taken one right after the other.
  return pace_.paused && pace_.steps > 0 ? drive_.clock->now() : clock_.due();
}

// When to look again, where no tick is due now.
std::optional<Clock::Time> WorldRunner::due_later(std::unique_lock<std::mutex>& lock) {
  const Clock::Time now = drive_.clock->now();
  if (pace_.paused && pace_.steps == 0) return Clock::Time::max();
  if (stands_alone(now)) return now + kAloneLook;
  if (!pace_.paused && now < clock_.due()) return clock_.due();
  if (writer_.failed()) {
    // The writer tries again by itself; a command that came meanwhile is not kept waiting for it.
    lock.unlock();
    SLUICE_SOMETIMES("a world stood still");
    refuse_queue("the world stands still: its recording failed");
    lock.lock();
    return now + kStandstillLook;
  }
  // A tick begins when there is room for what it will leave to be written.
  if (!writer_.has_room()) {
    SLUICE_SOMETIMES("a world waited for the disk");
    return now + kStandstillLook;
  }
  return std::nullopt;
}

// Only with mutex_ held. Nobody is to see the world catch up with the time that it stood.
bool WorldRunner::stands_alone(Clock::Time now) {
  const bool alone = pauses_when_alone_ && !pace_.paused && queue_.size() == 0 &&
                     feed_.counters().viewers.load() == 0;
  if (alone_.exchange(alone) && !alone)
    clock_.restart(pace_.period(world_->config().tick_rate), now);
  return alone;
}

void WorldRunner::save_if_asked(std::unique_lock<std::mutex>& lock) {
  if (saves_asked_ == saves_taken_) return;
  const std::uint64_t asked = saves_asked_;
  if (!writer_.failed()) {  // who asked looks at that
    lock.unlock();
    writer_.push_checkpoint(keeper_.take(*world_));
    lock.lock();
  }
  saves_taken_ = asked;
  saved_tick_ = world_->tick_number();
  saved_.notify_all();
}

/// Each command's cost is that in the world as the commands before it left it.
class WorldRunner::Taken final : public sim::CommandSource {
 public:
  explicit Taken(WorldRunner& runner) : ended(runner.drive_.clock->now()), runner_(runner) {}

  const sim::Command* next(const sim::World& world) override {
    const auto cost = [this, &world](const sim::Command& command) {
      sim::CommandCost needed = sim::cost_of(command, world);
      needed.work += runner_.holdings_.work_of(command, world);
      return needed;
    };
    const std::lock_guard lock(runner_.mutex_);
    while (std::optional<QueuedCommand> queued = runner_.queue_.next(cost, turned_away)) {
      queued->reason = refusal_of(*queued, world);
      queued->applied = queued->reason.empty();
      if (queued->applied) return &commands.emplace_back(std::move(*queued)).command;
      turned_away.push_back(std::move(*queued));
    }
    ended = runner_.drive_.clock->now();
    return nullptr;
  }

  void note(const sim::CommandOutcome& outcome) override {
    if (outcome.applied()) runner_.holdings_.note(commands.back());
  }

  std::deque<QueuedCommand> commands;
  std::vector<QueuedCommand> turned_away;
  Clock::Time ended;  // when the last of them had been applied

 private:
  [[nodiscard]] std::string refusal_of(const QueuedCommand& queued, const sim::World& world) {
    std::string reason = runner_.areas_.refusal_of(queued.command, world, queued.role);
    if (!reason.empty()) return reason;
    reason = runner_.holdings_.refusal_of(queued, queued.role, world);
    if (!reason.empty()) ++runner_.feed_.counters().over_limits;
    return reason;
  }

  WorldRunner& runner_;
};

void WorldRunner::tick() {
  const auto begin = drive_.clock->now();
  TickSample sample;
  sample.lateness_seconds = seconds_of(clock_.begin_tick(begin));
  holdings_.begin_tick(*world_, [this] { return writer_.durable_tick(); });
  Taken taken(*this);
  const sim::TickReport report = world_->tick(taken, executor_);
  const auto end = drive_.clock->now();
  sample.seconds = seconds_of(end - begin);
  own_seconds_ = seconds_of(end - taken.ended);
  sample.tick = report.tick;
  sample.dropped_ticks = clock_.dropped();
  sample.active_chunks = report.active_chunks;
  sample.stored_chunks = world_->grid().chunk_count();
  for (const sim::CommandOutcome& outcome : report.outcomes) {
    ++(outcome.applied() ? sample.commands_applied : sample.commands_refused);
  }
  tell_queue(report, taken.commands);
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

void WorldRunner::tell_queue(const sim::TickReport& report,
                             const std::deque<QueuedCommand>& commands) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (report.outcomes[i].applied()) queue_.let_fall(commands[i].to_fall);
  }
}

void WorldRunner::record(const sim::TickReport& report, std::deque<QueuedCommand> commands) {
  record::TickRecord tick{report.tick, report.digest, {}};
  std::vector<net::CommandReply> replies;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    QueuedCommand& queued = commands[i];
    queued.applied = report.outcomes[i].applied();
    queued.reason = report.outcomes[i].reason;
    replies.push_back(reply_to(queued, report.tick));
    tick.commands.push_back(std::move(queued));
  }
  writer_.push(std::move(tick), std::move(replies));
}

// They never reach the world, so they are no part of its history.
void WorldRunner::turn_away(std::vector<QueuedCommand> turned_away) {
  std::vector<net::CommandReply> replies;
  for (const QueuedCommand& one : turned_away) replies.push_back(reply_to(one, 0));
  feed_.deliver(std::move(replies));
}

void WorldRunner::refuse_queue(const std::string& reason) {
  std::vector<QueuedCommand> commands;
  {
    const std::lock_guard lock(mutex_);
    commands = queue_.clear();
  }
  std::vector<net::CommandReply> replies;
  for (QueuedCommand& queued : commands) {
    queued.applied = false;
    queued.reason = reason;
    replies.push_back(reply_to(queued, 0));
  }
  feed_.deliver(std::move(replies));
}

}  // namespace sluice::host
