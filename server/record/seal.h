// Cutting the old history of a recording off: into a recording of its own, which still verifies, or
// for good. A world that runs for years keeps a file of bounded size by it.
//
//   before   PATH                1 .............. cut ........... last
//   after    PATH.part-0-CUT     1 .............. cut              sealed: nobody adds to it
//            PATH                                 cut ........... last
//
// The cut is a checkpoint, and both files hold it, the one at its end and the other as its
// beginning. So the two together prove as much as the one did: the digest of that tick is the
// thread between them. Where the old part is dropped, how the world came to be what it was at the
// cut can no longer be proved, and tools say at which tick the history begins.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "protocol/base/result.h"
#include "server/record/format.h"
#include "server/record/repair.h"

namespace sluice::record {

struct SealOptions {
  /// Ticks that the recording holds afterwards, at least; the cut is the last checkpoint that
  /// leaves them.
  std::uint64_t keep = 0;
  /// Ticks that are worth a cut: where fewer would be cut off, all stays as it is.
  std::uint64_t at_least = 1;
  /// What is cut off is gone.
  bool drop = false;
  Limits limits;
  /// Where given and true what is under way ends soon, with an error, and nothing was changed.
  const std::atomic<bool>* stop = nullptr;
};

struct Sealed {
  Part main;  // under the old name
  Part old;   // what was cut off; without a path where it was dropped
  std::uint64_t old_commands = 0;
  std::uint64_t kept_commands = 0;
};

/// Nothing where nothing is to be cut off. Needs that nobody writes the file, and for a while as
/// much room on the disk as the file takes. What was written is read whole before it takes the old
/// file's place; a crash at any moment leaves the old file, or an exchange that the next start,
/// seal or repair completes. A damaged recording is refused: repair comes first.
[[nodiscard]] Result<std::optional<Sealed>> seal(const std::string& path,
                                                 const SealOptions& options);

/// For people, a line each.
[[nodiscard]] std::string describe(const Sealed& sealed);

}  // namespace sluice::record
