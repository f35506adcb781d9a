#include "server/record/history_rows.h"

#include <iterator>
#include <utility>

#include "protocol/base/sometimes.h"
#include "server/record/bounds.h"
#include "server/record/command_batch.h"
#include "server/record/database.h"
#include "server/record/packing.h"
#include "server/record/reader.h"

namespace sluice::record {

namespace {

// Rows that stay are compressed well, rows that a merge will soon replace are written fast.
constexpr int kFullRowLevel = 12;
constexpr int kMediumRowLevel = 6;
constexpr int kShortRowLevel = 1;

}  // namespace

struct HistoryRows::Statements {
  Statement insert;
  Statement remove_from;
};

HistoryRows::HistoryRows(std::unique_ptr<Statements> statements, const Limits& limits)
    : statements_(std::move(statements)), limits_(limits) {}
HistoryRows::~HistoryRows() = default;

Result<std::unique_ptr<HistoryRows>> HistoryRows::open(Database& database, Reader& reader,
                                                       const Limits& limits) {
  auto insert = database.prepare(
      "INSERT INTO history (first_tick, digests, commands, checksum) VALUES (?1, ?2, ?3, ?4)");
  if (!insert) return Error{insert.error()};
  auto remove = database.prepare("DELETE FROM history WHERE first_tick >= ?1");
  if (!remove) return Error{remove.error()};
  std::unique_ptr<HistoryRows> rows(
      new HistoryRows(std::make_unique<Statements>(
                          Statements{std::move(insert).value(), std::move(remove).value()}),
                      limits));
  if (const Status loaded = rows->load_tail(reader); !loaded) return Error{loaded.error()};
  return rows;
}

Status HistoryRows::load_tail(Reader& reader) {
  for (std::uint64_t end = reader.last_tick(); end > reader.first_tick();
       end = tail_.front().tick - 1) {
    Result<std::vector<TickRecord>> row = reader.row_at(end);
    if (!row) return Error{row.error()};
    std::vector<std::size_t> bytes;
    Load load = load_from(0);
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

void HistoryRows::Load::add(const TickRecord& tick, std::size_t tick_bytes) {
  ++ticks;
  commands += tick.commands.size();
  bytes += tick_bytes;
}

HistoryRows::Load HistoryRows::load_from(std::size_t from) const {
  Load load;
  for (std::size_t i = from; i < tail_.size(); ++i) load.add(tail_[i], tail_bytes_[i]);
  return load;
}

bool HistoryRows::full(const Load& load) const {
  return load.ticks >= limits_.ticks_per_row || load.commands >= limits_.commands_per_row ||
         load.bytes >= limits_.bytes_per_row;
}

bool HistoryRows::needs_merge(const Load& load) const {
  return load.ticks >= limits_.ticks_per_short_merge ||
         load.commands >= limits_.commands_per_short_merge ||
         load.bytes >= limits_.bytes_per_short_merge;
}

Status HistoryRows::write(std::span<const TickRecord> ticks) {
  const std::size_t old_size = tail_.size();
  for (const TickRecord& tick : ticks) {
    tail_.push_back(tick);
    tail_bytes_.push_back(batch_bytes(tick));
  }
  const std::span<const TickRecord> tail = tail_;
  if (full(load_from(0))) return write_full_rows(old_size);
  if (!needs_merge(load_from(short_begin_))) {
    return write_row(tail.subspan(old_size), kShortRowLevel);
  }
  if (const Status removed = remove_rows_from(short_begin_, old_size); !removed) return removed;
  SLUICE_SOMETIMES("short rows of history were merged");
  const std::size_t begin = std::exchange(short_begin_, tail_.size());
  return write_row(tail.subspan(begin), kMediumRowLevel);
}

Status HistoryRows::remove_rows_from(std::size_t index, std::size_t written) {
  if (index >= written) return Done{};
  return statements_->remove_from.bind(1, static_cast<std::int64_t>(tail_[index].tick)).run();
}

Status HistoryRows::write_full_rows(std::size_t written) {
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

Status HistoryRows::write_row(std::span<const TickRecord> ticks, int level) {
  Bytes digests;
  for (const TickRecord& tick : ticks) put_u64(tick.digest, digests);
  Bytes commands;
  encode_commands(ticks, level, commands);
  const std::uint64_t first_tick = ticks.front().tick;
  Statement& insert = statements_->insert;
  insert.bind(1, static_cast<std::int64_t>(first_tick)).bind(2, digests);
  if (commands.empty()) {
    insert.bind_null(3);
  } else {
    insert.bind(3, commands);
  }
  return insert.bind(4, row_checksum(first_tick, digests, commands)).run();
}

}  // namespace sluice::record
