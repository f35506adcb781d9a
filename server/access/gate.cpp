#include "server/access/gate.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice::access {

Gate::Gate(GateRules rules, Clock clock)
    : rules_(std::move(rules)),
      clock_(std::move(clock)),
      read_only_(rules_.read_only),
      limits_(rules_.limits) {}

RoleLimits Gate::limits_of(Role role) const {
  const std::lock_guard lock(mutex_);
  return limits_[static_cast<std::size_t>(role)];
}

void Gate::set_limits(const LimitsByRole& limits) {
  const std::lock_guard lock(mutex_);
  limits_ = limits;
}

std::int64_t Gate::system_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

Status Gate::read_accounts() {
  if (rules_.accounts_file.empty()) return Done{};
  auto read = Accounts::read(rules_.accounts_file);
  if (!read) return Error{read.error()};
  const std::lock_guard lock(mutex_);
  accounts_ = std::move(read).value();
  return Done{};
}

std::optional<std::string> Gate::account_of(std::string_view token) const {
  const std::lock_guard lock(mutex_);
  const Account* const account = accounts_.holder_of(token);
  return account == nullptr ? std::nullopt : std::optional(account->name);
}

bool Gate::knows(std::string_view account) const {
  const std::lock_guard lock(mutex_);
  return accounts_.named(account) != nullptr;
}

std::string Gate::ban_refusal(std::string_view account, std::string_view address) const {
  const std::lock_guard lock(mutex_);
  if (accounts_.bans().all().empty()) return "";
  return accounts_.bans().refusal(account, address, clock_());
}

std::vector<Ban> Gate::bans() const {
  const std::lock_guard lock(mutex_);
  return accounts_.bans().all();
}

Role Gate::visitors_role(std::string_view world) const {
  const auto own = rules_.anonymous_in.find(world);
  return own == rules_.anonymous_in.end() ? rules_.anonymous : own->second;
}

Role Gate::role_in(std::string_view world, std::string_view account) const {
  if (account.empty()) return visitors_role(world);
  if (!ban_refusal(account, "").empty()) return Role::kNone;
  const std::lock_guard lock(mutex_);
  const Account* const known = accounts_.named(account);
  return known == nullptr ? Role::kNone : std::max(known->role_in(world), visitors_role(world));
}

bool Gate::read_only(std::string_view world) const {
  const std::lock_guard lock(mutex_);
  return read_only_.contains(world);
}

void Gate::set_read_only(std::string_view world, bool read_only) {
  const std::lock_guard lock(mutex_);
  if (read_only) {
    read_only_.emplace(world);
  } else {
    read_only_.erase(std::string(world));
  }
}

std::string Gate::operate_refusal(std::string_view world, std::string_view account) const {
  if (std::string banned = ban_refusal(account, ""); !banned.empty()) return banned;
  const Role role = role_in(world, account);
  if (role >= Role::kOperate) return "";
  return "not allowed: " +
         (account.empty() ? std::string("who shows no token may not run this world; that")
                          : "the role of \"" + std::string(account) + "\" in this world is " +
                                std::string(name_of(role)) + "; running it") +
         " needs the role operate";
}

std::string Gate::build_refusal(std::string_view world, std::string_view account) const {
  if (std::string banned = ban_refusal(account, ""); !banned.empty()) return banned;
  if (read_only(world)) return "not allowed: this world is read-only";
  const Role role = role_in(world, account);
  if (role >= Role::kBuild) return "";
  if (account.empty()) {
    return "not allowed: who shows no token may only watch this world; building needs one with the "
           "role build";
  }
  return "not allowed: the role of \"" + std::string(account) + "\" in this world is " +
         std::string(name_of(role)) + "; building needs the role build";
}

std::string Gate::watch_refusal(std::string_view world, std::string_view account) const {
  if (std::string banned = ban_refusal(account, ""); !banned.empty()) return banned;
  if (role_in(world, account) >= Role::kWatch) return "";
  if (account.empty()) return "not allowed: seeing this world needs a token";
  const std::lock_guard lock(mutex_);
  return "not allowed: \"" + std::string(account) + "\" " +
         (accounts_.named(account) == nullptr ? "was removed" : "has no role in this world");
}

std::size_t Gate::accounts() const {
  const std::lock_guard lock(mutex_);
  return accounts_.all().size();
}

}  // namespace sluice::access
