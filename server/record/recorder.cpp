#include "server/record/recorder.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "server/record/chunk_store.h"
#include "server/record/command_batch.h"
#include "server/record/database.h"
#include "server/record/durable.h"
#include "server/record/facts.h"
#include "server/record/format.h"
#include "server/record/packing.h"
#include "server/record/reader.h"
#include "server/record/write_lock.h"

namespace sluice::record {

namespace {

// Rows that stay are compressed well, rows that a merge will soon replace are written fast.
constexpr int kFullRowLevel = 12;
constexpr int kMediumRowLevel = 6;
constexpr int kShortRowLevel = 1;
constexpr int kCoreLevel = 6;

std::size_t commands_of(std::span<const TickRecord> ticks) {
  std::size_t commands = 0;
  for (const TickRecord& tick : ticks) commands += tick.commands.size();
  return commands;
}

bool row_is_full(std::size_t ticks, std::size_t commands) {
  return ticks >= kTicksPerRow || commands >= kCommandsPerRow;
}

std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

sim::Status write_facts(Database& database, std::uint64_t begins, std::vector<Fact> facts) {
  facts.push_back({"begins", std::to_string(begins)});
  auto insert = database.prepare(
      "INSERT INTO facts (name, value, checksum) VALUES (CAST(?1 AS TEXT), CAST(?2 AS TEXT), ?3)");
  if (!insert) return sim::Error{insert.error()};
  for (const Fact& fact : facts) {
    const auto name = as_bytes(fact.name);
    const auto value = as_bytes(fact.value);
    insert->bind(1, name).bind(2, value).bind(3, row_checksum(0, name, value));
    if (const sim::Status written = insert->run(); !written) return written;
  }
  return sim::Done{};
}

std::vector<Fact> first_facts(const sim::World& first) {
  std::vector<Fact> facts = program_facts();
  for (Fact& fact : world_facts(first)) facts.push_back(std::move(fact));
  return facts;
}

/// Brings a file of an older version to this one, whole or not at all: adds what it lacks, changes
/// nothing that it has.
sim::Status upgrade(Database& database, Reader& reader) {
  if (reader.format_version() == kFormatVersion) return sim::Done{};
  const auto first = reader.restore(reader.first_tick());
  if (!first) return sim::Error{first.error()};
  if (const sim::Status begun = database.execute("BEGIN IMMEDIATE"); !begun) return begun;
  sim::Status done = sim::Done{};
  for (const Table& table : kTables) {
    if (done && table.since > reader.format_version()) done = database.execute(table.sql);
  }
  if (done) done = write_facts(database, reader.first_tick(), first_facts(**first));
  const std::string version = "PRAGMA user_version = " + std::to_string(kFormatVersion);
  if (done) done = database.execute(version.c_str());
  if (done) return database.execute("COMMIT");
  (void)database.execute("ROLLBACK");
  return done;
}

/// Writes all that a new file holds but its first checkpoint.
sim::Status write_foundation(Database& database, const Foundation& foundation) {
  for (const Table& table : kTables) {
    if (const sim::Status made = database.execute(table.sql); !made) return made;
  }
  const std::string version = "PRAGMA application_id = " + std::to_string(kApplicationId) +
                              "; PRAGMA user_version = " + std::to_string(kFormatVersion);
  if (const sim::Status set = database.execute(version.c_str()); !set) return set;
  const sim::Status told = write_facts(database, foundation.image.tick, foundation.facts);
  if (!told) return told;
  auto insert = database.prepare(
      "INSERT INTO world (id, world_file, made_by, checksum) VALUES (1, ?1, ?2, ?3)");
  if (!insert) return sim::Error{insert.error()};
  const auto file = as_bytes(foundation.world_file_text);
  const auto maker = as_bytes(foundation.made_by);
  return insert->bind(1, file).bind(2, maker).bind(3, row_checksum(1, file, maker)).run();
}

}  // namespace

struct Recorder::Statements {
  Statement begin;
  Statement commit;
  Statement insert_row;
  Statement delete_tail;
  Statement has_checkpoint;
  Statement insert_checkpoint;

  static sim::Result<std::unique_ptr<Statements>> prepare(Database& database) {
    constexpr std::string_view kSql[] = {
        "BEGIN IMMEDIATE",
        "COMMIT",
        "INSERT INTO history (first_tick, digests, commands, checksum) VALUES (?1, ?2, ?3, ?4)",
        "DELETE FROM history WHERE first_tick >= ?1",
        "SELECT 1 FROM checkpoints WHERE tick = ?1",
        "INSERT INTO checkpoints (tick, digest, core, chunks, checksum) "
        "VALUES (?1, ?2, ?3, ?4, ?5)",
    };
    std::vector<Statement> made;
    for (const std::string_view sql : kSql) {
      sim::Result<Statement> statement = database.prepare(sql);
      if (!statement) return sim::Error{statement.error()};
      made.push_back(std::move(statement).value());
    }
    auto at = [&made](std::size_t i) { return std::move(made[i]); };
    return std::unique_ptr<Statements>(new Statements{at(0), at(1), at(2), at(3), at(4), at(5)});
  }
};

Recorder::Recorder(std::unique_ptr<WriteLock> lock, std::unique_ptr<Database> database)
    : lock_(std::move(lock)), database_(std::move(database)) {}

Recorder::~Recorder() {
  statements_.reset();
  chunks_.reset();
  if (failure_) return;
  // With a reader in the way both fail at once, and the file stays in WAL mode, which is as good.
  (void)database_->execute("PRAGMA busy_timeout = 200");
  (void)database_->execute("PRAGMA wal_checkpoint(TRUNCATE)");
  (void)database_->execute("PRAGMA journal_mode = DELETE");
}

const std::string& Recorder::path() const {
  return database_->path();
}

sim::Result<std::unique_ptr<Recorder>> Recorder::create(const std::string& path,
                                                        std::string_view world_file_text,
                                                        const sim::World& world_at_tick_0) {
  SLUICE_ASSERT(world_at_tick_0.tick_number() == 0);
  return create(path, {std::string(world_file_text), program_name(), first_facts(world_at_tick_0),
                       CheckpointImage::of(world_at_tick_0)});
}

sim::Result<std::unique_ptr<Recorder>> Recorder::create(const std::string& path,
                                                        Foundation foundation) {
  auto lock = WriteLock::acquire(path);
  if (!lock) return sim::Error{lock.error()};
  // A stale log beside a new file of its name would be taken for the new file's own.
  for (const char* suffix : {"", "-wal", "-journal"}) {
    if (std::filesystem::exists(path + suffix)) {
      return sim::Error{path + suffix +
                        ": exists already; a recording is never overwritten, "
                        "choose another name or move it away"};
    }
  }
  const std::string unfinished = path + ".new";
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  std::filesystem::remove(unfinished + "-journal", ignored);
  {
    auto database = Database::open(unfinished, Database::Mode::kCreate);
    if (!database) return sim::Error{database.error()};
    Recorder writer(nullptr, std::move(database).value());
    if (const sim::Status begun = writer.database_->execute("BEGIN IMMEDIATE"); !begun) {
      return sim::Error{begun.error()};
    }
    if (const auto laid = write_foundation(*writer.database_, foundation); !laid) {
      return sim::Error{laid.error()};
    }
    auto statements = Statements::prepare(*writer.database_);
    if (!statements) return sim::Error{statements.error()};
    writer.statements_ = std::move(statements).value();
    auto chunks = ChunkStore::open(*writer.database_);
    if (!chunks) return sim::Error{chunks.error()};
    writer.chunks_ = std::move(chunks).value();
    const sim::Status written = writer.write_checkpoint(foundation.image);
    if (!written) return sim::Error{written.error()};
    if (const auto done = writer.statements_->commit.run(); !done) return sim::Error{done.error()};
  }
  if (std::rename(unfinished.c_str(), path.c_str()) != 0) {
    return sim::Error{path + ": cannot be created: " + std::strerror(errno)};
  }
  if (const sim::Status synced = sync_directory_of(path); !synced)
    return sim::Error{synced.error()};
  return open_locked(path, std::move(lock).value());
}

sim::Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path) {
  // Asked first, so that a wrong path leaves no lock file and a wrong file is called what it is.
  if (const auto reader = Reader::open(path); !reader) return sim::Error{reader.error()};
  auto lock = WriteLock::acquire(path);
  if (!lock) return sim::Error{lock.error()};
  return open_locked(path, std::move(lock).value());
}

sim::Result<std::unique_ptr<Recorder>> Recorder::open_locked(const std::string& path,
                                                             std::unique_ptr<WriteLock> lock) {
  auto database = Database::open(path, Database::Mode::kWrite);
  if (!database) return sim::Error{database.error()};
  const sim::Status durable = (*database)->execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304");
  if (!durable) return sim::Error{durable.error()};
  {
    auto reader = Reader::open(path);
    if (!reader) return sim::Error{reader.error()};
    if (const auto upgraded = upgrade(**database, **reader); !upgraded) {
      return sim::Error{upgraded.error()};
    }
  }
  auto statements = Statements::prepare(**database);
  if (!statements) return sim::Error{statements.error()};
  auto chunks = ChunkStore::open(**database);
  if (!chunks) return sim::Error{chunks.error()};
  std::unique_ptr<Recorder> recorder(new Recorder(std::move(lock), std::move(database).value()));
  recorder->statements_ = std::move(statements).value();
  recorder->chunks_ = std::move(chunks).value();
  if (const sim::Status loaded = recorder->load_tail(); !loaded) return sim::Error{loaded.error()};
  return recorder;
}

sim::Status Recorder::load_tail() {
  auto reader = Reader::open(database_->path());
  if (!reader) return sim::Error{reader.error()};
  last_tick_ = (*reader)->last_tick();
  for (std::uint64_t end = last_tick_; end > (*reader)->first_tick();
       end = tail_.front().tick - 1) {
    sim::Result<std::vector<TickRecord>> row = (*reader)->row_at(end);
    if (!row) return sim::Error{row.error()};
    if (row_is_full(row->size() + tail_.size(), commands_of(*row) + commands_of(tail_))) break;
    tail_.insert(tail_.begin(), std::make_move_iterator(row->begin()),
                 std::make_move_iterator(row->end()));
  }
  // Rows that a former process left are not worth a merge of their own before the full one.
  short_begin_ = tail_.size();
  return sim::Done{};
}

sim::Status Recorder::append(const TickRecord& tick) {
  if (failure_) return *failure_;
  SLUICE_ASSERT(tick.tick == last_tick_ + 1);
  pending_.push_back(tick);
  last_tick_ = tick.tick;
  return sim::Done{};
}

sim::Status Recorder::append_checkpoint(CheckpointImage image) {
  if (failure_) return *failure_;
  SLUICE_ASSERT(image.tick <= last_tick_);
  pending_images_.push_back(std::move(image));
  return sim::Done{};
}

sim::Status Recorder::commit() {
  if (failure_) return *failure_;
  if (pending_.empty() && pending_images_.empty()) return sim::Done{};
  return in_transaction();
}

sim::Status Recorder::checkpoint(CheckpointImage image) {
  if (const sim::Status taken = append_checkpoint(std::move(image)); !taken) return taken;
  return in_transaction();
}

sim::Status Recorder::in_transaction() {
  sim::Status done = statements_->begin.run();
  if (done) done = write_pending();
  for (const CheckpointImage& image : pending_images_) {
    if (done) done = write_checkpoint(image);
  }
  pending_images_.clear();
  if (done) done = statements_->commit.run();
  if (done) return done;
  failure_ = sim::Error{done.error()};
  (void)database_->execute("ROLLBACK");
  return *failure_;
}

sim::Status Recorder::write_pending() {
  if (pending_.empty()) return sim::Done{};
  const std::size_t old_size = tail_.size();
  tail_.insert(tail_.end(), std::make_move_iterator(pending_.begin()),
               std::make_move_iterator(pending_.end()));
  pending_.clear();
  const std::span<const TickRecord> tail = tail_;
  if (row_is_full(tail.size(), commands_of(tail))) return write_full_rows(old_size);

  const std::span<const TickRecord> recent = tail.subspan(short_begin_);
  if (recent.size() < kTicksPerShortMerge && commands_of(recent) < kCommandsPerShortMerge) {
    return write_row(tail.subspan(old_size), kShortRowLevel);
  }
  if (const sim::Status removed = remove_rows_from(short_begin_, old_size); !removed)
    return removed;
  short_begin_ = tail_.size();
  return write_row(recent, kMediumRowLevel);
}

sim::Status Recorder::remove_rows_from(std::size_t index, std::size_t written) {
  if (index >= written) return sim::Done{};
  return statements_->delete_tail.bind(1, static_cast<std::int64_t>(tail_[index].tick)).run();
}

sim::Status Recorder::write_full_rows(std::size_t written) {
  if (const sim::Status removed = remove_rows_from(0, written); !removed) return removed;
  std::size_t begin = 0;
  std::size_t commands = 0;
  for (std::size_t i = 0; i < tail_.size(); ++i) {
    commands += tail_[i].commands.size();
    if (!row_is_full(i + 1 - begin, commands)) continue;
    const auto full = std::span<const TickRecord>(tail_).subspan(begin, i + 1 - begin);
    if (const sim::Status written_row = write_row(full, kFullRowLevel); !written_row) {
      return written_row;
    }
    begin = i + 1;
    commands = 0;
  }
  tail_.erase(tail_.begin(), tail_.begin() + static_cast<std::ptrdiff_t>(begin));
  short_begin_ = 0;
  return tail_.empty() ? sim::Status(sim::Done{}) : write_row(tail_, kShortRowLevel);
}

sim::Status Recorder::write_row(std::span<const TickRecord> ticks, int level) {
  Bytes digests;
  for (const TickRecord& tick : ticks) put_u64(tick.digest, digests);
  Bytes commands;
  encode_commands(ticks, level, commands);
  const std::uint64_t first_tick = ticks.front().tick;
  Statement& insert = statements_->insert_row;
  insert.bind(1, static_cast<std::int64_t>(first_tick)).bind(2, digests);
  if (commands.empty()) {
    insert.bind_null(3);
  } else {
    insert.bind(3, commands);
  }
  return insert.bind(4, row_checksum(first_tick, digests, commands)).run();
}

sim::Status Recorder::write_checkpoint(const CheckpointImage& image) {
  std::vector<ListedChunk> listed;
  std::map<sim::ChunkCoord, ChunkRows> rows;
  for (const CheckpointImage::Chunk& chunk : image.chunks) {
    const sim::Result<ChunkRows> stored = store_chunk(chunk);
    if (!stored) return sim::Error{stored.error()};
    listed.push_back({chunk.coord, chunk.wake, stored->cells, stored->marks});
    rows.emplace_hint(rows.end(), chunk.coord, *stored);
  }
  rows_ = std::move(rows);
  Statement& has = statements_->has_checkpoint;
  const sim::Result<bool> there = has.bind(1, static_cast<std::int64_t>(image.tick)).step();
  has.reset();
  if (!there) return sim::Error{there.error()};
  if (*there) return sim::Done{};

  Bytes core;
  pack(image.core, kCoreLevel, core);
  Bytes list;
  encode_chunk_list(listed, list);
  return statements_->insert_checkpoint.bind(1, static_cast<std::int64_t>(image.tick))
      .bind(2, static_cast<std::int64_t>(image.digest))
      .bind(3, core)
      .bind(4, list)
      .bind(5, row_checksum(sim::combine(image.tick, image.digest), core, list))
      .run();
}

sim::Result<Recorder::ChunkRows> Recorder::store_chunk(const CheckpointImage::Chunk& chunk) {
  const auto found = rows_.find(chunk.coord);
  const ChunkRows before = found == rows_.end() ? ChunkRows{} : found->second;
  if (chunk.bytes.empty()) {
    SLUICE_ASSERT(before.cells != 0);  // an image that is not complete follows its own base
    return before;
  }
  const sim::Result<std::int64_t> cells = chunks_->store(chunk.bytes, before.cells);
  if (!cells) return sim::Error{cells.error()};
  if (chunk.marks.empty()) return ChunkRows{*cells, 0};
  const sim::Result<std::int64_t> marks = chunks_->store(chunk.marks, before.marks);
  if (!marks) return sim::Error{marks.error()};
  return ChunkRows{*cells, *marks};
}

}  // namespace sluice::record
