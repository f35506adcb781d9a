// Where a world is: "ws://HOST:PORT/worlds/NAME".
#pragma once

#include <string>
#include <string_view>

#include "protocol/result.h"

namespace sluice::client {

struct Address {
  std::string host;  // a name, an IPv4 address, or an IPv6 address without its brackets
  std::string port = "80";
  std::string path;  // "/worlds/NAME"

  /// As a "Host" header has it.
  [[nodiscard]] std::string authority() const;
  [[nodiscard]] std::string url() const;
};

/// The error shows the form that is expected.
[[nodiscard]] protocol::Result<Address> parse_address(std::string_view url);

}  // namespace sluice::client
