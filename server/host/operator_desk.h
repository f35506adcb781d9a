// What those who run a world ask for over its WebSocket: the command "operate", for pages that have
// no way to the admins' listener. It goes by the same table, roles and audit as what comes there
// (admin_api.h).
//
//   net: WorldRunner::submit() ─► ask() ─► queue ─► the desk's thread ─► AdminApi::act() ─► reply
//   ─► feed
//
// Actions may wait (a save for the disk, a kick for the network), so they have a thread of their
// own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "server/host/admin_api.h"
#include "server/host/hosted_worlds.h"
#include "server/net/world_feed.h"

namespace sluice::host {

class OperatorDesk {
 public:
  /// That wait, of all worlds together. Each is a few hundred bytes, and few people run a server.
  static constexpr std::size_t kMostWaiting = 16;

  /// Both outlive this.
  OperatorDesk(AdminApi& api, const HostedWorlds& worlds);
  /// Stops.
  ~OperatorDesk();
  OperatorDesk(const OperatorDesk&) = delete;
  OperatorDesk& operator=(const OperatorDesk&) = delete;

  /// Any thread; does not wait. An error is why it was not taken in. Else a reply follows through
  /// the world's feed, unless the world it was asked in, `asker`, is gone by then.
  [[nodiscard]] Status ask(net::ClientCommand command, std::weak_ptr<const void> asker,
                           const std::string& world);
  /// What waits is forgotten; what is under way is finished.
  void stop();

 private:
  struct Asked {
    net::ClientCommand command;
    std::weak_ptr<const void> asker;
    std::string world;
  };

  void run();
  void act(const Asked& asked);

  AdminApi& api_;
  const HostedWorlds& worlds_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Asked> waiting_;  // guarded by mutex_
  bool stopping_ = false;      // guarded by mutex_
  std::thread thread_;
};

}  // namespace sluice::host
