// Who a browser's request is for, and from where. A page of another site must not steer a world
// through its visitor's browser, and neither must a page whose name was made to lead to this
// machine (DNS rebinding): its Host and Origin agree, but the name is none of ours.
//
//   Host     allowed: numeric addresses, localhost, and the names that the server was given
//   Origin   allowed: the page's own server (equal to Host), and the origins that the server was
//            given, for pages behind a proxy that rewrites Host. Programs send none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::net {

struct Origins {
  std::vector<std::string> hosts;    // names without a port: "play.example.org"
  std::vector<std::string> origins;  // as browsers send them: "https://play.example.org"
  bool operator==(const Origins&) const = default;
};

/// A Host header's value, with or without a port.
[[nodiscard]] bool host_allowed(std::string_view host, const Origins& allowed);

/// An Origin header's value, of a request with that Host.
[[nodiscard]] bool origin_allowed(std::string_view origin, std::string_view host,
                                  const Origins& allowed);

/// "localhost, numeric addresses, play.example.org": for messages.
[[nodiscard]] std::string allowed_hosts(const Origins& allowed);

}  // namespace sluice::net
