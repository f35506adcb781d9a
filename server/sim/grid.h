// The sparse grid: an ordered map of chunks. What is not stored is air. Chunks are created where
// something comes to be and dropped when they hold nothing and sleep, so a chunk's existence is
// never part of a world's state.
//
// Edges: behind a wall everything is solid (kOutside). Behind an open edge lies one layer of open
// cells, the *gutter*; whatever a pass lets flow into it is taken away at the end of the pass and
// counted as drained. The kernels thus need to know nothing about edges.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "server/sim/chunk.h"
#include "server/sim/chunk_edit.h"
#include "server/sim/full_columns.h"
#include "server/sim/spec.h"

namespace sluice::sim {

/// Of a cell.
inline constexpr std::size_t kFaces = 6;

class Grid {
 public:
  explicit Grid(const WorldConfig& config);
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  [[nodiscard]] const ChunkShape& shape() const { return shape_; }
  [[nodiscard]] const Box& world_box() const { return world_; }
  /// The world and its gutters.
  [[nodiscard]] const Box& open_box() const { return open_; }

  /// Null where nothing is stored.
  [[nodiscard]] const Chunk* find(ChunkCoord coord) const;
  [[nodiscard]] Chunk* find(ChunkCoord coord);
  /// Creates an empty, awake chunk where none is. `coord` must touch open_box().
  Chunk& obtain(ChunkCoord coord);
  /// An empty chunk for that place, not yet stored. May run beside other readers.
  [[nodiscard]] std::unique_ptr<Chunk> make(ChunkCoord coord) const;
  /// Stores a chunk that make() made, awake. Nothing may be stored there.
  Chunk& adopt(std::unique_ptr<Chunk> chunk);
  /// Whether any cell of that chunk could ever be open.
  [[nodiscard]] bool reaches(ChunkCoord c) const {
    return c.x >= first_.x && c.x <= last_.x && c.y >= first_.y && c.y <= last_.y &&
           c.z >= first_.z && c.z <= last_.z;
  }

  [[nodiscard]] std::int64_t chunk_count() const {
    return static_cast<std::int64_t>(chunks_.size());
  }
  /// Chunks that held anything at the last update_digest, and those that commands filled since.
  [[nodiscard]] std::int64_t holding_count() const { return holding_ + claimed_; }
  /// Counts a chunk that a command fills, until the next update_digest.
  void claim(Chunk& chunk) {
    if (chunk.holds() || chunk.claimed) return;
    chunk.claimed = true;
    ++claimed_;
  }
  /// In ChunkCoord's order: f(const Chunk&).
  template <class F>
  void for_each(F&& f) const {
    for (const auto& [coord, chunk] : chunks_) f(static_cast<const Chunk&>(*chunk));
  }
  template <class F>
  void for_each(F&& f) {
    for (auto& [coord, chunk] : chunks_) f(*chunk);
  }

  /// Of those over one chunk's ground, x and z, from the lowest up, gutters included: f(Chunk&).
  template <class F>
  void for_each_in_column(std::int32_t x, std::int32_t z, F&& f) {
    each_in_column(chunks_, x, z, [&f](Chunk& chunk) { f(chunk); });
  }
  template <class F>
  void for_each_in_column(std::int32_t x, std::int32_t z, F&& f) const {
    each_in_column(chunks_, x, z, [&f](const Chunk& chunk) { f(chunk); });
  }
  /// Grows with every chunk that comes or goes.
  [[nodiscard]] std::uint64_t chunks_version() const { return chunks_version_; }

  /// kOutside beyond the world.
  [[nodiscard]] Cell cell(Vec3 at) const;
  /// The first cell at or above `at` that holds less than `full`, which is one number for each
  /// world. Every chunk that decides it is marked as watched.
  [[nodiscard]] Vec3 top_over(Vec3 at, Cell full) const {
    return full_columns_.top_over(*this, at, full);
  }
  /// Whoever was told of a chunk that is no longer watched asks again.
  void forget_tops() { full_columns_.forget(); }
  [[nodiscard]] const FullColumns& full_columns() const { return full_columns_; }

  /// Notes that `chunk` must be looked at in these passes, there or everywhere.
  void wake(Chunk& chunk, std::uint8_t passes, const ChunkRegion& where);
  void wake(Chunk& chunk, std::uint8_t passes) { wake(chunk, passes, whole_chunk(shape_)); }
  void wake_all();
  /// Wakes the chunk and those neighbours whose flows can see the borders in `changed`, and lists
  /// the chunk as changed in this tick. `where` holds the changed cells.
  void note_change(Chunk& chunk, std::uint8_t changed, const ChunkRegion& where) {
    note_change(chunk, changed, where, widened(where, shape_).segments);
  }
  /// The same where it is known which segments hold a cell beside a changed one.
  void note_change(Chunk& chunk, std::uint8_t changed, const ChunkRegion& where,
                   std::uint32_t beside);
  void note_change(Chunk& chunk, std::uint8_t changed) {
    note_change(chunk, changed, whole_chunk(shape_));
  }
  /// Lets `write` (ChunkEdit&) write to cells of a chunk, all of them in `where`, and notes the
  /// change if there was one. Engines of water models write on their own, for speed: they know
  /// which borders they changed, and note a chunk once a tick. So does whoever writes to several
  /// chunks by turns.
  template <class Write>
  void edit(Chunk& chunk, const ChunkRegion& where, Write&& write) {
    ChunkEdit edit(chunk);
    write(edit);
    if (edit.changed()) note_change(chunk, kChangedAll, where);
  }
  template <class Write>
  void edit(Chunk& chunk, Write&& write) {
    edit(chunk, whole_chunk(shape_), write);
  }
  /// Adds to one cell, which may lie where no chunk is yet.
  void add_to_cell(Vec3 at, std::int32_t units);
  /// Chunks with a wake bit, and perhaps some that went to sleep since; in no order.
  [[nodiscard]] std::vector<Chunk*>& awake() { return awake_; }
  [[nodiscard]] const std::vector<Chunk*>& awake() const { return awake_; }
  /// The chunks noted as changed since the last take_changed(), each once, in no order.
  [[nodiscard]] const std::vector<Chunk*>& changed() const { return changed_; }
  /// The chunks noted as changed since the last call, each once, in no order.
  [[nodiscard]] std::vector<Chunk*> take_changed();

  /// Takes the chunks that went to sleep off the awake list, then drops those among `candidates`
  /// that sleep and hold nothing.
  void settle(const std::vector<Chunk*>& candidates);

  /// Sum of chunk_contribution over all chunks, as of the last updates.
  [[nodiscard]] Digest cells_digest() const { return cells_digest_; }
  /// Likewise of the chunks' marks.
  [[nodiscard]] Digest marks_digest() const { return marks_digest_; }
  /// Replaces a chunk's digests, their shares of cells_digest() and marks_digest(), and what they
  /// say of holding_count().
  void set_digests(Chunk& chunk, Digest cells, Digest marks);

  /// Empties the gutter cells of `chunk` in those slabs; returns the units that were in them.
  std::int64_t drain_gutter(Chunk& chunk, std::uint64_t slabs) const;

 private:
  template <class Chunks, class F>
  static void each_in_column(Chunks& chunks, std::int32_t x, std::int32_t z, F&& f) {
    constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
    for (auto at = chunks.lower_bound({x, kLowest, z}); at != chunks.end(); ++at) {
      if (at->first.x != x || at->first.z != z) return;
      f(*at->second);
    }
  }
  void link(Chunk& chunk);
  void unlink(Chunk& chunk);
  void fill_pristine(Chunk& chunk) const;
  void list_change(Chunk& chunk, std::uint8_t changed, const ChunkRegion& where,
                   std::uint32_t beside_segments);

  // Derived from the configuration, and from the chunks.
  ChunkShape shape_;
  std::uint8_t passes_;  // those that worlds of this shape have
  Box world_;
  Box open_;
  ChunkCoord first_;  // of those that touch open_
  ChunkCoord last_;
  std::vector<Box> gutters_;  // one for each open edge; they meet nowhere, corners stay solid
  std::map<ChunkCoord, std::unique_ptr<Chunk>> chunks_;
  std::uint64_t chunks_version_ = 0;
  std::vector<Chunk*> awake_;
  std::vector<Chunk*> changed_;
  std::int64_t holding_ = 0;  // chunks of which holds() is true
  std::int64_t claimed_ = 0;  // chunks of which `claimed` is true
  Digest cells_digest_ = 0;
  Digest marks_digest_ = 0;
  mutable FullColumns full_columns_;
  Digest air_digest_ = 0;  // of a chunk wholly inside that holds nothing
};

}  // namespace sluice::sim
