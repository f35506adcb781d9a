// What the server says about itself at /metrics (Prometheus text). Any thread may report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "server/host/disk_guard.h"
#include "server/host/holdings.h"
#include "server/net/world_feed.h"

namespace sluice::host {

/// One tick of one world.
struct TickSample {
  std::uint64_t tick = 0;
  double seconds = 0;               // of the tick itself
  double lateness_seconds = 0;      // how much after its due time it began
  std::uint64_t dropped_ticks = 0;  // since the start
  std::int64_t active_chunks = 0;
  std::int64_t stored_chunks = 0;
  std::uint64_t commands_applied = 0;  // in this tick
  std::uint64_t commands_refused = 0;  // in this tick
  std::uint64_t recorder_lag_ticks = 0;
};

/// How far the recording was replayed in the background.
struct VerifierSample {
  std::uint64_t verified_tick = 0;
  bool alarmed = false;
  std::uint64_t bundles = 0;  // written since the start
};

struct BackupSample {
  std::uint64_t tick = 0;      // of the last one that was made
  std::uint64_t made = 0;      // since the start
  std::uint64_t failures = 0;  // likewise
};

/// Of cuts of old history while the world runs.
struct CutSample {
  std::uint64_t made = 0;        // since it was loaded
  std::uint64_t failures = 0;    // likewise
  std::uint64_t kept_ticks = 0;  // that the recording holds
  double held_back_seconds = 0;  // that the last one kept commits waiting
};

/// Of those who look back in a world.
struct LookBackSample {
  std::size_t positions = 0;
  std::uint64_t made = 0;     // since it was loaded
  std::uint64_t refused = 0;  // likewise
};

class WorldMetrics {
 public:
  virtual ~WorldMetrics() = default;
  virtual void report(const TickSample& sample) = 0;
  /// The network's counters as they are now; called before the text is made.
  virtual void report(const net::HubCounters& counters) = 0;
  virtual void report(const VerifierSample& sample) = 0;
  virtual void report(const BackupSample& sample) = 0;
  virtual void report(const DiskSample& sample) = 0;
  virtual void report(const CutSample& sample) = 0;
  virtual void report(const LookBackSample& sample) = 0;
  virtual void report(const OwnedSample& sample) = 0;
  /// Whether its time is held: by an admin, or because nobody watches.
  virtual void report_paused(bool paused) = 0;
};

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// Lives as long as this, or until remove_world().
  [[nodiscard]] WorldMetrics& add_world(const std::string& name);
  /// Nothing is said of it any more. None of that name: nothing happens.
  void remove_world(const std::string& name);
  /// How many worlds there are.
  void report_worlds(std::size_t hosted, std::size_t not_hosted);
  /// What those who look back take of memory.
  void report_look_back(std::size_t bytes);
  /// Of the public side: how many there are, and how many were turned away so far.
  void report_connections(std::size_t open, std::uint64_t refused);
  [[nodiscard]] std::string text() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sluice::host
