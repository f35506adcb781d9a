// Changes to the file of accounts: read, changed, and put in its place as a whole, so that a server
// that reads it meanwhile, or a machine that fails, sees the one or the other.
#pragma once

#include <functional>
#include <string>

#include "server/access/accounts.h"

namespace sluice::access {

/// Reads the file (none there: no accounts), lets `change` change it, and writes it, readable by
/// its owner alone. Whoever else changes it waits. Where `change` returns an error nothing is
/// written.
[[nodiscard]] Status change_accounts(const std::string& path,
                                     const std::function<Status(Accounts&)>& change);

}  // namespace sluice::access
