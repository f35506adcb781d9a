// The check sum by which a mirror's chunk is compared with the server's. It finds accidents, not
// attackers.
//
// Two rows of Appleby's MurmurHash3_x86_32 (public domain), one over the cells of even index and
// one over those of odd index, joined at the end. It was chosen over a 64-bit hash because
// JavaScript computes it exactly and fast with Math.imul; every step is a bijection, so a single
// wrong cell always shows.
#pragma once

#include <cstdint>

#include "protocol/chunk.h"

namespace sluice::protocol {

/// Of a chunk's cells. README.md has examples.
[[nodiscard]] std::uint64_t chunk_checksum(const ChunkCells& cells);

/// Of a chunk that was never sent.
[[nodiscard]] std::uint64_t air_checksum();

}  // namespace sluice::protocol
