#include "client_stub/address.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace sluice::client {

namespace {

constexpr std::string_view kScheme = "ws://";
constexpr std::string_view kEncryptedScheme = "wss://";
constexpr std::string_view kWorlds = "/worlds/";
constexpr std::string_view kAlone = "?alone=";
constexpr std::size_t kMaxTokenBytes = 128;  // what servers look at

Error wrong(std::string_view url, std::string_view what) {
  return {"'" + std::string(url) + "': " + std::string(what) +
          "; expected ws://HOST:PORT/worlds/NAME"};
}

bool valid_port(std::string_view port) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  return error == std::errc() && end == port.data() + port.size() && number >= 1 && number <= 65535;
}

bool valid_name(std::string_view name) {
  for (const char c : name) {
    const bool allowed = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    if (!allowed) return false;
  }
  return !name.empty() && name.size() <= 64;
}

bool valid_query(std::string_view query) {
  if (query.empty()) return true;
  return query.starts_with(kAlone) && valid_name(query.substr(kAlone.size())) &&
         query.find('-') == std::string_view::npos;
}

}  // namespace

Result<std::string> token_to_show(const std::string& given) {
  const char* const environment = std::getenv("SLUICE_TOKEN");
  std::string token = given.empty() && environment != nullptr ? environment : given;
  const auto fits = [](char c) { return c > ' ' && c <= '~'; };
  if (!std::all_of(token.begin(), token.end(), fits) || token.size() > kMaxTokenBytes) {
    return Error{"the token is none: it must be what `sluice token add` printed"};
  }
  return token;
}

std::string Address::authority() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + port;
}

std::string Address::url() const {
  return std::string(encrypted ? kEncryptedScheme : kScheme) + authority() + path + query;
}

Result<Address> parse_address(std::string_view url) {
  if (url.starts_with("http://") || url.starts_with("https://")) {
    return wrong(url, "that is the address of the page; a world's begins with ws://");
  }
  const bool encrypted = url.starts_with(kEncryptedScheme);
  if (!encrypted && !url.starts_with(kScheme)) return wrong(url, "does not begin with ws://");
  const std::string_view rest = url.substr(encrypted ? kEncryptedScheme.size() : kScheme.size());
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return wrong(url, "names no world");
  std::string_view authority = rest.substr(0, slash);
  Address address;
  address.encrypted = encrypted;
  if (encrypted) address.port = "443";
  const std::string_view target = rest.substr(slash);
  const std::size_t mark = std::min(target.find('?'), target.size());
  address.path = target.substr(0, mark);
  address.query = target.substr(mark);
  if (!address.path.starts_with(kWorlds) ||
      !valid_name(std::string_view(address.path).substr(kWorlds.size()))) {
    return wrong(url, "the path is not /worlds/NAME with a NAME of [a-z0-9-]");
  }
  if (!valid_query(address.query)) {
    return wrong(url, "what follows the name is not ?alone=POSITION, a position of [a-z0-9]");
  }
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return wrong(url, "a bracket is not closed");
    address.host = authority.substr(1, bracket - 1);
    authority.remove_prefix(bracket + 1);
    if (!authority.empty() && authority.front() != ':') return wrong(url, "the port is wrong");
    if (!authority.empty()) address.port = authority.substr(1);
  } else {
    const std::size_t colon = authority.find(':');
    address.host = authority.substr(0, colon);
    if (colon != std::string_view::npos) address.port = authority.substr(colon + 1);
  }
  if (address.host.empty()) return wrong(url, "names no host");
  if (!valid_port(address.port)) return wrong(url, "the port is not a number from 1 to 65535");
  return address;
}

}  // namespace sluice::client
