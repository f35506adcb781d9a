#include "server/net/proxies.h"

#include <algorithm>

namespace sluice::net {

namespace {

/// "1.2.3.4", "1.2.3.4:5", "[::1]:5" or "::1" without spaces, brackets and port.
std::string_view bare_address(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (text.starts_with('[')) return text.substr(1, text.find(']') - 1);
  const std::size_t colon = text.find(':');
  const bool has_port = colon != std::string_view::npos && colon == text.rfind(':');
  return has_port ? text.substr(0, colon) : text;
}

}  // namespace

bool Proxies::trust(std::string_view address) const {
  return std::any_of(trusted.begin(), trusted.end(), [address](const access::AddressRange& range) {
    return range.contains(address);
  });
}

std::string Proxies::client_of(const std::string& peer, std::string_view forwarded) const {
  if (!trust(peer)) return peer;
  std::string client = peer;
  // From the right: each proxy adds whom it saw. What stands left of a stranger's, the stranger
  // said.
  while (!forwarded.empty()) {
    const std::size_t comma = forwarded.rfind(',');
    const std::string_view one =
        bare_address(comma == std::string_view::npos ? forwarded : forwarded.substr(comma + 1));
    if (!access::is_address(one)) break;
    client = std::string(one);
    if (!trust(client) || comma == std::string_view::npos) break;
    forwarded = forwarded.substr(0, comma);
  }
  return client;
}

}  // namespace sluice::net
