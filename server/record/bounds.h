// What a command may take of a recording.
#pragma once

#include <cstddef>

#include "server/record/records.h"

namespace sluice::record {

/// Cuts its texts to what is kept of them (format.h). A name that is cut stays longer than any that
/// can be, so the command is refused in a replay as it was when it came.
void bound(RecordedCommand& recorded);

/// What a command takes of a batch before packing, at the most: less than kMaxCommandBytes where it
/// is bounded.
[[nodiscard]] std::size_t batch_bytes(const RecordedCommand& recorded);
/// Likewise all of a tick.
[[nodiscard]] std::size_t batch_bytes(const TickRecord& tick);

}  // namespace sluice::record
