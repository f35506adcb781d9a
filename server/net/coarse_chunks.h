// A level of detail of a world's cells, or of one of its layers, for viewers that look at much of
// it from afar: each coarse cell stands for a cube of 2^level cells a side, and lies in chunks of
// the shape that the world's have.
//
// A coarse cell is solid where at least half of its cells are: ice where as many of those are ice
// as are rock, as thick as they are in the mean. Else it is the mean of the cells that are not
// solid. Means are rounded up to 1/64 of a full cell: a drop is seen from afar, what is full is
// full, and what nobody sees costs no bytes. Cells beyond the world do not count. Sums of coarse
// cells mean nothing.
//
// A coarse number of a layer is the mean of those of its cells that have any, rounded to the
// nearest: what few of them hold is seen from afar, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "protocol/chunk.h"
#include "server/net/chunk_range.h"
#include "server/net/published_chunks.h"

namespace sluice::net {

/// Units to whose multiples the water of coarse cells is rounded up.
inline constexpr std::int32_t kCoarseUnits = kFull / 64;

class CoarseChunks : public PublishedChunks {
 public:
  enum class Of : std::uint8_t { kCells, kNumbers };

  /// `size`: the world's, in cells; along an axis on which a chunk has fewer than 2^level cells it
  /// is one.
  CoarseChunks(Of of, const ChunkShape& sides, Vec3 size, std::int32_t level,
               std::size_t thorough_chunks, const protocol::LessonTerms& lessons = {});

  /// Somebody wants it, so from now on it is what the world's chunks `fine` are: those of its
  /// cells, or of the layer.
  void begin(std::uint64_t tick, const PublishedChunks& fine);
  /// After the world's chunks took in a tick: takes in what changed of them. The time goes with the
  /// cells of the chunks that changed.
  void follow(std::uint64_t tick, const PublishedChunks& fine);
  /// Nobody wants it any more. Its chunks are kept, and follow() lists which of the world's change
  /// from now on, so that begin() has only those to take in. Otherwise a viewer who asks for it and
  /// leaves again, over and over, could have all of the world read each time.
  void end() { wanted_ = false; }
  /// As the world's chunks: nothing was published with this tick.
  void pause(std::uint64_t tick, bool forget);

  [[nodiscard]] ChunkRange range_of(const ChunkRange& fine) const {
    return {coarse(fine.low), coarse(fine.high)};
  }

 private:
  [[nodiscard]] ChunkCoord coarse(ChunkCoord fine) const {
    return {fine.x >> level_, fine.y >> level_, fine.z >> level_};
  }
  void take_in(std::uint64_t tick, const PublishedChunks& fine, std::vector<ChunkCoord> changed);
  template <class Sum>
  void fill_part(protocol::ChunkCells& cells, ChunkCoord from,
                 const protocol::ChunkCells* fine) const;

  const Of of_;
  const ChunkShape shape_;
  const Vec3 size_;
  const std::int32_t level_;
  bool wanted_ = false;
  bool made_ = false;            // once, of all of the world
  std::set<ChunkCoord> missed_;  // of the world's chunks, since nobody wants it
};

}  // namespace sluice::net
