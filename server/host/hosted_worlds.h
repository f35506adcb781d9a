// The worlds of a server, which come and go while it runs. A world is what lies under its name in
// the data folder; the configuration names some, admins make others (worlds_file.h).
//
//   create ──► hosted ──► unload ──► unloaded ──► load ──► hosted
//                │ reset: from tick 0 on, with a recording of its own
//                └──────► remove ──► DATA/removed/NAME-20261122T131500Z.sluice, or nowhere
//
// Of each change the worlds file is written first where a crash right after it should have made it,
// and last where it should not. Whatever fails leaves the world as it was, or says how it stands.
//
// Changes come one after the other (AdminApi::alone); readers from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/host/areas.h"
#include "server/host/background_verifier.h"
#include "server/host/backups.h"
#include "server/host/disk_guard.h"
#include "server/host/history_cutter.h"
#include "server/host/load_world.h"
#include "server/host/look_back.h"
#include "server/host/metrics.h"
#include "server/host/world_bounds.h"
#include "server/host/world_runner.h"
#include "server/host/worlds_file.h"
#include "server/net/server.h"

namespace sluice::host {

/// One that is hosted.
struct Hosted {
  std::string name;
  std::string recording;  // its path
  net::PastResults past;  // until the network has it
  std::unique_ptr<WorldRunner> runner;
  std::unique_ptr<BackgroundVerifier> verifier;  // null: none
  std::unique_ptr<HistoryCutter> cutter;         // null until it begins
};

/// One that is known, and not hosted.
struct NotHosted {
  std::string name;
  std::string why;  // empty: an admin unloaded it; else with paths: for the log
};

/// What becomes of the recording of a world that is removed or reset.
enum class RecordingFate : std::uint8_t { kKeep, kDelete };

class HostedWorlds {
 public:
  struct Options {
    std::string data_directory;
    WorkLimits work_limits;
    bool verify = true;
    HistoryRule history;
    bool fresh = false;  // worlds begin anew whose world file was changed since
    WorldBounds bounds;
    std::map<std::string, std::vector<Area>, std::less<>> areas;
    std::set<std::string, std::less<>> pause_when_alone;
    std::function<std::int64_t()> now;  // seconds since 1970
    /// Null: nobody looks back. Outlives this.
    LookBack* look_back = nullptr;
    /// As WorldRunner::Operate, of the named world; may be empty.
    std::function<Status(net::ClientCommand command, std::weak_ptr<const void> asker,
                         const std::string& world)>
        operate;
  };

  /// The executor and the metrics outlive this.
  HostedWorlds(Options options, sim::Executor& executor, Metrics& metrics);
  /// Stops.
  ~HostedWorlds();
  HostedWorlds(const HostedWorlds&) = delete;
  HostedWorlds& operator=(const HostedWorlds&) = delete;

  // At a start, one after the other. A world that cannot be brought up is logged and left out.

  [[nodiscard]] Status read_file();
  /// Error: its world file is wrong.
  [[nodiscard]] Status add_configured(const std::string& world_file);
  void add_made();
  /// Both outlive this, or stop().
  void watch_over(Backups& backups, DiskGuard& disk);
  [[nodiscard]] std::vector<net::HostedWorld> to_serve();
  /// Of those that are there and of those to come. Any thread.
  void set_role_limits(const access::LimitsByRole& limits);
  void set_server(net::Server* server) { server_ = server; }
  void start();

  /// Cuts of old history that are under way are given up, and none is begun any more.
  void end_cuts();
  /// Ends what verifies, then the worlds. False where one could not keep what was to be kept.
  bool stop();

  // Readers.

  /// In the order of their names. What is called must not wait, and not come back here.
  void for_each(const std::function<void(const Hosted&)>& look) const;
  [[nodiscard]] std::vector<NotHosted> not_hosted() const;
  [[nodiscard]] std::size_t count() const;
  /// All that may be spoken of in a configuration, hosted or not.
  [[nodiscard]] std::set<std::string, std::less<>> names() const;

  // Changes. Errors are for admins, and say what to do.

  /// Null where it is not hosted. Stays until the next change.
  [[nodiscard]] WorldRunner* runner(const std::string& name) const;

  /// From the text of a world file. Returns its name.
  [[nodiscard]] Result<std::string> create(const std::string& world_file_text);
  /// Goes on with the recording of that name in the data folder. Returns its tick.
  [[nodiscard]] Result<std::uint64_t> load(const std::string& name);
  struct Ended {
    std::uint64_t tick = 0;        // up to which the recording holds it
    std::uint64_t lost_ticks = 0;  // that it could not keep
    std::string recording;         // where it lies now, in the data folder; empty: nowhere
  };
  [[nodiscard]] Result<Ended> unload(const std::string& name);
  [[nodiscard]] Result<Ended> remove(const std::string& name, RecordingFate fate);
  /// `Ended` is of the history up to now.
  [[nodiscard]] Result<Ended> reset(const std::string& name, RecordingFate fate);
  /// Cuts off its history but for the last `keep` ticks, while it runs; see HistoryCutter::ask().
  [[nodiscard]] Result<HistoryCutter::Asked> seal(const std::string& name, std::uint64_t keep,
                                                  bool drop) const;
  struct Exported {
    std::string folder;  // in the data folder
    std::uint64_t tick = 0;
  };
  /// Its world file and a copy of its recording that was read whole, while it runs.
  [[nodiscard]] Result<Exported> export_bundle(const std::string& name);

 private:
  struct Known {
    std::unique_ptr<Hosted> hosted;  // null: it is not
    std::string why;                 // it is not, although it should be
  };

  [[nodiscard]] std::string path_in_data(const std::string& name) const;
  [[nodiscard]] std::string recording_of(const std::string& name) const;
  [[nodiscard]] std::string owners_of(const std::string& name) const;
  [[nodiscard]] Status keep_who_owns_what(const std::string& name, ChunkShape shape,
                                          const std::atomic<bool>* stop) const;
  [[nodiscard]] std::unique_ptr<HistoryCutter> cutter_of(const Hosted& world);
  void set_holdings(Hosted& hosted) const;
  [[nodiscard]] const Known* known(const std::string& name) const;
  [[nodiscard]] bool recorded(const std::string& name) const;
  [[nodiscard]] Result<LoadedWorld> bring_back(const std::string& name,
                                               const std::string& world_file,
                                               const std::string& text);
  [[nodiscard]] Result<std::unique_ptr<Hosted>> compose(Result<LoadedWorld> loaded,
                                                        const std::string& name);
  void keep(const std::string& name, Result<std::unique_ptr<Hosted>> hosted);
  void watch(Hosted& world);
  void begin(Hosted& world);
  [[nodiscard]] Status open(std::unique_ptr<Hosted> world);
  [[nodiscard]] Ended close(const std::string& name, const std::string& why);
  [[nodiscard]] Status room_for_one_more(const std::string& name) const;
  [[nodiscard]] Status set_aside(const std::string& name, RecordingFate fate, std::string& lies);
  [[nodiscard]] Result<std::unique_ptr<Hosted>> make_new(const std::string& text,
                                                         const sim::WorldSpec& spec,
                                                         const std::string& recording);
  [[nodiscard]] Status prepare_reset(const std::string& name);
  [[nodiscard]] Status prepare_beginning(const std::string& name, const std::string& text,
                                         const Result<std::unique_ptr<sim::World>>& world);
  [[nodiscard]] Status begin_anew_if_changed(const std::string& world_file, const std::string& text,
                                             const sim::WorldSpec& spec);
  [[nodiscard]] Status finish_reset(const std::string& name) const;

  const Options options_;
  sim::Executor& executor_;
  Metrics& metrics_;
  Backups* backups_ = nullptr;
  DiskGuard* disk_ = nullptr;
  net::Server* server_ = nullptr;
  std::mutex cutting_;                             // one cut at a time
  std::optional<WorldsFile> file_;                 // from read_file() on
  std::set<std::string, std::less<>> configured_;  // worlds that the configuration names
  mutable std::mutex mutex_;
  access::LimitsByRole role_limits_{};               // guarded by mutex_
  std::map<std::string, Known, std::less<>> known_;  // guarded by mutex_; changed by one thread
};

}  // namespace sluice::host
