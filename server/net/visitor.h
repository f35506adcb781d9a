// Who sends a request: by a token in its Authorization header (programs), as a trusted proxy names
// them (proxies.h), or by a token in the cookie that POST /session gives (pages, whose scripts
// cannot read it).
#pragma once

#include <string>
#include <string_view>

#include "server/access/gate.h"

namespace sluice::net {

struct Visitor {
  std::string account;  // empty: nobody that is known
  std::string refusal;  // of a request whose Authorization header is of no use; else empty
};

/// The headers' values, empty where there are none; `named`: what a trusted proxy says. A cookie
/// that nobody holds any more is passed over: its page has to be shown, so that somebody can sign
/// in again. Whom a proxy names and no file knows is nobody that is known.
[[nodiscard]] Visitor visitor_of(const access::Gate& gate, std::string_view authorization,
                                 std::string_view cookie, std::string_view named = {});

/// The token of "Bearer TOKEN"; empty where it is no such header.
[[nodiscard]] std::string_view bearer_token(std::string_view authorization);

/// Set-Cookie for a token that was just shown, and for none. Where connections are encrypted it is
/// not to be sent over others.
[[nodiscard]] std::string cookie_of(std::string_view token, bool encrypted);
[[nodiscard]] std::string no_cookie();

}  // namespace sluice::net
