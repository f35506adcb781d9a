// A WebSocket to a server, on an io_context that its owner runs. Beast stays in connection.cpp.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client_stub/address.h"
#include "protocol/messages.h"

namespace boost::asio {
class io_context;
}

namespace sluice::client {

/// Everything happens on the thread that runs the io_context. No event comes before start()
/// returns, and none after closed or abandon().
class Connection {
 public:
  struct Events {
    std::function<void()> opened;
    /// One message; the bytes are valid during the call.
    std::function<void(protocol::ByteView)> received;
    /// Could not be opened, or ended; the reason is for a person.
    std::function<void(std::string reason)> closed;
  };

  [[nodiscard]] static std::unique_ptr<Connection> start(boost::asio::io_context& context,
                                                         const Address& address, Events events);
  virtual ~Connection() = default;

  /// Queued; messages leave in order.
  virtual void send(protocol::Bytes message) = 0;
  /// Says goodbye; `closed` follows within about a second.
  virtual void close() = 0;
  /// False: reads nothing more from the network until true (plays a client that hangs).
  virtual void set_reading(bool reading) = 0;
};

}  // namespace sluice::client
