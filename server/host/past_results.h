// What a recording tells of the commands of clients that may come back after a restart.
#pragma once

#include <cstdint>
#include <string>

#include "server/net/result_book.h"
#include "server/sim/result.h"

namespace sluice::host {

/// So many ticks are read back at a start, whatever the world's rate: at 20 a second ten minutes.
inline constexpr std::uint64_t kTicksReadBack = 12'000;

/// The results in the recording's last `ticks` ticks. Errors as those of the reader.
[[nodiscard]] sim::Result<net::PastResults> read_past_results(const std::string& recording,
                                                              std::uint64_t ticks = kTicksReadBack);

}  // namespace sluice::host
