// The whole server: worlds, their threads and recordings, the network.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/host/admin_api.h"
#include "server/host/config.h"
#include "server/host/disk_guard.h"
#include "server/host/hosted_worlds.h"
#include "server/host/look_back.h"
#include "server/host/metrics.h"
#include "server/host/operator_desk.h"
#include "server/net/server.h"
#include "server/workers/shared_executor.h"
#include "server/workers/thread_pool.h"

namespace sluice::host {

class Host {
 public:
  /// Brings the worlds up (from their recordings, where there are any), and listens. A world that
  /// cannot be brought up is logged and left out, as long as there is another one, or admins who
  /// can make one. Errors say what to change.
  /// `read_again` reads the configuration anew, for reload(); without it that stays as it is.
  using ReadAgain = std::function<Result<Config>()>;
  [[nodiscard]] static Result<std::unique_ptr<Host>> start(const Config& config,
                                                           ReadAgain read_again = {});

  /// Stops.
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// Checkpoints and stops every world, tells the clients, closes. False when something that was
  /// to be kept could not be, or a world was left out.
  bool stop();

  /// Reads the configuration, the file of accounts and the certificate anew, and takes on accounts,
  /// certificate, the limits of roles and the bounds of looking back. Returns the keys that have
  /// changed and need a restart. What cannot be read stays as it was. Not for two threads at once.
  [[nodiscard]] Result<std::vector<std::string>> reload();

  /// What /readyz answers.
  [[nodiscard]] net::Readiness readiness() const;
  /// What /healthz and /metrics answer.
  [[nodiscard]] std::string health_text() const;
  [[nodiscard]] std::string metrics_text();
  /// "127.0.0.1:8080", as bound.
  [[nodiscard]] std::string address() const { return server_->address(); }
  /// Of the admins' listener; empty where there is none.
  [[nodiscard]] std::string admin_address() const { return admin_ ? admin_->address() : ""; }

  using Operate = std::function<Status(net::ClientCommand command, std::weak_ptr<const void> asker,
                                       const std::string& world)>;

 private:
  Host(const Config& config, ReadAgain read_again);
  [[nodiscard]] Status operate(net::ClientCommand command, std::weak_ptr<const void> asker,
                               const std::string& world);
  void open_desk(const Config& config);
  void take_limits(const access::LimitsByRole& limits);
  [[nodiscard]] Status bring_up(const Config& config);
  [[nodiscard]] Status listen(const Config& config);
  void prepare_backups(const Config& config);
  void prepare_disk_guard(const Config& config);
  [[nodiscard]] std::string status_text() const;
  [[nodiscard]] Status listen_for_admins(const Config& config);
  [[nodiscard]] Status open_gate(const Config& config);

  const Config config_;  // as of the start
  const ReadAgain read_again_;
  const std::string data_directory_;
  std::mutex reloading_;
  std::shared_ptr<access::Gate> gate_;
  workers::ThreadPool pool_;
  workers::SharedExecutor executor_{pool_};
  Metrics metrics_;
  std::unique_ptr<Backups> backups_;
  std::unique_ptr<DiskGuard> disk_;
  LookBack look_back_;
  HostedWorlds worlds_;
  std::unique_ptr<net::Server> server_;  // ends before the worlds that it looks into
  std::unique_ptr<AdminApi> admin_api_;
  std::mutex opening_;
  std::unique_ptr<OperatorDesk> desk_;       // guarded by opening_
  std::unique_ptr<net::AdminServer> admin_;  // ends before all that it acts on
};

}  // namespace sluice::host
