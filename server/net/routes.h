// What each path answers, without sockets.
#pragma once

#include <string>
#include <string_view>

#include "server/net/network.h"
#include "server/net/visitor.h"

namespace sluice::net {

/// What is asked, in the request's own bytes.
struct Asked {
  std::string_view method;  // as in the request line
  std::string_view target;
  // Headers' values, empty where there are none.
  std::string_view authorization;
  std::string_view accept_encoding;
  std::string_view if_none_match;
  std::string_view address;  // of the client, without the port
  bool encrypted;            // between the client and us, or the proxy before us
  const Visitor& visitor;
};

struct Answer {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::string allow = {};  // the methods, where the status is 405
  // Headers, where they are not empty.
  std::string set_cookie = {};
  std::string etag = {};
  std::string encoding = {};
};

/// WebSocket upgrades do not come here.
[[nodiscard]] Answer answer_to(Network& network, const Asked& asked);

/// 401 or 403, and why.
[[nodiscard]] Answer refusal_answer(const std::string& why, const Visitor& visitor);

/// Whether the path is one of those that are answered to everybody, however many there are.
[[nodiscard]] bool is_health(std::string_view target);

/// The hub that a WebSocket request means; null when there is no such world.
[[nodiscard]] Hub* hub_of(Network& network, std::string_view target);

/// What to say where there is none: with the world that was probably meant, of those that the
/// visitor may know of.
[[nodiscard]] std::string no_such_world(const Network& network, std::string_view target,
                                        const Visitor& visitor);

}  // namespace sluice::net
