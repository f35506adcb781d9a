// The rows of history at the end of a recording, as its one writer writes them.
//
// Each commit writes a short row. Short rows are merged in passing into longer and then into full
// ones (format.h), so that a file that was committed at every tick is hardly larger than one that
// was committed once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/format.h"
#include "server/record/records.h"

namespace sluice::record {

class Database;
class Reader;

/// Used by the database's own thread; must go before it does. After an error nothing is known of
/// the rows: whoever uses them rolls back and opens them anew.
class HistoryRows {
 public:
  /// Reads the rows at the file's end that are not full.
  [[nodiscard]] static Result<std::unique_ptr<HistoryRows>> open(Database& database, Reader& reader,
                                                                 const Limits& limits);
  ~HistoryRows();
  HistoryRows(const HistoryRows&) = delete;
  HistoryRows& operator=(const HistoryRows&) = delete;

  /// Writes the ticks that follow, in a transaction of the caller's. At least one.
  [[nodiscard]] Status write(std::span<const TickRecord> ticks);

  /// The ticks of the rows at the end that are not full.
  [[nodiscard]] std::span<const TickRecord> tail() const { return tail_; }

 private:
  struct Statements;
  HistoryRows(std::unique_ptr<Statements> statements, const Limits& limits);

  /// What some ticks would take of one row.
  struct Load {
    std::size_t ticks = 0;
    std::size_t commands = 0;
    std::size_t bytes = 0;
    void add(const TickRecord& tick, std::size_t tick_bytes);
  };
  [[nodiscard]] Status load_tail(Reader& reader);
  /// Of the tail's ticks from `from` on.
  [[nodiscard]] Load load_from(std::size_t from) const;
  [[nodiscard]] bool full(const Load& load) const;
  [[nodiscard]] bool needs_merge(const Load& load) const;
  /// Removes what the file holds from the tail's tick `index` on; its first `written` are in it.
  [[nodiscard]] Status remove_rows_from(std::size_t index, std::size_t written);
  [[nodiscard]] Status write_full_rows(std::size_t written);
  [[nodiscard]] Status write_row(std::span<const TickRecord> ticks, int level);

  std::unique_ptr<Statements> statements_;
  const Limits limits_;
  std::vector<TickRecord> tail_;
  std::vector<std::size_t> tail_bytes_;  // batch_bytes() of each
  std::size_t short_begin_ = 0;          // from here on the tail's rows are those of single commits
};

}  // namespace sluice::record
