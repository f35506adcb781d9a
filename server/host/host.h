// The whole server: worlds, their threads and recordings, the network.
#pragma once

#include <memory>
#include <string>

#include "protocol/base/result.h"
#include "server/host/admin_api.h"
#include "server/host/config.h"
#include "server/host/disk_guard.h"
#include "server/host/hosted_worlds.h"
#include "server/host/metrics.h"
#include "server/host/shared_executor.h"
#include "server/net/server.h"
#include "server/workers/thread_pool.h"

namespace sluice::host {

class Host {
 public:
  /// Brings the worlds up (from their recordings, where there are any), and listens. A world that
  /// cannot be brought up is logged and left out, as long as there is another one, or admins who
  /// can make one. Errors say what to change.
  [[nodiscard]] static Result<std::unique_ptr<Host>> start(const Config& config);

  /// Stops.
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// Checkpoints and stops every world, tells the clients, closes. False when something that was
  /// to be kept could not be, or a world was left out.
  bool stop();

  /// Reads the file of accounts and the certificate anew. What cannot be read stays as it was.
  [[nodiscard]] Status reload();

  /// What /readyz answers.
  [[nodiscard]] net::Readiness readiness() const;
  /// What /healthz and /metrics answer.
  [[nodiscard]] std::string health_text() const;
  [[nodiscard]] std::string metrics_text();
  /// "127.0.0.1:8080", as bound.
  [[nodiscard]] std::string address() const { return server_->address(); }
  /// Of the admins' listener; empty where there is none.
  [[nodiscard]] std::string admin_address() const { return admin_ ? admin_->address() : ""; }

 private:
  explicit Host(const Config& config);
  [[nodiscard]] Status bring_up(const Config& config);
  [[nodiscard]] Status listen(const Config& config);
  void prepare_backups(const Config& config);
  void prepare_disk_guard(const Config& config);
  [[nodiscard]] std::string status_text() const;
  [[nodiscard]] Status listen_for_admins(const Config& config);
  [[nodiscard]] Status open_gate(const Config& config);

  const std::string data_directory_;
  std::shared_ptr<access::Gate> gate_;
  workers::ThreadPool pool_;
  SharedExecutor executor_{pool_};
  Metrics metrics_;
  std::unique_ptr<Backups> backups_;
  std::unique_ptr<DiskGuard> disk_;
  HostedWorlds worlds_;
  std::unique_ptr<net::Server> server_;  // ends before the worlds that it looks into
  std::unique_ptr<AdminApi> admin_api_;
  std::unique_ptr<net::AdminServer> admin_;  // ends before all that it acts on
};

}  // namespace sluice::host
