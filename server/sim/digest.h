// Digests: 64 bits that two histories are compared by.
//
// A tree: world <- layers <- chunks. A chunk's digest is a function of its cells' values; the cell
// layer's is the sum over chunks of a mix of place and digest, so that one chunk's change updates
// it in constant time, in any order; the world's mixes the layers in their fixed order. A chunk
// that holds nothing but air counts as nothing, so that it makes no difference whether it is
// stored.
//
// These detect accidents, not attackers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "protocol/base/cell.h"
#include "protocol/base/geometry.h"

namespace sluice::sim {

struct Chunk;
struct Marks;

using Digest = std::uint64_t;

/// The layers of a world's digest, in the tree's order. To the marks counts all that a water model
/// keeps beside the cells. Names for people: layer_name().
enum class Layer : std::uint8_t {
  kClock = 0,
  kConfig,
  kTotals,
  kSprings,
  kCells,
  kPipes,
  kMarks,
  kWaves,
  kHeat,
  kTracers
};
inline constexpr std::size_t kLayerCount = 10;
[[nodiscard]] const char* layer_name(Layer layer);
/// Layers that a world without such things does not have: a digest of 0 is left out of the tree.
constexpr bool may_be_absent(Layer layer) {
  return layer == Layer::kPipes || layer == Layer::kMarks || layer == Layer::kWaves ||
         layer == Layer::kHeat || layer == Layer::kTracers;
}

inline constexpr std::array<std::uint64_t, 2> kMixFactors = {0xbf58476d1ce4e5b9U,
                                                             0x94d049bb133111ebU};

/// A bijection of 64 bits in which every input bit reaches every output bit (the finalizer of
/// Steele, Lea and Flood's SplitMix64).
constexpr std::uint64_t mix64(std::uint64_t value) {
  value ^= value >> 30;
  value *= kMixFactors[0];
  value ^= value >> 27;
  value *= kMixFactors[1];
  value ^= value >> 31;
  return value;
}

inline constexpr std::uint64_t kCombineFactor = 0x9e3779b97f4a7c15U;
inline constexpr std::uint64_t kCombineTerm = 0x632be59bd9b4e019U;

constexpr std::uint64_t combine(std::uint64_t seed, std::uint64_t value) {
  return mix64(seed * kCombineFactor + value + kCombineTerm);
}

/// Of any bytes; equal on machines of both byte orders.
[[nodiscard]] Digest digest_bytes(std::span<const std::byte> bytes);

inline constexpr std::size_t kDigestLanes = 8;

/// A chunk's digest is made of sums over its cells, so it can be kept by parts: runs of so many
/// cells. Where a part changed, that part alone is summed again.
inline constexpr std::size_t kDigestParts = 16;
inline constexpr std::size_t kDigestPartCells = kChunkCells / kDigestParts;

struct DigestSums {
  using Lanes = std::array<std::uint64_t, kDigestLanes>;
  std::array<Lanes, kDigestParts> parts{};
};

/// Sums are kept of chunks in which no more parts change at a time, as all at once are faster, and
/// which changed in more ticks since they woke: a falling drop is gone by then.
struct DigestSizes {
  int most_stale_parts = kDigestParts / 2;
  int digests_before_sums = 4;
};

/// One part more is summed again in each so many-th digest of kept sums, all of them in turn.
inline constexpr unsigned kCallsForAPart = 4;
/// What changed and was not told, as a bit of memory that flipped, is seen after as many.
inline constexpr unsigned kMostCallsForAFlip = kCallsForAPart * kDigestParts;

/// Of a chunk's kChunkCells cells.
[[nodiscard]] Digest digest_cells(const Cell* cells);
/// The same, where `sums` are those of these cells but for the parts in `stale`, as bits.
[[nodiscard]] Digest digest_cells(const Cell* cells, DigestSums& sums, std::uint32_t stale);
/// Of a chunk of cells that changed in `chunk.stale_slabs` alone since this was asked last. Keeps
/// sums for the next time where that may save work.
[[nodiscard]] Digest take_digest(Chunk& chunk, const ChunkShape& shape,
                                 const DigestSizes& sizes = {});

/// Whether that is the digest of a chunk of one kind of cell that can be shared (CellPage): most
/// are not, and need not be looked at cell by cell.
[[nodiscard]] bool is_of_shared_page(Digest cells);

/// Of a chunk's marks; 0 where all are 0, whether they are stored or not.
[[nodiscard]] Digest digest_marks(const Marks* marks);

/// What a chunk adds to the cell layer's sum. `pristine` is the digest that the same chunk has when
/// it holds nothing.
constexpr std::uint64_t chunk_contribution(ChunkCoord coord, Digest digest, Digest pristine) {
  std::uint64_t place = combine(0x736c75696365U, static_cast<std::uint32_t>(coord.x));
  place = combine(place, static_cast<std::uint32_t>(coord.y));
  place = combine(place, static_cast<std::uint32_t>(coord.z));
  return combine(place, digest) - combine(place, pristine);
}

}  // namespace sluice::sim
