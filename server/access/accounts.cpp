#include "server/access/accounts.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include <toml++/toml.h>

#include "server/access/token.h"

namespace sluice::access {

namespace {

constexpr std::size_t kHashDigits = 64;

bool all_of(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

std::string roles_text() {
  std::string text;
  for (std::size_t i = 0; i < kRoleNames.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::string(kRoleNames[i]);
  }
  return text;
}

class FileReader {
 public:
  explicit FileReader(std::string path) : path_(std::move(path)) {}

  Status read(const toml::table& table, Accounts& accounts) const {
    for (const auto& [key, node] : table) {
      const std::string name = text_of(key);
      if (name != "account" && name != "ban") {
        return wrong(node, "unknown key \"" + name + "\"; allowed: account, ban");
      }
      const toml::array* const list = node.as_array();
      if (list == nullptr) return wrong(node, name + " must be tables: [[" + name + "]]");
      for (const toml::node& entry : *list) {
        const Status added =
            name == "ban" ? add_ban(entry, accounts) : add_account(entry, accounts);
        if (!added) return added;
      }
    }
    return Done{};
  }

 private:
  static std::string text_of(const toml::key& key) { return std::string(key.str()); }

  [[nodiscard]] Error wrong(const toml::node& node, const std::string& what) const {
    return Error{path_ + ":" + std::to_string(node.source().begin.line) + ": " + what};
  }

  [[nodiscard]] Status add_account(const toml::node& entry, Accounts& accounts) const {
    auto account = read_account(entry);
    if (!account) return Error{account.error()};
    const Status added = accounts.add(std::move(account).value());
    if (!added) return wrong(entry, added.error());
    return Done{};
  }

  [[nodiscard]] Status add_ban(const toml::node& entry, Accounts& accounts) const {
    const toml::table* const table = entry.as_table();
    if (table == nullptr) return wrong(entry, "ban must be a table");
    Ban ban;
    const std::pair<std::string_view, std::string*> keys[] = {{"account", &ban.account},
                                                              {"address", &ban.address},
                                                              {"until", &ban.until},
                                                              {"reason", &ban.reason}};
    for (const auto& [key, node] : *table) {
      const auto known = std::find_if(std::begin(keys), std::end(keys),
                                      [&k = key](const auto& one) { return one.first == k.str(); });
      if (known == std::end(keys)) {
        return wrong(node, "unknown key \"" + text_of(key) +
                               "\" in [[ban]]; allowed: account, address, reason, until");
      }
      const auto text = node.value_exact<std::string>();
      if (!text) return wrong(node, text_of(key) + " must be a text");
      *known->second = *text;
    }
    const Status added = accounts.bans().add(std::move(ban));
    if (!added) return wrong(entry, added.error());
    return Done{};
  }

  [[nodiscard]] Result<Account> read_account(const toml::node& entry) const {
    const toml::table* const table = entry.as_table();
    if (table == nullptr) return wrong(entry, "account must be a table");
    Account account;
    for (const auto& [key, node] : *table) {
      if (key == "roles") {
        if (Status status = read_roles(node, account); !status) return Error{status.error()};
        continue;
      }
      const auto text = node.value_exact<std::string>();
      if (!text) return wrong(node, text_of(key) + " must be a text");
      if (key == "name") {
        account.name = *text;
      } else if (key == "token") {
        account.token_hash = *text;
      } else if (key == "created") {
        account.created = *text;
      } else {
        return wrong(node, "unknown key \"" + text_of(key) +
                               "\" in [[account]]; allowed: created, name, roles, token");
      }
    }
    return account;
  }

  [[nodiscard]] Status read_roles(const toml::node& node, Account& account) const {
    const toml::table* const roles = node.as_table();
    if (roles == nullptr) return wrong(node, "roles must be a table: [account.roles]");
    for (const auto& [world, value] : *roles) {
      const std::optional<Role> role = role_named(value.value_or<std::string_view>(""));
      if (!role)
        return wrong(value, "the role in " + text_of(world) + " must be one of " + roles_text());
      account.roles.emplace(text_of(world), *role);
    }
    return Done{};
  }

  std::string path_;
};

}  // namespace

Role Account::role_in(std::string_view world) const {
  auto line = roles.find(world);
  if (line == roles.end()) line = roles.find(kEveryWorld);
  return line == roles.end() ? Role::kNone : line->second;
}

Status check_account_name(std::string_view name) {
  if (!name.empty() && name.size() <= kMaxNameBytes &&
      all_of(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.+@")) {
    return Done{};
  }
  return Error{"\"" + std::string(name.substr(0, kMaxNameBytes)) +
               "\" is no name of an account: 1 to " + std::to_string(kMaxNameBytes) +
               " of a-z, 0-9, '-', '_', '.', '+' and '@'"};
}

Status check_world_name(std::string_view name) {
  if (name == kEveryWorld) return Done{};
  if (!name.empty() && name.size() <= 64 && all_of(name, "abcdefghijklmnopqrstuvwxyz0123456789-")) {
    return Done{};
  }
  return Error{"\"" + std::string(name.substr(0, 64)) +
               "\" is no name of a world: 1 to 64 of a-z, 0-9 and '-', or * for all of them"};
}

Result<Accounts> Accounts::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  // A folder can be opened, and not read; an empty file is one without accounts.
  if (!file || std::filesystem::is_directory(path, error)) {
    return Error{"cannot read the file of accounts " + path};
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return Error{"cannot read the file of accounts " + path};
  return parse(text, path);
}

Result<Accounts> Accounts::parse(std::string_view text, const std::string& path) {
  if (text.size() > kMaxFileBytes) {
    return Error{path + ": has more than " + std::to_string(kMaxFileBytes) + " bytes"};
  }
  Accounts accounts;
  try {
    const toml::table table = toml::parse(text, path);
    if (Status status = FileReader(path).read(table, accounts); !status) {
      return Error{status.error()};
    }
  } catch (const toml::parse_error& error) {
    return Error{path + ":" + std::to_string(error.source().begin.line) + ": " +
                 std::string(error.description())};
  }
  return accounts;
}

std::string Accounts::text() const {
  std::ostringstream text;
  text << "# Who may do what. Written by `sluice token`; the server reads it.\n";
  for (const auto& [name, account] : by_name_) {
    text << "\n[[account]]\nname = \"" << name << "\"\n";
    if (!account.token_hash.empty()) text << "token = \"" << account.token_hash << "\"\n";
    text << "created = \"" << account.created << "\"\n[account.roles]\n";
    for (const auto& [world, role] : account.roles) {
      text << '"' << world << "\" = \"" << name_of(role) << "\"\n";
    }
  }
  for (const Ban& ban : bans_.all()) {
    text << "\n[[ban]]\n"
         << (ban.account.empty() ? "address" : "account") << " = \"" << ban.of() << "\"\n";
    if (!ban.until.empty()) text << "until = \"" << ban.until << "\"\n";
    if (!ban.reason.empty()) text << "reason = \"" << ban.reason << "\"\n";
  }
  return text.str();
}

Status Accounts::add(Account account) {
  if (Status named = check_account_name(account.name); !named) return named;
  if (by_name_.size() >= kMostAccounts) {
    return Error{"there are " + std::to_string(kMostAccounts) + " accounts, and no more fit"};
  }
  const bool shows_token = !account.token_hash.empty();
  if (shows_token && (account.token_hash.size() != kHashDigits ||
                      !all_of(account.token_hash, "0123456789abcdef"))) {
    return Error{"the token of \"" + account.name + "\" is no SHA-256: 64 digits of 0-9 and a-f"};
  }
  if (!all_of(account.created, "0123456789-")) {
    return Error{"created of \"" + account.name + "\" is no date, as in 2026-11-22"};
  }
  for (const auto& [world, role] : account.roles) {
    if (Status named = check_world_name(world); !named) return named;
  }
  if (by_name_.contains(account.name)) {
    return Error{"there is an account named \"" + account.name + "\" already"};
  }
  if (shows_token && !names_by_hash_.emplace(account.token_hash, account.name).second) {
    return Error{"\"" + account.name + "\" has the token of another account"};
  }
  std::string name = account.name;
  by_name_.emplace(std::move(name), std::move(account));
  return Done{};
}

bool Accounts::remove(std::string_view name) {
  const auto place = by_name_.find(name);
  if (place == by_name_.end()) return false;
  names_by_hash_.erase(place->second.token_hash);
  by_name_.erase(place);
  return true;
}

const Account* Accounts::named(std::string_view name) const {
  const auto place = by_name_.find(name);
  return place == by_name_.end() ? nullptr : &place->second;
}

const Account* Accounts::holder_of(std::string_view token) const {
  if (token.empty() || token.size() > kMaxTokenBytes) return nullptr;
  const auto place = names_by_hash_.find(hash_of(token));
  return place == names_by_hash_.end() ? nullptr : named(place->second);
}

}  // namespace sluice::access
