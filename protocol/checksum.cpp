#include "protocol/checksum.h"

#include <array>
#include <bit>
#include <cstddef>

#include <xxhash.h>

namespace sluice::protocol {

std::uint64_t chunk_checksum(const ChunkCells& cells) {
  if constexpr (std::endian::native == std::endian::little) {
    return XXH3_64bits(cells.data(), sizeof cells);
  }
  std::array<std::uint8_t, sizeof(ChunkCells)> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(cells[i / 4]) >> (i % 4 * 8));
  }
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t air_checksum() {
  static const std::uint64_t kAir = chunk_checksum(ChunkCells{});
  return kAir;
}

}  // namespace sluice::protocol
