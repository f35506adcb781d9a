// What a water model is to the rest of the simulation, and the closed list of them. A model is a
// folder here that describes itself in one row: its id and version (both written to disk, never
// reused), its name in world files, its options, its marks, how it measures water, and a function
// that makes its engine. rows.cpp lists the rows; README.md says how to add one. One indirect call
// a tick leads into an engine; inside, everything is plain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "server/sim/carried/moves.h"
#include "server/sim/executor.h"
#include "server/sim/grid.h"
#include "server/sim/models/sizes.h"
#include "server/sim/models/state.h"
#include "server/sim/spec.h"
#include "server/sim/springs.h"

namespace sluice::sim {

/// What a model did in one tick.
struct WaterAdvance {
  std::int64_t drained = 0;       // units that left over open edges
  std::int64_t evaporated = 0;    // units that were lost to the air
  std::int64_t cell_updates = 0;  // cells inside the world that were processed, over all sweeps
  std::int32_t sweeps = 0;
  /// Whether head() may tell otherwise than before though the cells are as they were: ports that
  /// sleep have to look again.
  bool heads_changed = false;
};

/// What a model may know of the tick under way, beside the grid.
struct WaterTick {
  std::uint64_t tick = 0;  // the number of the tick under way
  /// False processes everything every time, which must not change a result.
  bool sleep = true;
  const Springs& sources;  // they have run already
  /// To be told what moved between columns; null where nobody asks.
  WaterMoves* moves = nullptr;
  WaterSizes sizes = {};
};

/// A push that is to move water, not only its surface.
struct WaterPush {
  Vec3 at;                     // a cell of the run whose surface it is given to
  std::int32_t radius = 0;     // columns; a splash's
  std::int64_t energy = 0;     // that it adds at the most, as a splash counts it
  std::int32_t direction = 0;  // in x; 0: outwards
};

/// How high water stands: in the cell itself, and what it is joined to under pressure.
struct WaterHead {
  std::int64_t level = 0;      // level units above the world's floor
  std::int32_t unit_rise = 1;  // level units that one more unit there lifts it at the most
};

/// Units that come to lie in a cell.
struct WaterGift {
  Vec3 at;
  std::int32_t units = 0;
};

/// A model's engine for one world. Whatever it keeps between ticks it could make again from the
/// grid and, where its row says how to make one, the state that it is attached to: the state is
/// theirs alone.
class WaterModelState {
 public:
  virtual ~WaterModelState() = default;
  /// Before the first tick, after a restore too, and whenever cells changed that no tick's engine
  /// will hear of: takes them as they are. Both outlive the engine.
  virtual void attach(Grid& /*grid*/, WaterState& /*state*/) {}
  /// One tick. Grid::changed() lists what commands, springs and ports changed since the last one;
  /// an engine's first tick, after a restore too, must look at everything.
  virtual WaterAdvance advance(const WaterTick& now, Grid& grid, Executor& executor) = 0;

  /// To be given with the next advance(), in the order of the calls. False, and nothing comes of
  /// it, where the model's water has no momentum of its own.
  virtual bool push(const WaterPush& /*push*/) { return false; }

  // What ports, springs, hover and dumps ask between ticks and in the phases before the water's.
  // None of it changes a result.

  /// Takes notice of all that Grid::changed() lists. Before the questions below, when others than
  /// the one who asks may have changed cells.
  virtual void look(const Grid& /*grid*/) {}
  /// Takes notice of one cell that whoever asks has changed.
  virtual void follow(const Grid& /*grid*/, Vec3 /*at*/) {}
  /// A spring or a port put units into its own cell, which it goes on doing: a jet, where others
  /// put water that is at rest. For the next advance().
  virtual void gushed(Vec3 /*at*/, std::int32_t /*units*/) {}
  /// The head at a cell. That of a dry one is its floor.
  [[nodiscard]] virtual WaterHead head(const Grid& grid, Vec3 at) = 0;
  /// What the open cell may hold for its head to stay at or below `head`, in units.
  [[nodiscard]] virtual std::int64_t most_at(const Grid& grid, Vec3 at, std::int64_t head) = 0;
  /// The cell whose water gives way when some is taken at `at`; none where nothing is.
  [[nodiscard]] virtual std::optional<Vec3> giver(const Grid& grid, Vec3 at);
  /// The cell where water comes to lie that is put in at `at`; none where there is no room.
  [[nodiscard]] virtual std::optional<Vec3> taker(const Grid& grid, Vec3 at);
  /// Of models that spread (WaterMeasure): where the first of so many units come to lie that are
  /// put in at `at`, in one row of cells and no higher than `head`. To be followed cell by cell.
  /// Empty where there is no room, and where they are fewer than places that nothing but their side
  /// tells apart, of which there are kMostAlike at the most.
  virtual void spread(const Grid& /*grid*/, Vec3 /*at*/, std::int32_t /*units*/,
                      std::int64_t /*head*/, std::vector<WaterGift>& /*gifts*/) {}
  static constexpr std::int32_t kMostAlike = 8;
};

/// A part of each cell's mark (Chunk::marks). All other bits are 0.
struct MarkField {
  const char* name;
  std::int32_t shift;
  std::int32_t bits;

  [[nodiscard]] constexpr std::uint32_t mask() const { return ((1U << bits) - 1) << shift; }
};

/// What a cell of a model's water takes that flows, in units of work (commands/cost.h); measured as
/// boxes that fall apart.
struct WorkOfWater {
  std::int64_t side_view;
  std::int64_t solid;
  // Of the first water in a chunk, where a model then looks at the ground around it.
  std::int64_t new_side_view = 0;
  std::int64_t new_solid = 0;
  // More of a cell that falls, where each has a speed of its own.
  std::int64_t falling = 0;
};

struct WaterModelRow {
  WaterModel id;
  std::uint16_t version;  // rises with every change of results
  const char* name;
  const char* meaning;  // one line, for people
  std::span<const WaterOption> options = {};
  std::span<const MarkField> marks = {};
  WorkOfWater work;
  WaterMeasure (*measure)(const WorldConfig& config);
  /// What the bounds of each option do not say; null where they say all.
  Status (*check)(const WorldConfig& config) = nullptr;
  std::unique_ptr<WaterModelState> (*make)(const WorldConfig& config);
  /// The state of a world that begins (keep, in state.h); null where cells and marks are all of it.
  std::unique_ptr<KeptState> (*state)() = nullptr;
};

/// All of them (rows.cpp).
[[nodiscard]] std::span<const WaterModelRow> water_models();
/// Null when there is no such model.
[[nodiscard]] const WaterModelRow* find_water_model(WaterModel id);

}  // namespace sluice::sim
