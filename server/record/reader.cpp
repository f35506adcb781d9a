#include "server/record/reader.h"

#include <algorithm>
#include <utility>

#include "server/record/checkpoint.h"
#include "server/record/chunk_store.h"
#include "server/record/command_batch.h"
#include "server/record/core_store.h"
#include "server/record/database.h"
#include "server/record/format.h"
#include "server/record/packing.h"
#include "server/sim/snapshot.h"
#include "server/sim/text.h"

namespace sluice::record {

Reader::Reader(std::unique_ptr<Database> database, const Limits& limits, bool damaged)
    : database_(std::move(database)), limits_(limits), damaged_(damaged) {}
Reader::~Reader() = default;

const std::string& Reader::path() const {
  return database_->path();
}

Result<std::unique_ptr<Reader>> Reader::open(const std::string& path, const Limits& limits) {
  auto database = Database::open(path, Database::Mode::kRead);
  if (!database) return Error{database.error()};
  return check(std::move(database).value(), limits, false);
}

Result<std::unique_ptr<Reader>> Reader::open_damaged(const std::string& path,
                                                     const Limits& limits) {
  auto database = Database::open(path, Database::Mode::kRead);
  if (!database) return Error{database.error()};
  return check(std::move(database).value(), limits, true);
}

Result<std::unique_ptr<Reader>> Reader::open_image(std::span<const std::byte> image) {
  auto database = Database::open_image(image);
  if (!database) return Error{database.error()};
  return check(std::move(database).value(), {}, false);
}

Result<std::unique_ptr<Reader>> Reader::check(std::unique_ptr<Database> database,
                                              const Limits& limits, bool damaged) {
  std::unique_ptr<Reader> reader(new Reader(std::move(database), limits, damaged));
  for (const auto step : {&Reader::check_kind, &Reader::check_schema, &Reader::read_world_row,
                          &Reader::read_facts, &Reader::read_begin, &Reader::refresh}) {
    if (const Status passed = (reader.get()->*step)(); !passed) {
      return Error{passed.error()};
    }
  }
  reader->chunks_ = std::make_unique<ChunkStore>(*reader->database_);
  if (reader->format_version_ >= kFirstVersionWithPieces) {
    reader->cores_ = std::make_unique<CoreStore>(*reader->database_, limits);
  }
  return reader;
}

std::string Reader::take_system_failure() {
  return database_->take_system_failure();
}

bool Reader::replaced() const {
  return database_->replaced();
}

std::optional<Error> Reader::take_damage() {
  if (!database_->take_damage()) return std::nullopt;
  return database_->error("is damaged: SQLite met a page that is");
}

Status Reader::trouble(const Error& error) {
  if (!damaged_) return error;
  if (const std::string failure = take_system_failure(); !failure.empty()) return Error{failure};
  troubles_.push_back(error.message);
  return Done{};
}

Status Reader::check_kind() {
  const auto kind = database_->integer("PRAGMA application_id");
  if (!kind) return Error{kind.error()};
  if (*kind != kApplicationId) {
    return database_->error("is not a recording: an SQLite file of application id " +
                            std::to_string(*kind) + ", expected " + std::to_string(kApplicationId));
  }
  const auto version = database_->integer("PRAGMA user_version");
  if (!version) return Error{version.error()};
  if (*version < kOldestFormatVersion || *version > kFormatVersion) {
    return database_->error(
        "is a recording of format version " + std::to_string(*version) +
        "; this program reads versions " + std::to_string(kOldestFormatVersion) + " to " +
        std::to_string(kFormatVersion) + (*version > kFormatVersion ? ": use a newer one" : ""));
  }
  format_version_ = *version;
  return Done{};
}

Status Reader::check_schema() {
  auto row = database_->prepare(
      "SELECT CAST(sql AS BLOB) FROM sqlite_schema WHERE name = CAST(?1 AS TEXT)");
  if (!row) return Error{row.error()};
  for (const Table& table : kTables) {
    if (table.since > format_version_) continue;
    const Result<bool> found = row->bind(1, as_bytes(table.name)).step();
    if (!found) return Error{found.error()};
    if (!*found || row->text(0) != table.sql) {
      return database_->error("is damaged: its table '" + std::string(table.name) +
                              "' is missing or not as this format has it");
    }
    row->reset();
  }
  return Done{};
}

Status Reader::read_world_row() {
  auto row = database_->prepare(
      "SELECT world_file, CAST(made_by AS BLOB), checksum FROM world WHERE id = 1");
  if (!row) return Error{row.error()};
  const Result<bool> found = row->step();
  if (!found) return trouble({found.error()});
  if (!*found) return trouble(database_->error("is damaged: it lacks its world file"));
  world_file_text_ = row->text(0);
  made_by_ = row->text(1);
  if (row_checksum(1, row->blob(0), row->blob(1)) == row->integer(2)) return Done{};
  return trouble(database_->error("is damaged: the checksum of its world file does not fit"));
}

Status Reader::read_facts() {
  if (format_version_ < kFirstVersionWithFacts) return Done{};
  auto rows = database_->prepare(
      "SELECT CAST(name AS BLOB), CAST(value AS BLOB), checksum FROM facts ORDER BY name");
  if (!rows) return Error{rows.error()};
  for (;;) {
    const Result<bool> found = rows->step();
    if (!found) return trouble({found.error() + ", in its table of facts"});
    if (!*found) return Done{};
    Fact fact{rows->text(0), rows->text(1)};
    if (row_checksum(0, rows->blob(0), rows->blob(1)) == rows->integer(2)) {
      if (fact.name != kMetDamageFact) {
        facts_.push_back(std::move(fact));
        continue;
      }
      written_to_ = tick_of_damage(fact.value);
      const Status noted = trouble(database_->error("is damaged: " + fact.value));
      if (!noted) return noted;
      continue;
    }
    const Status noted = trouble(database_->error("is damaged: the checksum of its fact '" +
                                                  sim::printable(fact.name) + "' does not fit"));
    if (!noted) return noted;
  }
}

Status Reader::read_begin() {
  if (format_version_ < kFirstVersionWithFacts) return Done{};
  const std::string begins = fact("begins");
  const bool number = !begins.empty() && begins.size() < 20 &&
                      begins.find_first_not_of("0123456789") == std::string::npos;
  if (number) {
    first_tick_ = std::stoull(begins);
    return Done{};
  }
  const Status noted =
      trouble(database_->error("is damaged: it does not say at which tick it begins"));
  if (!noted) return noted;
  // With the first thing that is left of it, then. What lay before may be lost, or was cut off.
  std::optional<std::int64_t> least;
  for (const char* sql : {"SELECT min(tick) FROM checkpoints WHERE tick >= 0",
                          "SELECT min(first_tick) - 1 FROM history WHERE first_tick > 0"}) {
    auto row = database_->prepare(sql);
    const Result<bool> found = row ? row->step() : Result<bool>(Error{row.error()});
    if (const std::string failure = take_system_failure(); !failure.empty()) return Error{failure};
    if (!found || !*found || row->is_null(0)) continue;
    least = std::min(least.value_or(INT64_MAX), row->integer(0));
  }
  first_tick_ = static_cast<std::uint64_t>(least.value_or(0));
  begin_unknown_ = first_tick_ > 0;
  return Done{};
}

std::string Reader::fact(std::string_view name) const {
  for (const Fact& fact : facts_) {
    if (fact.name == name) return fact.value;
  }
  return {};
}

std::string Reader::water() const {
  const std::string model = fact("model");
  return model.empty() ? "cellular" : model;
}

std::optional<Error> Reader::check_order(Keyed table) {
  auto rows = database_->prepare(table == Keyed::kHistory
                                     ? "SELECT first_tick FROM history ORDER BY first_tick"
                                     : "SELECT tick FROM checkpoints ORDER BY tick");
  if (!rows) return std::nullopt;
  for (std::int64_t before = INT64_MIN;;) {
    const Result<bool> found = rows->step();
    if (!found || !*found) return std::nullopt;
    if (rows->integer(0) <= before) return out_of_order(table);
    before = rows->integer(0);
  }
}

// A sign before the key lets SQLite look at all rows, wherever they stand.
Result<std::uint64_t> Reader::end_of_history() {
  auto row = database_->prepare(
      history_in_order_
          ? "SELECT first_tick, length(digests) FROM history ORDER BY first_tick DESC LIMIT 1"
          : "SELECT first_tick, length(digests) FROM history ORDER BY +first_tick DESC LIMIT 1");
  if (!row) return Error{row.error()};
  const Result<bool> found = row->step();
  if (!found) return Error{found.error()};
  if (!*found) return first_tick_;
  const std::int64_t first = row->integer(0);
  const std::int64_t bytes = row->integer(1);
  const bool follows = first > static_cast<std::int64_t>(first_tick_);
  if (follows && bytes >= 8 && bytes % 8 == 0) {
    return static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(bytes) / 8 - 1;
  }
  const Status noted = trouble(database_->error("is damaged: its last history row, of tick " +
                                                std::to_string(first) + ", holds " +
                                                std::to_string(bytes) + " bytes of digests"));
  if (!noted) return Error{noted.error()};
  return follows ? static_cast<std::uint64_t>(first) : first_tick_;
}

// A digest of each tick stands in the file. What it says beyond is a damaged number, by which all
// of its ticks would be looked for one by one.
Status Reader::bound_end() {
  const auto pages = database_->integer("PRAGMA page_count");
  const auto bytes = database_->integer("PRAGMA page_size");
  if (!pages || !bytes) return Done{};
  const std::uint64_t most =
      first_tick_ + static_cast<std::uint64_t>(*pages * *bytes) / sizeof(sim::Digest);
  if (last_tick_ <= most) return Done{};
  const std::string named = std::to_string(std::exchange(last_tick_, most));
  return trouble(database_->error("is damaged: it names tick " + named +
                                  ", and has no room for ticks after " + std::to_string(most)));
}

Status Reader::refresh() {
  const Status found = find_end();
  return found && damaged_ ? bound_end() : found;
}

Status Reader::find_end() {
  if (damaged_ && history_in_order_) {
    if (const std::optional<Error> disorder = check_order(Keyed::kHistory)) {
      history_in_order_ = false;
      if (const Status noted = trouble(*disorder); !noted) return noted;
    }
  }
  auto end = end_of_history();
  if (!end) {
    const Status noted = trouble({end.error()});
    if (!noted) return noted;
    end_unknown_ = true;
    end = first_tick_;
  }
  // A writer that met damage knew how far the history went.
  end = std::max(*end, written_to_);
  // A checkpoint goes into the file with the ticks before it: one behind them says that some went.
  // Looked for second, so that a writer may go on meanwhile.
  const auto last = checkpoint_after(*end + 1);
  last_tick_ = *end;
  if (!last) return damaged_ ? trouble({last.error()}) : Status(Done{});
  if (!*last) return Done{};
  const auto grown = end_of_history();
  if (grown && *grown >= (*last)->tick) {
    last_tick_ = *grown;
    return Done{};
  }
  const Status noted =
      trouble(database_->error("is damaged: its history ends at tick " + std::to_string(*end) +
                               ", before the checkpoint of tick " + std::to_string((*last)->tick)));
  if (!noted) return noted;
  const auto newest = checkpoint_before(INT64_MAX);
  if (newest && *newest) last_tick_ = (*newest)->tick;
  return Done{};
}

Result<std::vector<TickRecord>> Reader::read_row(std::uint64_t tick, bool with_commands) {
  auto row = database_->prepare(
      "SELECT first_tick, digests, commands, checksum FROM history WHERE first_tick <= ?1 "
      "ORDER BY first_tick DESC LIMIT 1");
  if (!row) return Error{row.error()};
  const auto key = static_cast<std::int64_t>(tick);
  Result<bool> found = row->bind(1, key).step();
  const auto holds_it = [&] {
    const std::int64_t first = row->integer(0);
    return first <= key && key - first < static_cast<std::int64_t>(row->blob(1).size() / 8);
  };
  if (!history_in_order_ && found && !(*found && holds_it())) {
    row = database_->prepare(
        "SELECT first_tick, digests, commands, checksum FROM history WHERE +first_tick <= ?1 "
        "ORDER BY +first_tick DESC LIMIT 1");
    if (!row) return Error{row.error()};
    found = row->bind(1, key).step();
  }
  if (!found) return Error{found.error() + ", at tick " + std::to_string(tick)};
  const auto first = static_cast<std::uint64_t>(*found ? row->integer(0) : 0);
  const std::span<const std::byte> digests = row->blob(1);
  const std::uint64_t count = digests.size() / 8;
  if (!*found || first == 0 || tick - first >= count) {
    return database_->error("is damaged: tick " + std::to_string(tick) +
                            " is missing from its history");
  }
  const std::string name =
      "ticks " + std::to_string(first) + " to " + std::to_string(first + count - 1);
  if (row_checksum(first, digests, row->blob(2)) != row->integer(3)) {
    return database_->error("is damaged: the checksum of the history of " + name + " does not fit");
  }
  std::vector<TickRecord> ticks(count);
  ByteReader reader(digests);
  for (std::uint64_t i = 0; i < count; ++i) {
    ticks[i].tick = first + i;
    ticks[i].digest = reader.u64();
  }
  if (with_commands) {
    if (const Status read = decode_commands(row->blob(2), limits_.batch_bytes, ticks); !read) {
      return database_->error("is damaged: the commands of " + name + ": the blob " + read.error());
    }
  }
  return ticks;
}

Result<std::vector<TickRecord>> Reader::row_at(std::uint64_t tick) {
  return read_row(tick, true);
}

Result<DamagedRow> Reader::damaged_row_at(std::uint64_t tick) {
  auto row = database_->prepare(
      history_in_order_
          ? "SELECT first_tick, digests, commands, checksum, "
            "(SELECT min(first_tick) FROM history WHERE first_tick > ?1) FROM history "
            "WHERE first_tick <= ?1 ORDER BY first_tick DESC LIMIT 1"
          : "SELECT first_tick, digests, commands, checksum, "
            "(SELECT min(+first_tick) FROM history WHERE +first_tick > ?1) FROM history "
            "WHERE +first_tick <= ?1 ORDER BY +first_tick DESC LIMIT 1");
  if (!row) return Error{row.error()};
  const Result<bool> found = row->bind(1, static_cast<std::int64_t>(tick)).step();
  if (!found) return Error{found.error()};
  if (!*found) return database_->error("lacks tick " + std::to_string(tick));
  DamagedRow damaged;
  const auto first = static_cast<std::uint64_t>(row->integer(0));
  Bytes digests(row->blob(1).begin(), row->blob(1).end());
  const std::uint64_t next =
      row->is_null(4) ? last_tick_ + 1 : static_cast<std::uint64_t>(row->integer(4));
  damaged.last_tick = next - 1;
  // A row that is not there at all may have held some.
  damaged.has_commands = !row->blob(2).empty() || tick - first >= digests.size() / 8;
  damaged.commands.assign(row->blob(2).begin(), row->blob(2).end());
  damaged.checksum = row->integer(3);
  damaged.mended = mend_row(first, digests, damaged.commands, damaged.checksum, mending_);
  // The next row says how many ticks this one stands for.
  if (first == 0 || first > tick || tick >= next || digests.size() != 8 * (next - first)) {
    return damaged;
  }
  std::vector<TickRecord> ticks(next - first);
  ByteReader reader(digests);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    ticks[i].tick = first + i;
    ticks[i].digest = reader.u64();
  }
  if (decode_commands(damaged.commands, limits_.batch_bytes, ticks)) {
    damaged.ticks = std::move(ticks);
  }
  return damaged;
}

Status Reader::read_ticks(std::uint64_t from, std::uint64_t to,
                          const std::function<bool(const TickRecord&)>& visit) {
  SLUICE_ASSERT(from >= 1 && to <= last_tick_);
  for (std::uint64_t tick = from; tick <= to;) {
    const Result<std::vector<TickRecord>> row = read_row(tick, true);
    if (!row) return Error{row.error()};
    for (const TickRecord& record : *row) {
      if (record.tick < tick) continue;
      if (record.tick > to || !visit(record)) return Done{};
    }
    tick = row->back().tick + 1;
  }
  return Done{};
}

// The row in which a tick stands may grow meanwhile, and begin before that tick: what comes next is
// found in one statement.
Status Reader::read_commands(std::uint64_t from, std::uint64_t to,
                             const std::function<bool(const TickRecord&)>& visit) {
  SLUICE_ASSERT(from >= 1 && to <= last_tick_);
  for (std::uint64_t tick = from; tick <= to;) {
    auto next = database_->prepare(
        "SELECT first_tick FROM history WHERE commands IS NOT NULL AND first_tick >= coalesce("
        "(SELECT max(first_tick) FROM history WHERE first_tick <= ?1), ?1) "
        "ORDER BY first_tick LIMIT 1");
    if (!next) return Error{next.error()};
    const Result<bool> found = next->bind(1, static_cast<std::int64_t>(tick)).step();
    if (!found) return Error{found.error()};
    if (!*found) return Done{};
    tick = std::max(tick, static_cast<std::uint64_t>(next->integer(0)));
    if (tick > to) return Done{};
    const Result<std::vector<TickRecord>> row = read_row(tick, true);
    if (!row) return Error{row.error()};
    for (const TickRecord& record : *row) {
      if (record.tick < tick || record.commands.empty()) continue;
      if (record.tick > to || !visit(record)) return Done{};
    }
    tick = row->back().tick + 1;
  }
  return Done{};
}

Result<std::vector<sim::Digest>> Reader::digests(std::uint64_t from, std::uint64_t to) {
  SLUICE_ASSERT(from >= 1 && to <= last_tick_);
  std::vector<sim::Digest> digests;
  for (std::uint64_t tick = from; tick <= to;) {
    const Result<std::vector<TickRecord>> row = read_row(tick, false);
    if (!row) return Error{row.error()};
    for (const TickRecord& record : *row) {
      if (record.tick >= tick && record.tick <= to) digests.push_back(record.digest);
    }
    tick = row->back().tick + 1;
  }
  return digests;
}

}  // namespace sluice::record
