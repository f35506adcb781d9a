#include "server/record/database.h"

#include <utility>

#include <sqlite3.h>

#include "protocol/base/assert.h"
#include "server/record/format.h"
#include "server/record/replaced_files.h"

namespace sluice::record {

namespace {

// Long enough for another process to finish a checkpoint of its write-ahead log.
constexpr int kBusyMilliseconds = 10000;
constexpr const char* kInMemory = ":memory:";

std::string explain(int code, const char* sqlite_message) {
  std::string what;
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      what = "is not a recording: not an SQLite file, or its first page is damaged";
      break;
    case SQLITE_CORRUPT:
      what = "is damaged";
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      what = "is locked by another process; try again when that has ended";
      break;
    case SQLITE_CANTOPEN:
      what = "cannot be opened: no such file, or no permission";
      break;
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      what = "cannot be written: no permission";
      break;
    case SQLITE_FULL:
      what = "cannot grow: the disk is full";
      break;
    case SQLITE_IOERR:
      what = "cannot be read or written: the disk or file system failed";
      break;
    case SQLITE_NOMEM:
      what = "needs more memory than there is";
      break;
    case SQLITE_TOOBIG:
      what = "holds a row beyond the size limit";
      break;
    case SQLITE_CONSTRAINT:
      what = "already holds what was to be written";
      break;
    default:
      what = "cannot be used";
      break;
  }
  return what + " (SQLite: " + (sqlite_message == nullptr ? sqlite3_errstr(code) : sqlite_message) +
         ")";
}

/// Whether the file itself is what is wrong.
bool is_damage(int code) {
  if (code == SQLITE_IOERR_SHORT_READ || code == SQLITE_IOERR_DATA ||
      code == SQLITE_IOERR_CORRUPTFS) {
    return true;
  }
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_TOOBIG:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_ERROR:  // a table that is not there
    case SQLITE_SCHEMA:
      return true;
    default:
      return false;
  }
}

Error error_of(const std::string& path, int code, const char* sqlite_message,
               const SharedFailures& failures) {
  Error error{path + ": " + explain(code, sqlite_message)};
  if (!is_damage(code)) failures->system = error.message;
  // A writer is alone and knows what it wrote: a row that it does not know of is one of a damaged
  // page.
  const int kind = code & 0xff;
  if (kind == SQLITE_CORRUPT || kind == SQLITE_CONSTRAINT) failures->damage = true;
  return error;
}

}  // namespace

void KeptStatements::close() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  statements_.clear();
  closed_ = true;
}

sqlite3_stmt* KeptStatements::take(std::string_view sql) {
  const auto found = statements_.find(sql);
  if (found == statements_.end()) return nullptr;
  sqlite3_stmt* const statement = found->second;
  statements_.erase(found);
  return statement;
}

void KeptStatements::give_back(sqlite3_stmt* statement) {
  if (closed_ || statements_.size() >= most_) {
    sqlite3_finalize(statement);
    return;
  }
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  statements_.emplace(sqlite3_sql(statement), statement);
}

Statement::Statement(std::string path, SharedFailures failures, SharedStatements kept,
                     sqlite3_stmt* statement)
    : path_(std::move(path)),
      failures_(std::move(failures)),
      statement_(statement, {std::move(kept)}) {}

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const {
  if (kept != nullptr) {
    kept->give_back(statement);
  } else {
    sqlite3_finalize(statement);
  }
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  bind_error_ |= sqlite3_bind_int64(statement_.get(), parameter, value);
  return *this;
}

Statement& Statement::bind(int parameter, std::span<const std::byte> blob) {
  // A null pointer would bind NULL; an empty blob is not that.
  const void* data = blob.empty() ? "" : static_cast<const void*>(blob.data());
  bind_error_ |= sqlite3_bind_blob64(statement_.get(), parameter, data, blob.size(), SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  bind_error_ |= sqlite3_bind_null(statement_.get(), parameter);
  return *this;
}

Result<bool> Statement::step() {
  sqlite3* connection = sqlite3_db_handle(statement_.get());
  if (bind_error_ != SQLITE_OK) {
    return error_of(path_, bind_error_, sqlite3_errmsg(connection), failures_);
  }
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    reset();
    return false;
  }
  Error error = error_of(path_, code, sqlite3_errmsg(connection), failures_);
  reset();
  return error;
}

Status Statement::run() {
  sqlite3* connection = sqlite3_db_handle(statement_.get());
  if (sqlite3_stmt_readonly(statement_.get()) == 0 && sqlite3_get_autocommit(connection) != 0) {
    reset();
    Error error{path_ + ": a failure has ended the transaction; nothing more is written"};
    failures_->system = error.message;
    return error;
  }
  const Result<bool> stepped = step();
  if (!stepped) return Error{stepped.error()};
  reset();
  return Done{};
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  bind_error_ = SQLITE_OK;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::span<const std::byte> Statement::blob(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (data == nullptr || size <= 0) return {};
  return {static_cast<const std::byte*>(data), static_cast<std::size_t>(size)};
}

std::string Statement::text(int column) const {
  std::string text;
  for (const std::byte byte : blob(column)) text.push_back(std::to_integer<char>(byte));
  return text;
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Database::Database(std::string path, sqlite3* connection)
    : path_(std::move(path)), connection_(connection) {}

void Database::Closer::operator()(sqlite3* connection) const {
  sqlite3_close_v2(connection);
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Mode mode) {
  const int flags = mode == Mode::kRead    ? SQLITE_OPEN_READONLY
                    : mode == Mode::kWrite ? SQLITE_OPEN_READWRITE
                                           : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  const OpeningFile opening;
  sqlite3* connection = nullptr;
  // Full mutexes cost nothing here and let a connection move between threads.
  const int code =
      sqlite3_open_v2(path.c_str(), &connection, flags | SQLITE_OPEN_FULLMUTEX, nullptr);
  std::unique_ptr<Database> database(new Database(path, connection));
  database->replaced_before_ = times_replaced(path);
  if (code != SQLITE_OK) {
    return database->failed(code, connection == nullptr ? nullptr : sqlite3_errmsg(connection));
  }
  if (const Status hardened = database->harden(); !hardened) return Error{hardened.error()};
  // A log is folded where it is known to be on the medium (Recorder), and never by the way. Nor
  // does a reader take one away: it may be another file's by then (replaced_files.h).
  if (mode != Mode::kCreate) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  }
  // With this a reader has its log open, too, whatever becomes of their names.
  if (mode == Mode::kRead && path != kInMemory) database->take_back_what_was_cut_off();
  return database;
}

// A process that is killed while the file changes its journal's kind leaves a transaction behind
// that whoever opens the file has to take back, and who may only read cannot. What then stands
// there is what stood there before; where that cannot be done, reading says why.
void Database::take_back_what_was_cut_off() const {
  constexpr const char* kLook = "PRAGMA application_id";
  const int code = sqlite3_exec(connection_.get(), kLook, nullptr, nullptr, nullptr);
  if (code != SQLITE_READONLY_ROLLBACK && code != SQLITE_READONLY_RECOVERY) return;
  sqlite3* writer = nullptr;
  if (sqlite3_open_v2(path_.c_str(), &writer, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK) {
    sqlite3_db_config(writer, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    (void)sqlite3_exec(writer, kLook, nullptr, nullptr, nullptr);
  }
  sqlite3_close_v2(writer);
}

Result<std::unique_ptr<Database>> Database::open_image(std::span<const std::byte> image) {
  auto opened = open(kInMemory, Mode::kWrite);
  if (!opened) return opened;
  std::unique_ptr<Database>& database = *opened;
  database->path_ = "(memory)";
  auto* bytes = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(image.data()));
  const auto size = static_cast<sqlite3_int64>(image.size());
  const int code = sqlite3_deserialize(database->connection_.get(), "main", bytes, size, size,
                                       SQLITE_DESERIALIZE_READONLY);
  if (code != SQLITE_OK) return database->failed(code, nullptr);
  return opened;
}

Status Database::copy(const std::string& from, const std::string& to) {
  auto source = open(from, Mode::kRead);
  if (!source) return Error{source.error()};
  auto target = open(to, Mode::kCreate);
  if (!target) return Error{target.error()};
  sqlite3* connection = (*target)->connection_.get();
  sqlite3_backup* copying =
      sqlite3_backup_init(connection, "main", (*source)->connection_.get(), "main");
  if (copying == nullptr) {
    return (*target)->failed(sqlite3_errcode(connection), sqlite3_errmsg(connection));
  }
  // All in one step, which is one read transaction: the copy is of one moment.
  const int stepped = sqlite3_backup_step(copying, -1);
  const int finished = sqlite3_backup_finish(copying);
  if (stepped != SQLITE_DONE) return (*source)->failed(stepped, nullptr);
  if (finished != SQLITE_OK) return (*target)->failed(finished, nullptr);
  // A writer's file is in WAL mode; a backup is to be a single file.
  return (*target)->execute("PRAGMA journal_mode = DELETE");
}

// A recording may come from a stranger: nothing in it may run, and damage is to show as an error.
Status Database::harden() {
  sqlite3* connection = connection_.get();
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_busy_timeout(connection, kBusyMilliseconds);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, static_cast<int>(kMaxBlobBytes));
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  return execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0");
}

Result<Statement> Database::prepare(std::string_view sql) {
  SLUICE_ASSERT(!sql.starts_with("PRAGMA"));
  if (sqlite3_stmt* const kept = kept_->take(sql)) return Statement(path_, failures_, kept_, kept);
  return parse(sql, kept_);
}

Result<Statement> Database::parse(std::string_view sql, SharedStatements kept) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  if (code != SQLITE_OK) return failed(code, sqlite3_errmsg(connection_.get()));
  return Statement(path_, failures_, std::move(kept), statement);
}

Status Database::execute(const char* sql) {
  const int code = sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failed(code, sqlite3_errmsg(connection_.get()));
  return Done{};
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  Result<Statement> statement = parse(sql, nullptr);
  if (!statement) return Error{statement.error()};
  const Result<bool> row = statement->step();
  if (!row) return Error{row.error()};
  if (!*row) return error("lacks a row (asked: " + std::string(sql) + ")");
  return statement->integer(0);
}

Result<std::string> Database::text(std::string_view sql) {
  Result<Statement> statement = parse(sql, nullptr);
  if (!statement) return Error{statement.error()};
  const Result<bool> row = statement->step();
  if (!row) return Error{row.error()};
  if (!*row) return error("lacks a row (asked: " + std::string(sql) + ")");
  return statement->text(0);
}

std::int64_t Database::last_row_id() const {
  return sqlite3_last_insert_rowid(connection_.get());
}

bool Database::replaced() const {
  return times_replaced(path_) != replaced_before_;
}

bool Database::take_damage() {
  return std::exchange(failures_->damage, false);
}

std::string Database::take_system_failure() {
  return std::exchange(failures_->system, {});
}

Error Database::failed(int code, const char* sqlite_message) const {
  return error_of(path_, code, sqlite_message, failures_);
}

Error Database::error(const std::string& what) const {
  return {path_ + ": " + what};
}

}  // namespace sluice::record
