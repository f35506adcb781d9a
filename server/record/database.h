// SQLite behind values: the only file of this layer whose source includes <sqlite3.h>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "server/record/byte_io.h"

struct sqlite3;
struct sqlite3_stmt;

namespace sluice::record {

/// What went wrong on a connection since somebody asked.
struct Failures {
  /// The last failure of the system and not of the file: a device that did not read, no memory, no
  /// descriptors, another one's lock. Says nothing about what the file holds. Empty: none.
  std::string system;
  /// A page of the file was not what it must be.
  bool damage = false;
};
using SharedFailures = std::shared_ptr<Failures>;

/// Statements of a connection that nobody uses at the moment, by their text: to parse one takes
/// longer than to read a row with it.
class KeptStatements {
 public:
  /// How many are kept at the most.
  static constexpr std::size_t kMost = 32;

  explicit KeptStatements(std::size_t most = kMost) : most_(most) {}
  KeptStatements(const KeptStatements&) = delete;
  KeptStatements& operator=(const KeptStatements&) = delete;
  ~KeptStatements() { close(); }
  /// Null where there is none.
  [[nodiscard]] sqlite3_stmt* take(std::string_view sql);
  void give_back(sqlite3_stmt* statement);
  /// From now on none is kept: the connection goes.
  void close();
  [[nodiscard]] std::size_t count() const { return statements_.size(); }

 private:
  std::size_t most_;
  bool closed_ = false;
  std::multimap<std::string, sqlite3_stmt*, std::less<>> statements_;
};

using SharedStatements = std::shared_ptr<KeptStatements>;

/// One prepared statement. Views of a row's blobs are valid until
/// the next step() or reset().
class Statement {
 public:
  /// `kept` takes the statement in the end; null: it is finalized.
  Statement(std::string path, SharedFailures failures, SharedStatements kept,
            sqlite3_stmt* statement);

  /// Parameters count from 1. The bytes of a blob must stay until reset(). Errors show in step().
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::span<const std::byte> blob);
  Statement& bind_null(int parameter);

  /// True: there is a row to read. False: the statement is done, and was reset.
  [[nodiscard]] Result<bool> step();
  /// Steps a statement that yields no rows. One that writes needs a transaction: SQLite ends one by
  /// itself where the system fails, be it at a read, and what was then written would stand alone,
  /// beside rows that are gone.
  [[nodiscard]] Status run();
  void reset();

  /// Columns count from 0. Another type than asked for reads as 0 or empty.
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] std::span<const std::byte> blob(int column) const;
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] bool is_null(int column) const;

 private:
  struct Finalizer {
    SharedStatements kept;
    void operator()(sqlite3_stmt* statement) const;
  };
  std::string path_;
  SharedFailures failures_;
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  int bind_error_ = 0;
};

/// One connection, used by one thread at a time. Every message begins with the file's path.
class Database {
 public:
  enum class Mode : std::uint8_t { kRead, kWrite, kCreate };

  ~Database() { kept_->close(); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// kRead never changes the file; kWrite needs it to exist; kCreate makes it.
  [[nodiscard]] static Result<std::unique_ptr<Database>> open(const std::string& path, Mode mode);
  /// A database that lies in memory, read only; `image` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Database>> open_image(
      std::span<const std::byte> image);

  /// Copies a database, of a running writer too, into a new single file, as of one moment.
  [[nodiscard]] static Status copy(const std::string& from, const std::string& to);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Parsed once for each text. Pragmas are not for it: some act as they are parsed.
  [[nodiscard]] Result<Statement> prepare(std::string_view sql);
  /// Runs statements whose rows do not matter.
  [[nodiscard]] Status execute(const char* sql);
  /// The first column of the first row; an error when there is none.
  [[nodiscard]] Result<std::int64_t> integer(std::string_view sql);
  /// The same as text.
  [[nodiscard]] Result<std::string> text(std::string_view sql);
  [[nodiscard]] std::int64_t last_row_id() const;
  /// Whether the system failed since the last call, and how.
  [[nodiscard]] std::string take_system_failure();
  /// Whether another file has taken this one's name in this process since it was opened.
  [[nodiscard]] bool replaced() const;
  /// Whether damage in the file was met since the last call.
  [[nodiscard]] bool take_damage();
  /// "PATH: what".
  [[nodiscard]] Error error(const std::string& what) const;

 private:
  struct Closer {
    void operator()(sqlite3* connection) const;
  };
  Database(std::string path, sqlite3* connection);
  [[nodiscard]] Status harden();
  void take_back_what_was_cut_off() const;
  [[nodiscard]] Result<Statement> parse(std::string_view sql, SharedStatements kept);

  /// What to say of a code of SQLite's; takes note of it.
  [[nodiscard]] Error failed(int code, const char* sqlite_message) const;

  std::string path_;
  std::uint64_t replaced_before_ = 0;  // before it was opened
  SharedFailures failures_ = std::make_shared<Failures>();
  std::unique_ptr<sqlite3, Closer> connection_;
  const SharedStatements kept_ = std::make_shared<KeptStatements>();
};

}  // namespace sluice::record
