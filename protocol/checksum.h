// The checksum by which a mirror's chunk is compared with the server's. It finds accidents, not
// attackers.
#pragma once

#include <cstdint>

#include "protocol/chunk.h"

namespace sluice::protocol {

/// XXH3 (64 bits, no seed) of a chunk's cells as little-endian 32-bit numbers. README.md has
/// examples.
[[nodiscard]] std::uint64_t chunk_checksum(const ChunkCells& cells);

/// Of a chunk that was never sent.
[[nodiscard]] std::uint64_t air_checksum();

}  // namespace sluice::protocol
