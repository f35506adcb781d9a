// `sluice load URL`: many clients on one world, and what they felt.
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <vector>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/tools/commands.h"
#include "server/tools/load/bot.h"

namespace sluice::tools {

namespace {

struct LoadOptions {
  std::string url;
  std::string token;
  int clients = 10;
  double seconds = 10;
  double commands_per_second = 0;
  int commanders = -1;
  int stall = 0;
  int mirrors = 3;
  bool table = false;
};

/// Stalled clients are the first ones, so the mirrors and those that send commands are the last.
BotOptions options_of(int number, const LoadOptions& all) {
  const int from_last = all.clients - 1 - number;
  BotOptions options;
  options.number = number;
  options.stalls = number < all.stall;
  options.mirrors = from_last < all.mirrors;
  if (all.commanders < 0 || from_last < all.commanders) {
    options.commands_per_second = all.commands_per_second;
  }
  return options;
}

int run_load(const LoadOptions& options) {
  auto address = client::parse_address(options.url);
  const auto token = client::token_to_show(options.token);
  if (!address.ok() || !token.ok()) return fail((address.ok() ? token.error() : address.error()));
  address.value().token = token.value();
  boost::asio::io_context context(1);
  Tally tally;
  tally.open = options.clients;
  const LoadClock::time_point start = LoadClock::now();
  std::vector<std::unique_ptr<Bot>> bots;
  for (int i = 0; i < options.clients; ++i) {
    bots.push_back(
        std::make_unique<Bot>(context, address.value(), options_of(i, options), start, tally));
  }
  boost::asio::steady_timer end(context);
  end.expires_after(std::chrono::microseconds(static_cast<std::int64_t>(options.seconds * 1e6)));
  end.async_wait([&](boost::system::error_code) {
    for (const auto& bot : bots) bot->finish();
  });
  context.run();
  const double seconds = milliseconds_since(start, LoadClock::now()) / 1e3;
  if (options.table) {
    print_table(tally, seconds, std::cout);
  } else {
    print_json(tally, seconds, std::cout);
  }
  std::map<std::string, int> reasons;
  for (const std::string& error : tally.errors) ++reasons[error];
  for (const auto& [reason, count] : reasons) {
    std::cerr << "sluice: " << count << " clients: " << reason << '\n';
  }
  if (tally.connected == 0) return kExitWrongInput;
  return tally.errors.empty() && tally.mismatches == 0 ? kExitWell : kExitFound;
}

}  // namespace

void add_load_command(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<LoadOptions>();
  CLI::App* command = app.add_subcommand("load", "Put many clients on a hosted world");
  command->footer(
      "Example: sluice load ws://127.0.0.1:8080/worlds/cave --clients 100 --commands-per-second 2 "
      "--table");
  command->add_option("URL", options->url, "ws://HOST:PORT/worlds/NAME")->required();
  command->add_option("--token", options->token, "of all of them (default: SLUICE_TOKEN)");
  command->add_option("--clients", options->clients, "how many (default: 10)")
      ->check(CLI::Range(1, 100000));
  command->add_option("--seconds", options->seconds, "for how long (default: 10)")
      ->check(CLI::Range(0.1, 1e6));
  command
      ->add_option("--commands-per-second", options->commands_per_second,
                   "of each client: pours, and now and then a dig (default: 0)")
      ->check(CLI::Range(0.0, 1e5));
  command
      ->add_option("--commanders", options->commanders,
                   "only so many of them send commands (default: all)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--stall", options->stall, "this many of them stop reading (default: 0)")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--mirrors", options->mirrors,
                   "so many hold the world and compare its digests; the others read alone "
                   "(default: 3)")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--table", options->table, "print a table for people, not JSON");
  command->callback([options, &exit_status] { exit_status = run_load(*options); });
}

}  // namespace sluice::tools
