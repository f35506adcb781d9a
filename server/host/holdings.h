// What each owns in a hosted world (ownership.h), held to the bounds of their roles.
//
//   no role has a bound ──► nothing is followed: no memory, no work
//   one has             ──► counted from the recording (owned_file.h), then followed tick by tick
//
// A world that is loaded counts before it starts. Where a running server is given its first bound,
// a thread of its own counts up to the last tick, and commands that would change who owns what are
// refused until it is through: so the bound holds exactly, from the first command on.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/access/role_limits.h"
#include "server/host/owned_file.h"
#include "server/host/ownership.h"
#include "server/net/world_feed.h"
#include "server/record/records.h"
#include "server/sim/world.h"

namespace sluice::host {

struct OwnedSample {
  bool followed = false;  // else the rest is 0
  std::size_t owners = 0;
  Owned owned;            // by all of them
  std::size_t bytes = 0;  // of memory
};

class Holdings {
 public:
  struct Source {
    std::string name;       // of the world, for the log
    std::string recording;  // its path
    std::string file;       // and that of who owns what (owned_file.h)
    std::string key_file;   // of visitors' marks (visitor_mark.h)
  };

  ~Holdings();
  Holdings() = default;
  Holdings(const Holdings&) = delete;
  Holdings& operator=(const Holdings&) = delete;

  /// Before the world starts. Without a source nothing is bound.
  void set_source(Source source) { source_ = std::move(source); }
  /// Any thread.
  void set_bounds(const access::LimitsByRole& limits);
  /// Before the world starts, whose recording holds it up to now.
  void count_now(const sim::World& world);

  /// Whether a role is bound. Any thread.
  [[nodiscard]] bool followed() const { return wanted_.load(); }
  /// Of who shows no token, for the recording; empty while nothing is followed. Any thread.
  [[nodiscard]] std::string visitor_at(const std::string& address) const;
  /// Of an account, or of all who show no token and come from `address` (net::CommandIntake).
  [[nodiscard]] std::optional<net::OwnedShare> share_of(const std::string& account,
                                                        const std::string& address,
                                                        access::Role role) const;
  [[nodiscard]] OwnedSample sample() const;
  /// Those who own most.
  [[nodiscard]] std::vector<std::pair<std::string, Owned>> largest(std::size_t most) const;

  // The world's thread.

  /// Begins a tick. `durable_tick`: the last one that the recording holds; called on another
  /// thread.
  void begin_tick(const sim::World& world, const std::function<std::uint64_t()>& durable_tick);
  /// Why the command is refused; empty when it is not.
  [[nodiscard]] std::string refusal_of(const record::RecordedCommand& command, access::Role role,
                                       const sim::World& world) const;
  /// In units of sim::CommandCost.
  [[nodiscard]] std::int64_t work_of(const sim::Command& command, const sim::World& world) const;
  /// The command applied.
  void note(const record::RecordedCommand& command);
  /// Ends counting, and writes who owns what as of the world's last tick, which is durable.
  void keep(const sim::World& world, bool durable);

 private:
  void stop_counting();
  void adopt(Result<OwnedAt> counted, const sim::World& world);

  Source source_;
  std::atomic<bool> wanted_{false};
  std::atomic<bool> stopping_{false};
  // Whether the tick under way follows; what others set meanwhile holds from the next one on. The
  // world's thread alone, as the next.
  bool following_ = false;
  std::thread counting_;
  mutable std::mutex mutex_;
  std::array<OwnedBound, access::kRoleNames.size()> bounds_{};  // guarded by mutex_
  std::string key_;                                             // guarded by mutex_
  std::optional<Ownership> owned_;                              // guarded by mutex_
  std::optional<Result<OwnedAt>> counted_;                      // guarded by mutex_
};

}  // namespace sluice::host
