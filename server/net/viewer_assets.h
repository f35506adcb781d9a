// The browser viewer's files, built into the program.
#pragma once

#include <vector>

#include "server/net/asset.h"

namespace sluice::net {

/// Empty where the program was built without the viewer; "/" is then a plain page.
[[nodiscard]] std::vector<Asset> viewer_assets();

}  // namespace sluice::net
