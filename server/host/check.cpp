#include "server/host/check.h"

#include <filesystem>
#include <set>
#include <sstream>

#include "server/formats/world_file.h"
#include "server/host/worlds_file.h"
#include "server/net/tls.h"

namespace sluice::host {

namespace {

std::string_view may(access::Role role) {
  switch (role) {
    case access::Role::kNone:
      return "do nothing";
    case access::Role::kWatch:
      return "watch";
    default:
      return "watch and build";
  }
}

Status explain_worlds(const Config& config, const access::Gate& gate, std::ostringstream& text) {
  std::set<std::string, std::less<>> names;
  for (const std::string& file : config.world_files) {
    const auto content = formats::read_file(file);
    if (!content.ok()) return Error{content.error()};
    const auto spec = formats::parse_world(content.value(), file);
    if (!spec.ok()) return Error{spec.error()};
    const sim::WorldConfig& world = spec->config;
    if (!names.insert(world.name).second) {
      return Error{file + ": there is another world named \"" + world.name + "\""};
    }
    const auto recording = std::filesystem::path(config.data_directory) / (world.name + ".sluice");
    std::error_code ignored;
    text << "world " << world.name << ": " << world.size.x << " x " << world.size.y << " x "
         << world.size.z << " cells, " << world.tick_rate << " ticks a second, from " << file
         << (std::filesystem::exists(recording, ignored) ? "; goes on from " : "; begins in ")
         << recording.string() << "; who shows no token may " << may(gate.role_in(world.name, ""))
         << (gate.read_only(world.name) ? "; read-only" : "")
         << (config.pause_when_alone.contains(world.name) ? "; pauses while nobody watches" : "")
         << '\n';
    const auto areas = config.areas.find(world.name);
    if (areas == config.areas.end()) continue;
    if (Status status = check_areas(world.name, world.size, areas->second); !status.ok()) {
      return status;
    }
    for (const Area& area : areas->second) {
      const Vec3 from = area.box.from;
      const Vec3 size = area.box.size;
      text << "  " << size.x << " x " << size.y << " x " << size.z << " cells from [" << from.x
           << ", " << from.y << ", " << from.z << "] need the role " << name_of(area.role) << '\n';
    }
  }
  const auto made = WorldsFile::read(worlds_file_of(config.data_directory));
  if (!made.ok()) return Error{made.error()};
  for (const auto& [name, state] : made->all()) {
    const bool configured = !names.insert(name).second;
    text << "world " << name << ": "
         << (state == WorldState::kUnloaded  ? "an admin unloaded it: not hosted"
             : state == WorldState::kRemoved ? "an admin removed it: not hosted"
                                             : "an admin made it: goes on from its recording")
         << (configured ? ", although the configuration names it\n" : "\n");
  }
  if (names.empty() && !config.admin) return Error{kNoWorld};
  if (config.admin) {
    text << "admins may make worlds: up to " << config.bounds.worlds << " in all, that begin with "
         << config.bounds.chunks << " chunks at the most\n";
  }
  for (const std::string& world : config.worlds_spoken_of) {
    if (names.contains(world) || !config.admin) continue;
    text << "note: [worlds." << world
         << "] speaks of a world that is not there; it holds once an admin makes it\n";
  }
  return check_worlds(config, names);
}

void explain_disk(const DiskLimits& limits, std::ostringstream& text) {
  if (limits.reserve > 0) {
    text << "edits are refused while the disk of the recordings has less than " << limits.reserve
         << " MiB left\n";
  }
  if (limits.recording_per_day > 0) {
    text << "edits of a world are refused once its recording grew by " << limits.recording_per_day
         << " MiB in a day\n";
  }
}

void explain_keeping(const Config& config, std::ostringstream& text) {
  if (config.backup_hours > 0) {
    text << "each recording is backed up every " << config.backup_hours << " h; the newest "
         << config.backups_kept << " are kept\n";
  }
  const HistoryRule& history = config.history;
  if (history.hours > 0) {
    text << "a world's history of more than " << history.hours << " h is "
         << (history.drop ? "dropped: nobody can prove it or look at it any more\n"
                          : "cut off, into a recording of its own beside it\n");
  }
}

void explain_look_back(const LookBackBounds& bounds, std::ostringstream& text) {
  if (bounds.positions == 0) {
    text << "nobody looks back at what was while a world runs\n";
    return;
  }
  text << "who may watch a world may look back in it: " << bounds.positions << " at a time, "
       << bounds.per_world << " of them in one world, with " << bounds.memory
       << " MiB for all of them\n";
}

void explain_owned(const access::RoleLimits& limits, std::string_view role,
                   std::ostringstream& text) {
  if (limits.cells_owned == 0 && limits.pipes_owned == 0) return;
  text << "an account with the role " << role
       << ", or who comes from one address without one, owns";
  if (limits.cells_owned > 0) text << " at most " << limits.cells_owned << " cells of rock";
  if (limits.cells_owned > 0 && limits.pipes_owned > 0) text << " and";
  if (limits.pipes_owned > 0) text << " at most " << limits.pipes_owned << " pipes";
  text << " in a world\n";
}

void explain_limits(const access::LimitsByRole& limits, std::ostringstream& text) {
  for (std::size_t i = 0; i < limits.size(); ++i) {
    const access::RoleLimits& one = limits[i];
    const char* separator = ": ";
    const auto say = [&](std::uint32_t limit, const char* before, const char* after) {
      if (limit == 0) return;
      text << separator << before << limit << after;
      separator = ", ";
    };
    explain_owned(one, access::kRoleNames[i], text);
    access::RoleLimits of_connection = one;
    of_connection.cells_owned = of_connection.pipes_owned = 0;
    if (of_connection == access::RoleLimits{}) continue;
    text << "a connection with the role " << access::kRoleNames[i] << " is bound";
    say(one.commands_per_second, "to ", " commands a second");
    say(one.work_per_second, "to ", " units of their work a second");
    say(one.view_cells, "to views of ", " cells");
    say(one.bytes_per_second, "to ", " bytes a second");
    text << '\n';
  }
}

}  // namespace

Result<std::string> explain(const Config& config) {
  std::ostringstream text;
  const access::GateRules rules = gate_rules(config);
  const bool local = net::is_loopback(config.address);
  if (Status status = net::check_tls(config.tls_certificate, config.tls_key); !status.ok()) {
    return Error{status.error()};
  }
  text << "listens on " << config.address << " port " << config.port
       << (config.tls_certificate.empty() ? ", not encrypted: " : ", encrypted: ")
       << (local ? "this machine alone can connect" : "other machines can connect") << '\n';
  access::Gate gate(rules);
  if (Status status = gate.read_accounts(); !status.ok()) return Error{status.error()};
  if (Status status = explain_worlds(config, gate, text); !status.ok()) {
    return Error{status.error()};
  }
  if (gate.has_accounts()) {
    text << gate.accounts() << " accounts in " << rules.accounts_file << '\n';
  } else {
    text << "no accounts (tokens): nobody has more than who shows no token\n";
  }
  explain_disk(config.disk, text);
  explain_keeping(config, text);
  explain_look_back(config.look_back, text);
  explain(config.connections, text);
  explain_limits(config.limits, text);
  if (!config.admin) {
    text << "no listener for admins (admin_listen); metrics are on the public port\n";
  } else {
    text << "admins: " << config.admin->address << " port " << config.admin->port
         << (gate.has_accounts() ? ", with tokens\n" : ", whoever is on this machine\n");
  }
  if (!local && config.tls_certificate.empty() && gate.has_accounts()) {
    text << "note: tokens cross the network as they are; use tls_cert, or a proxy that encrypts\n";
  }
  if (!local && rules.anonymous == access::Role::kBuild) {
    text << "note: anonymous = \"build\" lets every stranger change these worlds\n";
  }
  if (!local && config.origins.hosts.empty()) {
    text << "note: browsers reach it by its number alone; give the name of this machine in hosts\n";
  }
  return text.str();
}

}  // namespace sluice::host
