// Where a world is: "ws://HOST:PORT/worlds/NAME", or "wss://..." where connections are encrypted.
// With
// "?alone=POSITION" at the end it is another position in a recording (server/replay/README.md).
#pragma once

#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace sluice::client {

struct Address {
  std::string host;  // a name, an IPv4 address, or an IPv6 address without its brackets
  std::string port = "80";
  std::string path;   // "/worlds/NAME"
  std::string query;  // "?alone=POSITION", or empty
  bool encrypted = false;
  std::string token = {};  // shown to the server, and no part of the URL; may be empty

  /// As a "Host" header has it.
  [[nodiscard]] std::string authority() const;
  [[nodiscard]] std::string url() const;
};

/// `given`, or what the environment has in SLUICE_TOKEN; empty for none. An error where it cannot
/// be one.
[[nodiscard]] Result<std::string> token_to_show(const std::string& given);

/// The error shows the form that is expected.
[[nodiscard]] Result<Address> parse_address(std::string_view url);

}  // namespace sluice::client
