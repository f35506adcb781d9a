// What a connection has left of its role's limits. On the network's thread alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "server/access/role_limits.h"
#include "server/net/token_bucket.h"

namespace sluice::net {

class RoleAllowance {
 public:
  using Time = TokenBucket::Clock::time_point;

  /// What holds from now on. What was used before of the same limit stays used.
  void set(access::Role role, const access::RoleLimits& limits) {
    role_ = access::name_of(role);
    keep(commands_, limits_.commands_per_second, limits.commands_per_second);
    keep(bytes_, limits_.bytes_per_second, limits.bytes_per_second);
    limits_ = limits;
  }

  /// Takes a command. Why there is none left, and until when; empty: there was.
  [[nodiscard]] std::string refusal_of_command(Time now) {
    if (!commands_ || commands_->take(1, now)) return {};
    return "too many commands: the role " + role_ + " may give " +
           std::to_string(limits_.commands_per_second) + " a second; again in " +
           std::to_string(std::llround(std::ceil(1000 * commands_->seconds_until(1) - 0.001))) +
           " ms";
  }

  /// Why a view of so many cells is none; empty: it is one.
  [[nodiscard]] std::string refusal_of_view(std::int64_t cells) const {
    if (limits_.view_cells == 0 || cells <= std::int64_t{limits_.view_cells}) return {};
    return "not allowed: a view of " + std::to_string(cells) + " cells; the role " + role_ +
           " sees at most " + std::to_string(limits_.view_cells) +
           " at a time, until its view is smaller";
  }

  void note_sent(std::size_t bytes, Time now) {
    if (bytes_) bytes_->charge(static_cast<double>(bytes), now);
  }
  /// Whether it is owed nothing more at present.
  [[nodiscard]] bool holds_back(Time now) { return bytes_ && !bytes_->take(0, now); }

 private:
  static void keep(std::optional<TokenBucket>& bucket, std::uint32_t before, std::uint32_t now) {
    if (before == now) return;
    bucket = now == 0 ? std::nullopt : std::optional<TokenBucket>(TokenBucket(now, now));
  }

  std::string role_;
  access::RoleLimits limits_;
  std::optional<TokenBucket> commands_;
  std::optional<TokenBucket> bytes_;
};

}  // namespace sluice::net
