// `sluice ban`: accounts and addresses that are not let in, in the file of accounts.
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "server/access/accounts_file.h"
#include "server/access/gate.h"
#include "server/tools/arguments.h"
#include "server/tools/commands.h"

namespace sluice::tools {

namespace {

struct BanOptions {
  std::string file;
  access::Ban ban;
  std::uint64_t hours = 0;
  std::string of;
  bool json = false;
};
using Options = std::shared_ptr<BanOptions>;

int run_add(const BanOptions& options) {
  access::Ban ban = options.ban;
  if (options.hours > 0) {
    const auto seconds = static_cast<std::int64_t>(3600 * options.hours);
    ban.until = access::time_of(access::Gate::system_time() + seconds);
  }
  const auto added = access::change_accounts(
      options.file, [&](access::Accounts& accounts) { return accounts.bans().add(ban); });
  return added ? kExitWell : fail(added.error());
}

int run_lift(const BanOptions& options) {
  const auto lifted = access::change_accounts(options.file, [&](access::Accounts& accounts) {
    return accounts.bans().lift(options.of) ? Status(Done{})
                                            : Status(Error{options.of + " is not banned"});
  });
  return lifted ? kExitWell : fail(lifted.error());
}

int run_list(const BanOptions& options) {
  const auto accounts = access::Accounts::read(options.file);
  if (!accounts) return fail(accounts.error());
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const access::Ban& ban : accounts->bans().all()) {
    list.push_back({{ban.account.empty() ? "address" : "account", ban.of()},
                    {"until", ban.until.empty() ? Json(nullptr) : Json(ban.until)},
                    {"reason", ban.reason}});
    if (options.json) continue;
    std::cout << ban.of() << "  " << (ban.until.empty() ? "for ever" : "until " + ban.until) << "  "
              << ban.reason << '\n';
  }
  if (options.json) std::cout << list.dump() << '\n';
  return kExitWell;
}

CLI::App& add_action(CLI::App& ban, const Options& options, int& exit_status, const char* name,
                     const char* what, int (*run)(const BanOptions&)) {
  CLI::App* const action = ban.add_subcommand(name, what);
  action->add_option("--file", options->file, "the file of accounts")->required();
  action->callback([options, &exit_status, run] { exit_status = run(*options); });
  return *action;
}

}  // namespace

void add_ban_command(CLI::App& app, int& exit_status) {
  CLI::App* const ban = app.add_subcommand("ban", "Keep accounts and addresses out");
  ban->require_subcommand(1);
  ban->footer(
      "Example: sluice ban add --address 203.0.113.0/24 --hours 24 --reason floods --file "
      "tokens.toml\n"
      "A server that runs takes notice at SIGHUP; `sluice admin ban` tells it at once.");
  const auto options = std::make_shared<BanOptions>();
  CLI::App& add = add_action(*ban, options, exit_status, "add", "Let somebody in no more", run_add);
  CLI::Option* const account = add.add_option("--account", options->ban.account, "its name");
  add.add_option("--address", options->ban.address, "or a range of them, as in 203.0.113.0/24")
      ->excludes(account);
  add.add_option("--hours", options->hours, "how long (default: for ever)")
      ->check(CLI::Range(std::uint64_t{1}, access::kMostBanHours));
  add.add_option("--reason", options->ban.reason, "which who is banned is told");
  add_action(*ban, options, exit_status, "lift", "Let somebody in again", run_lift)
      .add_option("OF", options->of, "the account, or the address as it was banned")
      ->required();
  add_action(*ban, options, exit_status, "list", "Print who is banned", run_list)
      .add_flag("--json", options->json, "as one JSON array");
}

}  // namespace sluice::tools
