// What all connections of a server share. On the network's thread alone, but for the counters.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "server/net/hub.h"
#include "server/net/server.h"

namespace sluice::net {

class Session;

struct Network {
  ServerOptions options;
  std::map<std::string, std::unique_ptr<Hub>> hubs;  // by the world's name
  std::set<Session*> sessions;                       // those that are open
  std::atomic<std::size_t> connections{0};
  bool stopping = false;
};

/// Counts a connection for as long as it lives.
class ConnectionSlot {
 public:
  explicit ConnectionSlot(Network& network) : network_(&network) { ++network.connections; }
  ConnectionSlot(ConnectionSlot&& other) noexcept : network_(other.network_) {
    other.network_ = nullptr;
  }
  ConnectionSlot& operator=(ConnectionSlot&&) = delete;
  ConnectionSlot(const ConnectionSlot&) = delete;
  ~ConnectionSlot() {
    if (network_ != nullptr) --network_->connections;
  }

 private:
  Network* network_;
};

}  // namespace sluice::net
