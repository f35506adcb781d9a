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

#include "protocol/base/limits.h"

namespace sluice {

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

inline std::string to_string(ChunkCoord c) {
  return to_string(Vec3{c.x, c.y, c.z});
}

/// How a world is cut into chunks. Sides are powers of two.
struct ChunkShape {
  std::int32_t log_x = 6;
  std::int32_t log_y = 6;
  std::int32_t log_z = 0;

  friend bool operator==(const ChunkShape&, const ChunkShape&) = default;
  /// Whether it makes chunks of kChunkCells.
  [[nodiscard]] bool valid() const {
    const auto fits = [](std::int32_t log) { return log >= 0 && log <= 12; };
    static_assert(kChunkCells == 1 << 12);
    return fits(log_x) && fits(log_y) && fits(log_z) && log_x + log_y + log_z == 12;
  }
  [[nodiscard]] std::int32_t width() const { return 1 << log_x; }   // cells in x
  [[nodiscard]] std::int32_t height() const { return 1 << log_y; }  // cells in y
  [[nodiscard]] std::int32_t depth() const { return 1 << log_z; }   // cells in z
  /// Cells of one y.
  [[nodiscard]] std::int32_t slab() const { return 1 << (log_x + log_z); }

  [[nodiscard]] ChunkCoord chunk_of(Vec3 p) const {
    return {p.x >> log_x, p.y >> log_y, p.z >> log_z};  // arithmetic shifts: towards minus infinity
  }
  /// Wraps, as the coordinates may be anybody's.
  [[nodiscard]] Vec3 origin(ChunkCoord c) const {
    const auto cells = [](std::int32_t chunks, std::int32_t log) {
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(chunks) << log);
    };
    return {cells(c.x, log_x), cells(c.y, log_y), cells(c.z, log_z)};
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

inline constexpr ChunkShape kSideViewShape{6, 6, 0};
inline constexpr ChunkShape kSolidShape{4, 4, 4};

}  // namespace sluice
