// Compression and checksums of blobs.
//
//   packed := 0x00 bytes...                       as they are
//           | 0x01 varint(size) zstd-frame        compressed; `size` bytes when unpacked
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "protocol/base/result.h"
#include "server/record/byte_io.h"

namespace sluice::record {

/// Appends the packed form; compressed only where that is shorter. `level` is zstd's.
void pack(std::span<const std::byte> bytes, int level, Bytes& out);

/// Any bytes are safe to give. Refuses to unpack to more than `maximum_size` bytes, and to take
/// more memory than 32 KiB for each byte that is given.
[[nodiscard]] Result<Bytes> unpack(std::span<const std::byte> packed, std::size_t maximum_size);

/// XXH3, 128 bits, canonical (big-endian) bytes: names a chunk by its content.
[[nodiscard]] Bytes content_hash(std::span<const std::byte> bytes);

/// XXH3, 64 bits, of a row: its number and its blobs, each with its size. Finds rot on the medium.
[[nodiscard]] std::int64_t row_checksum(std::uint64_t number, std::span<const std::byte> first,
                                        std::span<const std::byte> second);

}  // namespace sluice::record
