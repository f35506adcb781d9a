// Accounts: a file of their own, which `sluice token` writes and the server reads.
//
//   [[account]]
//   name = "ada"
//   token = "9f86d081..."        # the SHA-256 of the token; the token itself is nowhere
//   created = "2026-11-22"
//   [account.roles]              # by world; "*" is every world that has no line of its own
//   "*" = "watch"
//   cave = "build"
//
// An account without a token is one that a proxy names (net/proxies.h). Bans stand there, too
// (bans.h).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "server/access/bans.h"
#include "server/access/roles.h"

namespace sluice::access {

inline constexpr std::string_view kEveryWorld = "*";
/// Characters of a name: small letters, digits, '-', '_', '.', '+' and '@'.
inline constexpr std::size_t kMaxNameBytes = 48;
inline constexpr std::size_t kMostAccounts = 10'000;
/// Larger files are not read.
inline constexpr std::size_t kMaxFileBytes = 16U << 20;

struct Account {
  std::string name;
  std::string token_hash;                          // empty: nobody can show one
  std::string created;                             // a date, for people
  std::map<std::string, Role, std::less<>> roles;  // by world, or kEveryWorld

  [[nodiscard]] Role role_in(std::string_view world) const;
  bool operator==(const Account&) const = default;
};

class Accounts {
 public:
  /// Errors name the file, the line and the key.
  [[nodiscard]] static Result<Accounts> read(const std::string& path);
  [[nodiscard]] static Result<Accounts> parse(std::string_view text, const std::string& path);
  [[nodiscard]] std::string text() const;

  /// Error: there is one of that name, it is no name, or there are too many.
  [[nodiscard]] Status add(Account account);
  /// False where there is none of that name.
  bool remove(std::string_view name);
  /// Null where there is none.
  [[nodiscard]] const Account* named(std::string_view name) const;
  [[nodiscard]] const Account* holder_of(std::string_view token) const;
  [[nodiscard]] Bans& bans() { return bans_; }
  [[nodiscard]] const Bans& bans() const { return bans_; }
  /// Sorted by name.
  [[nodiscard]] const std::map<std::string, Account, std::less<>>& all() const { return by_name_; }

 private:
  std::map<std::string, Account, std::less<>> by_name_;
  std::map<std::string, std::string, std::less<>> names_by_hash_;
  Bans bans_;
};

/// The error says why this is no name of an account, or no name of a world.
[[nodiscard]] Status check_account_name(std::string_view name);
[[nodiscard]] Status check_world_name(std::string_view name);

}  // namespace sluice::access
