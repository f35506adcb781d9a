// `sluice token`: accounts, and the tokens that they show.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "protocol/base/suggestion.h"
#include "server/access/accounts_file.h"
#include "server/access/token.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"

namespace sluice::tools {

namespace {

struct TokenOptions {
  std::string file;
  std::string name;
  std::string role;
  std::vector<std::string> worlds;
  bool by_proxy = false;
  bool json = false;
};

std::string today() {
  const std::chrono::year_month_day date{
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text;
}

/// The role in the worlds that were named, or in every world.
Status set_roles(const TokenOptions& options, access::Account& account) {
  const std::optional<access::Role> role = access::role_named(options.role);
  if (!role) return Error{"there is no role \"" + options.role + "\""};
  std::vector<std::string> worlds = options.worlds;
  if (worlds.empty()) worlds.emplace_back(access::kEveryWorld);
  for (const std::string& world : worlds) {
    if (Status named = access::check_world_name(world); !named) return named;
    account.roles[world] = *role;
  }
  return Done{};
}

Error no_account(const std::string& name, const access::Accounts& accounts) {
  std::vector<std::string> names;
  for (const auto& [known, account] : accounts.all()) names.push_back(known);
  const std::string meant = nearest(name, names);
  return Error{"there is no account named \"" + name + "\"" +
               (meant.empty() ? "" : "; did you mean \"" + meant + "\"?")};
}

int run_add(const TokenOptions& options) {
  const auto token = access::new_token();
  if (!token) return fail(token.error());
  const auto added = access::change_accounts(options.file, [&](access::Accounts& accounts) {
    access::Account account{
        options.name, options.by_proxy ? "" : access::hash_of(*token), today(), {}};
    if (Status status = set_roles(options, account); !status) return status;
    if (accounts.named(options.name) != nullptr) {
      return Status(Error{"there is an account named \"" + options.name +
                          "\" already; `sluice token grant` changes its roles"});
    }
    return accounts.add(std::move(account));
  });
  if (!added) return fail(added.error());
  if (options.by_proxy) return kExitWell;
  std::cout << *token << '\n';
  std::cerr << "This is shown once: " << options.file << " holds only its hash.\n";
  return kExitWell;
}

int run_grant(const TokenOptions& options) {
  const auto granted = access::change_accounts(options.file, [&](access::Accounts& accounts) {
    const access::Account* const known = accounts.named(options.name);
    if (known == nullptr) return Status(no_account(options.name, accounts));
    access::Account account = *known;
    if (Status status = set_roles(options, account); !status) return status;
    (void)accounts.remove(options.name);
    return accounts.add(std::move(account));
  });
  return granted ? kExitWell : fail(granted.error());
}

int run_revoke(const TokenOptions& options) {
  const auto revoked = access::change_accounts(options.file, [&](access::Accounts& accounts) {
    if (!accounts.remove(options.name)) return Status(no_account(options.name, accounts));
    return Status(Done{});
  });
  return revoked ? kExitWell : fail(revoked.error());
}

int run_list(const TokenOptions& options) {
  const auto accounts = access::Accounts::read(options.file);
  if (!accounts) return fail(accounts.error());
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [name, account] : accounts->all()) {
    nlohmann::ordered_json roles = nlohmann::ordered_json::object();
    std::string text;
    for (const auto& [world, role] : account.roles) {
      roles[world] = access::name_of(role);
      text += (text.empty() ? "" : ", ") + std::string(access::name_of(role)) +
              (world == access::kEveryWorld ? " everywhere" : " in " + world);
    }
    list.push_back({{"name", name}, {"created", account.created}, {"roles", roles}});
    if (!options.json) std::cout << name << "  " << account.created << "  " << text << '\n';
  }
  if (options.json) std::cout << list.dump() << '\n';
  return kExitWell;
}

using Options = std::shared_ptr<TokenOptions>;

CLI::App& add_action(CLI::App& token, const Options& options, int& exit_status, const char* name,
                     const char* what, int (*run)(const TokenOptions&)) {
  CLI::App* const action = token.add_subcommand(name, what);
  action->add_option("--file", options->file, "the file of accounts")->required();
  action->callback([options, &exit_status, run] { exit_status = run(*options); });
  return *action;
}

/// As CLI11 wants it: empty where all is well.
std::string why_not(const Status& status) {
  return status ? std::string() : status.error();
}

void add_name(CLI::App& action, const Options& options) {
  action.add_option("NAME", options->name, "of the account")
      ->required()
      ->check([](const std::string& name) { return why_not(access::check_account_name(name)); });
}

void add_role(CLI::App& action, const Options& options, std::size_t least) {
  const std::vector<std::string> roles(access::kRoleNames.begin() + least,
                                       access::kRoleNames.end());
  action.add_option("--role", options->role, "what it may do; each role holds those before it")
      ->required()
      ->check(CLI::IsMember(roles));
  action.add_option("--world", options->worlds, "in this world alone; give it once for each")
      ->allow_extra_args(false)
      ->check([](const std::string& name) { return why_not(access::check_world_name(name)); });
}

}  // namespace

void add_token_command(CLI::App& app, int& exit_status) {
  CLI::App* const token =
      app.add_subcommand("token", "Make accounts and the tokens that they show");
  token->require_subcommand(1);
  token->footer(
      "Example: sluice token add ada --role build --world cave --file tokens.toml\n"
      "then:    sluice-server --world cave.toml --tokens tokens.toml");
  const auto options = std::make_shared<TokenOptions>();
  CLI::App& add = add_action(*token, options, exit_status, "add",
                             "Make an account and print its token, once", run_add);
  add_name(add, options);
  add_role(add, options, 1);
  add.add_flag("--by-proxy", options->by_proxy,
               "without a token: a trusted proxy names who it is (--account-header)");
  CLI::App& grant = add_action(*token, options, exit_status, "grant",
                               "Give an account another role; none takes it away", run_grant);
  add_name(grant, options);
  add_role(grant, options, 0);
  CLI::App& revoke = add_action(*token, options, exit_status, "revoke",
                                "Remove an account: its token opens nothing any more", run_revoke);
  add_name(revoke, options);
  CLI::App& list =
      add_action(*token, options, exit_status, "list", "Print accounts and their roles", run_list);
  list.add_flag("--json", options->json, "as one JSON array");
}

}  // namespace sluice::tools
