// A small recording around one tick, for a bug report: the checkpoint before it, the ticks from
// there to a little after it, the checkpoints among them, and what made it where. It is a recording
// like any other, whose history begins later: it verifies, replays and compares by itself,
// anywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/facts.h"
#include "server/record/reader.h"

namespace sluice::record {

struct BundleOptions {
  std::uint64_t around = 0;
  std::uint64_t before = 100;  // ticks before `around`; it begins at the checkpoint before them
  std::uint64_t after = 100;   // ticks after `around`, as far as there are any
  /// Why it was made, and whatever else is to be known; names begin with "bundle_".
  std::vector<Fact> facts;
};

struct Bundle {
  std::uint64_t first_tick = 0;  // of its first checkpoint
  std::uint64_t last_tick = 0;
  std::uint64_t commands = 0;
};

/// Writes a new file: the ticks, and all checkpoints among them that can be read. Refuses to
/// overwrite.
[[nodiscard]] Result<Bundle> write_bundle(Reader& reader, const BundleOptions& options,
                                          const std::string& path);

}  // namespace sluice::record
