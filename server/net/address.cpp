#include "server/net/address.h"

#include <charconv>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace sluice::net {

Result<ListenAddress> parse_listen_address(std::string_view text, std::string_view name) {
  const Error error{std::string(name) + " is \"" + std::string(text) +
                    "\", it must be ADDRESS:PORT with a port from 0 to 65535"};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return error;
  std::string_view address = text.substr(0, colon);
  const std::string_view port_text = text.substr(colon + 1);
  std::uint16_t port = 0;
  const char* end = port_text.data() + port_text.size();
  const auto [stop, failure] = std::from_chars(port_text.data(), end, port);
  if (failure != std::errc() || stop != end || port_text.empty()) return error;
  if (address.front() == '[') {
    if (address.size() < 3 || address.back() != ']') return error;
    address = address.substr(1, address.size() - 2);
  }
  return ListenAddress{address == "localhost" ? "127.0.0.1" : std::string(address), port};
}

bool is_loopback(const std::string& address) {
  in_addr v4{};
  if (inet_pton(AF_INET, address.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, address.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace sluice::net
