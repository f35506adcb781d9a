#include "server/net/viewer_assets.h"

namespace sluice::net {

std::vector<Asset> viewer_assets() {
  return {};
}

}  // namespace sluice::net
