#include "server/record/recorder.h"

#include <algorithm>
#include <utility>

#include "protocol/base/sometimes.h"
#include "server/record/bounds.h"
#include "server/record/database.h"
#include "server/record/durable.h"
#include "server/record/exchange.h"
#include "server/record/facts.h"
#include "server/record/history_rows.h"
#include "server/record/reader.h"
#include "server/record/replaced_files.h"
#include "server/record/write_lock.h"

namespace sluice::record {

namespace {

/// What "PRAGMA synchronous" says where each commit is followed by a sync.
constexpr std::int64_t kSynchronousFull = 2;

/// Asks for a write-ahead log that is synced at each commit, and looks whether it is so.
Status make_durable(Database& database) {
  // SQLite says which mode it came to, and takes another one where it cannot have this.
  const auto mode = database.text("PRAGMA journal_mode = WAL");
  if (!mode) return Error{mode.error()};
  if (*mode != "wal") {
    return database.error("cannot be kept with a write-ahead log: its journal mode stays '" +
                          *mode + "' (a file system without shared memory?)");
  }
  const Status durable =
      database.execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304");
  if (!durable) return durable;
  const auto level = database.integer("PRAGMA synchronous");
  if (!level) return Error{level.error()};
  if (*level != kSynchronousFull) return database.error("cannot be synced at each commit");
  return Done{};
}

/// A failed sync, also one of a process that has died since, may have left pages that the system
/// holds for clean and the medium does not have. Of the file itself folding the log writes all of
/// them anew, so that the sync after it is a true one; the log was written anew before (connect()).
Status fold_log(Database& database) {
  const auto busy = database.integer("PRAGMA wal_checkpoint(TRUNCATE)");
  if (!busy) return Error{busy.error()};
  if (*busy != 0) return database.error("is being read; its log cannot be folded back");
  return Done{};
}

}  // namespace

/// The open file, ready to be written.
struct Recorder::Connection {
  std::unique_ptr<Database> database;
  std::unique_ptr<HistoryRows> history;
  std::unique_ptr<CheckpointRows> checkpoints;
};

Recorder::Recorder(std::string path, std::unique_ptr<WriteLock> lock, const Limits& limits)
    : path_(std::move(path)), lock_(std::move(lock)), limits_(limits) {}

Recorder::~Recorder() {
  if (failure_ || file_ == nullptr) return;
  file_->history.reset();
  file_->checkpoints.reset();
  // With a reader in the way both fail at once, and the file stays in WAL mode, which is as good.
  (void)file_->database->execute("PRAGMA busy_timeout = 200");
  (void)file_->database->execute("PRAGMA wal_checkpoint(TRUNCATE)");
  (void)file_->database->execute("PRAGMA journal_mode = DELETE");
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
  if (const Status made = make_recording(path, foundation, limits); !made)
    return Error{made.error()};
  return open_locked(path, std::move(lock).value(), limits);
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
  if (const Status connected = recorder->connect(); !connected) return Error{connected.error()};
  if (const Status folded = fold_log(*recorder->file_->database); !folded) {
    recorder->file_.reset();
    return Error{folded.error()};
  }
  recorder->durable_tick_ = recorder->last_tick_;
  return recorder;
}

Status Recorder::connect() {
  // Were the log folded while the medium has a part of it, a loss of power would bring that part
  // back, and it would be laid over what is newer.
  if (const Status anew = write_log_anew(path_ + "-wal"); !anew) return anew;
  // Nor may another file have that name after a loss of power: this process, or the one before, may
  // have given it the name and not come to making that durable (change_file()).
  if (const Status named = sync_directory_of(path_); !named) return named;
  auto opened = Database::open(path_, Database::Mode::kWrite);
  if (!opened) return Error{opened.error()};
  Database& database = **opened;
  if (const Status durable = make_durable(database); !durable) return durable;
  auto reader = Reader::open(path_, limits_);
  if (!reader) return Error{reader.error()};
  // Every older format was written with water of older rules, so there is none to go on with.
  const std::int64_t version = (*reader)->format_version();
  if (version != kFormatVersion) {
    return database.error("cannot be gone on with: it has format " + std::to_string(version) +
                          ", this program writes " + std::to_string(kFormatVersion));
  }
  auto history = HistoryRows::open(database, **reader, limits_);
  if (!history) return Error{history.error()};
  auto checkpoints = CheckpointRows::open(database, limits_);
  if (!checkpoints) return Error{checkpoints.error()};
  last_tick_ = (*reader)->last_tick();
  file_ = std::make_unique<Connection>(Connection{
      std::move(opened).value(), std::move(history).value(), std::move(checkpoints).value()});
  return Done{};
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
  ImageRows rows;
  if (!pending_images_.empty()) rows = rows_;
  Database& database = *file_->database;
  Status done = database.execute("BEGIN IMMEDIATE");
  if (done && !pending_.empty()) done = file_->history->write(pending_);
  for (CheckpointImage& image : pending_images_) {
    if (done) done = file_->checkpoints->write(image, rows);
  }
  if (done) done = database.execute("COMMIT");
  if (!done) {
    // What waits will be written again, from where the last commit that went well left off.
    failure_ = Error{done.error()};
    (void)database.execute("ROLLBACK");
    if (database.take_damage()) note_damage();
    return done;
  }
  if (!pending_images_.empty()) rows_ = std::move(rows);
  pending_.clear();
  pending_images_.clear();
  durable_tick_ = last_tick_;
  return done;
}

// Where that fails, too, the next writer has to find out for itself.
void Recorder::note_damage() {
  const Fact fact{std::string(kMetDamageFact), met_damage_after(durable_tick_)};
  Database& database = *file_->database;
  Status noted = database.execute("BEGIN IMMEDIATE");
  if (noted) noted = write_fact(database, fact);
  (void)database.execute(noted ? "COMMIT" : "ROLLBACK");
}

Status Recorder::resume() {
  if (!failure_) return Done{};
  std::optional<ReplacingFile> alone;
  if (changing_file_) alone.emplace();
  const std::uint64_t appended = last_tick_;
  file_.reset();
  Status done = follow_change();
  if (done) done = fold_log(*file_->database);
  if (done) done = drop_what_is_there(last_tick_);
  last_tick_ = appended;
  if (!done) {
    file_.reset();
    return done;
  }
  failure_.reset();
  SLUICE_SOMETIMES("a recording that had failed went on");
  return done;
}

Result<std::vector<std::string>> Recorder::change_file() {
  if (failure_) return *failure_;
  SLUICE_ASSERT(pending_.empty() && pending_images_.empty());
  const ReplacingFile alone;
  // What its log holds is in the new file, too.
  file_.reset();
  const Status begun = begin_replacement(path_);
  // Whatever was said of it: once that name is there, a start goes on with the new file.
  const bool decided = is_exchanging(path_);
  changing_file_ = decided;
  std::vector<std::string> parts;
  Status done = Done{};
  if (decided) {
    auto finished = finish_exchange(path_);
    done = finished ? Status(Done{}) : Status(Error{finished.error()});
    if (finished) parts = std::move(finished).value();
  }
  if (done) done = follow_change();
  if (!done) {
    file_.reset();
    failure_ = Error{done.error()};
    return *failure_;
  }
  if (!decided) return Error{begun.error()};
  return parts;
}

// Where a file was to take this one's place it does so now, if it has not yet. The caller keeps
// others from opening it meanwhile.
Status Recorder::follow_change() {
  if (!changing_file_) return connect();
  if (is_exchanging(path_)) {
    if (const auto finished = finish_exchange(path_); !finished) return Error{finished.error()};
  }
  note_replaced(path_);
  if (const Status connected = connect(); !connected) return connected;
  if (last_tick_ != durable_tick_) {
    return file_->database->error("ends at tick " + std::to_string(last_tick_) +
                                  ", but was to end at tick " + std::to_string(durable_tick_));
  }
  // From which the next image tells the changes, unless it is the first of this recorder.
  if (!rows_.empty()) {
    auto rows = file_->checkpoints->rows_of_last();
    if (!rows) return Error{rows.error()};
    rows_ = std::move(rows).value();
  }
  changing_file_ = false;
  return Done{};
}

// A commit that failed in its last moment may be in the file after all.
Status Recorder::drop_what_is_there(std::uint64_t last_tick_there) {
  const Database& database = *file_->database;
  const std::uint64_t most = pending_.empty() ? durable_tick_ : pending_.back().tick;
  if (last_tick_there < durable_tick_ || last_tick_there > most) {
    return database.error("ends at tick " + std::to_string(last_tick_there) +
                          ", but what was kept is " + std::to_string(durable_tick_) +
                          " ticks long");
  }
  std::size_t known = 0;
  while (known < pending_.size() && pending_[known].tick <= last_tick_there) ++known;
  const std::span<const TickRecord> tail = file_->history->tail();
  for (std::size_t i = 0; i < std::min(known, tail.size()); ++i) {
    const TickRecord& held = tail[tail.size() - 1 - i];
    if (held.digest != pending_[known - 1 - i].digest) {
      return database.error("holds another tick " + std::to_string(held.tick) +
                            " than was recorded");
    }
  }
  if (known > 0) SLUICE_SOMETIMES("a commit that failed was in the file after all");
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(known));
  durable_tick_ = last_tick_there;
  return Done{};
}

}  // namespace sluice::record
