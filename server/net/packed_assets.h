// Assets as they are sent: compressed once, when the server starts, and named by their content, so
// that a browser which has them is told so in a few bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/net/asset.h"

namespace sluice::net {

struct PackedAsset {
  Asset asset;
  std::string gzip;  // empty where it would not be smaller
  std::string etag;  // with its quotes
};

[[nodiscard]] std::vector<PackedAsset> pack(std::vector<Asset> assets);

/// An Accept-Encoding header's value.
[[nodiscard]] bool takes_gzip(std::string_view accept_encoding);
/// An If-None-Match header's value.
[[nodiscard]] bool names_etag(std::string_view if_none_match, std::string_view etag);

}  // namespace sluice::net
