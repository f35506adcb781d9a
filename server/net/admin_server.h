// A listener of its own for those who run the server: health, metrics and the admin API. It has its
// own thread, port and limits, so that it answers whatever the public side suffers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "protocol/base/result.h"

namespace sluice::net {

struct AdminAsked {
  std::string method;
  std::string path;           // without what follows a '?'
  std::string authorization;  // the header's value
  std::string body;
};

struct AdminAnswer {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
};

struct AdminLimits {
  std::size_t connections = 32;          // beyond, the oldest one makes room
  std::size_t header_bytes = 16U << 10;  // of a request
  // Likewise: the largest world file, whose line ends and quotes take twice as much.
  std::size_t body_bytes = (2U << 20) + (4U << 10);
  std::chrono::milliseconds request{10000};  // for a request to arrive, an answer to leave
};

struct AdminOptions {
  std::string address = "127.0.0.1";  // numeric
  std::uint16_t port = 0;             // 0 picks a free one
  AdminLimits limits;
  /// What only asks (GET, HEAD) is answered on the listener's thread and must not wait. What acts
  /// may: that goes on another thread, one action after the other.
  std::function<AdminAnswer(const AdminAsked&)> answer;
};

class AdminServer {
 public:
  /// Listens when this returns ok. The error names the address and says why not.
  [[nodiscard]] static Result<std::unique_ptr<AdminServer>> start(AdminOptions options);
  /// Stops: no further request is answered.
  ~AdminServer();
  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  /// "127.0.0.1:9090", as bound.
  [[nodiscard]] std::string address() const;
  [[nodiscard]] std::uint16_t port() const;

 private:
  struct Implementation;
  explicit AdminServer(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace sluice::net
