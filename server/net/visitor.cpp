#include "server/net/visitor.h"

#include <algorithm>
#include <cctype>

#include "server/net/header_text.h"

namespace sluice::net {

namespace {

constexpr std::string_view kCookie = "sluice_token";
constexpr std::string_view kScheme = "bearer";
// Scripts do not see it, and other sites' pages do not make browsers send it.
constexpr std::string_view kCookieRules = "; Path=/; HttpOnly; SameSite=Strict; Max-Age=";
constexpr std::string_view kMonth = "2592000";

std::string_view token_in(std::string_view cookies) {
  while (!cookies.empty()) {
    const std::size_t end = cookies.find(';');
    const std::string_view one = trimmed(cookies.substr(0, end));
    if (one.starts_with(kCookie) && one.substr(kCookie.size()).starts_with('=')) {
      return one.substr(kCookie.size() + 1);
    }
    if (end == std::string_view::npos) break;
    cookies.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace

std::string_view bearer_token(std::string_view authorization) {
  const std::size_t space = authorization.find(' ');
  const std::string_view scheme = authorization.substr(0, space);
  const bool bearer =
      std::equal(scheme.begin(), scheme.end(), kScheme.begin(), kScheme.end(),
                 [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
  if (!bearer || space == std::string_view::npos) return {};
  return trimmed(authorization.substr(space));
}

Visitor visitor_of(const access::Gate& gate, std::string_view authorization,
                   std::string_view cookie, std::string_view named) {
  if (trimmed(authorization).empty() && !trimmed(named).empty()) {
    const std::string account(trimmed(named));
    if (!access::check_account_name(account)) {
      return {"", "not allowed: the proxy names somebody who can have no account"};
    }
    return {gate.knows(account) ? account : "", ""};
  }
  if (trimmed(authorization).empty()) {
    return {gate.account_of(token_in(cookie)).value_or(std::string()), ""};
  }
  const std::string_view token = bearer_token(authorization);
  if (token.empty()) return {"", "not allowed: the Authorization header must be \"Bearer TOKEN\""};
  const auto account = gate.account_of(token);
  if (!account) return {"", "not allowed: nobody holds this token (it may have been revoked)"};
  return {*account, ""};
}

std::string cookie_of(std::string_view token, bool encrypted) {
  return std::string(kCookie) + "=" + std::string(token) + std::string(kCookieRules) +
         std::string(kMonth) + (encrypted ? "; Secure" : "");
}

std::string no_cookie() {
  return std::string(kCookie) + "=" + std::string(kCookieRules) + "0";
}

}  // namespace sluice::net
