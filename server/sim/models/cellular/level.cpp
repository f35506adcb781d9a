#include "server/sim/models/cellular/level.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "server/sim/models/cellular/balance.h"

namespace sluice::sim {

namespace {

/// Calls f(index) for the lowest wet cell of each run in the part, as far as it lies there. Of the
/// chunk's lowest slab those segments of `below` have such a cell in the chunk below it.
template <class F>
void for_each_run(const ChunkShape& shape, const Chunk& chunk, const ChunkRegion& region,
                  std::uint32_t below, F&& f) {
  if (chunk.cells.is_shared_air() || chunk.cells.is_shared_rock()) return;
  const std::int32_t slab = shape.slab();
  for (std::uint64_t rows = region.slabs; rows != 0; rows &= rows - 1) {
    const std::int32_t y = std::countr_zero(rows);
    const bool goes_on = y > 0 && (region.slabs >> (y - 1) & 1U) != 0;
    for (std::uint32_t left = region.segments; left != 0; left &= left - 1) {
      const std::int32_t in_slab = std::countr_zero(left) * kSegment;
      const std::int32_t first = y * slab + in_slab;
      const Cell* const cells = chunk.cells.data() + first;
      bool wet = false;  // most are not: a look that a vector unit can do
      for (std::int32_t i = 0; i < kSegment; ++i) wet |= cells[i] > 0;
      if (!wet) continue;
      const Cell* under = goes_on ? cells - slab : nullptr;
      if (y == 0 && (below & left & -left) != 0) {
        under = chunk.below->cells.data() + (shape.height() - 1) * slab + in_slab;
      }
      for (std::int32_t i = 0; i < kSegment; ++i) {
        if (cells[i] <= 0 || (under != nullptr && under[i] > 0)) continue;
        f(first + i);
      }
    }
  }
}

/// Gives what bodies gained to the cells, chunk by chunk.
void apply(std::vector<CellGain>& gains, Grid& grid) {
  const ChunkShape& shape = grid.shape();
  const auto coord_of = [&shape](const CellGain& gain) { return shape.chunk_of(gain.at); };
  std::sort(gains.begin(), gains.end(), [&](const CellGain& a, const CellGain& b) {
    return std::pair(coord_of(a), a.at) < std::pair(coord_of(b), b.at);
  });
  for (auto first = gains.begin(); first != gains.end();) {
    const ChunkCoord coord = coord_of(*first);
    ChunkRegion where;
    auto end = first;
    for (; end != gains.end() && coord_of(*end) == coord; ++end) {
      where.add(region_of({end->at, {1, 1, 1}}, shape));
    }
    grid.edit(grid.obtain(coord), where, [&](ChunkEdit& cells) {
      for (auto gain = first; gain != end; ++gain) {
        const auto index = static_cast<std::size_t>(shape.index_of(gain->at));
        cells.set(index, cells[index] + gain->units);
      }
    });
    first = end;
  }
}

}  // namespace

Leveller::Leveller(const CellularRule& rule, std::int64_t most_cells)
    : rule_(rule), search_(rule, most_cells), order_(rule) {}

void Leveller::level(std::span<const ChunkPart> parts, Grid& grid, WaterMoves* moves) {
  const ChunkShape& shape = grid.shape();
  around_.clear();
  for (const ChunkPart& part : parts) look_around(shape, part);
  merge_parts();
  // All from the cells as they are now, since one body may rise to where another one is.
  std::vector<CellGain> gains;
  search_.begin(grid);
  Balance balance(order_, kept_difference(rule_), grid, moves, gains);
  WaterBody body;
  for (const ChunkPart& part : around_) {
    const Chunk* const chunk = grid.find(part.coord);
    if (chunk == nullptr) continue;
    const auto look_at = [&](std::int32_t index) {
      if (search_.moves_within(*chunk, index)) return;
      if (search_.find(shape.cell_at(part.coord, index), body)) balance.level(std::move(body));
    };
    for_each_run(shape, *chunk, part.region, segments_below(shape, *chunk), look_at);
  }
  apply(gains, grid);
}

// Where a column goes on in a part of the chunk below: a run that comes from there is found there.
// To go down to its floor from each chunk was half of what a world in motion paid for this.
std::uint32_t Leveller::segments_below(const ChunkShape& shape, const Chunk& chunk) const {
  if (chunk.below == nullptr) return 0;
  const ChunkCoord coord = chunk.below->coord;
  const auto part = std::lower_bound(
      around_.begin(), around_.end(), coord,
      [](const ChunkPart& other, const ChunkCoord& sought) { return other.coord < sought; });
  if (part == around_.end() || part->coord != coord) return 0;
  return (part->region.slabs & top_slab(shape)) != 0 ? part->region.segments : 0;
}

void Leveller::look_around(const ChunkShape& shape, const ChunkPart& part) {
  constexpr std::uint64_t kLowest = 1;
  constexpr std::uint32_t kFirst = 1;
  const ChunkRegion all = whole_chunk(shape);
  const ChunkRegion& in = part.region;
  const bool solid = shape.depth() > 1;
  const std::uint64_t slabs = (in.slabs | in.slabs << 1 | in.slabs >> 1) & all.slabs;
  const std::uint32_t segments = widened(in, shape).segments;
  for (std::int32_t dy = -1; dy <= 1; ++dy) {
    if (dy < 0 && (in.slabs & kLowest) == 0) continue;
    if (dy > 0 && (in.slabs & top_slab(shape)) == 0) continue;
    const std::uint64_t in_y = dy == 0 ? slabs : dy < 0 ? top_slab(shape) : kLowest;
    for (std::int32_t dz = solid ? -1 : 0; dz <= (solid ? 1 : 0); ++dz) {
      for (std::int32_t dx = -1; dx <= 1; ++dx) {
        // Segments lie beside each other in z where there is one; else in x.
        const std::int32_t along = solid ? dz : dx;
        if (along < 0 && (in.segments & kFirst) == 0) continue;
        if (along > 0 && (in.segments & last_segment(shape)) == 0) continue;
        const std::uint32_t in_segments = along == 0  ? segments
                                          : along < 0 ? last_segment(shape)
                                                      : kFirst;
        const ChunkCoord c = part.coord;
        around_.push_back({{c.x + dx, c.y + dy, c.z + dz}, {in_y, in_segments}});
      }
    }
  }
}

/// One for each chunk.
void Leveller::merge_parts() {
  std::sort(around_.begin(), around_.end(),
            [](const ChunkPart& a, const ChunkPart& b) { return a.coord < b.coord; });
  std::size_t kept = 0;
  for (const ChunkPart& part : around_) {
    if (kept > 0 && around_[kept - 1].coord == part.coord) {
      around_[kept - 1].region.add(part.region);
    } else {
      around_[kept++] = part;
    }
  }
  around_.resize(kept);
}

}  // namespace sluice::sim
