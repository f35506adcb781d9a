// A world: everything that a tick reads and writes. Nothing outside tick() changes it.
//
// Ownership: a world owns its state; views (chunk cells, changed_chunks) stay valid until the next
// call of tick(). One thread at a time; a tick's executor may use others meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "server/sim/carried/water.h"
#include "server/sim/commands/commands.h"
#include "server/sim/core_state.h"
#include "server/sim/digest.h"
#include "server/sim/executor.h"
#include "server/sim/grid.h"
#include "server/sim/marks/trapped_air.h"
#include "server/sim/models/sizes.h"
#include "server/sim/pipes/network.h"
#include "server/sim/spec.h"
#include "server/sim/spring_schedule.h"

namespace sluice::sim {

class HeatField;
class SteamField;
class TracerField;
class WaterModelState;
struct WaterGift;
class WaveField;
class World;

/// What one tick did.
struct TickReport {
  std::uint64_t tick = 0;
  Digest digest = 0;
  std::vector<CommandOutcome> outcomes;  // one per command, in their order
  std::int64_t active_chunks = 0;        // awake at the tick's end
  std::int64_t cell_updates = 0;         // cells that the water model processed, over all sweeps
  std::int32_t sweeps = 0;
  bool at_rest = false;  // nothing is active: the next tick changes nothing but the clock
};

/// How a world is run; never changes a result, but for rules among the sizes, which tests alone
/// set.
struct RunOptions {
  bool sleep = true;  // false: process every chunk in every sweep (for tests of sleeping)
  bool heat_by_cell =
      false;  // every flux of heat by its rule, none by vectors (for tests of those)
  /// Pipes that lie together in memory: a power of two (for tests of many small blocks).
  std::uint32_t pipe_block_nodes = PipeLayout::kBlockNodes;
  WaterSizes water = {};  // likewise
};

/// Hands out the commands of one tick, one by one. Each is asked for when those before it have been
/// applied, so that what it would cost can be seen in the world as it then is (commands/cost.h).
class CommandSource {
 public:
  virtual ~CommandSource() = default;
  /// Null when the tick has all its commands. What is returned stays valid until the next call.
  virtual const Command* next(const World& world) = 0;
  /// What became of the command that next() returned last, before it is asked for another.
  virtual void note(const CommandOutcome& /*outcome*/) {}
};

/// Looks at a world between the phases of its ticks (set_phase_observer).
class PhaseObserver {
 public:
  virtual ~PhaseObserver() = default;
  /// After each phase of a tick, by its name in tick.cpp. The cached digests are those of the
  /// tick's digest phase; recompute_digest() is true after any phase.
  virtual void after_phase(const char* phase, const World& world) = 0;
};

class World {
 public:
  /// Errors name the key of the world file ("fill[2].from: ..."). Tick 0 is the world as described.
  [[nodiscard]] static Result<std::unique_ptr<World>> create(const WorldSpec& spec);

  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Advances by one tick: the phases stand in tick.cpp. At most kMaxCommandsPerTick commands.
  TickReport tick(std::span<const Command> commands, Executor& executor);
  /// The same with commands that are chosen while they are applied; no more than that are asked
  /// for.
  TickReport tick(CommandSource& commands, Executor& executor);

  void set_run_options(RunOptions options);
  [[nodiscard]] const RunOptions& run_options() const { return run_options_; }
  /// Null for none. Must outlive the ticks that it sees; without one, a phase costs a comparison.
  void set_phase_observer(PhaseObserver* observer) { phase_observer_ = observer; }

  /// Everything but the cells, as declared.
  [[nodiscard]] const CoreState& core() const { return core_; }
  [[nodiscard]] const WorldConfig& config() const { return core_.config; }
  /// Of its water model and that one's options.
  [[nodiscard]] const WaterMeasure& measure() const { return measure_; }
  /// Ticks that have run; the first tick is 1.
  [[nodiscard]] std::uint64_t tick_number() const { return core_.tick; }
  /// Of the whole state after the last tick.
  [[nodiscard]] Digest digest() const;
  [[nodiscard]] Digest digest(Executor& executor) const;
  /// The tree's second level.
  [[nodiscard]] std::array<Digest, kLayerCount> layer_digests() const;
  [[nodiscard]] std::array<Digest, kLayerCount> layer_digests(Executor& executor) const;
  [[nodiscard]] const Totals& totals() const { return core_.totals; }
  /// initial + sourced - drained - evaporated == water + pipes; see Totals.
  [[nodiscard]] bool conserved() const { return core_.totals.balanced(); }

  /// kOutside beyond the world.
  [[nodiscard]] Cell cell(Vec3 at) const;
  /// Chunks in the order of ChunkCoord; air that was never touched has none.
  [[nodiscard]] const Grid& grid() const { return grid_; }
  /// Chunks whose cells differ from what they were before the last tick, or may: a superset, in
  /// ChunkCoord's order, each once. A coordinate without a chunk in grid() is now all air.
  [[nodiscard]] std::span<const ChunkCoord> changed_chunks() const { return changed_; }
  /// The head at a cell, in level units above the world's floor: how high the water stands that it
  /// is joined to.
  [[nodiscard]] std::int64_t head(Vec3 at) const;
  [[nodiscard]] const Springs& sources() const { return core_.sources; }
  [[nodiscard]] const Springs& drains() const { return core_.drains; }
  /// Grows with every source, drain or heater that commands add or remove; says nothing of another
  /// world.
  [[nodiscard]] std::uint64_t springs_version() const { return springs_version_; }
  [[nodiscard]] const PipeNetwork& pipes() const { return pipes_; }
  [[nodiscard]] std::int64_t active_chunks() const;
  /// Null in a world without waves.
  [[nodiscard]] const WaveField* waves() const { return waves_.get(); }
  /// Null in a world without heat.
  [[nodiscard]] const HeatField* heat() const { return heat_.get(); }
  /// Null in a world without tracers.
  [[nodiscard]] const TracerField* tracers() const { return tracers_.get(); }
  /// Null in a world whose water carries nothing.
  [[nodiscard]] const CarriedWater* carried() const { return carried_.get(); }
  /// Of all waves, as a splash counts it (waves/waves.md); 0 only where none is.
  [[nodiscard]] std::int64_t wave_energy() const;
  /// Units that each mark of the world file brought, or keeps out (below zero): what create() did.
  /// Empty after a restore.
  [[nodiscard]] std::span<const std::int64_t> units_of_marks() const { return units_of_marks_; }

  // Snapshot (snapshot.cpp). A snapshot is the core (everything but the grid) and the chunks.

  /// Everything but the chunks, as canonical bytes with a version and a checksum. A CoreCopy
  /// (core_copy.h) makes the same bytes on another thread.
  [[nodiscard]] std::vector<std::byte> snapshot_core() const;
  /// The canonical bytes of one stored chunk: kChunkCells little-endian 32-bit cells. A snapshot
  /// needs the chunks whose digest differs from their pristine one.
  [[nodiscard]] static std::vector<std::byte> chunk_bytes(const Chunk& chunk);
  /// Its marks in the same form; empty where all are 0.
  [[nodiscard]] static std::vector<std::byte> mark_bytes(const Chunk& chunk);
  struct ChunkImage {
    ChunkCoord coord;
    std::uint8_t wake = 0;  // Chunk::wake, so that going on does the same work too
    std::span<const std::byte> bytes;
    std::span<const std::byte> marks = {};  // mark_bytes; empty where all are 0
  };
  /// A world that goes on exactly as the one the snapshot was taken of. Any bytes are safe to give.
  [[nodiscard]] static Result<std::unique_ptr<World>> restore(std::span<const std::byte> core,
                                                              std::span<const ChunkImage> chunks);

  /// From scratch, without any cache: equal to digest() at all times.
  [[nodiscard]] Digest recompute_digest() const;
  [[nodiscard]] std::array<Digest, kLayerCount> recompute_layer_digests() const;
  /// Asserts that every sum and cache is what the cells say: what builds for debugging do in each
  /// tick.
  void recheck() const;

 private:
  World(WorldConfig config, WorldLimits limits, WaveState waves, HeatState heat,
        TracerState tracers);

  friend class CommandContext;
  /// Defined in tests alone: flips single bits, to prove that each one is noticed.
  friend class WorldTestAccess;

  // The phases, in their order.
  void apply_commands(CommandSource& commands, TickReport& report);
  void run_springs();
  void watch(Vec3 at);
  void wake_springs(const std::vector<Chunk*>& changed);
  template <class Run>
  void run_kind(Springs& springs, SpringSchedule& schedule, Run&& run);
  struct SourceRoom {
    Vec3 at;
    std::int32_t units = 0;
  };
  [[nodiscard]] std::int64_t head_of_source(Vec3 at) const;
  [[nodiscard]] std::size_t first_tracer_cargo() const { return core_.heat.on ? 1 : 0; }
  [[nodiscard]] Load load_of_source(Vec3 at, std::int32_t begin, std::int32_t end) const;
  [[nodiscard]] SourceRoom room_for_source(Vec3 at);
  void gifts_of_source(Vec3 at, const SourceRoom& room, std::int32_t units,
                       std::vector<WaterGift>& gifts);
  void advance_pipes(Executor& executor);
  void advance_water(Executor& executor, TickReport& report);
  void take_changes();
  void advance_heat(Executor& executor);
  void advance_steam();
  void advance_tracers(Executor& executor);
  void finish_layers();
  void advance_waves();
  void sleep_and_wake(TickReport& report);
  void check() const;
  std::vector<Chunk*> update_digest(Executor& executor);
  void drain_beyond_limit(std::vector<Chunk*> filled);

  void after(const char* phase) const {
    if (phase_observer_ != nullptr) phase_observer_->after_phase(phase, *this);
  }

  void make_layers();
  [[nodiscard]] Status place_tracers(const WorldSpec& spec);
  [[nodiscard]] Status place(const WorldSpec& spec);
  void place_at_rest(const WorldSpec& spec);
  [[nodiscard]] Status place_marks(const WorldSpec& spec);
  [[nodiscard]] Status place_pipes(const WorldSpec& spec);
  [[nodiscard]] Status load_marks(Chunk& chunk, std::span<const std::byte> bytes,
                                  const std::string& name) const;
  [[nodiscard]] Status load_chunks(std::span<const ChunkImage> images);
  [[nodiscard]] std::array<Digest, kLayerCount> layers_with(Digest springs, Digest cells,
                                                            Digest pipes, Digest marks,
                                                            Digest waves, Digest heat,
                                                            Digest tracers) const;

  CoreState core_;
  Grid grid_;
  PipeNetwork pipes_;

  // Derived: not part of the digest.
  Digest config_digest_ = 0;
  WaterMeasure measure_;
  std::unique_ptr<WaterModelState> water_;
  std::vector<ChunkCoord> changed_;
  TrappedAir trapped_air_;
  std::unique_ptr<WaveField> waves_;   // null in a world without any
  std::unique_ptr<HeatField> heat_;    // likewise
  std::unique_ptr<SteamField> steam_;  // likewise
  std::unique_ptr<TracerField> tracers_;
  // In a world whose water carries anything, and its moves in the tick under way.
  std::unique_ptr<CarriedWater> carried_;
  WaterMoves moves_;
  std::vector<std::int64_t> units_of_marks_;
  bool springs_active_ = false;  // a spring could move water in the last tick
  bool heads_changed_ = false;   // WaterAdvance::heads_changed, of the last tick
  std::uint64_t springs_version_ = 0;
  bool springs_known_ = true;  // false: the schedules are to be made anew
  SpringSchedule source_schedule_;
  SpringSchedule drain_schedule_;
  mutable Digest springs_digest_ = 0;
  mutable bool springs_digest_known_ = false;
  RunOptions run_options_;
#ifdef SLUICE_CHECKED
  bool rechecks_ = true;  // false once a test has damaged it
#endif
  PhaseObserver* phase_observer_ = nullptr;
};

}  // namespace sluice::sim
