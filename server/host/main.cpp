// `sluice-server`: hosts worlds until SIGTERM or SIGINT. Standard output gets one line, the
// address; the log goes to standard error.
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "server/host/check.h"
#include "server/host/config.h"
#include "server/host/host.h"
#include "server/host/json_log.h"
#include "server/net/end_signals.h"

namespace {

constexpr int kExitWell = 0;
constexpr int kExitFailed = 1;
constexpr int kExitWrongUsage = 2;
// Who starts an image of the server gives flags beside those that it has already.
constexpr auto kLast = CLI::MultiOptionPolicy::TakeLast;

struct Arguments {
  std::vector<std::string> worlds;
  std::string config_file;
  std::string listen;
  std::string data;
  std::string log_level;
  std::string log_format;
  std::uint32_t threads = 0;
  std::uint32_t tick_budget = 0;
  std::uint32_t backup_hours = 0;
  std::uint32_t backups_kept = 0;
  bool fresh = false;
  sluice::host::HistoryRule history;
  sluice::host::DiskLimits disk;
  sluice::host::LookBackBounds look_back;
  std::vector<std::string> trusted_proxies;
  std::string account_header;
  bool no_verify = false;
  std::string tokens;
  std::string anonymous;
  std::string admin_listen;
  std::string tls_certificate;
  std::string tls_key;
  std::vector<std::string> hosts;
  std::vector<std::string> origins;
};

void add_look_back_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--look-back", arguments.look_back.positions,
                 "How many at a time may look at what a world recorded while it runs, default 8; "
                 "0: nobody")
      ->check(CLI::Range(std::uint32_t{0}, sluice::host::kMostLookBack));
  app.add_option("--look-back-per-world", arguments.look_back.per_world,
                 "Of those, in one world, default 4")
      ->check(CLI::Range(std::uint32_t{1}, sluice::host::kMostLookBack));
  app.add_option("--look-back-memory", arguments.look_back.memory,
                 "MiB that they may take together, default 1024")
      ->check(CLI::Range(std::uint32_t{1}, sluice::host::kMostLookBackMebibytes));
}

void declare(CLI::App& app, Arguments& arguments) {
  app.name("sluice-server");
  app.set_version_flag("--version", SLUICE_VERSION);
  app.add_option("--world", arguments.worlds, "A world file (TOML); give it once for each world")
      ->allow_extra_args(false);
  app.add_option("--config", arguments.config_file,
                 "A TOML file with the same keys; flags go before it");
  app.add_option("--listen", arguments.listen,
                 "ADDRESS:PORT, default 127.0.0.1:8080; port 0 picks a free one")
      ->multi_option_policy(kLast);
  app.add_option("--data", arguments.data, "Where recordings lie, default ./data")
      ->multi_option_policy(kLast);
  app.add_flag(
      "--fresh", arguments.fresh,
      "Begin worlds anew whose world file was changed since; what was recorded is kept, in "
      "DATA/removed");
  app.add_option("--threads", arguments.threads, "Workers, default one for each core")
      ->check(CLI::Range(std::uint32_t{0}, sluice::host::kMaxThreads));
  app.add_option("--tick-budget", arguments.tick_budget,
                 "Milliseconds that clients may bring a tick to, default 20")
      ->check(CLI::Range(std::uint32_t{1}, sluice::host::kMaxTickBudget));
  app.add_option("--host", arguments.hosts,
                 "A name that browsers reach this server by, besides localhost and addresses")
      ->allow_extra_args(false);
  app.add_option("--origin", arguments.origins,
                 "A page of another site that may connect, as in https://example.org")
      ->allow_extra_args(false);
  app.add_option(
         "--backup-hours", arguments.backup_hours,
         "Make a backup of each world every so many hours, in backups beside the recordings")
      ->check(CLI::Range(std::uint32_t{1}, sluice::host::kMostBackupHours));
  app.add_option("--backups-kept", arguments.backups_kept, "Of each world, default 7")
      ->check(CLI::Range(std::uint32_t{1}, sluice::host::kMostBackupsKept));
  app.add_option("--history-hours", arguments.history.hours,
                 "Cut off what of a recording is older; default 0: never")
      ->check(CLI::Range(std::uint32_t{0}, sluice::host::kMostHistoryHours));
  app.add_flag("--history-dropped", arguments.history.drop,
               "What is cut off is gone, and not kept in a file beside the recording");
  app.add_option(
         "--disk-reserve", arguments.disk.reserve,
         "Refuse edits while the recordings' disk has fewer MiB left, default 512; 0: never")
      ->check(CLI::Range(std::uint32_t{0}, sluice::host::kMostDiskMebibytes));
  app.add_option("--recording-per-day", arguments.disk.recording_per_day,
                 "Refuse edits of a world whose recording grew by so many MiB in 24 hours, default "
                 "16384; 0: never")
      ->check(CLI::Range(std::uint32_t{0}, sluice::host::kMostDiskMebibytes));
  add_look_back_options(app, arguments);
  app.add_option("--log-format", arguments.log_format, "text (default), or json: an object a line");
  app.add_option("--trusted-proxy", arguments.trusted_proxies,
                 "An address, or a range as in 10.0.0.0/8, whose X-Forwarded headers are believed")
      ->allow_extra_args(false);
  app.add_option("--account-header", arguments.account_header,
                 "The header in which such a proxy names the account that it has signed in");
  app.add_option("--tokens", arguments.tokens, "The file of accounts that `sluice token` writes");
  app.add_option("--anonymous", arguments.anonymous,
                 "What who shows no token may do: none, watch or build; default build where only "
                 "this machine can connect, else watch");
  app.add_option("--tls-cert", arguments.tls_certificate,
                 "A certificate (PEM, with its chain): connections are encrypted");
  app.add_option("--tls-key", arguments.tls_key, "The key that goes with it (PEM)");
  app.add_option("--admin-listen", arguments.admin_listen,
                 "ADDRESS:PORT of health, metrics and the admin API, for those who run the server")
      ->multi_option_policy(kLast);
  app.add_flag("--no-verify", arguments.no_verify,
               "Do not replay the recordings in the background");
  app.add_option("--log-level", arguments.log_level, "trace, debug, info, warn or error");
}

sluice::Status combine(const CLI::App& app, const Arguments& arguments,
                       sluice::host::Config& config) {
  using sluice::Status;
  if (!arguments.config_file.empty()) {
    if (Status status = read_config(arguments.config_file, config); !status.ok()) return status;
  }
  if (!arguments.listen.empty()) {
    if (Status status = set_listen(arguments.listen, config); !status.ok()) return status;
  }
  if (!arguments.log_level.empty()) {
    if (Status status = set_log_level(arguments.log_level, config); !status.ok()) return status;
  }
  if (!arguments.anonymous.empty()) {
    if (Status status = set_anonymous(arguments.anonymous, config); !status.ok()) return status;
  }
  if (!arguments.admin_listen.empty()) {
    if (Status status = set_admin_listen(arguments.admin_listen, config); !status.ok())
      return status;
  }
  for (const std::string& range : arguments.trusted_proxies) {
    if (Status status = add_trusted_proxy(range, config); !status.ok()) return status;
  }
  if (!arguments.account_header.empty()) {
    if (Status status = set_account_header(arguments.account_header, config); !status.ok())
      return status;
  }
  if (!arguments.log_format.empty()) {
    if (Status status = set_log_format(arguments.log_format, config); !status.ok()) return status;
  }
  if (!arguments.tls_certificate.empty()) config.tls_certificate = arguments.tls_certificate;
  if (!arguments.tls_key.empty()) config.tls_key = arguments.tls_key;
  if (!arguments.tokens.empty()) config.accounts_file = arguments.tokens;
  if (!arguments.data.empty()) config.data_directory = arguments.data;
  if (app.count("--threads") > 0) config.threads = arguments.threads;
  if (app.count("--tick-budget") > 0) config.tick_budget = arguments.tick_budget;
  if (app.count("--backup-hours") > 0) config.backup_hours = arguments.backup_hours;
  if (app.count("--backups-kept") > 0) config.backups_kept = arguments.backups_kept;
  if (app.count("--history-hours") > 0) config.history.hours = arguments.history.hours;
  if (arguments.history.drop) config.history.drop = true;
  config.fresh = arguments.fresh;
  if (app.count("--disk-reserve") > 0) config.disk.reserve = arguments.disk.reserve;
  if (app.count("--recording-per-day") > 0) {
    config.disk.recording_per_day = arguments.disk.recording_per_day;
  }
  if (app.count("--look-back") > 0) config.look_back.positions = arguments.look_back.positions;
  if (app.count("--look-back-per-world") > 0) {
    config.look_back.per_world = arguments.look_back.per_world;
  }
  if (app.count("--look-back-memory") > 0) config.look_back.memory = arguments.look_back.memory;
  if (arguments.no_verify) config.verify = false;
  const auto add = [](std::vector<std::string>& list, const std::vector<std::string>& more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  add(config.world_files, arguments.worlds);
  add(config.origins.hosts, arguments.hosts);
  add(config.origins.origins, arguments.origins);
  return check_together(config);
}

int fail(const std::string& message) {
  std::fprintf(stderr, "sluice-server: %s\n", message.c_str());
  return kExitWrongUsage;
}

std::string text_of(const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) text += (text.empty() ? "" : ", ") + key;
  return text;
}

void reload(sluice::host::Host& host) {
  const auto keys = host.reload();
  if (!keys.ok()) return spdlog::error("SIGHUP: all stays as it was: {}", keys.error());
  spdlog::info(
      "SIGHUP: read accounts and certificate anew, the limits of roles and of looking back; all "
      "else needs a "
      "restart");
  if (!keys->empty())
    spdlog::warn("SIGHUP: changed, but not without a restart: {}", text_of(*keys));
}

int serve(const sluice::host::Config& config, const sluice::net::EndSignals& signals,
          sluice::host::Host::ReadAgain read_again) {
  auto host = sluice::host::Host::start(config, std::move(read_again));
  if (!host.ok()) return fail(host.error());
  if (const std::string admin = host.value()->admin_address(); !admin.empty()) {
    if (config.log_json) {
      spdlog::info("admins: http://{}", admin);
    } else {
      std::fprintf(stderr, "admins: http://%s\n", admin.c_str());
    }
  }
  std::printf("listening on %s://%s\n", config.tls_certificate.empty() ? "http" : "https",
              host.value()->address().c_str());
  std::fflush(stdout);
  for (std::string_view signal = signals.wait(); signal == "SIGHUP"; signal = signals.wait()) {
    reload(*host.value());
  }
  spdlog::info("stopping");
  return host.value()->stop() ? kExitWell : kExitFailed;
}

int check(const sluice::host::Config& config) {
  const auto explained = sluice::host::explain(config);
  if (!explained.ok()) return fail(explained.error());
  std::printf("%s", explained.value().c_str());
  return kExitWell;
}

}  // namespace

int main(int argc, char** argv) {
  sluice::net::EndSignals signals;
  signals.add_hangup();
  CLI::App app{"Hosts shared worlds of water"};
  Arguments arguments;
  declare(app, arguments);
  CLI::App* const check_command =
      app.add_subcommand("check", "say what a configuration comes to, and start nothing");
  check_command->add_option("FILE", arguments.config_file, "as for --config")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitWell : kExitWrongUsage;
  }
  spdlog::set_default_logger(spdlog::stderr_color_mt("sluice"));
  sluice::host::Config config;
  if (const auto status = combine(app, arguments, config); !status.ok()) {
    return fail(status.error());
  }
  if (check_command->parsed()) return check(config);
  spdlog::set_level(spdlog::level::from_str(config.log_level));
  if (config.log_json) spdlog::set_formatter(sluice::host::json_log_lines());
  return serve(config, signals, [&]() -> sluice::Result<sluice::host::Config> {
    sluice::host::Config again;
    if (const auto status = combine(app, arguments, again); !status.ok()) {
      return sluice::Error{status.error()};
    }
    return again;
  });
}
