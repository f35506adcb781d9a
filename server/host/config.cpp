#include "server/host/config.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "server/host/config_bounds.h"
#include "server/host/toml_file.h"
#include "server/net/address.h"

namespace sluice::host {

namespace {

constexpr std::array<std::string_view, 5> kLogLevels = {"trace", "debug", "info", "warn", "error"};
constexpr std::array<std::string_view, 31> kKeys = {"account_header",
                                                    "admin_listen",
                                                    "anonymous",
                                                    "backup_hours",
                                                    "backups_kept",
                                                    "connections",
                                                    "data",
                                                    "disk_reserve",
                                                    "history_dropped",
                                                    "history_hours",
                                                    "hosts",
                                                    "limits",
                                                    "listen",
                                                    "log_format",
                                                    "log_level",
                                                    "look_back",
                                                    "look_back_memory",
                                                    "look_back_per_world",
                                                    "most_worlds",
                                                    "most_new_chunks",
                                                    "origins",
                                                    "recording_per_day",
                                                    "threads",
                                                    "tick_budget",
                                                    "tls_cert",
                                                    "tls_key",
                                                    "tokens",
                                                    "trusted_proxies",
                                                    "verify",
                                                    "world",
                                                    "worlds"};

/// A list of texts; `what` they are, for messages.
Result<std::vector<std::string>> list_of_texts(const std::string& path, std::string_view key,
                                               const toml::node& node, const char* what) {
  const std::string wrong = std::string(key) + " must be a list of " + what;
  const toml::array* list = node.as_array();
  if (list == nullptr) return error_at(path, node.source(), wrong);
  std::vector<std::string> texts;
  for (const toml::node& entry : *list) {
    const auto text = entry.value_exact<std::string>();
    if (!text) return error_at(path, entry.source(), wrong);
    texts.push_back(*text);
  }
  return texts;
}

Status set_worlds(const std::string& path, const toml::node& node, Config& config) {
  const auto files = list_of_texts(path, "world", node, "files");
  if (!files.ok()) return Error{files.error()};
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (const std::string& file : *files) config.world_files.push_back((folder / file).string());
  return Done{};
}

Status add_texts(const std::string& path, std::string_view key, const toml::node& node,
                 const char* what, std::vector<std::string>& list) {
  const auto texts = list_of_texts(path, key, node, what);
  if (!texts.ok()) return Error{texts.error()};
  list.insert(list.end(), texts->begin(), texts->end());
  return Done{};
}

/// The role of who shows no token; those above build need an account.
Result<access::Role> visitors_role(std::string_view text) {
  const std::optional<access::Role> role = access::role_named(text);
  if (role && *role <= access::Role::kBuild) return *role;
  return Error{"anonymous is \"" + std::string(text) + "\", allowed: none, watch, build"};
}

/// Three whole numbers from `least` on.
Result<Vec3> vector_of(const std::string& path, std::string_view key, const toml::node& node,
                       std::int32_t least) {
  const Error wrong = error_at(path, node.source(),
                               std::string(key) + " must be three numbers from " +
                                   std::to_string(least) + " to " + std::to_string(kMaxSide));
  const toml::array* const list = node.as_array();
  if (list == nullptr || list->size() != 3) return wrong;
  std::array<std::int32_t, 3> numbers{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto number = (*list)[i].value_exact<std::int64_t>();
    if (!number || *number < least || *number > kMaxSide) return wrong;
    numbers[i] = static_cast<std::int32_t>(*number);
  }
  return Vec3{numbers[0], numbers[1], numbers[2]};
}

Result<Area> area_of(const std::string& path, const toml::table& table) {
  Area area;
  bool has_from = false;
  for (const auto& [key, value] : table) {
    if (key == "from" || key == "size") {
      const auto vector = vector_of(path, key.str(), value, key == "from" ? 0 : 1);
      if (!vector.ok()) return Error{vector.error()};
      (key == "from" ? area.box.from : area.box.size) = *vector;
      has_from = has_from || key == "from";
    } else if (key == "role") {
      const auto role = access::role_named(value.value_or<std::string_view>(""));
      if (!role || *role < access::Role::kOperate) {
        return error_at(path, value.source(), "role of an area must be operate or admin");
      }
      area.role = *role;
    } else {
      return error_at(
          path, value.source(),
          "unknown key \"" + std::string(key.str()) + "\" in an area; allowed: from, role, size");
    }
  }
  if (!has_from || area.box.empty()) {
    return error_at(path, table.source(), "an area needs from and size");
  }
  return area;
}

Status set_areas(const std::string& path, const std::string& world, const toml::node& node,
                 Config& config) {
  const std::string wrong = "area must be tables, as in [[worlds.cave.area]]";
  const toml::array* const list = node.as_array();
  if (list == nullptr) return error_at(path, node.source(), wrong);
  if (list->size() > kMostAreas) {
    return error_at(path, node.source(), "at most " + std::to_string(kMostAreas) + " areas");
  }
  for (const toml::node& entry : *list) {
    const toml::table* const table = entry.as_table();
    if (table == nullptr) return error_at(path, entry.source(), wrong);
    const auto area = area_of(path, *table);
    if (!area.ok()) return Error{area.error()};
    config.areas[world].push_back(*area);
  }
  return Done{};
}

Status set_flag(const std::string& path, std::string_view key, const toml::node& node, bool& flag) {
  const auto value = node.value_exact<bool>();
  if (!value) {
    return error_at(path, node.source(), std::string(key) + " must be true or false");
  }
  flag = *value;
  return Done{};
}

Status set_world_key(const std::string& path, const std::string& world, std::string_view key,
                     const toml::node& node, Config& config) {
  if (key == "anonymous") {
    const auto role = visitors_role(node.value_or<std::string_view>(""));
    if (!role.ok()) return error_at(path, node.source(), role.error());
    config.anonymous_in[world] = *role;
    return Done{};
  }
  if (key == "read_only" || key == "pause_when_alone") {
    bool value = false;
    if (Status set = set_flag(path, key, node, value); !set) return set;
    if (value) (key == "read_only" ? config.read_only : config.pause_when_alone).insert(world);
    return Done{};
  }
  if (key == "area") return set_areas(path, world, node, config);
  return error_at(path, node.source(),
                  "unknown key \"" + std::string(key) + "\" in [worlds." + world +
                      "]; allowed: anonymous, area, pause_when_alone, read_only");
}

Status set_world_keys(const std::string& path, const toml::node& node, Config& config) {
  const std::string wrong = "worlds must be tables, as in [worlds.cave]";
  const toml::table* const worlds = node.as_table();
  if (worlds == nullptr) return error_at(path, node.source(), wrong);
  for (const auto& [name, entry] : *worlds) {
    const toml::table* const keys = entry.as_table();
    if (keys == nullptr) return error_at(path, entry.source(), wrong);
    config.worlds_spoken_of.insert(std::string(name.str()));
    for (const auto& [key, value] : *keys) {
      Status status = set_world_key(path, std::string(name.str()), key.str(), value, config);
      if (!status.ok()) return status;
    }
  }
  return Done{};
}

/// A key whose value is a number, and what it may be.
struct Number {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  std::uint32_t* value = nullptr;
};

std::optional<Number> number_named(std::string_view key, Config& config) {
  const std::pair<std::string_view, Number> numbers[] = {
      {"threads", {0, kMaxThreads, &config.threads}},
      {"backup_hours", {0, kMostBackupHours, &config.backup_hours}},
      {"backups_kept", {1, kMostBackupsKept, &config.backups_kept}},
      {"disk_reserve", {0, kMostDiskMebibytes, &config.disk.reserve}},
      {"recording_per_day", {0, kMostDiskMebibytes, &config.disk.recording_per_day}},
      {"look_back", {0, kMostLookBack, &config.look_back.positions}},
      {"look_back_per_world", {1, kMostLookBack, &config.look_back.per_world}},
      {"look_back_memory", {1, kMostLookBackMebibytes, &config.look_back.memory}},
      {"most_worlds", {1, kMostWorlds, &config.bounds.worlds}},
      {"most_new_chunks", {1, static_cast<std::uint32_t>(kMaxChunks), &config.bounds.chunks}},
      {"tick_budget", {1, kMaxTickBudget, &config.tick_budget}},
      {"history_hours", {0, kMostHistoryHours, &config.history.hours}}};
  for (const auto& [name, number] : numbers) {
    if (name == key) return number;
  }
  return std::nullopt;
}

Status set_key(const std::string& path, std::string_view key, const toml::node& node,
               Config& config) {
  if (key == "world") return set_worlds(path, node, config);
  if (key == "hosts") return add_texts(path, key, node, "names", config.origins.hosts);
  if (key == "origins") return add_texts(path, key, node, "origins", config.origins.origins);
  if (key == "trusted_proxies") {
    const auto ranges = list_of_texts(path, key, node, "addresses");
    if (!ranges.ok()) return Error{ranges.error()};
    for (const std::string& range : *ranges) {
      const Status added = add_trusted_proxy(range, config);
      if (!added.ok()) return error_at(path, node.source(), added.error());
    }
    return Done{};
  }
  if (const auto number = number_named(key, config)) {
    return set_number(path, key, node, number->least, number->most, *number->value);
  }
  if (key == "history_dropped") return set_flag(path, key, node, config.history.drop);
  if (key == "verify") return set_flag(path, key, node, config.verify);
  if (key == "connections") return set_connections(path, node, config.connections);
  if (key == "limits") return set_limits(path, node, config.limits);
  if (key == "worlds") return set_world_keys(path, node, config);
  if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
    return error_at(path, node.source(),
                    "unknown key \"" + std::string(key) + "\"; allowed: " + list_of(kKeys));
  }
  const auto text = node.value_exact<std::string>();
  if (!text) return error_at(path, node.source(), std::string(key) + " must be a text");
  Status status = Done{};
  if (key == "data") config.data_directory = *text;
  if (key == "tls_cert") config.tls_certificate = *text;
  if (key == "tls_key") config.tls_key = *text;
  if (key == "tokens") config.accounts_file = *text;
  if (key == "anonymous") status = set_anonymous(*text, config);
  if (key == "account_header") status = set_account_header(*text, config);
  if (key == "admin_listen") status = set_admin_listen(*text, config);
  if (key == "listen") status = set_listen(*text, config);
  if (key == "log_format") status = set_log_format(*text, config);
  if (key == "log_level") status = set_log_level(*text, config);
  if (!status.ok()) return error_at(path, node.source(), status.error());
  return status;
}

}  // namespace

Status set_listen(std::string_view text, Config& config) {
  auto parsed = net::parse_listen_address(text, "listen");
  if (!parsed.ok()) return Error{parsed.error()};
  config.address = std::move(parsed->address);
  config.port = parsed->port;
  return Done{};
}

Status check_together(const Config& config) {
  if (config.tls_certificate.empty() != config.tls_key.empty()) {
    return Error{"tls_cert and tls_key go together: one of them is missing"};
  }
  if (config.admin && !net::is_loopback(config.admin->address) && config.accounts_file.empty()) {
    return Error{"admin_listen is open to other machines: that needs tokens"};
  }
  if (!config.proxies.account_header.empty() &&
      (config.proxies.trusted.empty() || config.accounts_file.empty())) {
    return Error{
        "account_header needs trusted_proxies, which may send it, and tokens, the file of the "
        "accounts that it names"};
  }
  return Done{};
}

Status check_worlds(const Config& config, const std::set<std::string, std::less<>>& names) {
  for (const std::string& world : config.worlds_spoken_of) {
    // Admins may make it, or may have removed it: that is no reason not to start.
    if (!names.contains(world) && !config.admin) {
      return Error{"[worlds." + world + "] speaks of a world that is not hosted"};
    }
  }
  return Done{};
}

Status set_admin_listen(std::string_view text, Config& config) {
  auto parsed = net::parse_listen_address(text, "admin_listen");
  if (!parsed.ok()) return Error{parsed.error()};
  config.admin = std::move(parsed).value();
  return Done{};
}

Status set_anonymous(std::string_view text, Config& config) {
  const auto role = visitors_role(text);
  if (!role.ok()) return Error{role.error()};
  config.anonymous = *role;
  return Done{};
}

std::vector<std::string> keys_that_need_a_restart(const Config& running, const Config& read) {
  std::vector<std::string> keys;
  const auto differ = [&](const char* key, const auto&... members) {
    if (((running.*members != read.*members) || ...)) keys.emplace_back(key);
  };
  differ("account_header, trusted_proxies", &Config::proxies);
  differ("admin_listen", &Config::admin);
  differ("anonymous", &Config::anonymous, &Config::anonymous_in);
  differ("area", &Config::areas);
  differ("backup_hours", &Config::backup_hours);
  differ("backups_kept", &Config::backups_kept);
  differ("connections", &Config::connections);
  differ("data", &Config::data_directory);
  differ("disk_reserve, recording_per_day", &Config::disk);
  differ("history_hours, history_dropped", &Config::history);
  differ("hosts, origins", &Config::origins);
  differ("listen", &Config::address, &Config::port);
  differ("log_format", &Config::log_json);
  differ("log_level", &Config::log_level);
  differ("most_worlds, most_new_chunks", &Config::bounds);
  differ("pause_when_alone", &Config::pause_when_alone);
  differ("read_only", &Config::read_only);
  differ("threads", &Config::threads);
  differ("tick_budget", &Config::tick_budget);
  differ("tls_cert, tls_key", &Config::tls_certificate, &Config::tls_key);
  differ("tokens", &Config::accounts_file);
  differ("verify", &Config::verify);
  differ("world", &Config::world_files);
  return keys;
}

std::string worlds_file_of(const std::string& data_directory) {
  return (std::filesystem::path(data_directory) / "worlds.toml").string();
}

access::GateRules gate_rules(const Config& config) {
  access::GateRules rules;
  // Behind a proxy, who connects from this machine may be anybody.
  const bool local = net::is_loopback(config.address) && config.proxies.trusted.empty();
  rules.anonymous = config.anonymous.value_or(local ? access::Role::kBuild : access::Role::kWatch);
  rules.anonymous_in = config.anonymous_in;
  rules.read_only = config.read_only;
  rules.accounts_file = config.accounts_file;
  rules.limits = config.limits;
  return rules;
}

Status add_trusted_proxy(std::string_view text, Config& config) {
  const auto range = access::AddressRange::parse(text);
  if (!range.ok()) return Error{"trusted_proxies: " + range.error()};
  config.proxies.trusted.push_back(*range);
  return Done{};
}

Status set_account_header(std::string_view text, Config& config) {
  constexpr std::size_t kLongest = 64;
  const bool is_name = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-';
  });
  if (text.empty() || text.size() > kLongest || !is_name) {
    return Error{"account_header must be the name of a header: 1 to 64 letters, digits and '-'"};
  }
  config.proxies.account_header = text;
  return Done{};
}

Status set_log_format(std::string_view text, Config& config) {
  if (text != "text" && text != "json") {
    return Error{"log_format is \"" + std::string(text) + "\", allowed: text, json"};
  }
  config.log_json = text == "json";
  return Done{};
}

Status set_log_level(std::string_view text, Config& config) {
  if (std::find(kLogLevels.begin(), kLogLevels.end(), text) == kLogLevels.end()) {
    return Error{"log_level is \"" + std::string(text) + "\", allowed: " + list_of(kLogLevels)};
  }
  config.log_level = text;
  return Done{};
}

Status read_config(const std::string& path, Config& config) {
  const Result<toml::table> table = read_toml(path);
  if (!table) return Error{table.error()};
  for (const auto& [key, node] : *table) {
    if (Status status = set_key(path, key.str(), node, config); !status.ok()) return status;
  }
  return Done{};
}

}  // namespace sluice::host
