// One hosted world: its thread, its queue of commands, its recording and its feed.
//
//   net: submit() ─► queue ─┐
//                           ▼
//   the world's thread: wait for the clock ─► tick(commands) ─► RecordWriter ─► replies ─► feed
//                                                   └─────────► changed chunks ──────────► feed
//
// The thread never waits for the network nor, short of a disk that is minutes behind, for the disk.
// A world whose recording fails stands still until it can be written again: history that is not
// kept must not be shown.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/host/areas.h"
#include "server/host/command_queue.h"
#include "server/host/drive.h"
#include "server/host/holdings.h"
#include "server/host/metrics.h"
#include "server/host/pace.h"
#include "server/host/record_writer.h"
#include "server/host/tick_clock.h"
#include "server/net/world_feed.h"
#include "server/record/checkpoint_keeper.h"
#include "server/sim/world.h"

namespace sluice::host {

class WorldRunner final : public net::CommandIntake {
 public:
  /// Takes what those who run the world ask for (operator_desk.h). `asker` expires with the runner.
  using Operate =
      std::function<Status(net::ClientCommand command, std::weak_ptr<const void> asker)>;

  /// `recorder` holds the world's history up to now. The executor and the metrics must outlive
  /// this.
  WorldRunner(std::unique_ptr<sim::World> world, std::unique_ptr<record::Recorder> recorder,
              sim::Executor& executor, WorldMetrics& metrics, WorkLimits limits = {},
              Drive drive = {}, const RecordWriter::Limits& record_limits = {});
  /// Stops.
  ~WorldRunner() override;
  WorldRunner(const WorldRunner&) = delete;
  WorldRunner& operator=(const WorldRunner&) = delete;

  /// Begins to tick, on a thread of its own where it has one.
  void start();
  /// Does what is due now: a tick at the most. Returns when something is due again, if nobody calls
  /// before; nothing once it is to stop. For its owner, where it has no thread.
  std::optional<Clock::Time> step();
  /// Ends ticking, checkpoints, and waits until all is durable and answered. `why` is what those
  /// are told whose commands come too late.
  void stop(const std::string& why = "the server stops");

  [[nodiscard]] Status submit(net::ClientCommand command) override;
  [[nodiscard]] access::Role role_for(const protocol::Command& command) const override;
  [[nodiscard]] std::optional<net::OwnedShare> owned_by(const std::string& account,
                                                        const std::string& address,
                                                        access::Role role) const override {
    return holdings_.share_of(account, address, role);
  }
  [[nodiscard]] bool looks_back() const override {
    return look_back_.offered && look_back_.offered();
  }

  // For any thread. While it is paused, commands wait for the next step.
  void pause();
  void resume();
  /// Error: it is not paused, or that is too many. The ticks follow at once, as fast as they go.
  [[nodiscard]] Status step(std::uint64_t ticks);
  /// Thousandths of the world's own rate, from kSlowestSpeed to kFastestSpeed.
  [[nodiscard]] Status set_speed(std::int32_t speed);
  [[nodiscard]] Pace pace() const;
  /// Why no client may change the world from now on; empty: they may. Time goes on.
  void refuse_edits(std::string why);
  /// What roles may take and own from now on. Any thread.
  void set_role_limits(const access::LimitsByRole& limits);
  /// Where it is kept who owns what, which `limits` bound; counts it now. Before start().
  void set_holdings(Holdings::Source source, const access::LimitsByRole& limits);
  /// Any thread, as the next.
  [[nodiscard]] OwnedSample owned() const { return holdings_.sample(); }
  [[nodiscard]] std::vector<std::pair<std::string, Owned>> largest_owners(std::size_t most) const {
    return holdings_.largest(most);
  }
  /// Parts of the world that not everybody who may build may change. Before start().
  void set_areas(Areas areas) { areas_ = std::move(areas); }
  /// Ticks from one checkpoint to the next, instead of two seconds of them. Before start().
  void set_checkpoint_spacing(std::uint64_t ticks) { keeper_.set_spacing(ticks); }
  /// Before start().
  void set_operate(Operate operate) { operate_ = std::move(operate); }
  /// Takes those who watch and want to look at what was (look_back.h). As submit(), on the
  /// network's thread.
  struct LooksBack {
    std::function<bool()> offered;
    std::function<Status(net::ClientCommand command)> ask;
  };
  /// Before it is served.
  void set_look_back(LooksBack look_back) { look_back_ = std::move(look_back); }
  /// Time stands while nobody watches and no command waits. Before start().
  void pause_when_alone() { pauses_when_alone_ = true; }
  /// Whether it stands for that reason.
  [[nodiscard]] bool alone() const { return alone_.load(); }
  /// Takes a checkpoint of the world as it stands, and waits until all before it is durable.
  /// Returns the tick. Error: it took longer than `patience`, or the recording failed.
  [[nodiscard]] Result<std::uint64_t> save(std::chrono::milliseconds patience);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] net::WorldFeed& feed() { return feed_; }
  [[nodiscard]] WorldMetrics& metrics() { return metrics_; }
  /// Why the world stands still; empty while it runs.
  [[nodiscard]] std::string trouble() const { return writer_.failure(); }
  /// As it is between two steps; for its owner, where it has no thread.
  [[nodiscard]] const sim::World& world() const { return *world_; }
  [[nodiscard]] RecordWriter& writer() { return writer_; }
  [[nodiscard]] std::size_t waiting_commands() const;

 private:
  class Taken;  // a tick's commands, as the queue gives them

  void run();
  [[nodiscard]] bool called() const;
  [[nodiscard]] std::optional<Clock::Time> due_later(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool stands_alone(Clock::Time now);
  void save_if_asked(std::unique_lock<std::mutex>& lock);
  void turn_away(std::vector<QueuedCommand> turned_away);
  void tick();
  void tell_queue(const sim::TickReport& report, const std::deque<QueuedCommand>& commands);
  void record(const sim::TickReport& report, std::deque<QueuedCommand> commands);
  void refuse_queue(const std::string& reason);

  const std::string name_;
  const Drive drive_;
  const std::unique_ptr<sim::World> world_;
  sim::Executor& executor_;
  WorldMetrics& metrics_;
  net::WorldFeed feed_;
  RecordWriter writer_;
  record::CheckpointKeeper keeper_;
  TickClock clock_;         // the world's thread alone, as the next
  double own_seconds_ = 0;  // of the last tick, beside its commands
  Areas areas_;
  Holdings holdings_;
  Operate operate_;
  LooksBack look_back_;
  std::shared_ptr<const void> alive_ = std::make_shared<char>();
  bool pauses_when_alone_ = false;
  std::atomic<bool> alone_{false};

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable saved_;
  Pace pace_;                      // guarded by mutex_
  bool pace_changed_ = false;      // guarded by mutex_
  std::uint64_t saves_asked_ = 0;  // guarded by mutex_
  std::uint64_t saves_taken_ = 0;  // guarded by mutex_
  std::uint64_t saved_tick_ = 0;   // guarded by mutex_; of the last one
  CommandQueue queue_;             // guarded by mutex_
  std::string edits_refused_;      // guarded by mutex_; why
  bool stopping_ = false;          // guarded by mutex_
  std::string why_stopping_;       // guarded by mutex_
  bool stopped_ = false;           // the owner's thread alone
  std::thread thread_;
};

}  // namespace sluice::host
