// Where a server listens, as people write it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace sluice::net {

struct ListenAddress {
  std::string address;  // numeric
  std::uint16_t port = 0;
  bool operator==(const ListenAddress&) const = default;
};

/// Reads "ADDRESS:PORT", "[IPV6]:PORT" or "localhost:PORT". `name` is what the error calls it.
[[nodiscard]] Result<ListenAddress> parse_listen_address(std::string_view text,
                                                         std::string_view name);

/// Whether only this machine can connect to a numeric address.
[[nodiscard]] bool is_loopback(const std::string& address);

}  // namespace sluice::net
