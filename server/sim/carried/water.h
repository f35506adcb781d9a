// What water carries along as it moves: energy, and tracers. A world that has either keeps what
// every cell held when it was last looked at; from that, and from the moves that the water model
// tells, follows what went where (carried.md).
//
// Whoever brings, takes or moves water says so here, once for all that it carries.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "server/sim/carried/amounts.h"
#include "server/sim/carried/cell_move.h"
#include "server/sim/carried/moves.h"
#include "server/sim/grid.h"

namespace sluice::sim {

/// One thing that water carries. It refers to the world's state, which outlives it.
class Cargo {
 public:
  Cargo(AmountPages& amounts, AmountTotals& books) : pages(amounts), totals(books) {}
  virtual ~Cargo() = default;
  Cargo(const Cargo&) = delete;
  Cargo& operator=(const Cargo&) = delete;

  /// What so many units of water bring of which nothing else is said.
  [[nodiscard]] virtual std::int64_t usual(std::int64_t units) const = 0;
  /// What so many units of water hold at the most. Beyond it there is no state.
  [[nodiscard]] virtual std::int64_t most(std::int64_t units) const = 0;
  /// Amounts of a chunk differ from what they were, or the water that holds them does.
  virtual void note(ChunkCoord coord) = 0;

  AmountPages& pages;
  AmountTotals& totals;
};

/// Energy, and as many tracers as a world may have.
inline constexpr std::size_t kMostCargoes = 5;
/// Energy is the first, in worlds that have it.
inline constexpr std::size_t kHeatCargo = 0;
/// So much of each, in the order of the cargoes.
using Load = std::array<std::int64_t, kMostCargoes>;

/// Units of water that one cell exchanged with what is no cell.
struct WaterExchange {
  std::int64_t came = 0;
  std::int64_t went = 0;
};

class Carrier;

class CarriedWater {
 public:
  explicit CarriedWater(const WorldConfig& config);
  ~CarriedWater();
  CarriedWater(const CarriedWater&) = delete;
  CarriedWater& operator=(const CarriedWater&) = delete;

  /// In an order that stays; before begin().
  void add(std::unique_ptr<Cargo> cargo) { cargoes_.push_back(std::move(cargo)); }
  [[nodiscard]] std::size_t count() const { return cargoes_.size(); }
  /// Takes the cells as they stand.
  void begin(const Grid& grid);

  /// What was done to the cells of Grid::changed() since the last look: what came brings the usual
  /// load, what went took its share.
  void take_changes(const Grid& grid);
  /// What came into one cell, with its load, then what went of the mixture. The cell is changed
  /// already.
  void exchanged(const Grid& grid, Vec3 at, WaterExchange units, const Load& came);
  /// The same of water that only comes, and of what the books count already.
  void returned(const Grid& grid, Vec3 at, std::int32_t units, const Load& came);
  [[nodiscard]] Load usual_load(std::int64_t units) const;
  /// What water carried along as it moved. Grid::changed() lists where it did.
  void carry(const WaterMoves& moves, const Grid& grid);
  /// What cells hold changes places with all that it carries: each `to` becomes what its `from`
  /// was. No place is named twice as either, and both sides name the same ones. All changes before
  /// are taken already.
  void rearrange(std::span<const CellMove> moves, Grid& grid);
  /// The cells of a chunk as they stand now: whoever changed them saw to their energy. What else a
  /// cell held that is empty now is gone.
  void accept(const Chunk& chunk);
  /// The same for one cell that is not empty.
  void accept(const Grid& grid, Vec3 at);
  /// Cells of a chunk when they were last looked at; null: air.
  [[nodiscard]] const CellPage* cells(ChunkCoord coord) const;
  /// At a tick's end: forgets what holds nothing.
  void finish();

  /// Units whose way water's own moves did not explain: none, if its model tells all of them.
  [[nodiscard]] std::int64_t unexplained_units() const { return unexplained_; }

 private:
  friend class Carrier;
  friend class FlowFinder;

  struct Known {
    CellPage cells;
    bool stale = false;
  };

  Known& know(ChunkCoord coord) { return known_[coord]; }
  void take_chunk(const Chunk& chunk);
  /// The cell's amounts as they were when it held so many units, before what is done now.
  void take_cell(const Grid& grid, Vec3 at, std::int32_t units);
  [[nodiscard]] std::int64_t& amount(Cargo& cargo, Vec3 at) const;
  void remember(const CellPage& cells, ChunkCoord coord, Known& known);
  void note(ChunkCoord coord, Known& known);

  ChunkShape shape_;
  Edges edges_;
  Box world_;
  std::vector<std::unique_ptr<Cargo>> cargoes_;
  std::map<ChunkCoord, Known> known_;
  std::vector<ChunkCoord> stale_;
  std::int64_t unexplained_ = 0;
  std::unique_ptr<Carrier> carrier_;  // null: nothing moved in the last tick
};

}  // namespace sluice::sim
