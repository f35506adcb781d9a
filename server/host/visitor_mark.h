// Who shows no token is known by where they come from, as far as what they own is concerned: all
// that comes from one IPv4 address, or from one IPv6 network of 64 bits, is one visitor's. Nobody
// can come from another one by connecting again.
//
// A recording goes where its world goes, so it does not hold addresses: a visitor is '~' and 64
// bits of a hash of the address and of a key that stays in the server's data folder. Whoever has
// the recording alone cannot go back from that.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/base/result.h"
#include "server/record/client_name.h"

namespace sluice::host {

/// In the data folder.
inline constexpr const char* kVisitorsKeyFile = "visitors.key";

/// The key of that file, which is made where there is none. Errors begin with the path.
[[nodiscard]] Result<std::string> visitors_key(const std::string& path);

/// Of a numeric address, without the port; of any other text, of that text.
[[nodiscard]] std::string visitor_mark(const std::string& key, const std::string& address);

/// Who owns what is built by a command of a client with that name in the history: an account, a
/// visitor's mark, or nobody that is known.
[[nodiscard]] std::string owner_in_history(const std::string& client);

}  // namespace sluice::host
