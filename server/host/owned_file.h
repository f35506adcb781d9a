// Who owns what, beside a recording: counted from the recording's commands, and kept in a file from
// which the next start goes on, so that it need not read all of them.
//
//   DATA/NAME.owners:   "sluice owners 1\n", 64 digits of the SHA-256 of the rest, "\n",
//                       u64 tick, u64 digest of the world after it, the image of ownership.h
//
// The file counts only where the recording has that tick with that digest. One that is not there,
// is damaged, or belongs to another history costs the time to read the commands anew, and nothing
// else, as long as the recording holds its history from the beginning. Where it does not (old
// history was dropped), what the file says is taken as far as the world has it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "protocol/base/result.h"
#include "server/host/ownership.h"
#include "server/sim/digest.h"

namespace sluice::host {

/// Larger files are neither written nor read: their commands are read anew.
inline constexpr std::size_t kMostOwnedFileBytes = std::size_t{1} << 28;

struct OwnedAt {
  explicit OwnedAt(Ownership ownership) : owned(std::move(ownership)) {}
  Ownership owned;
  std::uint64_t commands = 0;  // that were read for it
  /// Why it may not be exact; empty: it is. Ownership::keep_to() is due where it may not.
  std::string doubt;
};

/// As of `tick`, which the recording holds. Errors are those of the reader; or `stop` turned true.
[[nodiscard]] Result<OwnedAt> count_owned(const std::string& recording, const std::string& file,
                                          std::uint64_t tick, ChunkShape shape,
                                          const std::atomic<bool>* stop = nullptr);

/// Counts up to the recording's last tick, and keeps that: old history, from which it is counted,
/// is about to be cut off.
[[nodiscard]] Status keep_owned_up_to_now(const std::string& recording, const std::string& file,
                                          ChunkShape shape,
                                          const std::atomic<bool>* stop = nullptr);

/// On the medium when this returns ok.
[[nodiscard]] Status keep_owned(const std::string& file, const Ownership& owned, std::uint64_t tick,
                                sim::Digest digest);

}  // namespace sluice::host
