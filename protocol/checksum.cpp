#include "protocol/checksum.h"

#include <bit>
#include <cstddef>

namespace sluice::protocol {

namespace {

constexpr std::uint32_t kEvenSeed = 0x736c7563;
constexpr std::uint32_t kOddSeed = 0x6c756963;

std::uint32_t step(std::uint32_t hash, std::int32_t cell) {
  std::uint32_t k = static_cast<std::uint32_t>(cell) * 0xcc9e2d51U;
  k = std::rotl(k, 15) * 0x1b873593U;
  return std::rotl(hash ^ k, 13) * 5 + 0xe6546b64U;
}

std::uint32_t finish(std::uint32_t hash) {
  hash ^= static_cast<std::uint32_t>(kChunkCells) * 2;  // bytes of one row of cells
  hash ^= hash >> 16;
  hash *= 0x85ebca6bU;
  hash ^= hash >> 13;
  hash *= 0xc2b2ae35U;
  return hash ^ (hash >> 16);
}

}  // namespace

std::uint64_t chunk_checksum(const ChunkCells& cells) {
  std::uint32_t even = kEvenSeed;
  std::uint32_t odd = kOddSeed;
  for (std::size_t i = 0; i < kChunkCells; i += 2) {
    even = step(even, cells[i]);
    odd = step(odd, cells[i + 1]);
  }
  return std::uint64_t{finish(even)} << 32 | finish(odd);
}

std::uint64_t air_checksum() {
  static const std::uint64_t kAir = chunk_checksum(ChunkCells{});
  return kAir;
}

}  // namespace sluice::protocol
