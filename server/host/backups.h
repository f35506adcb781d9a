// Backups of the worlds' recordings: on request, and on a schedule. Each is a copy that was read
// whole, of the world as it ran:
//
//   DATA/backups/cave-20261122T131500Z.sluice      the newest ones are kept, older ones go
//
// The schedule goes by the newest backup that lies there, so that a server that is started often
// makes no more of them than one that is not.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "protocol/base/result.h"
#include "server/host/metrics.h"

namespace sluice::host {

inline constexpr std::uint32_t kMostBackupHours = 24 * 366;
inline constexpr std::uint32_t kDefaultBackupsKept = 7;
inline constexpr std::uint32_t kMostBackupsKept = 10'000;

/// 20261122T131500Z: file names hold no colons, and sort by time.
[[nodiscard]] std::string stamp_of(std::int64_t seconds);

class Backups {
 public:
  struct Options {
    std::string folder;                        // is made
    std::int64_t interval_seconds = 0;         // 0: only on request
    std::uint32_t kept = kDefaultBackupsKept;  // of each world, at least 1
    /// Seconds since 1970.
    std::function<std::int64_t()> now;
  };

  explicit Backups(Options options) : options_(std::move(options)) {}
  /// Stops.
  ~Backups();
  Backups(const Backups&) = delete;
  Backups& operator=(const Backups&) = delete;

  /// Begins with the schedule, where there is one.
  void start();
  void stop();

  // On any thread; one at a time.

  /// A world that came, or goes: no copy of it is under way when remove() returns.
  void add(const std::string& world, const std::string& recording);
  void remove(const std::string& world);

  struct Made {
    std::string file;  // its name in the folder
    std::uint64_t tick = 0;
  };
  /// Copies a world's recording, and takes away what is older than those that are kept.
  Result<Made> make(const std::string& world);
  /// Makes those that are due.
  void make_due();
  [[nodiscard]] BackupSample sample(const std::string& world) const;

 private:
  void run();
  /// Of the newest backup; none where there is no backup.
  [[nodiscard]] std::optional<std::int64_t> newest(const std::string& world) const;
  void take_away_old(const std::string& world) const;

  const Options options_;
  std::mutex making_;  // while one is made
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;                          // guarded by mutex_
  std::map<std::string, std::string> recordings_;  // guarded by mutex_; by world
  std::map<std::string, BackupSample> samples_;    // guarded by mutex_
  std::thread thread_;
};

}  // namespace sluice::host
