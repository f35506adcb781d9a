// What each path answers, without sockets.
#pragma once

#include <string>
#include <string_view>

#include "server/net/network.h"

namespace sluice::net {

struct Answer {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::string allow;  // the methods, where the status is 405
};

/// `method` and `target` as in the request line. WebSocket upgrades do not come here.
[[nodiscard]] Answer answer_to(Network& network, std::string_view method, std::string_view target);

/// Whether the path is one of those that are answered to everybody, however many there are.
[[nodiscard]] bool is_health(std::string_view target);

/// The hub that a WebSocket request means; null when there is no such world.
[[nodiscard]] Hub* hub_of(Network& network, std::string_view target);

}  // namespace sluice::net
