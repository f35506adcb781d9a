// Parts of a chunk: what of it is to be looked at.
#pragma once

#include <cstdint>

#include "protocol/base/geometry.h"

namespace sluice::sim {

/// Cells that lie side by side in x, and share a bit of ChunkRegion::segments: a quarter of a slab
/// in a side view, a row of x in 3D.
inline constexpr std::int32_t kSegment = 16;

/// Cells of a chunk, as bits: those that lie in any of these slabs and in any of these segments.
struct ChunkRegion {
  std::uint64_t slabs = 0;  // the lowest first
  std::uint32_t segments = 0;

  [[nodiscard]] bool empty() const { return slabs == 0 || segments == 0; }
  /// The smallest region that holds both.
  void add(const ChunkRegion& other) {
    slabs |= other.slabs;
    segments |= other.segments;
  }
};

inline std::uint32_t all_segments(const ChunkShape& shape) {
  return ~std::uint32_t{0} >> (32 - shape.slab() / kSegment);
}
inline std::uint32_t last_segment(const ChunkShape& shape) {
  return std::uint32_t{1} << (shape.slab() / kSegment - 1);
}
inline std::uint64_t top_slab(const ChunkShape& shape) {
  return std::uint64_t{1} << (shape.height() - 1);
}
/// That in which a cell of height `y`, in the world, lies.
inline std::uint64_t slab_at(const ChunkShape& shape, std::int32_t y) {
  return std::uint64_t{1} << (y & (shape.height() - 1));
}
inline ChunkRegion whole_chunk(const ChunkShape& shape) {
  return {~std::uint64_t{0} >> (64 - shape.height()), all_segments(shape)};
}
/// And every cell whose sideways flow depends on one in the region: those beside and above it.
inline ChunkRegion widened(const ChunkRegion& region, const ChunkShape& shape) {
  const ChunkRegion all = whole_chunk(shape);
  return {(region.slabs | region.slabs << 1) & all.slabs,
          (region.segments | region.segments << 1 | region.segments >> 1) & all.segments};
}
/// The region of a box that lies within one chunk.
inline ChunkRegion region_of(const Box& box, const ChunkShape& shape) {
  const auto bits = [](std::int32_t first, std::int32_t last) {
    return (~std::uint64_t{0} >> (63 - (last - first))) << first;
  };
  const Vec3 last = box.end() - Vec3{1, 1, 1};
  const auto segment = [&](Vec3 at) {
    return (shape.index_of(at) & (shape.slab() - 1)) / kSegment;
  };
  return {bits(box.from.y & (shape.height() - 1), last.y & (shape.height() - 1)),
          static_cast<std::uint32_t>(bits(segment(box.from), segment(last)))};
}

}  // namespace sluice::sim
