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

/// zstd's levels: for what is kept whole, and for what goes on from something else.
inline constexpr int kWholeLevel = 6;
inline constexpr int kDifferenceLevel = 3;

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

/// The most bytes that mend_row() hashes for a row and for a file, all tries together: half a
/// second, and some seconds. A row of 22 KiB has so many.
inline constexpr std::uint64_t kMendingOfARow = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kMendingOfAFile = std::uint64_t{1} << 35;

/// Finds the one bit of a row that the medium flipped, and flips it back. True where the row fits
/// its checksum then, or where the checksum differs by one bit only: it was that one. False where
/// more was hit, or where the row is too large for what a row may take of `budget`, in bytes to
/// hash, which is taken from it. The chance of taking a wrong bit is 2^-64 for each that is tried.
[[nodiscard]] bool mend_row(std::uint64_t number, Bytes& first, Bytes& second,
                            std::int64_t checksum, std::uint64_t& budget);

}  // namespace sluice::record
