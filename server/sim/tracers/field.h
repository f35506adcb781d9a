// The tracers of a world: dyes, salt, silt and foam that its water holds. Water carries them along
// (carried/); here is what they do by themselves: spread, overturn, sink, rise and fade. tracers.md
// states the rules.
//
// Their state is TracerState, a part of the world's core; all else here is derived from that, or
// says what sleeps, which never changes a result.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "server/sim/carried/water.h"
#include "server/sim/executor.h"
#include "server/sim/grid.h"
#include "server/sim/tracers/state.h"

namespace sluice::sim {

class WaveField;
struct WaveState;

/// What one step does to a chunk.
struct ChunkTracers {
  ChunkCoord coord;
  std::vector<std::int64_t> change;  // by cell, up to the highest layer with water
  bool flows = false;
  std::int64_t faded = 0;
};

class TracerField {
 public:
  explicit TracerField(const WorldConfig& config) : shape_(config.shape()) {}

  /// After a restore, or when a world begins: all that its cells hold is new.
  [[nodiscard]] Status attach(TracerState& state, const Grid& grid);
  /// What water carries of each, in their order. Live no longer than this and the state.
  [[nodiscard]] std::vector<std::unique_ptr<Cargo>> cargoes(TracerState& state);
  /// Gives surfaces the foam that waves make, as they stood when the last tick ended.
  void whip_up(const WaveField& waves, const WaveState& wave_state, const Grid& grid,
               TracerState& state);
  /// They spread, overturn, sink and fade. With `sleep` false all are looked at, which changes
  /// nothing.
  void step(bool sleep, const Grid& grid, Executor& executor, TracerState& state);
  /// Brings the digest up to date.
  void finish(TracerState& state);

  /// The next step changes nothing.
  [[nodiscard]] bool at_rest() const { return awake_.empty(); }
  /// Of all amounts.
  [[nodiscard]] Digest digest() const;
  /// Chunks in which a tracer may differ from what it was before the last tick; each once.
  [[nodiscard]] const std::vector<ChunkCoord>& changed_chunks(std::size_t tracer) const {
    return digests_[tracer].changed();
  }
  /// Cells looked at by steps so far, for tests of what sleeps.
  [[nodiscard]] std::int64_t cells_stepped() const { return cells_stepped_; }

  /// A chunk's amounts of a tracer changed, or the water that holds them.
  void note(std::size_t tracer, const TracerState& state, ChunkCoord coord);

 private:
  friend class TracerStep;

  void wake_around(ChunkCoord coord);

  ChunkShape shape_;
  std::array<AmountDigest, kMostTracers> digests_;
  std::vector<ChunkCoord> awake_;   // some more than once
  std::vector<ChunkTracers> room_;  // of a step, kept for the next one
  std::int64_t cells_stepped_ = 0;
};

/// Gives the water of a box so much of each tracer, units in 4,096 units of water, instead of what
/// it held. For a world that begins.
void fill_tracers(const Grid& grid, const Box& box, const TracerAmounts& shares,
                  TracerState& state);
/// Closes the books of a world that begins. Errors say which tracer it holds too much of.
[[nodiscard]] Status begin_tracers(TracerState& state);

/// The digest of the amounts from scratch: what TracerField::digest() must be.
[[nodiscard]] Digest digest_of(const TracerState& state);
/// Of all else.
[[nodiscard]] Digest digest_of_small(const TracerState& state);

/// The amounts of one command or key, by the numbers of tracers.
[[nodiscard]] std::array<std::int64_t, kMostTracers> by_number(const TracerState& state,
                                                               const TracerAmounts& amounts);

}  // namespace sluice::sim
