#include "server/net/packed_assets.h"

#include <cstdio>
#include <utility>

#include <xxhash.h>
#include <zlib.h>

#include "protocol/base/assert.h"
#include "server/net/header_text.h"

namespace sluice::net {

namespace {

constexpr int kGzipWindowBits = 15 + 16;  // 16: gzip's header, not zlib's
constexpr int kMemoryLevel = 8;           // zlib's own default

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  int status = deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel,
                            Z_DEFAULT_STRATEGY);
  SLUICE_ASSERT(status == Z_OK);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  std::string input = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  status = deflate(&stream, Z_FINISH);
  SLUICE_ASSERT(status == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// f(entry) for each entry of a list with commas, until f returns true.
template <class F>
bool any_entry(std::string_view list, F&& f) {
  while (true) {
    const std::size_t end = list.find(',');
    if (f(trimmed(list.substr(0, end)))) return true;
    if (end == std::string_view::npos) return false;
    list.remove_prefix(end + 1);
  }
}

}  // namespace

std::vector<PackedAsset> pack(std::vector<Asset> assets) {
  std::vector<PackedAsset> packed;
  for (Asset& asset : assets) {
    char etag[32];
    std::snprintf(
        etag, sizeof etag, "\"%016llx\"",
        static_cast<unsigned long long>(XXH3_64bits(asset.bytes.data(), asset.bytes.size())));
    PackedAsset one{std::move(asset), "", etag};
    one.gzip = gzip(one.asset.bytes);
    if (one.gzip.size() >= one.asset.bytes.size()) one.gzip.clear();
    packed.push_back(std::move(one));
  }
  return packed;
}

bool takes_gzip(std::string_view accept_encoding) {
  return any_entry(accept_encoding, [](std::string_view entry) {
    const std::size_t parameters = entry.find(';');
    const std::string_view coding = trimmed(entry.substr(0, parameters));
    if (coding != "gzip" && coding != "*") return false;
    if (parameters == std::string_view::npos) return true;
    const std::string_view quality = trimmed(entry.substr(parameters + 1));
    return quality.find_first_of("123456789") != std::string_view::npos;
  });
}

bool names_etag(std::string_view if_none_match, std::string_view etag) {
  return any_entry(if_none_match, [&](std::string_view entry) {
    if (entry.starts_with("W/")) entry.remove_prefix(2);
    return entry == etag || entry == "*";
  });
}

}  // namespace sluice::net
