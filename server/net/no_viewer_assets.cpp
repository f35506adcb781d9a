#include "server/host/viewer_assets.h"

namespace sluice::host {

std::vector<net::Asset> viewer_assets() {
  return {};
}

}  // namespace sluice::host
