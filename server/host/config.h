// What `sluice-server` is told: from the command line, or the same keys from a TOML file.
//
//   world       = ["worlds/cave.toml"]    world files; relative ones are looked for beside the file
//   listen      = "127.0.0.1:8080"        port 0 picks a free one
//   data        = "data"                  where recordings lie; relative to the working directory
//   threads     = 2                       workers, 0: one for each core
//   tick_budget = 20                      milliseconds that clients may bring a tick to
//   log_level   = "info"                  trace, debug, info, warn, error
//   hosts       = ["play.example.org"]    names that this server answers to, besides localhost and
//                                         numeric addresses
//   origins     = ["https://example.org"] pages of other sites that may connect
//   log_format  = "text"                  or json: an object a line (json_log.h)
//   backup_hours = 24                     a backup of each world every so many hours (backups.h)
//   backups_kept = 7                      of each world, the newest
//   history_hours = 720                   of history are kept, older one is cut off
//                                         (history_rule.h); 0: all is kept
//   history_dropped = true                what is cut off is gone; by default it is kept beside
//   disk_reserve = 512                    MiB: while the recordings' disk has less left, edits are
//                                         refused; 0: never (disk_guard.h)
//   recording_per_day = 16384             MiB: once a recording grew by so much in 24 hours, edits
//                                         of its world are refused; 0: never
//   trusted_proxies = ["10.0.0.0/8"]      addresses of proxies, whose word is taken for who
//   connects account_header  = "X-Forwarded-User"  where they name the account that they have
//   signed in verify      = true                    replay recordings in the background
//   (background_verifier.h)
//   tokens      = "tokens.toml"           the file of accounts (`sluice token`); relative to the
//                                         working directory
//   anonymous   = "watch"                 the role of who shows no token: none, watch or build; by
//                                         default build where only this machine can connect, else
//                                         watch
//   tls_cert    = "server.pem"            certificate and key (PEM): connections are encrypted;
//   tls_key     = "server.key"            relative to the working directory
//   admin_listen = "127.0.0.1:9090"       where health, metrics and the admin API are; metrics are
//                                         nowhere else then
//   look_back   = 8                       who may watch a world may look at what was, so many at a
//                                         time (look_back.h); 0: nobody
//   look_back_per_world = 4               of those, in one world
//   look_back_memory = 1024               MiB, that they may take together
//   most_worlds = 64                      that this server has, before admins may make no more
//   most_new_chunks = 65536               that a world may begin with which admins make
//   [connections]                         of all clients (connection_bounds.h)
//   most        = 2048
//   per_address = 1024
//   per_account = 256
//   [limits.build]                        of each connection with that role: watch, build, operate
//   or
//                                         admin; without a key, or with 0, the server's own
//   commands_per_second = 20
//   work_per_second = 4000000             units, of some four nanoseconds each
//   view_cells  = 65536                   seen at a time
//   bytes_per_second = 200000             sent to it
//   cells_owned = 5000                    of rock, that an account may own in a world (ownership.h)
//   pipes_owned = 200                     and pipes, pumps and valves
//   [worlds.cave]                         of one world:
//   anonymous   = "build"
//   read_only   = true                    nobody builds
//   pause_when_alone = true               its time stands while nobody watches it
//   [[worlds.cave.area]]                  a part of it that not every builder may change (areas.h)
//   from        = [0, 0, 0]
//   size        = [32, 32, 1]
//   role        = "operate"               who may: operate, or admin
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "server/access/gate.h"
#include "server/host/areas.h"
#include "server/host/backups.h"
#include "server/host/connection_bounds.h"
#include "server/host/disk_guard.h"
#include "server/host/history_rule.h"
#include "server/host/look_back_bounds.h"
#include "server/host/tick_budget.h"
#include "server/host/world_bounds.h"
#include "server/net/address.h"
#include "server/net/origins.h"
#include "server/net/proxies.h"

namespace sluice::host {

struct Config {
  std::vector<std::string> world_files;
  std::string address = "127.0.0.1";  // numeric
  std::uint16_t port = 8080;
  std::string data_directory = "data";
  std::uint32_t threads = 0;
  std::uint32_t tick_budget = kDefaultTickBudget;
  std::string log_level = "info";
  bool log_json = false;
  bool verify = true;
  std::uint32_t backup_hours = 0;  // 0: none by themselves
  std::uint32_t backups_kept = kDefaultBackupsKept;
  HistoryRule history;
  /// Worlds begin anew whose world file was changed since. For one start: no key of a file.
  bool fresh = false;
  DiskLimits disk;
  WorldBounds bounds;
  LookBackBounds look_back;
  ConnectionBounds connections;
  access::LimitsByRole limits;
  net::Origins origins;
  net::Proxies proxies;
  std::string accounts_file;
  std::string tls_certificate;
  std::string tls_key;
  std::optional<net::ListenAddress> admin;
  std::optional<access::Role> anonymous;
  std::map<std::string, access::Role, std::less<>> anonymous_in;  // worlds
  std::set<std::string, std::less<>> read_only;                   // worlds
  std::set<std::string, std::less<>> pause_when_alone;            // worlds
  std::map<std::string, std::vector<Area>, std::less<>> areas;    // by world
  std::set<std::string, std::less<>> worlds_spoken_of;            // in [worlds.NAME]
};

/// The keys by which these differ that a running server does not take on.
[[nodiscard]] std::vector<std::string> keys_that_need_a_restart(const Config& running,
                                                                const Config& read);

/// Where the worlds file of a data folder lies (worlds_file.h).
[[nodiscard]] std::string worlds_file_of(const std::string& data_directory);

/// What the configuration comes to at the gate.
[[nodiscard]] access::GateRules gate_rules(const Config& config);

inline constexpr std::uint32_t kMaxThreads = 256;
/// Of a configuration without any, and without admins who could make one.
inline constexpr const char* kNoWorld =
    "no world to host: give --world FILE.toml, or world in --config";

/// "ADDRESS:PORT", "[IPV6]:PORT" or "localhost:PORT".
[[nodiscard]] Status set_listen(std::string_view text, Config& config);
/// "none", "watch" or "build".
[[nodiscard]] Status set_anonymous(std::string_view text, Config& config);
[[nodiscard]] Status set_admin_listen(std::string_view text, Config& config);
[[nodiscard]] Status add_trusted_proxy(std::string_view text, Config& config);
[[nodiscard]] Status set_account_header(std::string_view text, Config& config);
[[nodiscard]] Status set_log_level(std::string_view text, Config& config);
[[nodiscard]] Status set_log_format(std::string_view text, Config& config);

/// What no single key shows to be wrong.
[[nodiscard]] Status check_together(const Config& config);
/// `names` are those of the worlds that are to be hosted. Of others nothing may be said, but where
/// there are admins who can make them.
[[nodiscard]] Status check_worlds(const Config& config,
                                  const std::set<std::string, std::less<>>& names);

/// Sets what the file says. Errors name the file, the line and the key, and list what is allowed.
[[nodiscard]] Status read_config(const std::string& path, Config& config);

}  // namespace sluice::host
