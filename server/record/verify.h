// Proof that a recording replays bit for bit, or the first place where it does not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/difference.h"
#include "server/record/reader.h"
#include "server/sim/executor.h"

namespace sluice::record {

struct VerifyOptions {
  /// Starts at the last checkpoint at or before this tick, or at the first one.
  std::uint64_t from = 0;
  /// After each tick the world is snapshot, a fresh one restored from that, compared with it, and
  /// gone on with: finds state that a snapshot forgets.
  bool restore_every_tick = false;
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
  kSnapshot,     // a world that was restored from a snapshot is not the world
};

struct Divergence {
  DivergenceKind kind = DivergenceKind::kDigest;
  std::uint64_t tick = 0;  // the first one
  sim::Digest recorded = 0;
  sim::Digest replayed = 0;
  std::string what;  // a sentence
  /// The flipped bit of a cell after that tick that explains the recorded digest, where one does.
  std::optional<Difference> flipped_bit;
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

/// Replays step by step, so that it can follow a recording that grows.
class Verifier {
 public:
  /// All must outlive it.
  Verifier(Reader& reader, VerifyOptions options, sim::Executor& executor);
  ~Verifier();
  Verifier(const Verifier&) = delete;
  Verifier& operator=(const Verifier&) = delete;

  /// Compares the ticks up to `to`, at most reader.last_tick(): every digest, every command's
  /// outcome and every checkpoint on the way. After a divergence, which is a part of the report,
  /// it goes on to the next checkpoint, to see where, and then does nothing more. An error means
  /// that the recording could not be read.
  [[nodiscard]] Status advance(std::uint64_t to);
  [[nodiscard]] const VerifyReport& report() const { return report_; }
  /// Diverged, and located as well as can be.
  [[nodiscard]] bool finished() const { return finished_; }

 private:
  [[nodiscard]] Status start();
  [[nodiscard]] Status take(const TickRecord& record);
  void compare_outcomes(const TickRecord& record, const sim::TickReport& tick);
  void compare_digest(const TickRecord& record, sim::Digest replayed);
  [[nodiscard]] Status compare_checkpoint(const CheckpointInfo& checkpoint);
  [[nodiscard]] Status find_next_checkpoint(std::uint64_t from);
  [[nodiscard]] Status restore_world(const TickRecord& record);
  void note(DivergenceKind kind, std::uint64_t tick, sim::Digest recorded, sim::Digest replayed,
            std::string what);

  Reader& reader_;
  const VerifyOptions options_;
  sim::Executor& executor_;
  std::optional<CheckpointInfo> next_;  // the next checkpoint to be compared
  std::unique_ptr<sim::World> world_;   // null before the start
  std::vector<sim::Command> commands_;
  VerifyReport report_;
  bool finished_ = false;
};

/// Up to `to`, and to the next checkpoint behind it where a divergence is to be located.
[[nodiscard]] Result<VerifyReport> verify(Reader& reader, const VerifyOptions& options,
                                          sim::Executor& executor, std::uint64_t to = UINT64_MAX);

/// What a divergence is, for a person: one line, then one a detail.
[[nodiscard]] std::string describe(const Divergence& divergence);

}  // namespace sluice::record
