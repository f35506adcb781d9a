// Two recordings of one world, to the first value that differs.
//
//   digests of both, tick by tick ──► first tick T         (nothing is replayed)
//   the checkpoint before T ──► replay to T - 1            (from whichever file has the nearer one)
//   tick T with A's commands, and with B's ──► each against its own recorded digest
//
// A side that this program replays to its recorded digest is looked at phase by phase. A side that
// it does not replay (another build, a fault of the machine) shows its state at T in three ways: by
// a trace that its own build made (trace_file.h), by a checkpoint at T, or, if one value alone is
// off, by the digest itself (flipped_bit.h). Failing these, the first later tick at which both
// sides can be seen is compared, and the report says so.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/record/difference.h"
#include "server/record/phase_trace.h"
#include "server/record/reader.h"
#include "server/record/trace_file.h"
#include "server/sim/executor.h"

namespace sluice::record {

struct DiffOptions {
  /// Ticks after the first differing one over which the spread is followed.
  std::uint64_t spread_ticks = 20;
  /// Differences listed of each layer.
  std::size_t listed = 4;
  // What the builds that made the files did in the first differing tick, where that is known.
  const TraceFile* trace_a = nullptr;
  const TraceFile* trace_b = nullptr;
  /// Called now and then with the tick that was reached.
  std::function<void(std::uint64_t)> progress;
};

/// How the state behind `where` was come by; the better ones first.
enum class SeenBy : std::uint8_t {
  kReplay,      // both sides replayed phase by phase, or traced by their builds
  kCheckpoint,  // a checkpoint of the side that does not replay
  kDigest,      // the one value that explains that side's digest
  kNothing,     // not seen
};

/// How far the difference had come after a tick.
struct Spread {
  std::uint64_t tick = 0;
  std::uint64_t cells = 0;
  std::uint64_t chunks = 0;
  std::uint64_t fields = 0;
  Box cell_box;
};

/// One side in the first differing tick.
struct DiffSide {
  sim::Digest recorded = 0;
  sim::Digest replayed = 0;  // by this program
  bool replays = false;      // the two are equal, and all ticks before replay too
  std::vector<RecordedCommand> commands;
};

struct FirstDifference {
  std::uint64_t tick = 0;
  DiffSide a;
  DiffSide b;
  bool same_commands = false;
  std::string phase;                  // empty: not known
  std::vector<PhaseDigests> digests;  // after each phase, of both sides; may be empty
  SeenBy seen_by = SeenBy::kNothing;
  std::uint64_t seen_at = 0;  // the tick after which `where` holds
  Comparison where;           // expected: A, actual: B
  std::string remark;         // what would tell more; empty where nothing would
  std::vector<Spread> spread;
  std::uint64_t differing_ticks = 0;          // of all that were compared
  std::optional<std::uint64_t> agrees_again;  // the first tick after `tick` of equal digests
};

struct DiffReport {
  std::string world;
  std::uint64_t first_tick = 0;  // ticks first_tick + 1 to last_tick were compared
  std::uint64_t last_tick = 0;
  std::uint64_t last_tick_a = 0;
  std::uint64_t last_tick_b = 0;
  /// The first tick whose commands or outcomes differ, whatever the digests say.
  std::optional<std::uint64_t> commands_differ_at;
  std::optional<FirstDifference> difference;

  [[nodiscard]] bool same() const { return !difference && !commands_differ_at; }
};

/// The first tick that both hold and whose digests differ, whatever worlds they are of; nothing
/// where there is none, or where `stop` was set (by another thread) before it was found.
[[nodiscard]] Result<std::optional<std::uint64_t>> first_differing_tick(
    Reader& a, Reader& b, const std::atomic<bool>& stop);

/// An error means that the two cannot be compared (they are of different worlds, or one of them
/// cannot be read) and says why.
[[nodiscard]] Result<DiffReport> diff(Reader& a, Reader& b, const DiffOptions& options,
                                      sim::Executor& executor);

}  // namespace sluice::record
