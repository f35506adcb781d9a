#include "server/record/checkpoint_rows.h"

#include <utility>
#include <vector>

#include "server/record/chunk_store.h"
#include "server/record/core_store.h"
#include "server/record/database.h"
#include "server/record/packing.h"

namespace sluice::record {

struct CheckpointRows::Statements {
  Statement has;
  Statement insert;
};

CheckpointRows::CheckpointRows(Database& database, const Limits& limits,
                               std::unique_ptr<Statements> statements)
    : database_(database), limits_(limits), statements_(std::move(statements)) {}
CheckpointRows::~CheckpointRows() = default;

Result<std::unique_ptr<CheckpointRows>> CheckpointRows::open(Database& database,
                                                             const Limits& limits) {
  auto has = database.prepare("SELECT 1 FROM checkpoints WHERE tick = ?1");
  if (!has) return Error{has.error()};
  auto insert = database.prepare(
      "INSERT INTO checkpoints (tick, digest, core, chunks, checksum) "
      "VALUES (?1, ?2, ?3, ?4, ?5)");
  if (!insert) return Error{insert.error()};
  std::unique_ptr<CheckpointRows> made(new CheckpointRows(
      database, limits,
      std::make_unique<Statements>(Statements{std::move(has).value(), std::move(insert).value()})));
  made->chunks_ = std::make_unique<ChunkStore>(database);
  made->cores_ = std::make_unique<CoreStore>(database, limits);
  return made;
}

Status CheckpointRows::write(CheckpointImage& image, ImageRows& rows) {
  std::vector<ListedChunk> listed;
  ImageRows stored_rows;
  for (const CheckpointImage::Chunk& chunk : image.chunks) {
    const auto found = rows.find(chunk.coord);
    const Result<ChunkRows> stored =
        store_chunk(chunk, found == rows.end() ? ChunkRows{} : found->second);
    if (!stored) return Error{stored.error()};
    listed.push_back({chunk.coord, chunk.wake, stored->cells, stored->marks});
    stored_rows.emplace_hint(stored_rows.end(), chunk.coord, *stored);
  }
  rows = std::move(stored_rows);
  const Result<bool> there = statements_->has.bind(1, static_cast<std::int64_t>(image.tick)).step();
  statements_->has.reset();
  if (!there) return Error{there.error()};
  if (*there) return Done{};

  image.make_core();
  const Result<Bytes> core = cores_->store(image.core);
  if (!core) return Error{core.error()};
  Bytes list;
  encode_chunk_list(listed, list);
  return statements_->insert.bind(1, static_cast<std::int64_t>(image.tick))
      .bind(2, static_cast<std::int64_t>(image.digest))
      .bind(3, *core)
      .bind(4, list)
      .bind(5, row_checksum(sim::combine(image.tick, image.digest), *core, list))
      .run();
}

Result<ImageRows> CheckpointRows::rows_of_last() {
  auto row = database_.prepare("SELECT chunks FROM checkpoints ORDER BY tick DESC LIMIT 1");
  if (!row) return Error{row.error()};
  const Result<bool> found = row->step();
  if (!found) return Error{found.error()};
  if (!*found) return database_.error("lacks its last checkpoint");
  const auto listed = decode_chunk_list(row->blob(0), limits_.chunk_list_bytes);
  if (!listed) return database_.error("is damaged: its last checkpoint: " + listed.error());
  ImageRows rows;
  for (const ListedChunk& chunk : *listed) {
    rows.emplace_hint(rows.end(), chunk.coord, ChunkRows{chunk.row_id, chunk.marks_row_id});
  }
  return rows;
}

Result<ChunkRows> CheckpointRows::store_chunk(const CheckpointImage::Chunk& chunk,
                                              const ChunkRows& before) {
  if (chunk.bytes.empty()) {
    SLUICE_ASSERT(before.cells != 0);  // an image that is not complete follows its own base
    return before;
  }
  const Result<std::int64_t> cells = chunks_->store(chunk.bytes, before.cells);
  if (!cells) return Error{cells.error()};
  if (chunk.marks.empty()) return ChunkRows{*cells, 0};
  const Result<std::int64_t> marks = chunks_->store(chunk.marks, before.marks);
  if (!marks) return Error{marks.error()};
  return ChunkRows{*cells, *marks};
}

}  // namespace sluice::record
