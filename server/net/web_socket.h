// A WebSocket as a session uses it, over TCP or TLS, with the clock and the timer that belong to
// it: all that a session has to do with the world outside. One read, one write and one wait at a
// time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include "protocol/codec.h"
#include "protocol/transport/http.h"
#include "server/net/server.h"

namespace sluice::net {

class WebSocket {
 public:
  using Request = transport::Request;
  using Done = transport::Called;

  virtual ~WebSocket() = default;
  [[nodiscard]] virtual Clock::Time now() = 0;
  /// Calls `done` after that time, with an error if it was cancelled; what it waited for before is.
  virtual void wait(std::chrono::steady_clock::duration time, Done done) = 0;
  virtual void cancel_wait() = 0;
  /// "127.0.0.1:5000", for logs.
  [[nodiscard]] virtual std::string peer() = 0;
  /// Answers the upgrade, which must live until then.
  virtual void accept(const Request& upgrade, const Limits& limits, Done done) = 0;
  virtual void read(boost::beast::flat_buffer& buffer, Done done) = 0;
  [[nodiscard]] virtual bool got_binary() = 0;
  /// The bytes must live until it is done.
  virtual void write(const protocol::Bytes& bytes, Done done) = 0;
  virtual void close(const boost::beast::websocket::close_reason& reason, Done done) = 0;
  /// At once: what is under way fails.
  virtual void end() = 0;
};

/// Over a stream that was used for HTTP until now. The clock must outlive it.
[[nodiscard]] std::unique_ptr<WebSocket> make_web_socket(transport::Stream stream,
                                                         const Clock& clock);

}  // namespace sluice::net
