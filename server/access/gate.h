// The gate: who somebody is, and what they may do in a world. The file of accounts can be read
// anew while the server runs. For any thread.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "server/access/accounts.h"

namespace sluice::access {

/// What the server's configuration says, beside accounts.
struct GateRules {
  Role anonymous = Role::kBuild;                          // of whoever shows no token
  std::map<std::string, Role, std::less<>> anonymous_in;  // worlds that have a rule of their own
  std::set<std::string, std::less<>> read_only;           // worlds in which nobody builds
  std::string accounts_file;                              // empty: there are no accounts
};

class Gate {
 public:
  explicit Gate(GateRules rules) : rules_(std::move(rules)) {}

  /// Reads the file of accounts. On an error all stays as it was.
  [[nodiscard]] sim::Status read_accounts();

  /// Nothing where nobody holds this token.
  [[nodiscard]] std::optional<std::string> account_of(std::string_view token) const;
  /// Of an account, or of an anonymous visitor (an empty name). An account that is gone may
  /// nothing; one may never do less than visitors may.
  [[nodiscard]] Role role_in(std::string_view world, std::string_view account) const;
  /// Whether nobody builds in it.
  [[nodiscard]] bool read_only(std::string_view world) const;
  /// Why it may not give commands in this world; empty when it may.
  [[nodiscard]] std::string build_refusal(std::string_view world, std::string_view account) const;
  /// Why it may not see this world; empty when it may.
  [[nodiscard]] std::string watch_refusal(std::string_view world, std::string_view account) const;

  [[nodiscard]] bool has_accounts() const { return !rules_.accounts_file.empty(); }
  [[nodiscard]] std::size_t accounts() const;

 private:
  [[nodiscard]] Role visitors_role(std::string_view world) const;

  const GateRules rules_;
  mutable std::mutex mutex_;
  Accounts accounts_;  // guarded by mutex_
};

}  // namespace sluice::access
