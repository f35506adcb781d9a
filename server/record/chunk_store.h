// A recording's chunks: each content stored once, and where a chunk follows an earlier content of
// its place, as the difference from that.
//
//   data   := packed(cells) | 02 depth varint(base row id) packed(planes)
//   planes := 4 times 4,096 bytes: byte 0, 1, 2, 3 of zigzag(cell - the base's cell)
//
// Water moves little between two checkpoints, so the planes are mostly zero: a fifth of the cells'
// own packed size. A base may be such a difference itself, at most kMaxDepth deep, so that any
// chunk is a bounded number of rows away.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "protocol/base/geometry.h"
#include "protocol/base/result.h"
#include "server/record/byte_io.h"

namespace sluice::record {

class Database;

class ChunkStore {
 public:
  static constexpr int kMaxDepth = 15;
  /// Contents kept in memory, 16 KiB each.
  static constexpr std::size_t kKept = 256;

  /// Used by the database's own thread; must go before it does.
  explicit ChunkStore(Database& database) : database_(database) {}
  ChunkStore(const ChunkStore&) = delete;
  ChunkStore& operator=(const ChunkStore&) = delete;

  /// The row that holds these bytes (World::chunk_bytes), a new one if need be; one that the medium
  /// damaged is written anew. `base` is the row of an earlier content of the same place, 0 where
  /// there is none.
  [[nodiscard]] Result<std::int64_t> store(std::span<const std::byte> bytes, std::int64_t base);
  /// The content of a row, compared with its hash. Errors go after "chunk N ".
  [[nodiscard]] Result<Bytes> load(std::int64_t row_id);

 private:
  struct Content {
    Bytes bytes;
    int depth = 0;
  };
  /// What its row holds, packed, and its hash where one is wanted.
  [[nodiscard]] Result<Bytes> read_row(std::int64_t row_id, Bytes* hash);
  [[nodiscard]] Result<Content> content(std::int64_t row_id, int most_depth, Bytes* hash);
  /// The same, compared with its hash.
  [[nodiscard]] Result<Content> whole(std::int64_t row_id);
  /// A row whose hash is that of these bytes, after a look whether it holds them.
  [[nodiscard]] Result<std::int64_t> reuse(std::int64_t row_id, std::span<const std::byte> bytes);
  /// The delta form, or nothing where it does not pay.
  [[nodiscard]] std::optional<Bytes> as_difference(std::span<const std::byte> bytes,
                                                   std::int64_t base);

  void keep(std::int64_t row_id, const Content& content);

  Database& database_;
  std::int64_t last_row_ = 0;  // that was made here
  /// Contents that were looked at lately: those of one checkpoint are the bases of the next one's.
  std::map<std::int64_t, Content> lately_;
};

}  // namespace sluice::record
