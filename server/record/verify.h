// Proof that a recording replays bit for bit, or the first place where it does not.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server/record/difference.h"
#include "server/record/reader.h"
#include "server/sim/executor.h"
#include "server/sim/result.h"

namespace sluice::record {

struct VerifyOptions {
  /// Starts at the last checkpoint at or before this tick.
  std::uint64_t from = 0;
  /// The digest of the world that the recording's world file describes, where the caller can read
  /// world files: compared with the checkpoint of tick 0.
  std::optional<sim::Digest> described_world;
  /// Called now and then with the tick that was reached.
  std::function<void(std::uint64_t)> progress;
};

enum class DivergenceKind : std::uint8_t {
  kDescription,  // tick 0 is not what the world file describes
  kDigest,       // the world after a tick has another digest than recorded
  kOutcome,      // a command that was recorded as applied was refused, or the other way round
  kCheckpoint,   // the digests agree, but a checkpoint holds another state
};

struct Divergence {
  DivergenceKind kind = DivergenceKind::kDigest;
  std::uint64_t tick = 0;  // the first one
  sim::Digest recorded = 0;
  sim::Digest replayed = 0;
  std::string what;  // a sentence
  /// Where, as seen at the next stored checkpoint: the first one at or after `tick`.
  std::optional<std::uint64_t> located_at;
  Comparison where;
  /// The commands of that tick.
  std::vector<RecordedCommand> commands;
};

struct VerifyReport {
  std::uint64_t first_tick = 0;  // the checkpoint that the replay began at
  std::uint64_t last_tick = 0;   // the last one compared
  std::uint64_t commands = 0;
  std::uint64_t checkpoints = 0;  // compared with the replay
  std::optional<Divergence> divergence;
};

/// Replays to last_tick() and compares every digest, every command's outcome and every checkpoint
/// on the way. An error means that the recording could not be read to its end; a divergence is part
/// of the report.
[[nodiscard]] sim::Result<VerifyReport> verify(Reader& reader, const VerifyOptions& options,
                                               sim::Executor& executor);

/// What a divergence is, for a person: one line, then one a detail.
[[nodiscard]] std::string describe(const Divergence& divergence);

}  // namespace sluice::record
