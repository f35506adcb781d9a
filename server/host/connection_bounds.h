// What the configuration says of connections: [connections].
#pragma once

#include <array>
#include <cstdint>
#include <sstream>
#include <string_view>

#include "server/net/server.h"

namespace sluice::host {

/// As net::Limits has them, in the units of the configuration.
struct ConnectionBounds {
  std::uint32_t most = 2048;
  std::uint32_t per_address = 1024;
  std::uint32_t per_account = 256;
  std::uint32_t handshakes_per_second = 100;
  std::uint32_t hello_seconds = 5;
  std::uint32_t idle_seconds = 60;
  std::uint32_t stall_seconds = 30;

  friend bool operator==(const ConnectionBounds&, const ConnectionBounds&) = default;
};

struct ConnectionKey {
  std::string_view name;
  std::uint32_t ConnectionBounds::*value;
  std::uint32_t most;  // and 1 at the least
};
inline constexpr std::array<ConnectionKey, 7> kConnectionKeys = {
    {{"handshakes_per_second", &ConnectionBounds::handshakes_per_second, 100'000},
     {"hello_seconds", &ConnectionBounds::hello_seconds, 3600},
     {"idle_seconds", &ConnectionBounds::idle_seconds, 86'400},
     {"most", &ConnectionBounds::most, 1'000'000},
     {"per_account", &ConnectionBounds::per_account, 1'000'000},
     {"per_address", &ConnectionBounds::per_address, 1'000'000},
     {"stall_seconds", &ConnectionBounds::stall_seconds, 3600}}};

/// Of a server that is about to start.
void apply(const ConnectionBounds& bounds, net::Limits& limits);
/// For `sluice-server check`.
void explain(const ConnectionBounds& bounds, std::ostringstream& text);

}  // namespace sluice::host
