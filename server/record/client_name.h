// Who gave a command, as a recording has it: the account, which the server vouches for, and beside
// it the name that the client claims. One text holds both: what a client claims is printable, so it
// cannot hold the separator.
#pragma once

#include <string>
#include <string_view>

namespace sluice::record {

inline constexpr char kAccountSeparator = '\x1f';

inline std::string client_in_history(std::string_view claimed, std::string_view account) {
  std::string text(claimed);
  if (!account.empty()) (text += kAccountSeparator) += account;
  return text;
}

struct ClientName {
  std::string claimed;
  std::string account;  // empty: nobody that the server knew
};

inline ClientName client_of(std::string_view in_history) {
  const std::size_t separator = in_history.find(kAccountSeparator);
  if (separator == std::string_view::npos) return {std::string(in_history), ""};
  return {std::string(in_history.substr(0, separator)),
          std::string(in_history.substr(separator + 1))};
}

/// For people: "ada as viewer", or the claimed name alone.
inline std::string client_text(std::string_view in_history) {
  const ClientName name = client_of(in_history);
  if (name.account.empty()) return name.claimed;
  return name.claimed.empty() ? name.account : name.account + " as " + name.claimed;
}

}  // namespace sluice::record
