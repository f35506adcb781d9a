// The whole server: worlds, their threads and recordings, the network.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/host/admin_api.h"
#include "server/host/background_verifier.h"
#include "server/host/config.h"
#include "server/host/disk_guard.h"
#include "server/host/metrics.h"
#include "server/host/shared_executor.h"
#include "server/host/world_runner.h"
#include "server/net/server.h"
#include "server/workers/thread_pool.h"

namespace sluice::host {

class Host {
 public:
  /// Brings the worlds up (from their recordings, where there are any), and listens. A world that
  /// cannot be brought up is logged and left out, as long as there is another one. Errors say what
  /// to change.
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
  [[nodiscard]] Status add_world(const std::string& world_file, const Config& config);
  [[nodiscard]] Status listen(const Config& config);
  void start_verifiers();
  void prepare_backups(const Config& config);
  void prepare_disk_guard(const Config& config);
  [[nodiscard]] std::string status_text() const;
  [[nodiscard]] std::string recording_path(const std::string& name) const;
  [[nodiscard]] std::string why_not_loaded() const;

  struct NotLoaded {
    std::string name;
    std::string why;  // with paths: for the log
  };

  [[nodiscard]] Status listen_for_admins(const Config& config);
  [[nodiscard]] Status open_gate(const Config& config);

  const std::string data_directory_;
  const WorkLimits work_limits_;
  std::shared_ptr<access::Gate> gate_;
  workers::ThreadPool pool_;
  SharedExecutor executor_{pool_};
  Metrics metrics_;
  std::vector<std::unique_ptr<WorldRunner>> runners_;
  std::vector<net::PastResults> past_;        // one a runner, until the network has it
  std::set<std::string, std::less<>> names_;  // of all worlds, hosted or not
  std::vector<NotLoaded> not_loaded_;
  mutable std::mutex verifiers_mutex_;  // the listener may ask before all are there
  std::vector<std::unique_ptr<BackgroundVerifier>> verifiers_;  // one a runner, or none at all
  std::unique_ptr<Backups> backups_;
  std::unique_ptr<DiskGuard> disk_;
  std::unique_ptr<net::Server> server_;  // ends before the runners that it looks into
  std::unique_ptr<AdminApi> admin_api_;
  std::unique_ptr<net::AdminServer> admin_;  // ends before all that it acts on
};

}  // namespace sluice::host
