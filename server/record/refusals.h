// How much of refused commands is recorded. They change nothing, so that a history is whole without
// them; but they cost a client nothing either, and a recording is to stay small whoever sends what.
//
//   window    |<- kRefusalWindowTicks ->|
//   client a   r r r r r r n n n n n n n       r: kept whole, up to kRefusedBytesPerWindow
//                                              n: counted (TickRecord::refused_more)
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "server/record/records.h"

namespace sluice::record {

class RefusalLimit {
 public:
  /// Takes from the tick, whose commands are bounded, what goes beyond the limits, and counts it
  /// there. Ticks come in rising order.
  void apply(TickRecord& tick);

 private:
  [[nodiscard]] bool takes(const RecordedCommand& recorded);

  std::uint64_t window_ = 0;
  std::size_t bytes_of_all_ = 0;              // in this window
  std::map<std::string, std::size_t> bytes_;  // likewise, by client
};

}  // namespace sluice::record
