#include "server/sim/models/block/block.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "server/sim/draw.h"
#include "server/sim/models/block/claims.h"
#include "server/sim/models/block/groups.h"
#include "server/sim/models/block/take.h"

namespace sluice::sim {

namespace {

class BlockWater final : public WaterModelState {
 public:
  explicit BlockWater(const WorldConfig& config)
      : seed_(config.seed),
        parts_(config.option("parts")),
        walk_steps_(config.option("walk_steps")),
        downward_(Downward{config.option("downward")}),
        quantum_(kFull / parts_) {}

  WaterAdvance advance(const WaterTick& now, Grid& grid, Executor& executor) override;

  void look(const Grid& grid) override;
  void follow(const Grid& grid, Vec3 at) override;
  WaterHead head(const Grid& grid, Vec3 at) override;
  std::int64_t most_at(const Grid& grid, Vec3 at, std::int64_t head) override;
  std::optional<Vec3> giver(const Grid& grid, Vec3 at) override;
  std::optional<Vec3> taker(const Grid& grid, Vec3 at) override;

 private:
  void look_at_changes(bool everything, const Grid& grid);
  void end_walks(Grid& grid);
  void claim_walk(CellGroup group, std::uint64_t tick, const Grid& grid);
  void give_away();
  void choose_blocks(bool told);
  void choose_for(CellGroup group, std::vector<BlockMove>& moves, bool walks);
  void tell(WaterMoves* moves) const;
  WaterAdvance move(Grid& grid);
  void change_level(Grid& grid, LevelCell cell, std::int32_t by);
  Chunk& chunk_of(Grid& grid, LevelCell cell);
  [[nodiscard]] std::int32_t steps_at(LevelCell cell, const Grid& grid) const;

  void move_alone(Grid& grid, LevelCell from, LevelCell to);
  void write(Grid& grid, LevelCell cell, std::int32_t steps);

  /// Of a part that is its whole group.
  struct LoneMove {
    LevelCell from = kNoLevelCell;
    LevelCell to = kNoLevelCell;
    bool walks = false;  // or falls
  };

  std::uint64_t seed_;
  std::int32_t parts_;  // of a full cell
  std::int32_t walk_steps_;
  Downward downward_;
  std::int32_t quantum_;
  // Made again from the grid whenever asked to.
  std::unique_ptr<LevelCells> cells_;
  std::unique_ptr<BlockGroups> groups_;
  std::unique_ptr<BlockClaims> demands_;
  std::size_t most_slots_ = 0;  // beyond, what the grid has dropped is forgotten
  // Of the tick under way.
  std::vector<BlockClaim> claims_;
  std::vector<LevelCell> from_;  // once for each part that leaves
  std::vector<LevelCell> to_;    // once for each part that comes
  std::vector<LoneMove> lone_moves_;
  std::vector<Chunk*> chunks_;      // by slot; null: not asked for yet
  std::vector<std::size_t> slots_;  // those of chunks_ that are not null
};

WaterAdvance BlockWater::advance(const WaterTick& now, Grid& grid, Executor& /*executor*/) {
  look_at_changes(!now.sleep || groups_ == nullptr, grid);
  end_walks(grid);
  for (Chunk* chunk : grid.awake()) chunk->wake = 0;
  claims_.clear();
  const std::vector<CellGroup> active = groups_->take_active();
  for (const CellGroup group : active) {
    if (!demands_->claim_for(group, now.tick, claims_)) claim_walk(group, now.tick, grid);
  }
  give_away();
  choose_blocks(now.moves != nullptr);
  tell(now.moves);
  WaterAdvance done = move(grid);
  groups_->settle();
  done.cell_updates = static_cast<std::int64_t>(active.size() + claims_.size());
  done.sweeps = 1;
  return done;
}

void BlockWater::look_at_changes(bool everything, const Grid& grid) {
  if (cells_ == nullptr) {
    cells_ = std::make_unique<LevelCells>(grid, parts_, FirstLook::kEmpty);
    groups_ = std::make_unique<BlockGroups>(*cells_);
    demands_ = std::make_unique<BlockClaims>(downward_, *cells_, *groups_);
    everything = true;
  }
  // More than that is quicker made anew than mended.
  constexpr std::size_t kMostMended = 16384;
  std::vector<std::pair<LevelCell, std::uint8_t>> changed;
  for (const Chunk* chunk : grid.changed()) {
    cells_->compare(*chunk,
                    [&](LevelCell cell, std::uint8_t level) { changed.emplace_back(cell, level); });
  }
  const bool overgrown = cells_->slot_count() > most_slots_;
  if (everything || overgrown || changed.size() > kMostMended) {
    cells_->rebuild(grid);
    groups_->rebuild();
    most_slots_ = 2 * cells_->slot_count() + 256;
    return;
  }
  for (const auto& [cell, level] : changed) groups_->set_level(cell, level);
  groups_->settle();
}

// A walk ends where there is no longer exactly one part.
void BlockWater::end_walks(Grid& grid) {
  for (Chunk* chunk : grid.changed()) {
    if (chunk->marks == nullptr) continue;
    for (std::size_t i = 0; i < kChunkCells; ++i) {
      if (chunk->cells[i] != quantum_) chunk->marks->cells[i] = 0;
    }
  }
}

// A part that is left alone on a ledge goes astray, a bounded number of steps.
void BlockWater::claim_walk(CellGroup group, std::uint64_t tick, const Grid& grid) {
  if (groups_->size(group) != 1) return;
  const LevelCell cell = groups_->only_cell(group);
  if (cells_->level(cell) != 1) return;
  if (steps_at(cell, grid) >= walk_steps_) return;
  std::array<LevelCell, kFaces> ways{};
  std::uint32_t count = 0;
  for (const CellFace side : sides_of(cells_->shape())) {
    const LevelCell next = cells_->neighbor(cell, side);
    if (cells_->is_air(next)) ways[count++] = next;
  }
  if (count == 0) return;
  const std::uint64_t drawn = draw(seed_, tick, cells_->at(cell), DrawPurpose::kBlockWalk);
  const auto way = groups_->target_of(ways[choose(drawn, count)], group);
  if (way) claims_.push_back({*way, kNoPressure, 1, group, 1});
}

// Each place goes to the greatest pressure, then to the largest group, then to the one that touches
// it from the first of the faces.
void BlockWater::give_away() {
  for (const BlockClaim& claim : claims_)
    groups_->mark(claim.group);  // the losers will claim again
  std::sort(claims_.begin(), claims_.end());
  const auto lost = std::unique(
      claims_.begin(), claims_.end(),
      [](const BlockClaim& a, const BlockClaim& b) { return a.target.cell == b.target.cell; });
  claims_.erase(lost, claims_.end());
  std::stable_sort(claims_.begin(), claims_.end(),
                   [](const BlockClaim& a, const BlockClaim& b) { return a.group < b.group; });
}

// `told`: it matters to somebody which part goes where.
void BlockWater::choose_blocks(bool told) {
  from_.clear();
  to_.clear();
  lone_moves_.clear();
  std::vector<BlockMove> moves;
  for (std::size_t i = 0; i < claims_.size();) {
    const BlockClaim& first = claims_[i];
    moves.clear();
    for (; i < claims_.size() && claims_[i].group == first.group; ++i) {
      const LevelCell to = claims_[i].target.cell;
      moves.insert(moves.end(), static_cast<std::size_t>(claims_[i].parts), {to, cells_->at(to)});
    }
    // The numbers of cells say in which order their chunks came, which a restore does not know.
    if (told) {
      std::stable_sort(moves.begin(), moves.end(), [this](const BlockMove& a, const BlockMove& b) {
        return std::tuple(cells_->coord(a.to), LevelCells::index(a.to)) <
               std::tuple(cells_->coord(b.to), LevelCells::index(b.to));
      });
    }
    choose_for(first.group, moves, first.pressure == kNoPressure);
  }
}

void BlockWater::choose_for(CellGroup group, std::vector<BlockMove>& moves, bool walks) {
  if (groups_->size(group) > 1) {
    take_from_top(*cells_, groups_->rows(group), moves, from_);
  } else {
    const LevelCell cell = groups_->only_cell(group);
    if (cells_->level(cell) == 1) {
      lone_moves_.push_back({cell, moves.front().to, walks});
      return;
    }
    const Vec3 at = cells_->at(cell);
    BlockRow alone;
    alone.insert({at.x, at.z, cell});
    take_from_top(*cells_, {{groups_->top(group), alone}}, moves, from_);
  }
  for (const BlockMove& move : moves) to_.push_back(move.to);
}

// A place gets its parts from the top row: as pairs, in the order in which they were chosen.
void BlockWater::tell(WaterMoves* moves) const {
  if (moves == nullptr) return;
  for (std::size_t i = 0; i < from_.size(); ++i) {
    moves->add(cells_->at(from_[i]), cells_->at(to_[i]), quantum_);
  }
  for (const LoneMove& move : lone_moves_) {
    moves->add(cells_->at(move.from), cells_->at(move.to), quantum_);
  }
}

WaterAdvance BlockWater::move(Grid& grid) {
  WaterAdvance done;
  // First what arrives: a group that moves on as a whole then stays one all the time.
  for (const LevelCell cell : to_) {
    if (cells_->in_gutter(cell)) {
      done.drained += quantum_;
    } else {
      change_level(grid, cell, 1);
    }
  }
  for (const LevelCell cell : from_) change_level(grid, cell, -1);
  for (const LoneMove& move : lone_moves_) {
    const std::int32_t steps = move.walks ? steps_at(move.from, grid) + 1 : 0;
    if (cells_->in_gutter(move.to)) {
      done.drained += quantum_;
      change_level(grid, move.from, -1);
      continue;
    }
    move_alone(grid, move.from, move.to);
    write(grid, move.to, steps);
  }
  for (const std::size_t slot : slots_) {
    grid.note_change(*chunks_[slot], kChangedAll);
    chunks_[slot] = nullptr;  // it may be gone by the next tick
  }
  slots_.clear();
  return done;
}

void BlockWater::look(const Grid& grid) {
  look_at_changes(false, grid);
}

void BlockWater::follow(const Grid& grid, Vec3 at) {
  if (cells_ == nullptr) return;
  const LevelCell cell = cells_->cell_at(at);
  groups_->set_level(cell, cells_->level_in_grid(grid, at));
  groups_->settle();
}

WaterHead BlockWater::head(const Grid& grid, Vec3 at) {
  const std::int64_t floor = std::int64_t{at.y} * kFull;
  if (water_of(grid.cell(at)) == 0) return {floor, 1};
  const CellGroup group = cells_->group(cells_->cell_at(at));
  return {(std::int64_t{groups_->top(group)} + 1) * quantum_, 1};
}

// Groups give way elsewhere, so that no cell is pressed beyond what it holds.
std::int64_t BlockWater::most_at(const Grid& /*grid*/, Vec3 at, std::int64_t head) {
  return std::clamp<std::int64_t>(head - std::int64_t{at.y} * kFull, 0, kFull);
}

std::optional<Vec3> BlockWater::giver(const Grid& grid, Vec3 at) {
  if (water_of(grid.cell(at)) == 0) return std::nullopt;
  const LevelCell cell = cells_->cell_at(at);
  const CellGroup group = cells_->group(cell);
  if (groups_->size(group) == 1) return at;
  std::vector<LevelCell> from;
  take_from_top(*cells_, groups_->rows(group), {{cell, at}}, from);
  return cells_->at(from.front());
}

// To the lowest place of the group, of several the nearest.
std::optional<Vec3> BlockWater::taker(const Grid& grid, Vec3 at) {
  const Cell held = grid.cell(at);
  if (!is_open(held)) return std::nullopt;
  if (held == 0) return at;
  const LevelCell place = groups_->lowest_place(cells_->group(cells_->cell_at(at)), at);
  if (place == kNoLevelCell) return std::nullopt;
  return cells_->at(place);
}

Chunk& BlockWater::chunk_of(Grid& grid, LevelCell cell) {
  const std::size_t slot = LevelCells::slot_number(cell);
  if (slot >= chunks_.size()) chunks_.resize(slot + 1, nullptr);
  if (chunks_[slot] == nullptr) {
    chunks_[slot] = &grid.obtain(cells_->coord(cell));
    slots_.push_back(slot);
  }
  return *chunks_[slot];
}

void BlockWater::change_level(Grid& grid, LevelCell cell, std::int32_t by) {
  groups_->set_level(cell, static_cast<std::uint8_t>(cells_->level(cell) + by));
  write(grid, cell, 0);
}

void BlockWater::move_alone(Grid& grid, LevelCell from, LevelCell to) {
  if (groups_->move_alone(from, to)) {
    write(grid, from, 0);
  } else {
    change_level(grid, to, 1);
    change_level(grid, from, -1);
  }
}

// Brings the grid to the level that is known here.
void BlockWater::write(Grid& grid, LevelCell cell, std::int32_t steps) {
  Chunk& chunk = chunk_of(grid, cell);
  chunk.cells.edit()[LevelCells::index(cell)] = cells_->level(cell) * quantum_;
  if (chunk.marks == nullptr) {
    if (steps == 0) return;
    chunk.marks = std::make_unique<Marks>();
  }
  chunk.marks->cells[LevelCells::index(cell)] = steps;
}

std::int32_t BlockWater::steps_at(LevelCell cell, const Grid& grid) const {
  const Chunk* chunk = grid.find(cells_->coord(cell));
  if (chunk == nullptr || chunk->marks == nullptr) return 0;
  return chunk->marks->cells[LevelCells::index(cell)];
}

constexpr std::int32_t kStepBits = 12;

constexpr MarkField kMarks[] = {{"steps", 0, kStepBits}};

constexpr const char* kDownwards[] = {"greatest", "head"};  // as Downward

constexpr WaterOption kOptions[] = {
    {"parts", 1, 1, 8, "parts of a full cell that move as one: 1 (whole blocks), 2, 4 or 8"},
    {"walk_steps", 64, 0, (1 << kStepBits) - 1,
     "steps that water left alone on a ledge walks at the most"},
    choice("downward", kDownwards, "the pressure downwards: above every other, or the depth's"),
};

Status check(const WorldConfig& config) {
  const std::int32_t parts = config.option("parts");
  if (kFull % parts == 0) return Done{};
  return Error{"water.parts: " + std::to_string(parts) +
               " does not divide a cell; allowed: 1, 2, 4, 8"};
}

WaterMeasure measure(const WorldConfig& config) {
  return {.quantum = kFull / config.option("parts"), .cell_max = kFull, .heads_of_bodies = true};
}

std::unique_ptr<WaterModelState> make(const WorldConfig& config) {
  return std::make_unique<BlockWater>(config);
}

}  // namespace

WaterModelRow block_water() {
  return {.id = WaterModel::kBlock,
          .version = 3,
          .name = "block",
          .meaning = "whole blocks, moved by the pressure of those that touch each other",
          .options = kOptions,
          .marks = kMarks,
          .work = {.side_view = 40, .solid = 60},
          .measure = measure,
          .check = check,
          .make = make};
}

}  // namespace sluice::sim
