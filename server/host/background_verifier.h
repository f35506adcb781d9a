// Replays a running world's own recording on a spare thread, always a little behind, at the lowest
// priority: what a fault of the machine or of the program changes in the living world is found
// while its cause is seconds old, not when somebody next restarts the server.
//
//   at the start:  what was there before is read once, row by row: damage is found while backups
//                  are fresh
//   every second:  the file has grown ──► Verifier::advance(last tick - a few seconds)
//                  a viewer's mirror differed ──► a bundle around now
//                  old history was cut off (history_cutter.h) ──► what the old file holds is
//                  compared, then it goes on in the new one
//                  a divergence ──► alarm (log, metrics, /healthz), a bundle around its tick, the
//                  end
//
// What it costs is one more run of each tick, on a thread that gives way to every other one.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "server/host/drive.h"
#include "server/record/reader.h"
#include "server/record/repair.h"
#include "server/record/verify.h"

namespace sluice::host {

class BackgroundVerifier {
 public:
  /// Seconds of ticks that it stays behind, so that a checkpoint lies after what it compares.
  static constexpr std::uint64_t kSecondsBehind = 5;
  /// Bundles for chunks that the server itself found to differ from what viewers were sent.
  static constexpr std::uint64_t kMostMismatchBundles = 64;
  /// Bundles for viewers that say so while the server finds nothing: a client that lies, or whose
  /// own decoder is wrong. Counted apart, so that they cannot use up the others.
  static constexpr std::uint64_t kMostClaimBundles = 4;
  /// Looks in a row that the system may refuse (a disk that is away, no descriptors) before that is
  /// called an alarm: it says nothing about what the file holds.
  static constexpr int kMostLooksInVain = 60;

  struct Options {
    std::string name;       // the world's
    std::string recording;  // its file; bundles are written beside it
    std::uint64_t tick_rate = 20;
    // Called on the verifier's thread.
    /// Chunks that the server found to differ from what viewers were sent, so far.
    std::function<std::uint64_t()> mismatches;
    /// Viewers that claimed a difference, so far.
    std::function<std::uint64_t()> claimants;
    std::chrono::milliseconds interval{1000};
    Drive drive = {};
  };

  explicit BackgroundVerifier(Options options);
  /// Stops.
  ~BackgroundVerifier();
  BackgroundVerifier(const BackgroundVerifier&) = delete;
  BackgroundVerifier& operator=(const BackgroundVerifier&) = delete;

  void stop();
  /// Looks what there is to look at now. False when there is nothing more to do. For its owner,
  /// where it has no thread; to be called each Options::interval.
  bool step();

  // On any thread.

  /// The last tick that was found to replay.
  [[nodiscard]] std::uint64_t verified_tick() const { return verified_tick_.load(); }
  [[nodiscard]] std::uint64_t bundles() const { return bundles_.load(); }
  [[nodiscard]] bool alarmed() const { return alarmed_.load(); }
  /// What was found, for people, and without the folders of files; empty while all is well.
  [[nodiscard]] std::string detail() const;

 private:
  void run();
  [[nodiscard]] bool wait();
  [[nodiscard]] Status open();
  [[nodiscard]] bool in_vain(const std::string& why);
  /// False when there is nothing more to compare.
  [[nodiscard]] bool compare(record::Reader& reader, record::Verifier& verifier, bool to_end);
  void follow_file();
  [[nodiscard]] bool stopping() const;
  [[nodiscard]] bool look_for_damage(record::DamageSearch& search);
  /// Something that is counted, and leaves a bundle whenever it rose.
  struct Watched {
    std::uint64_t seen = 0;
    std::uint64_t bundles = 0;
  };
  void look_at(const std::function<std::uint64_t()>& count, std::uint64_t most, const char* what,
               Watched& watched, record::Reader& reader);
  void alarm(const std::string& what);
  struct Bundle {
    bool written = false;
    std::string said;  // where it lies, or why there is none
  };
  Bundle bundle(record::Reader& reader, std::uint64_t tick, const std::string& reason);
  void note(const std::string& what);

  const Options options_;
  std::atomic<std::uint64_t> verified_tick_{0};
  std::atomic<std::uint64_t> bundles_{0};
  std::atomic<bool> alarmed_{false};
  // The thread's alone.
  Watched mismatches_;
  Watched claims_;
  sim::SerialExecutor executor_;
  std::unique_ptr<record::Reader> reader_;
  std::optional<record::Verifier> verifier_;
  std::optional<record::DamageSearch> search_;
  bool comparing_ = true;
  bool follows_ = false;  // it has had the recording open before
  int looks_in_vain_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;  // guarded by mutex_
  std::string detail_;     // guarded by mutex_
  std::thread thread_;
};

}  // namespace sluice::host
