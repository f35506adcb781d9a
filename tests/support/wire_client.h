// A blocking WebSocket client for tests, built on the client session that every viewer uses.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "protocol/client_session.h"

namespace sluice::tests {

class WireClient {
 public:
  using Milliseconds = std::chrono::milliseconds;

  /// A receive buffer that a client which reads nothing has soon filled.
  static constexpr int kSmallBuffer = 64 << 10;
  /// How long the server may take nothing of what is sent.
  static constexpr Milliseconds kPatience{20000};

  /// Throws std::runtime_error when the server cannot be reached or does not take the upgrade.
  /// `token` is shown to the server, where it is not empty; `commands`: of an earlier connection.
  /// `receive_buffer_bytes`: how much the system takes in that is not read; 0: as much as it likes.
  WireClient(std::uint16_t port, const std::string& path, std::string name = "test",
             const std::string& token = "", protocol::SentCommands commands = {},
             int receive_buffer_bytes = 0);
  ~WireClient();
  WireClient(const WireClient&) = delete;
  WireClient& operator=(const WireClient&) = delete;

  [[nodiscard]] protocol::ClientSession& session() { return session_; }
  [[nodiscard]] const protocol::Mirror& mirror() const { return session_.mirror(); }

  /// Sends Hello and waits for the answer. True when welcomed.
  bool greet();
  /// Sends what the session queued. Throws when the server takes nothing for `kPatience`; the
  /// connection is of no more use then.
  void flush();
  /// Sends any bytes as one message, as the session would not.
  void send_raw(const protocol::Bytes& bytes, bool binary = true);

  /// Takes in messages until `done` (asked after each one) or the time is over. False then, and
  /// when the connection ended.
  bool pump_until(const std::function<bool(protocol::ClientSession::Event)>& done,
                  Milliseconds patience = Milliseconds(10000));
  /// Sends a command and waits for its result.
  protocol::CommandResult command(const std::string& json);
  /// Waits until the connection has ended.
  bool wait_closed(Milliseconds patience = Milliseconds(10000));

  /// The reason in the server's close frame.
  [[nodiscard]] std::string close_reason() const;
  /// Ends the connection without a word.
  void abort();

 private:
  struct Socket;
  bool read_one(Milliseconds patience, protocol::ClientSession::Event& event);

  std::unique_ptr<Socket> socket_;
  protocol::ClientSession session_;
  bool ended_ = false;
};

/// A TCP connection on which nothing is said, for as long as it lives.
class SilentConnection {
 public:
  explicit SilentConnection(std::uint16_t port);
  ~SilentConnection();

 private:
  struct Socket;
  std::unique_ptr<Socket> socket_;
};

/// One HTTP request. `method` and `target` as in the request line.
struct HttpAnswer {
  unsigned status = 0;
  std::string body;
  std::string content_type;
  std::string head;  // status line and headers
};
[[nodiscard]] HttpAnswer http_request(std::uint16_t port, const std::string& method,
                                      const std::string& target,
                                      const std::string& extra_headers = "",
                                      const std::string& body = "");

/// Sends bytes on a plain connection and returns all that comes back until it closes.
[[nodiscard]] std::string raw_exchange(std::uint16_t port, const std::string& bytes);

}  // namespace sluice::tests
