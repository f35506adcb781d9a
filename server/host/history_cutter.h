// Cuts the old history of a world off while it runs (record/cut.h): by the rule, or because an
// operator asks for it.
//
//   this thread           looks now and then how much there is ──► enough: writes the parts beside
//                         the recording and reads them ──► catches up, until little is missing ─┐
//   the writer's thread   commits ─► adds the last few ticks, changes the file ─► commits ...  ◄┘
//   the world's thread    ticks, and waits for none of it
//
// This thread gives way to all others, and the writer's holds its commits back for the copying of
// kMostBehind ticks at the most and some changes of names: what clients sent meanwhile is
// acknowledged after that. What this cannot do now (no room on the disk, a medium that fails, a
// world that is faster than the copying) is said in the log once and tried again later, and later
// still each time: the recording stays whole, and goes on to grow.
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
#include "server/host/history_rule.h"
#include "server/host/metrics.h"
#include "server/host/record_writer.h"
#include "server/record/cut.h"

namespace sluice::host {

class HistoryCutter {
 public:
  /// Ticks that the writer's thread copies at the most.
  static constexpr std::uint64_t kMostBehind = 40;
  /// Rounds of catching up after which a world counts as too fast.
  static constexpr int kMostRounds = 32;

  struct Options {
    std::string name;       // the world's
    std::string recording;  // its file
    HistoryRule rule;
    std::uint64_t ticks_per_hour = 0;
    record::Limits limits = {};
    /// Why a copy of the recording is not to be written now; empty: it may. Any thread.
    std::function<std::string()> no_room = {};
    /// What has to be done before history goes; it may be `stop`ped. On this thread; may be empty.
    std::function<Status(const std::atomic<bool>& stop)> before_cut = {};
    /// Held while a cut is made: one at a time of all that share it, so that the room that one was
    /// granted is not granted to another. Outlives this.
    std::mutex* turn = nullptr;
    std::uint64_t most_behind = kMostBehind;
    std::chrono::milliseconds interval{5000};  // between two looks
    std::chrono::milliseconds retry{60'000};   // after a failure; twice as long after each more
    std::chrono::milliseconds longest_retry{3'600'000};
    Drive drive = {};
  };

  /// The writer outlives this.
  HistoryCutter(Options options, RecordWriter& writer);
  /// Stops.
  ~HistoryCutter();
  HistoryCutter(const HistoryCutter&) = delete;
  HistoryCutter& operator=(const HistoryCutter&) = delete;

  /// Gives up what is under way, by which nothing was changed, and ends the thread.
  void stop();
  /// The same without waiting for it: whoever waits for a cut is told so. Any thread.
  void give_up();
  /// Looks, or goes on with what is under way: one of its steps. Whether there is more to do at
  /// once. For its owner, where it has no thread; to be called each Options::interval.
  bool step();

  // Any thread.

  /// What came of a cut that was asked for.
  struct Asked {
    std::optional<record::Sealed> sealed;  // none: there is too little to cut off
    bool under_way = false;                // it takes longer than one waits; the log says the rest
  };
  /// Cuts now what is older than `keep` ticks. Waits for it, up to `patience`; without a thread not
  /// at all. Error: why not.
  [[nodiscard]] Result<Asked> ask(std::uint64_t keep, bool drop,
                                  std::chrono::milliseconds patience);
  [[nodiscard]] CutSample sample() const;

 private:
  void run();
  [[nodiscard]] bool knows_beginning();
  void forget_beginning();
  [[nodiscard]] bool due();
  [[nodiscard]] bool take_asked(record::SealOptions& options);
  void begin(const record::SealOptions& options);
  [[nodiscard]] Status prepare(const record::SealOptions& options);
  void go_on();
  [[nodiscard]] Result<std::optional<record::Sealed>> take_place();
  void finish(const std::optional<record::Sealed>& sealed);
  void fail(const std::string& why);
  void answer(Result<Asked> answer);

  const Options options_;
  RecordWriter& writer_;
  std::atomic<bool> stopping_{false};
  // This thread alone.
  std::unique_ptr<record::Cut> cut_;  // under way
  bool for_asker_ = false;            // it was asked for
  /// The recording failed while this took its place, so that it may be made or not.
  std::optional<record::Sealed> unsure_;
  std::unique_lock<std::mutex> turn_;
  int rounds_ = 0;
  Clock::Time not_before_;
  std::chrono::milliseconds retry_;
  std::string failure_;  // the last, until a cut goes well

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<record::SealOptions> asked_;  // guarded by mutex_, as all that follows
  bool under_way_ = false;                    // what was asked for
  std::uint64_t number_ = 0;                  // of what was asked for, the last
  std::optional<Result<Asked>> answer_;       // to it
  std::optional<std::uint64_t> first_tick_;   // of the recording; this thread changes it
  CutSample sample_;
  std::thread thread_;
};

}  // namespace sluice::host
