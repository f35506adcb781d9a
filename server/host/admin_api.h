// The admin API: what those who run a server may ask of it, as HTTP with JSON (admin.md). Without
// sockets: net/admin_server.h carries it.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "protocol/base/result.h"
#include "server/access/gate.h"
#include "server/host/backups.h"
#include "server/host/hosted_worlds.h"
#include "server/net/admin_server.h"
#include "server/net/server.h"

namespace sluice::host {

/// What the API acts on; all must outlive it.
struct AdminTargets {
  HostedWorlds* worlds = nullptr;
  access::Gate* gate = nullptr;
  /// Whether who shows no token may do all: nobody else can connect, and there are no accounts.
  bool open = false;
  std::function<std::string()> health;
  std::function<net::Readiness()> readiness;
  std::function<std::string()> metrics;
  /// A page of HTML (status_page.h).
  std::function<std::string()> status;
  /// Returns the keys of the configuration that need a restart.
  std::function<Result<std::vector<std::string>>()> reload;
  std::function<Result<Backups::Made>(const std::string& world)> backup;
  /// Changes the file of accounts, and takes notice of it.
  std::function<Status(const std::function<Status(access::Accounts&)>& change)> change_accounts;
  /// What accounts may do has changed: whoever is connected is looked at anew.
  std::function<void()> apply_roles;
  /// Ends the connections of an account in a world. Returns how many; nothing: it took too long.
  std::function<std::optional<std::size_t>(const std::string& world, const std::string& account)>
      kick;
};

class AdminApi {
 public:
  explicit AdminApi(AdminTargets targets) : targets_(std::move(targets)) {}

  [[nodiscard]] net::AdminAnswer answer(const net::AdminAsked& asked);

  /// Holds off whatever acts until it is let go: changes come one after the other, also from
  /// several threads.
  [[nodiscard]] std::unique_lock<std::mutex> alone() { return std::unique_lock(acting_); }
  /// An action on a world ("pause") for an account that is known otherwise than by a token; by the
  /// same table, roles and audit. While it is alone().
  [[nodiscard]] net::AdminAnswer act(std::string_view action, const std::string& world,
                                     const std::string& account, const std::string& body);

  /// What it can do, as OpenAPI 3.1 in JSON: made from the table that requests are looked up in.
  [[nodiscard]] static std::string openapi();

 private:
  struct Request;
  struct Route;
  [[nodiscard]] static const std::vector<Route>& routes();

  [[nodiscard]] net::AdminAnswer run(const Route& route, Request& request);
  void audit(const Route& route, const Request& request, const net::AdminAnswer& answer) const;
  [[nodiscard]] std::string refusal_of(const Route& route, const Request& request) const;
  [[nodiscard]] static std::optional<net::AdminAnswer> read_body(const Route& route,
                                                                 const std::string& body,
                                                                 Request& request);

  net::AdminAnswer worlds(const Request& request);
  net::AdminAnswer create(const Request& request);
  net::AdminAnswer load(const Request& request);
  net::AdminAnswer unload(const Request& request);
  net::AdminAnswer remove(const Request& request);
  net::AdminAnswer reset(const Request& request);
  net::AdminAnswer export_bundle(const Request& request);
  net::AdminAnswer pause(const Request& request);
  net::AdminAnswer resume(const Request& request);
  net::AdminAnswer step(const Request& request);
  net::AdminAnswer speed(const Request& request);
  net::AdminAnswer save(const Request& request);
  net::AdminAnswer backup(const Request& request);
  net::AdminAnswer seal(const Request& request);
  net::AdminAnswer read_only(const Request& request);
  net::AdminAnswer kick(const Request& request);
  net::AdminAnswer owners(const Request& request);
  net::AdminAnswer limits(const Request& request);
  net::AdminAnswer bans(const Request& request);
  net::AdminAnswer ban(const Request& request);
  net::AdminAnswer unban(const Request& request);
  net::AdminAnswer log_level(const Request& request);
  net::AdminAnswer reload(const Request& request);

  AdminTargets targets_;
  std::mutex acting_;
};

}  // namespace sluice::host
