// What all connections of a server share. On the network's thread alone, but for the counters.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "server/net/hub.h"
#include "server/net/log_limiter.h"
#include "server/net/packed_assets.h"
#include "server/net/server.h"
#include "server/net/token_bucket.h"

namespace boost::asio::ssl {
class context;
}

namespace sluice::net {

class Session;

/// Before accepting goes on after the system had no descriptor left.
inline constexpr std::chrono::milliseconds kAcceptPause{100};

/// A connection beyond the limits. It may ask for the server's health and nothing else, and makes
/// room for the next one of its kind.
class SurplusConnection {
 public:
  virtual ~SurplusConnection() = default;
  virtual void end() = 0;
};

struct Network {
  ServerOptions options;  // without the assets
  std::vector<PackedAsset> assets;
  std::shared_ptr<boost::asio::ssl::context> tls;         // of connections from now on; null: none
  std::map<std::string, std::unique_ptr<Hub>> hubs;       // by the world's name
  std::map<std::string, std::unique_ptr<Hub>> positions;  // by key_of(); no list names them
  std::set<Session*> sessions;                            // those that are open
  std::atomic<std::size_t> connections{0};                // those within the limits
  std::map<std::string, std::size_t> by_address;          // of those, from each address
  std::map<std::string, std::size_t> by_account;          // sessions of each account
  std::atomic<std::uint64_t> connections_refused{0};      // because there were too many
  std::deque<std::weak_ptr<SurplusConnection>> surplus;   // the oldest first
  // What strangers may make the server write.
  LogLimiter refused_log{kLogLinesPerSecond, kLogLinesAtOnce};
  LogLimiter closed_log{kLogLinesPerSecond, kLogLinesAtOnce};
  std::optional<TokenBucket> handshakes;  // where there is TLS
  std::optional<TokenBucket> spare;       // spare_messages()
  bool stopping = false;

  /// What all clients share of messages, once `options` are what they stay.
  [[nodiscard]] TokenBucket& spare_messages() {
    const double rate = options.limits.spare_messages_per_second;
    return spare ? *spare : spare.emplace(rate, rate);
  }

  /// Where a hub of that key belongs.
  [[nodiscard]] std::map<std::string, std::unique_ptr<Hub>>& hubs_of(const std::string& key) {
    return key.find(kPositionMark) == std::string::npos ? hubs : positions;
  }
  /// No name of a world holds the mark.
  [[nodiscard]] static std::string key_of(const std::string& world, const std::string& position) {
    return position.empty() ? world : world + kPositionMark + position;
  }
  static constexpr char kPositionMark = '?';

  static constexpr double kLogLinesPerSecond = 2;
  static constexpr double kLogLinesAtOnce = 20;
};

/// Counts a connection for as long as it lives, if the limits have room for it.
class ConnectionSlot {
 public:
  /// `address`: from where, without the port. Of a proxy any number, until its requests say for
  /// whom they are.
  ConnectionSlot(Network& network, const std::string& address) {
    if (network.connections >= network.options.limits.connections) return;
    if (full(network, address) && !network.options.proxies.trust(address)) return;
    network_ = &network;
    address_ = address;
    ++network.connections;
    ++network.by_address[address];
  }
  ConnectionSlot(ConnectionSlot&& other) noexcept
      : network_(std::exchange(other.network_, nullptr)), address_(std::move(other.address_)) {}
  ConnectionSlot& operator=(ConnectionSlot&&) = delete;
  ConnectionSlot(const ConnectionSlot&) = delete;
  ~ConnectionSlot() {
    if (network_ == nullptr) return;
    --network_->connections;
    leave();
  }

  /// Counts it among those from another address. False: there are too many; it stays where it is.
  [[nodiscard]] bool move_to(const std::string& address) {
    if (address == address_) return true;
    if (full(*network_, address) && !network_->options.proxies.trust(address)) return false;
    leave();
    address_ = address;
    ++network_->by_address[address];
    return true;
  }

  /// False: the connection is beyond the limits.
  [[nodiscard]] bool counted() const { return network_ != nullptr; }
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  [[nodiscard]] static bool full(const Network& network, const std::string& address) {
    const auto known = network.by_address.find(address);
    return known != network.by_address.end() &&
           known->second >= network.options.limits.connections_per_address;
  }
  void leave() {
    const auto place = network_->by_address.find(address_);
    if (--place->second == 0) network_->by_address.erase(place);
  }

  Network* network_ = nullptr;
  std::string address_;
};

}  // namespace sluice::net
