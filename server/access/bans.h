// Bans: accounts and addresses that are not let in, for a time or for ever. They stand in the file
// of accounts:
//
//   [[ban]]
//   address = "203.0.113.0/24"          # or account = "mallory"
//   until = "2026-12-01T00:00:00Z"      # for ever without it
//   reason = "floods the cave"
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "server/access/address_range.h"

namespace sluice::access {

inline constexpr std::size_t kMostBans = 4096;
inline constexpr std::size_t kMaxBanReasonBytes = 200;
inline constexpr std::uint64_t kMostBanHours = 24 * 366 * 100;

struct Ban {
  std::string account;  // one of these two
  std::string address;  // or a range of them
  std::string until;    // empty: for ever
  std::string reason;   // for people; may be empty

  [[nodiscard]] const std::string& of() const { return account.empty() ? address : account; }
  bool operator==(const Ban&) const = default;
};

/// Seconds since 1970 of "2026-12-01T00:00:00Z"; nothing where that is no time.
[[nodiscard]] std::optional<std::int64_t> seconds_of(std::string_view time);
[[nodiscard]] std::string time_of(std::int64_t seconds);

class Bans {
 public:
  /// Error: it bans nobody, says something that is wrong, or there are too many.
  [[nodiscard]] Status add(Ban ban);
  /// Of an account, or of an address or range as it was banned. False where there is none.
  bool lift(std::string_view of);
  [[nodiscard]] const std::vector<Ban>& all() const { return bans_; }

  /// Why neither is let in at that time (seconds since 1970); empty when they are. Either may be
  /// empty.
  [[nodiscard]] std::string refusal(std::string_view account, std::string_view address,
                                    std::int64_t now) const;

 private:
  struct Rule {
    std::optional<AddressRange> range;
    std::int64_t until = INT64_MAX;
  };
  std::vector<Ban> bans_;
  std::vector<Rule> rules_;  // beside bans_
};

}  // namespace sluice::access
