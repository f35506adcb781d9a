// Who gave a command, as a recording has it: the account, which the server vouches for, and beside
// it the name that the client claims; and what is left of the token of a client that may come back,
// so that it is known after a restart, too. Where what somebody owns is counted, the mark of a
// visitor without an account stands where the account would: no account's name begins so. One text
// holds all: what a client claims is printable, so it cannot hold the separator.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::record {

inline constexpr char kAccountSeparator = '\x1f';
inline constexpr char kVisitorSign = '~';

/// `account`: or a visitor's mark. `resume`: of a client that may come back; else empty.
inline std::string client_in_history(std::string_view claimed, std::string_view account,
                                     std::string_view resume = {}) {
  std::string text(claimed);
  if (!account.empty() || !resume.empty()) (text += kAccountSeparator) += account;
  if (!resume.empty()) (text += kAccountSeparator) += resume;
  return text;
}

struct ClientName {
  std::string claimed;
  std::string account;  // empty: nobody that the server knew
  std::string resume;   // empty: a client whose results are not kept
  /// With the sign; empty: they had an account, or nothing was counted.
  std::string visitor = {};
};

inline ClientName client_of(std::string_view in_history) {
  const std::size_t separator = in_history.find(kAccountSeparator);
  if (separator == std::string_view::npos) return {std::string(in_history), "", ""};
  const std::string_view rest = in_history.substr(separator + 1);
  const std::size_t second = std::min(rest.find(kAccountSeparator), rest.size());
  ClientName name{std::string(in_history.substr(0, separator)), std::string(rest.substr(0, second)),
                  std::string(rest.substr(std::min(second + 1, rest.size())))};
  if (name.account.starts_with(kVisitorSign)) name.visitor = std::exchange(name.account, {});
  return name;
}

/// For people: "ada as viewer", or the claimed name alone.
inline std::string client_text(std::string_view in_history) {
  const ClientName name = client_of(in_history);
  if (name.account.empty()) return name.claimed;
  return name.claimed.empty() ? name.account : name.account + " as " + name.claimed;
}

}  // namespace sluice::record
