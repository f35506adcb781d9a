// Walking through a recording's ticks at the caller's pace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/record/reader.h"

namespace sluice::record {

/// Gives a recording's ticks one after the other and reads each row of the file once, where a
/// caller wants to stop between two ticks; Reader::read_ticks would read the row anew.
class TickCursor {
 public:
  TickCursor(Reader& reader, std::uint64_t tick) : reader_(reader), tick_(tick) {}

  /// The next tick; valid until the next call.
  Result<const TickRecord*> next() {
    if (at_ == row_.size()) {
      Result<std::vector<TickRecord>> row = reader_.row_at(tick_);
      if (!row) return Error{row.error()};
      row_ = std::move(row).value();
      at_ = static_cast<std::size_t>(tick_ - row_.front().tick);
    }
    ++tick_;
    return &row_[at_++];
  }

 private:
  Reader& reader_;
  std::uint64_t tick_;
  std::vector<TickRecord> row_;
  std::size_t at_ = 0;
};

}  // namespace sluice::record
