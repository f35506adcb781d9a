// The browser viewer's files, built into the program.
#pragma once

#include <vector>

#include "server/net/server.h"

namespace sluice::host {

/// Empty where the program was built without the viewer; "/" is then a plain page.
[[nodiscard]] std::vector<net::Asset> viewer_assets();

}  // namespace sluice::host
