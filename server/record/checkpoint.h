// Checkpoints: a world's whole state at the end of one tick.
//
//   checkpoint row := core, list, checksum            core: core_store.h
//   list   := packed(
//     varint(chunks)
//     { zigzag varints of x, y, z less those of the chunk before }     in ChunkCoord's order
//     { wake: one byte; its highest bit says that the chunk has marks }
//     { zigzag varint of the chunk's row id less (the id before plus 1) }
//     { likewise, on from the last one, of the marks' row id: only of the chunks that have any } )
//   chunk row      := content hash, data                               chunk_store.h
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "protocol/base/geometry.h"
#include "protocol/base/result.h"
#include "server/record/byte_io.h"
#include "server/sim/core_copy.h"
#include "server/sim/digest.h"
#include "server/sim/world.h"

namespace sluice::record {

/// What a checkpoint needs of a world, copied: made on the thread that runs the world, written on
/// any other.
struct CheckpointImage {
  struct Chunk {
    ChunkCoord coord;
    std::uint8_t wake = 0;
    Bytes bytes;  // World::chunk_bytes; empty: this and the marks are as in the image before
    Bytes marks;  // World::mark_bytes
  };
  std::uint64_t tick = 0;
  sim::Digest digest = 0;
  Bytes core;  // World::snapshot_core; empty: to be made from the copy
  std::shared_ptr<const sim::CoreCopy> core_copy;
  std::vector<Chunk> chunks;  // in ChunkCoord's order
  bool complete = true;       // every chunk has its bytes

  [[nodiscard]] static CheckpointImage of(const sim::World& world);
  /// With the bytes of those chunks alone that are in `changed`, and the core as a copy.
  [[nodiscard]] static CheckpointImage changes(const sim::World& world,
                                               const std::set<ChunkCoord>& changed,
                                               sim::CoreCopier& copier);
  /// A world that goes on exactly as the one that it was taken of. Needs every chunk's bytes.
  [[nodiscard]] Result<std::unique_ptr<sim::World>> restore() const;
  /// Makes the core's bytes, where they are not made yet: the long part of taking an image.
  void make_core();
};

/// A chunk of a checkpoint as its list names it.
struct ListedChunk {
  ChunkCoord coord;
  std::uint8_t wake = 0;
  std::int64_t row_id = 0;
  std::int64_t marks_row_id = 0;  // 0: it has none
};

/// Appends the list's blob.
void encode_chunk_list(std::span<const ListedChunk> chunks, Bytes& out);
/// Any bytes are safe to give; at most `most_bytes` before packing are read.
[[nodiscard]] Result<std::vector<ListedChunk>> decode_chunk_list(std::span<const std::byte> blob,
                                                                 std::size_t most_bytes);

}  // namespace sluice::record
