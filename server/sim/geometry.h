// Positions, boxes and the two chunk shapes.
//
//   side view:  64 x 64 x 1  cells a chunk        y
//   3D:         16 x 16 x 16                      |  z
//                                                 | /
//   A chunk's cells lie as [y][z][x]: a *slab*    |/____ x
//   is all cells of one y, and is contiguous.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "server/sim/limits.h"

namespace sluice::sim {

struct Vec3 {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t z = 0;

  friend bool operator==(const Vec3&, const Vec3&) = default;
  /// Bottom up, then front to back, then left to right: the order of cells in a chunk.
  friend std::strong_ordering operator<=>(const Vec3& a, const Vec3& b) {
    if (const auto by_y = a.y <=> b.y; by_y != 0) return by_y;
    if (const auto by_z = a.z <=> b.z; by_z != 0) return by_z;
    return a.x <=> b.x;
  }
  template <class Self, class Visitor>
  static void visit_state(Self& self, Visitor& v) {
    v.field("x", self.x);
    v.field("y", self.y);
    v.field("z", self.z);
  }
};

/// No cell of any world: for things that need not have a place.
inline constexpr Vec3 kNowhere = {INT32_MIN, INT32_MIN, INT32_MIN};

/// Wraps, so that numbers that somebody typed may be added before they are looked at.
inline std::int32_t wrapping_add(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
inline std::int32_t wrapping_subtract(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}

inline Vec3 operator+(Vec3 a, Vec3 b) {
  return {wrapping_add(a.x, b.x), wrapping_add(a.y, b.y), wrapping_add(a.z, b.z)};
}
inline Vec3 operator-(Vec3 a, Vec3 b) {
  return {wrapping_subtract(a.x, b.x), wrapping_subtract(a.y, b.y), wrapping_subtract(a.z, b.z)};
}

/// "[x, y, z]", as messages name a cell.
inline std::string to_string(Vec3 v) {
  return "[" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + "]";
}

/// Half open: holds the cells p with from <= p < from + size on every axis.
struct Box {
  Vec3 from;
  Vec3 size;

  friend bool operator==(const Box&, const Box&) = default;
  [[nodiscard]] Vec3 end() const { return from + size; }
  [[nodiscard]] bool empty() const { return size.x <= 0 || size.y <= 0 || size.z <= 0; }
  [[nodiscard]] bool contains(Vec3 p) const {
    const Vec3 e = end();
    return p.x >= from.x && p.x < e.x && p.y >= from.y && p.y < e.y && p.z >= from.z && p.z < e.z;
  }
  [[nodiscard]] std::int64_t volume() const {
    return empty() ? 0 : std::int64_t{size.x} * size.y * size.z;
  }
};

/// The cells that lie in both boxes.
inline Box intersect(const Box& a, const Box& b) {
  const auto low = [](std::int32_t p, std::int32_t q) { return p > q ? p : q; };
  const auto high = [](std::int32_t p, std::int32_t q) { return p < q ? p : q; };
  const Vec3 ae = a.end();
  const Vec3 be = b.end();
  const Vec3 from = {low(a.from.x, b.from.x), low(a.from.y, b.from.y), low(a.from.z, b.from.z)};
  const Vec3 to = {high(ae.x, be.x), high(ae.y, be.y), high(ae.z, be.z)};
  return {from, to - from};
}

/// Whether a box that is not empty lies in a world, whose box begins at the origin. Overflow-free:
/// the numbers of a command's box may be any.
inline bool lies_in(const Box& box, const Box& world) {
  const auto fits = [](std::int32_t from, std::int32_t size, std::int32_t end) {
    return from >= 0 && std::int64_t{from} + size <= end;
  };
  return fits(box.from.x, box.size.x, world.size.x) && fits(box.from.y, box.size.y, world.size.y) &&
         fits(box.from.z, box.size.z, world.size.z);
}

/// A chunk's place, in chunks; may be negative (the gutter of an open edge lies outside).
struct ChunkCoord {
  std::int32_t x = 0;
  std::int32_t y = 0;
  std::int32_t z = 0;

  friend bool operator==(const ChunkCoord&, const ChunkCoord&) = default;
  /// By column (x, then z), and bottom up inside one: stacked chunks are neighbours in this order.
  friend std::strong_ordering operator<=>(const ChunkCoord& a, const ChunkCoord& b) {
    if (const auto by_z = a.z <=> b.z; by_z != 0) return by_z;
    if (const auto by_x = a.x <=> b.x; by_x != 0) return by_x;
    return a.y <=> b.y;
  }
};

/// How a world is cut into chunks. Sides are powers of two.
struct ChunkShape {
  std::int32_t log_x = 6;
  std::int32_t log_y = 6;
  std::int32_t log_z = 0;

  [[nodiscard]] std::int32_t width() const { return 1 << log_x; }   // cells in x
  [[nodiscard]] std::int32_t height() const { return 1 << log_y; }  // cells in y
  [[nodiscard]] std::int32_t depth() const { return 1 << log_z; }   // cells in z
  /// Cells of one y.
  [[nodiscard]] std::int32_t slab() const { return 1 << (log_x + log_z); }

  [[nodiscard]] ChunkCoord chunk_of(Vec3 p) const {
    return {p.x >> log_x, p.y >> log_y, p.z >> log_z};  // arithmetic shifts: towards minus infinity
  }
  [[nodiscard]] Vec3 origin(ChunkCoord c) const {
    return {c.x * width(), c.y * height(), c.z * depth()};
  }
  [[nodiscard]] Box box(ChunkCoord c) const { return {origin(c), {width(), height(), depth()}}; }
  /// Where the cell lies in its chunk's array.
  [[nodiscard]] std::int32_t index_of(Vec3 p) const {
    const std::int32_t x = p.x & (width() - 1);
    const std::int32_t y = p.y & (height() - 1);
    const std::int32_t z = p.z & (depth() - 1);
    return (((y << log_z) | z) << log_x) | x;
  }
  /// The cell at an index of a chunk's array.
  [[nodiscard]] Vec3 cell_at(ChunkCoord c, std::int32_t index) const {
    const Vec3 local = {index & (width() - 1), index >> (log_x + log_z),
                        (index >> log_x) & (depth() - 1)};
    return origin(c) + local;
  }
};

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

inline constexpr ChunkShape kSideViewShape{6, 6, 0};
inline constexpr ChunkShape kSolidShape{4, 4, 4};

}  // namespace sluice::sim
