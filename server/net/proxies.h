// Proxies that stand before the server. What they say of a client is believed when they connect
// from a trusted address, and nothing of it when anybody else says it:
//
//   X-Forwarded-For      where the client connects from: the last address that is no trusted
//   proxy's X-Forwarded-Proto    https: the client's connection is encrypted the account's header
//   who the client is, where the proxy signs people in (OpenID Connect)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/access/address_range.h"

namespace sluice::net {

struct Proxies {
  std::vector<access::AddressRange> trusted;
  std::string account_header;  // empty: none is asked for
  bool operator==(const Proxies&) const = default;

  [[nodiscard]] bool trust(std::string_view address) const;
  /// `forwarded`: what X-Forwarded-For says, of several lines all in their order, with commas
  /// between; `peer`: who has connected. Without a proxy, or a use in what it says, the peer.
  [[nodiscard]] std::string client_of(const std::string& peer, std::string_view forwarded) const;
};

}  // namespace sluice::net
