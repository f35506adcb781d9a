#include "server/net/origins.h"

#include <algorithm>
#include <cctype>

#include <arpa/inet.h>

namespace sluice::net {

namespace {

bool equal_names(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

bool any_equals(const std::vector<std::string>& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& one) { return equal_names(one, name); });
}

/// Without the port; an IPv6 address without its brackets.
std::string_view name_of_host(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.rfind(':'));
}

bool is_address(std::string_view name) {
  const std::string text(name);
  in6_addr parsed{};
  return inet_pton(AF_INET, text.c_str(), &parsed) == 1 ||
         inet_pton(AF_INET6, text.c_str(), &parsed) == 1;
}

}  // namespace

// A name can be made to lead anywhere; an address is where the request really went.
bool host_allowed(std::string_view host, const Origins& allowed) {
  const std::string_view name = name_of_host(host);
  return equal_names(name, "localhost") || is_address(name) || any_equals(allowed.hosts, name);
}

bool origin_allowed(std::string_view origin, std::string_view host, const Origins& allowed) {
  if (any_equals(allowed.origins, origin)) return true;
  const std::size_t scheme = origin.find("://");
  if (scheme == std::string_view::npos) return false;
  return equal_names(origin.substr(scheme + 3), host);
}

std::string allowed_hosts(const Origins& allowed) {
  std::string text = "localhost, numeric addresses";
  for (const std::string& host : allowed.hosts) text += ", " + host;
  return text;
}

}  // namespace sluice::net
