#include "server/record/recorder.h"

#include <utility>

#include "server/record/bounds.h"
#include "server/record/chunk_store.h"
#include "server/record/command_batch.h"
#include "server/record/core_store.h"
#include "server/record/database.h"
#include "server/record/durable.h"
#include "server/record/facts.h"
#include "server/record/files.h"
#include "server/record/format.h"
#include "server/record/foundation.h"
#include "server/record/packing.h"
#include "server/record/reader.h"
#include "server/record/write_lock.h"
#include "server/sim/sometimes.h"

namespace sluice::record {

namespace {

// Rows that stay are compressed well, rows that a merge will soon replace are written fast.
constexpr int kFullRowLevel = 12;
constexpr int kMediumRowLevel = 6;
constexpr int kShortRowLevel = 1;

/// What "PRAGMA synchronous" says where each commit is followed by a sync.
constexpr std::int64_t kSynchronousFull = 2;

}  // namespace

struct Recorder::Statements {
  Statement begin;
  Statement commit;
  Statement insert_row;
  Statement delete_tail;
  Statement has_checkpoint;
  Statement insert_checkpoint;

  static Result<std::unique_ptr<Statements>> prepare(Database& database) {
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
      Result<Statement> statement = database.prepare(sql);
      if (!statement) return Error{statement.error()};
      made.push_back(std::move(statement).value());
    }
    auto at = [&made](std::size_t i) { return std::move(made[i]); };
    return std::unique_ptr<Statements>(new Statements{at(0), at(1), at(2), at(3), at(4), at(5)});
  }
};

Recorder::Recorder(std::string path, std::unique_ptr<WriteLock> lock, const Limits& limits)
    : path_(std::move(path)), lock_(std::move(lock)), limits_(limits) {}

Recorder::~Recorder() {
  statements_.reset();
  chunks_.reset();
  cores_.reset();
  if (failure_ || database_ == nullptr) return;
  // With a reader in the way both fail at once, and the file stays in WAL mode, which is as good.
  (void)database_->execute("PRAGMA busy_timeout = 200");
  (void)database_->execute("PRAGMA wal_checkpoint(TRUNCATE)");
  (void)database_->execute("PRAGMA journal_mode = DELETE");
}

Result<std::unique_ptr<Recorder>> Recorder::create(const std::string& path,
                                                   std::string_view world_file_text,
                                                   const sim::World& world_at_tick_0,
                                                   const Limits& limits) {
  SLUICE_ASSERT(world_at_tick_0.tick_number() == 0);
  return create(path,
                {std::string(world_file_text), program_name(), first_facts(world_at_tick_0),
                 CheckpointImage::of(world_at_tick_0)},
                limits);
}

Result<std::unique_ptr<Recorder>> Recorder::create(const std::string& path, Foundation foundation,
                                                   const Limits& limits) {
  auto lock = WriteLock::acquire(path);
  if (!lock) return Error{lock.error()};
  // A stale log beside a new file of its name would be taken for the new file's own.
  for (const char* suffix : {"", "-wal", "-journal"}) {
    if (files().exists(path + suffix)) {
      return Error{path + suffix +
                   ": exists already; a recording is never overwritten, "
                   "choose another name or move it away"};
    }
  }
  const std::string unfinished = path + kUnfinishedEnding;
  remove_recording(unfinished);
  if (const auto written = write_new(unfinished, foundation, limits); !written) {
    remove_recording(unfinished);
    return Error{written.error()};
  }
  if (const Status named = files().rename(unfinished, path); !named) {
    return Error{path + ": cannot be created: " + named.error()};
  }
  if (const Status synced = sync_directory_of(path); !synced) return Error{synced.error()};
  return open_locked(path, std::move(lock).value(), limits);
}

Status Recorder::write_new(const std::string& path, Foundation& foundation, const Limits& limits) {
  Recorder writer(path, nullptr, limits);
  auto database = Database::open(path, Database::Mode::kCreate);
  if (!database) return Error{database.error()};
  writer.database_ = std::move(database).value();
  Status done = writer.database_->execute("PRAGMA synchronous = FULL; BEGIN IMMEDIATE");
  if (done) done = write_foundation(*writer.database_, foundation);
  if (done) done = writer.prepare();
  if (done) done = writer.write_checkpoint(foundation.image);
  if (done) done = writer.statements_->commit.run();
  return done;
}

Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path, const Limits& limits) {
  // Asked first, so that a wrong path leaves no lock file and a wrong file is called what it is.
  if (const auto reader = Reader::open(path, limits); !reader) return Error{reader.error()};
  auto lock = WriteLock::acquire(path);
  if (!lock) return Error{lock.error()};
  return open_locked(path, std::move(lock).value(), limits);
}

Result<std::unique_ptr<Recorder>> Recorder::open_locked(const std::string& path,
                                                        std::unique_ptr<WriteLock> lock,
                                                        const Limits& limits) {
  std::unique_ptr<Recorder> recorder(new Recorder(path, std::move(lock), limits));
  if (const Status connected = recorder->connect(); !connected) {
    recorder->disconnect();
    return Error{connected.error()};
  }
  recorder->durable_tick_ = recorder->last_tick_;
  return recorder;
}

void Recorder::disconnect() {
  statements_.reset();
  chunks_.reset();
  cores_.reset();
  database_.reset();
}

Status Recorder::connect() {
  auto database = Database::open(path_, Database::Mode::kWrite);
  if (!database) return Error{database.error()};
  database_ = std::move(database).value();
  // SQLite says which mode it came to, and takes another one where it cannot have this.
  const auto mode = database_->text("PRAGMA journal_mode = WAL");
  if (!mode) return Error{mode.error()};
  if (*mode != "wal") {
    return database_->error("cannot be kept with a write-ahead log: its journal mode stays '" +
                            *mode + "' (a file system without shared memory?)");
  }
  const Status durable =
      database_->execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304");
  if (!durable) return durable;
  const auto level = database_->integer("PRAGMA synchronous");
  if (!level) return Error{level.error()};
  if (*level != kSynchronousFull) return database_->error("cannot be synced at each commit");
  {
    auto reader = Reader::open(path_, limits_);
    if (!reader) return Error{reader.error()};
    // Every older format was written with water of older rules, so there is none to go on with.
    const std::int64_t version = (*reader)->format_version();
    if (version != kFormatVersion) {
      return database_->error("cannot be gone on with: it has format " + std::to_string(version) +
                              ", this program writes " + std::to_string(kFormatVersion));
    }
  }
  if (const Status prepared = prepare(); !prepared) return prepared;
  return load_tail();
}

Status Recorder::prepare() {
  auto statements = Statements::prepare(*database_);
  if (!statements) return Error{statements.error()};
  auto chunks = ChunkStore::open(*database_);
  if (!chunks) return Error{chunks.error()};
  auto cores = CoreStore::open(*database_, limits_);
  if (!cores) return Error{cores.error()};
  statements_ = std::move(statements).value();
  chunks_ = std::move(chunks).value();
  cores_ = std::move(cores).value();
  return Done{};
}

Status Recorder::load_tail() {
  auto reader = Reader::open(path_, limits_);
  if (!reader) return Error{reader.error()};
  last_tick_ = (*reader)->last_tick();
  tail_.clear();
  tail_bytes_.clear();
  for (std::uint64_t end = last_tick_; end > (*reader)->first_tick();
       end = tail_.front().tick - 1) {
    Result<std::vector<TickRecord>> row = (*reader)->row_at(end);
    if (!row) return Error{row.error()};
    std::vector<std::size_t> bytes;
    Load load = load_of(0, tail_.size());
    for (const TickRecord& tick : *row) {
      bytes.push_back(batch_bytes(tick));
      load.add(tick, bytes.back());
    }
    if (full(load)) break;
    tail_.insert(tail_.begin(), std::make_move_iterator(row->begin()),
                 std::make_move_iterator(row->end()));
    tail_bytes_.insert(tail_bytes_.begin(), bytes.begin(), bytes.end());
  }
  // Rows that a former process left are not worth a merge of their own before the full one.
  short_begin_ = tail_.size();
  return Done{};
}

void Recorder::Load::add(const TickRecord& tick, std::size_t tick_bytes) {
  ++ticks;
  commands += tick.commands.size();
  bytes += tick_bytes;
}

Recorder::Load Recorder::load_of(std::size_t from, std::size_t to) const {
  Load load;
  for (std::size_t i = from; i < to; ++i) load.add(tail_[i], tail_bytes_[i]);
  return load;
}

bool Recorder::full(const Load& load) const {
  return load.ticks >= limits_.ticks_per_row || load.commands >= limits_.commands_per_row ||
         load.bytes >= limits_.bytes_per_row;
}

Status Recorder::append(TickRecord tick) {
  if (failure_) return *failure_;
  for (RecordedCommand& recorded : tick.commands) bound(recorded);
  refusals_.apply(tick);
  return append_copy(std::move(tick));
}

Status Recorder::append_copy(TickRecord tick) {
  if (failure_) return *failure_;
  SLUICE_ASSERT(tick.tick == last_tick_ + 1);
  for (RecordedCommand& recorded : tick.commands) bound(recorded);
  if (const std::size_t bytes = batch_bytes(tick); bytes > limits_.batch_bytes) {
    return Error{path_ + ": cannot take tick " + std::to_string(tick.tick) +
                 ": its commands take " + std::to_string(bytes) + " bytes; at most " +
                 std::to_string(limits_.batch_bytes)};
  }
  last_tick_ = tick.tick;
  pending_.push_back(std::move(tick));
  return Done{};
}

Status Recorder::append_checkpoint(CheckpointImage image) {
  if (failure_) return *failure_;
  SLUICE_ASSERT(image.tick <= last_tick_);
  pending_images_.push_back(std::move(image));
  return Done{};
}

Status Recorder::commit() {
  if (failure_) return *failure_;
  if (pending_.empty() && pending_images_.empty()) return Done{};
  return in_transaction();
}

Status Recorder::checkpoint(CheckpointImage image) {
  if (const Status taken = append_checkpoint(std::move(image)); !taken) return taken;
  return in_transaction();
}

Status Recorder::in_transaction() {
  std::map<ChunkCoord, ChunkRows> rows_before;
  if (!pending_images_.empty()) rows_before = rows_;
  Status done = statements_->begin.run();
  if (done) done = write_pending();
  for (CheckpointImage& image : pending_images_) {
    if (done) done = write_checkpoint(image);
  }
  if (done) done = statements_->commit.run();
  if (done) {
    pending_.clear();
    pending_images_.clear();
    durable_tick_ = last_tick_;
    return done;
  }
  failure_ = Error{done.error()};
  (void)database_->execute("ROLLBACK");
  // What waits will be written again, from where the last commit that went well left off.
  if (!pending_images_.empty()) rows_ = std::move(rows_before);
  return *failure_;
}

Status Recorder::resume() {
  if (!failure_) return Done{};
  const std::uint64_t appended = pending_.empty() ? durable_tick_ : pending_.back().tick;
  disconnect();
  Status done = connect();
  // A failed sync may have left pages that the system holds for clean and the medium does not
  // have: folding the log writes all that it holds anew, so that the sync after it is a true one.
  if (done) {
    const auto busy = database_->integer("PRAGMA wal_checkpoint(TRUNCATE)");
    if (!busy) done = Error{busy.error()};
    if (busy && *busy != 0) done = database_->error("is being read; its log cannot be folded back");
  }
  if (done) done = drop_what_is_there();
  if (!done) {
    disconnect();
    last_tick_ = appended;
    return done;
  }
  failure_.reset();
  SLUICE_SOMETIMES("a recording that had failed went on");
  return done;
}

// A commit that failed in its last moment may be in the file after all.
Status Recorder::drop_what_is_there() {
  const std::uint64_t there = last_tick_;
  const std::uint64_t most = pending_.empty() ? durable_tick_ : pending_.back().tick;
  if (there < durable_tick_ || there > most) {
    return database_->error("ends at tick " + std::to_string(there) + ", but what was kept is " +
                            std::to_string(durable_tick_) + " ticks long");
  }
  std::size_t known = 0;
  while (known < pending_.size() && pending_[known].tick <= there) ++known;
  for (std::size_t i = 0; i < std::min(known, tail_.size()); ++i) {
    const TickRecord& held = tail_[tail_.size() - 1 - i];
    if (held.digest != pending_[known - 1 - i].digest) {
      return database_->error("holds another tick " + std::to_string(held.tick) +
                              " than was recorded");
    }
  }
  if (known > 0) SLUICE_SOMETIMES("a commit that failed was in the file after all");
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(known));
  last_tick_ = most;
  durable_tick_ = there;
  return Done{};
}

Status Recorder::write_pending() {
  if (pending_.empty()) return Done{};
  const std::size_t old_size = tail_.size();
  for (const TickRecord& tick : pending_) {
    tail_.push_back(tick);
    tail_bytes_.push_back(batch_bytes(tick));
  }
  const std::span<const TickRecord> tail = tail_;
  if (full(load_of(0, tail.size()))) return write_full_rows(old_size);

  const Load recent = load_of(short_begin_, tail.size());
  if (recent.ticks < limits_.ticks_per_short_merge &&
      recent.commands < limits_.commands_per_short_merge &&
      recent.bytes < limits_.bytes_per_short_merge) {
    return write_row(tail.subspan(old_size), kShortRowLevel);
  }
  if (const Status removed = remove_rows_from(short_begin_, old_size); !removed) return removed;
  SLUICE_SOMETIMES("short rows of history were merged");
  const std::size_t begin = std::exchange(short_begin_, tail_.size());
  return write_row(tail.subspan(begin), kMediumRowLevel);
}

Status Recorder::remove_rows_from(std::size_t index, std::size_t written) {
  if (index >= written) return Done{};
  return statements_->delete_tail.bind(1, static_cast<std::int64_t>(tail_[index].tick)).run();
}

Status Recorder::write_full_rows(std::size_t written) {
  if (const Status removed = remove_rows_from(0, written); !removed) return removed;
  std::size_t begin = 0;
  Load load;
  const auto write_up_to = [&](std::size_t end) {
    const auto row = std::span<const TickRecord>(tail_).subspan(begin, end - begin);
    begin = end;
    load = {};
    return write_row(row, kFullRowLevel);
  };
  for (std::size_t i = 0; i < tail_.size(); ++i) {
    Status done = Done{};
    // A row that another tick would make too long ends before it, though it is not full.
    if (i > begin && load.bytes + tail_bytes_[i] > limits_.batch_bytes) done = write_up_to(i);
    load.add(tail_[i], tail_bytes_[i]);
    if (done && full(load)) done = write_up_to(i + 1);
    if (!done) return done;
  }
  tail_.erase(tail_.begin(), tail_.begin() + static_cast<std::ptrdiff_t>(begin));
  tail_bytes_.erase(tail_bytes_.begin(), tail_bytes_.begin() + static_cast<std::ptrdiff_t>(begin));
  short_begin_ = 0;
  SLUICE_SOMETIMES("a full row of history was written");
  return tail_.empty() ? Status(Done{}) : write_row(tail_, kShortRowLevel);
}

Status Recorder::write_row(std::span<const TickRecord> ticks, int level) {
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

Status Recorder::write_checkpoint(CheckpointImage& image) {
  std::vector<ListedChunk> listed;
  std::map<ChunkCoord, ChunkRows> rows;
  for (const CheckpointImage::Chunk& chunk : image.chunks) {
    const Result<ChunkRows> stored = store_chunk(chunk);
    if (!stored) return Error{stored.error()};
    listed.push_back({chunk.coord, chunk.wake, stored->cells, stored->marks});
    rows.emplace_hint(rows.end(), chunk.coord, *stored);
  }
  rows_ = std::move(rows);
  Statement& has = statements_->has_checkpoint;
  const Result<bool> there = has.bind(1, static_cast<std::int64_t>(image.tick)).step();
  has.reset();
  if (!there) return Error{there.error()};
  if (*there) return Done{};

  image.make_core();
  const Result<Bytes> stored_core = cores_->store(image.core);
  if (!stored_core) return Error{stored_core.error()};
  const Bytes& core = *stored_core;
  Bytes list;
  encode_chunk_list(listed, list);
  return statements_->insert_checkpoint.bind(1, static_cast<std::int64_t>(image.tick))
      .bind(2, static_cast<std::int64_t>(image.digest))
      .bind(3, core)
      .bind(4, list)
      .bind(5, row_checksum(sim::combine(image.tick, image.digest), core, list))
      .run();
}

Result<Recorder::ChunkRows> Recorder::store_chunk(const CheckpointImage::Chunk& chunk) {
  const auto found = rows_.find(chunk.coord);
  const ChunkRows before = found == rows_.end() ? ChunkRows{} : found->second;
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
