// What a recording tells of the commands of clients that may come back after a restart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "protocol/base/result.h"
#include "server/net/result_book.h"

namespace sluice::host {

/// So many ticks are read back at a start, whatever the world's rate: at 20 a second ten minutes.
inline constexpr std::uint64_t kTicksReadBack = 12'000;

/// And the newest of so many results: about as many as the book has room for.
inline constexpr std::size_t kMostReadBack = 1 << 18;

/// The newest results, `most` of them, in the recording's last `ticks` ticks. Errors as those of
/// the reader.
[[nodiscard]] Result<net::PastResults> read_past_results(const std::string& recording,
                                                         std::uint64_t ticks = kTicksReadBack,
                                                         std::size_t most = kMostReadBack);

}  // namespace sluice::host
