// Writing a recording's checkpoints: a row for each, whose chunks and core are stored once for all.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "protocol/base/result.h"
#include "server/record/checkpoint.h"
#include "server/record/format.h"

namespace sluice::record {

class ChunkStore;
class CoreStore;
class Database;

/// Where the contents of one chunk lie; 0: it has none.
struct ChunkRows {
  std::int64_t cells = 0;
  std::int64_t marks = 0;
};
/// Of the chunks of one image.
using ImageRows = std::map<ChunkCoord, ChunkRows>;

/// Used by the database's own thread; must go before it does.
class CheckpointRows {
 public:
  [[nodiscard]] static Result<std::unique_ptr<CheckpointRows>> open(Database& database,
                                                                    const Limits& limits);
  ~CheckpointRows();
  CheckpointRows(const CheckpointRows&) = delete;
  CheckpointRows& operator=(const CheckpointRows&) = delete;

  /// Stores an image, in a transaction of the caller's. `rows` are those of the image before, from
  /// which one that is not complete tells the changes, and become this one's. A tick that has a
  /// checkpoint keeps the one it has.
  [[nodiscard]] Status write(CheckpointImage& image, ImageRows& rows);
  /// Of the last checkpoint that the file holds.
  [[nodiscard]] Result<ImageRows> rows_of_last();

 private:
  struct Statements;
  CheckpointRows(Database& database, const Limits& limits, std::unique_ptr<Statements> statements);
  [[nodiscard]] Result<ChunkRows> store_chunk(const CheckpointImage::Chunk& chunk,
                                              const ChunkRows& before);

  Database& database_;
  const Limits limits_;
  std::unique_ptr<Statements> statements_;
  std::unique_ptr<ChunkStore> chunks_;
  std::unique_ptr<CoreStore> cores_;
};

}  // namespace sluice::record
