// Looking back in worlds while they run: who may watch a world may leave the present, and have a
// position of their own in its recording (server/playback/own_positions.h).
//
//   {"cmd": "alone"} ──► WorldRunner ──► LookBack ──► OwnPositions: reads the recording that
//                                                     RecordWriter writes, serves it beside the
//                                                     world
//
// A living world lends nothing to this but its recording, which is only read: not its thread, not
// its workers, not its cells.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "protocol/base/result.h"
#include "server/host/look_back_bounds.h"
#include "server/host/metrics.h"
#include "server/host/world_runner.h"
#include "server/net/log_limiter.h"
#include "server/net/server.h"
#include "server/playback/cache_budget.h"
#include "server/playback/own_positions.h"
#include "server/sim/executor.h"

namespace sluice::host {

class LookBack {
 public:
  explicit LookBack(LookBackBounds bounds, playback::PositionPatience patience = {});
  /// Stops. The server must be gone.
  ~LookBack() = default;
  LookBack(const LookBack&) = delete;
  LookBack& operator=(const LookBack&) = delete;

  /// Takes over what a world's viewers ask for. Before the world is served; outlives the runner, or
  /// its submit().
  void serve(WorldRunner& runner);
  /// From now on there may be positions in its recording.
  void add(WorldRunner& runner, const std::string& recording);
  /// Ends them, and tells their viewers why. When this returns nothing here reads the recording or
  /// knows the runner.
  void remove(const std::string& world, const std::string& why);

  /// Those beyond the new bounds end. Any thread.
  void set_bounds(LookBackBounds bounds);

  void start(net::Server& server) { positions_.start(server); }
  /// No position comes or goes from here on, and none moves; the server may still show them.
  void stop() { positions_.stop(); }

  /// Any thread, as bytes().
  [[nodiscard]] LookBackSample sample(const std::string& world) const;
  /// Of all worlds and states that positions hold now.
  [[nodiscard]] std::size_t bytes() const { return positions_.bytes() + caches_->bytes(); }

 private:
  [[nodiscard]] Result<std::vector<playback::Player::Recording>> open(const std::string& world,
                                                                      const std::string& recording);

  sim::SerialExecutor executor_;  // never the workers that ticks need
  std::shared_ptr<playback::CacheBudget> caches_;
  net::LogLimiter log_;  // the thread of positions_ alone
  playback::OwnPositions positions_;
};

}  // namespace sluice::host
