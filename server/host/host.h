// The whole server: worlds, their threads and recordings, the network.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/host/background_verifier.h"
#include "server/host/config.h"
#include "server/host/metrics.h"
#include "server/host/shared_executor.h"
#include "server/host/world_runner.h"
#include "server/net/server.h"
#include "server/sim/result.h"
#include "server/workers/thread_pool.h"

namespace sluice::host {

class Host {
 public:
  /// Brings the worlds up (from their recordings, where there are any), and listens. Errors say
  /// what to change.
  [[nodiscard]] static sim::Result<std::unique_ptr<Host>> start(const Config& config);

  /// Stops.
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// Checkpoints and stops every world, tells the clients, closes. False when something that was
  /// to be kept could not be.
  bool stop();

  /// "127.0.0.1:8080", as bound.
  [[nodiscard]] std::string address() const { return server_->address(); }

 private:
  explicit Host(const Config& config);
  [[nodiscard]] sim::Status add_world(const std::string& world_file);
  [[nodiscard]] sim::Status listen(const Config& config);
  [[nodiscard]] net::Readiness readiness() const;
  [[nodiscard]] std::string metrics_text();
  [[nodiscard]] std::string health_text() const;
  void start_verifiers();
  [[nodiscard]] std::string recording_path(const std::string& name) const;

  const std::string data_directory_;
  workers::ThreadPool pool_;
  SharedExecutor executor_{pool_};
  Metrics metrics_;
  std::vector<std::unique_ptr<WorldRunner>> runners_;
  mutable std::mutex verifiers_mutex_;  // the listener may ask before all are there
  std::vector<std::unique_ptr<BackgroundVerifier>> verifiers_;  // one a runner, or none at all
  std::unique_ptr<net::Server> server_;  // ends before the runners that it looks into
};

}  // namespace sluice::host
