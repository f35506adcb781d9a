#include "server/playback/comparison.h"

#include <algorithm>

namespace sluice::playback {

namespace {

std::int64_t differing(const sim::Chunk& a, const sim::Chunk& b) {
  if (a.digest == b.digest) return 0;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < kChunkCells; ++i) count += a.cells[i] != b.cells[i] ? 1 : 0;
  return count;
}

/// Against a chunk that is not stored: all air, and beyond the world what lies there.
std::int64_t not_air(const sim::Chunk& chunk) {
  if (chunk.digest == chunk.pristine) return 0;
  return std::count_if(chunk.cells.begin(), chunk.cells.begin() + kChunkCells,
                       [](Cell cell) { return cell != kAir && cell != kOutside; });
}

}  // namespace

std::int64_t count_differing_cells(const sim::World& a, const sim::World& b) {
  if (a.grid().cells_digest() == b.grid().cells_digest()) return 0;
  std::int64_t count = 0;
  a.grid().for_each([&](const sim::Chunk& chunk) {
    const sim::Chunk* other = b.grid().find(chunk.coord);
    count += other == nullptr ? not_air(chunk) : differing(chunk, *other);
  });
  b.grid().for_each([&](const sim::Chunk& chunk) {
    if (a.grid().find(chunk.coord) == nullptr) count += not_air(chunk);
  });
  return count;
}

}  // namespace sluice::playback
