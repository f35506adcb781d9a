// Boxes of chunks, and walking through what is kept by chunk.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/chunk.h"

namespace sluice::net {

/// A box of chunks, both ends included; empty when low > high on an axis.
struct ChunkRange {
  ChunkCoord low{0, 0, 0};
  ChunkCoord high{-1, -1, -1};

  friend auto operator<=>(const ChunkRange&, const ChunkRange&) = default;
  [[nodiscard]] bool empty() const { return low.x > high.x || low.y > high.y || low.z > high.z; }
  [[nodiscard]] bool contains(ChunkCoord p) const {
    return p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z >= low.z &&
           p.z <= high.z;
  }
};

/// f(key) for each entry of an ordered map that lies in the range, in rising order; f returns
/// whether to go on. Skips over what lies outside the range instead of walking through it.
/// `coord_of(key)` is an entry's chunk, `first_at(coord)` the lowest key that a chunk can have;
/// keys are in the order of their chunks.
template <class Map, class CoordOf, class FirstAt, class F>
void walk_range(const Map& map, const ChunkRange& range, CoordOf&& coord_of, FirstAt&& first_at,
                F&& f) {
  if (range.empty()) return;
  const ChunkCoord low = range.low;
  const ChunkCoord high = range.high;
  auto it = map.lower_bound(first_at(low));
  while (it != map.end() && coord_of(it->first).z <= high.z) {
    const ChunkCoord p = coord_of(it->first);
    if (p.x > high.x) {
      it = map.lower_bound(first_at({low.x, low.y, p.z + 1}));
    } else if (p.x < low.x) {
      it = map.lower_bound(first_at({low.x, low.y, p.z}));
    } else if (p.y > high.y) {
      it = map.lower_bound(first_at({p.x + 1, low.y, p.z}));
    } else if (p.y < low.y) {
      it = map.lower_bound(first_at({p.x, low.y, p.z}));
    } else {
      if (!f(it->first)) return;
      ++it;
    }
  }
}

/// The few of the entries in `range` that are to be checked at this tick: other ones each time, and
/// often none. `walk(f)` walks through them as walk_range does.
template <class Key, class Walk>
std::vector<Key> due_of(std::uint64_t tick, Walk&& walk) {
  // At 20 ticks a second and 8 entries a check, a view of 64 chunks is checked every 8 seconds.
  constexpr std::uint64_t kTicksBetweenChecks = 20;
  constexpr std::size_t kEntriesPerCheck = 8;
  std::vector<Key> due;
  if (tick % kTicksBetweenChecks != 0) return due;
  // Where in the row of entries to begin is a function of the tick, so that equal views get equal
  // messages; the row is walked once in as many checks as it takes.
  std::size_t held = 0;
  walk([&](const Key&) { return ++held, true; });
  if (held == 0) return due;
  const std::size_t turns = (held + kEntriesPerCheck - 1) / kEntriesPerCheck;
  const std::size_t begin = tick / kTicksBetweenChecks % turns * kEntriesPerCheck;
  std::size_t index = 0;
  walk([&](const Key& key) {
    if (index >= begin) due.push_back(key);
    return ++index < begin + kEntriesPerCheck;
  });
  return due;
}

}  // namespace sluice::net
