// The disk under the recordings. Who edits makes a recording grow, so there are two bounds, and at
// each of them edits are refused with the reason while time goes on as before:
//
//   free on the disk      ... twice the reserve: warn ... the reserve: refuse edits in every world
//   grown in a day        ... 4/5 of the limit:  warn ... the limit:   refuse edits in that world
//
// So a disk is never filled by what people send, and nothing that was acknowledged is lost. The day
// is the last 24 hours, by the hour, since the server started.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace sluice::host {

/// In MiB; 0: no bound.
struct DiskLimits {
  std::uint32_t reserve = 512;              // of the disk, for what is no edit
  std::uint32_t recording_per_day = 16384;  // of each world
  bool operator==(const DiskLimits&) const = default;
};
inline constexpr std::uint32_t kMostDiskMebibytes = 1U << 30;

/// Of one world's recording.
struct DiskSample {
  std::uint64_t free_bytes = 0;  // on its disk; the largest number where nobody can tell
  std::uint64_t recording_bytes = 0;
  std::uint64_t grown_bytes = 0;  // in the last 24 hours
  bool refuses_edits = false;
};

class DiskGuard {
 public:
  struct Recording {
    std::string world;
    std::string path;
    /// Told why edits are to be refused from now on; empty: they are not. Any thread.
    std::function<void(std::string why)> refuse_edits;
  };
  struct Options {
    std::string folder;  // on the disk that is looked at
    DiskLimits limits;
    /// On a folder's disk; nothing when nobody can tell.
    std::function<std::optional<std::uint64_t>(const std::string& folder)> free_bytes;
    /// Of a file with its companions.
    std::function<std::uint64_t(const std::string& path)> file_bytes;
    /// Seconds since 1970.
    std::function<std::int64_t()> now;
    std::chrono::milliseconds interval{5000};  // between two looks
  };
  /// The functions of a real disk.
  [[nodiscard]] static std::optional<std::uint64_t> free_bytes_of(const std::string& folder);
  [[nodiscard]] static std::uint64_t recording_bytes_of(const std::string& path);

  explicit DiskGuard(Options options);
  /// Stops.
  ~DiskGuard();
  DiskGuard(const DiskGuard&) = delete;
  DiskGuard& operator=(const DiskGuard&) = delete;

  /// Begins to look, again and again.
  void start();
  void stop();

  // On any thread.

  void look();
  /// A world that came, or goes: its `refuse_edits` is not called any more when remove() returns.
  void add(Recording recording);
  void remove(const std::string& world);
  /// Why nothing of that size is to be written; empty where there is room beside the reserve.
  [[nodiscard]] std::string no_room_for(std::uint64_t bytes) const;
  [[nodiscard]] DiskSample sample(const std::string& world) const;

 private:
  static constexpr std::size_t kHours = 24;
  struct State {
    Recording recording;
    std::optional<std::uint64_t> bytes;         // at the last look
    std::array<std::uint64_t, kHours> grown{};  // by the hour; a ring
    std::int64_t hour = 0;                      // since 1970, of the last look
    bool warned = false;
    DiskSample sample;
  };

  void run();
  void look_at(State& state, std::optional<std::uint64_t> free) const;
  void count_growth(State& state) const;
  [[nodiscard]] std::string refusal_of(const State& state) const;
  [[nodiscard]] std::string warning_of(const State& state) const;
  [[nodiscard]] std::int64_t hours_until_room(const State& state) const;

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;      // guarded by mutex_
  std::vector<State> states_;  // guarded by mutex_; one a recording
  std::thread thread_;
};

}  // namespace sluice::host
