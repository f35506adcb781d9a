// The gate: who somebody is, and what they may do in a world. The file of accounts can be read
// anew while the server runs. For any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/access/accounts.h"
#include "server/access/role_limits.h"

namespace sluice::access {

/// What the server's configuration says, beside accounts.
struct GateRules {
  Role anonymous = Role::kBuild;                          // of whoever shows no token
  std::map<std::string, Role, std::less<>> anonymous_in;  // worlds that have a rule of their own
  std::set<std::string, std::less<>> read_only;           // worlds in which nobody builds
  std::string accounts_file;                              // empty: there are no accounts
  LimitsByRole limits;                                    // until set_limits()
};

class Gate {
 public:
  /// Seconds since 1970.
  using Clock = std::function<std::int64_t()>;

  explicit Gate(GateRules rules, Clock clock = system_time);
  [[nodiscard]] static std::int64_t system_time();

  /// Reads the file of accounts. On an error all stays as it was.
  [[nodiscard]] Status read_accounts();

  /// Nothing where nobody holds this token.
  [[nodiscard]] std::optional<std::string> account_of(std::string_view token) const;
  /// Whether the file has an account of that name.
  [[nodiscard]] bool knows(std::string_view account) const;
  /// Why nobody is let in from there (a numeric address; may be empty), or not this account; empty
  /// when they are.
  [[nodiscard]] std::string ban_refusal(std::string_view account, std::string_view address) const;
  /// A copy, for people.
  [[nodiscard]] std::vector<Ban> bans() const;
  /// Of an account, or of an anonymous visitor (an empty name). An account that is gone or banned
  /// may nothing; others may never do less than visitors may.
  [[nodiscard]] Role role_in(std::string_view world, std::string_view account) const;
  /// Whether nobody builds in it.
  [[nodiscard]] bool read_only(std::string_view world) const;
  /// Otherwise than the configuration has it, as long as the server runs.
  void set_read_only(std::string_view world, bool read_only);
  /// Why it may not give commands in this world; empty when it may.
  [[nodiscard]] std::string build_refusal(std::string_view world, std::string_view account) const;
  /// Why it may not pause, step or save this world; empty when it may, in one in which nobody
  /// builds, too.
  [[nodiscard]] std::string operate_refusal(std::string_view world, std::string_view account) const;
  /// Why it may not see this world; empty when it may.
  [[nodiscard]] std::string watch_refusal(std::string_view world, std::string_view account) const;

  [[nodiscard]] RoleLimits limits_of(Role role) const;
  void set_limits(const LimitsByRole& limits);

  [[nodiscard]] bool has_accounts() const { return !rules_.accounts_file.empty(); }
  [[nodiscard]] std::size_t accounts() const;

 private:
  [[nodiscard]] Role visitors_role(std::string_view world) const;

  const GateRules rules_;
  const Clock clock_;
  mutable std::mutex mutex_;
  Accounts accounts_;                             // guarded by mutex_
  std::set<std::string, std::less<>> read_only_;  // guarded by mutex_
  LimitsByRole limits_;                           // guarded by mutex_
};

}  // namespace sluice::access
