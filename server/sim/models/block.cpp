#include "server/sim/models/block.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "server/sim/draw.h"
#include "server/sim/models/block_groups.h"
#include "server/sim/models/block_take.h"

namespace sluice::sim {

namespace {

constexpr std::int32_t kGreatestPressure = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kNoPressure = 0;  // that of a walk

/// A group's wish for a place.
struct Claim {
  BlockTarget target;
  std::int32_t pressure = 0;
  std::int64_t size = 0;  // of the group
  BlockGroup group = kNoGroup;

  /// By place, and for one place in the order in which it is given away.
  friend bool operator<(const Claim& a, const Claim& b) {
    return std::tuple(a.target.cell, b.pressure, b.size, a.target.from) <
           std::tuple(b.target.cell, a.pressure, a.size, b.target.from);
  }
};

class BlockWater final : public WaterModelState {
 public:
  explicit BlockWater(const WorldConfig& config)
      : seed_(config.seed), options_(config.block), quantum_(kFull / config.block.parts) {}

  WaterAdvance advance(const WaterTick& now, Grid& grid, Executor& executor) override;

 private:
  void look_at_changes(bool everything, Grid& grid);
  void claim_for(BlockGroup group, std::uint64_t tick, const Grid& grid);
  void claim_for_one(BlockGroup group, std::uint64_t tick, const Grid& grid);
  void claim_walk(BlockGroup group, std::uint64_t tick, const Grid& grid);
  void claim(BlockGroup group, const BlockTarget& target, std::int32_t pressure);
  void give_away();
  void choose_blocks();
  void choose_for(BlockGroup group, std::vector<BlockMove>& moves, bool walks);
  WaterAdvance move(Grid& grid);
  void change_level(Grid& grid, BlockCell cell, std::int32_t by);
  Chunk& chunk_of(Grid& grid, BlockCell cell);
  [[nodiscard]] std::int32_t steps_at(BlockCell cell, const Grid& grid) const;

  void move_alone(Grid& grid, BlockCell from, BlockCell to);
  void write(Grid& grid, BlockCell cell, std::int32_t steps);

  /// Of a part that is its whole group.
  struct LoneMove {
    BlockCell from = kNoBlockCell;
    BlockCell to = kNoBlockCell;
    bool walks = false;  // or falls
  };

  std::uint64_t seed_;
  BlockOptions options_;
  std::int32_t quantum_;
  // Made again from the grid whenever asked to.
  std::unique_ptr<BlockCells> cells_;
  std::unique_ptr<BlockGroups> groups_;
  std::size_t most_slots_ = 0;  // beyond, what the grid has dropped is forgotten
  // Of the tick under way.
  std::vector<Claim> claims_;
  std::vector<BlockCell> from_;  // once for each part that leaves
  std::vector<BlockCell> to_;
  std::vector<LoneMove> lone_moves_;
  std::vector<Chunk*> chunks_;      // by slot; null: not asked for yet
  std::vector<std::size_t> slots_;  // those of chunks_ that are not null
};

WaterAdvance BlockWater::advance(const WaterTick& now, Grid& grid, Executor& /*executor*/) {
  look_at_changes(!now.sleep || groups_ == nullptr, grid);
  for (Chunk* chunk : grid.awake()) chunk->wake = 0;
  claims_.clear();
  const std::vector<BlockGroup> active = groups_->take_active();
  for (const BlockGroup group : active) claim_for(group, now.tick, grid);
  give_away();
  choose_blocks();
  WaterAdvance done = move(grid);
  groups_->settle();
  done.cell_updates = static_cast<std::int64_t>(active.size() + claims_.size());
  done.sweeps = 1;
  return done;
}

void BlockWater::look_at_changes(bool everything, Grid& grid) {
  if (cells_ == nullptr) {
    cells_ = std::make_unique<BlockCells>(grid, options_.parts);
    groups_ = std::make_unique<BlockGroups>(*cells_);
  }
  // More than that is quicker made anew than mended.
  constexpr std::size_t kMostMended = 16384;
  std::vector<std::pair<BlockCell, std::uint8_t>> changed;
  for (Chunk* chunk : grid.changed()) {
    cells_->compare(*chunk,
                    [&](BlockCell cell, std::uint8_t level) { changed.emplace_back(cell, level); });
    if (chunk->marks == nullptr) continue;
    // A walk ends where there is no longer exactly one part.
    for (std::size_t i = 0; i < kChunkCells; ++i) {
      if (chunk->cells[i] != quantum_) chunk->marks->cells[i] = 0;
    }
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

void BlockWater::claim(BlockGroup group, const BlockTarget& target, std::int32_t pressure) {
  claims_.push_back({target, pressure, groups_->size(group), group});
}

void BlockWater::claim_for(BlockGroup group, std::uint64_t tick, const Grid& grid) {
  if (groups_->size(group) == 1) {
    claim_for_one(group, tick, grid);
    return;
  }
  const std::int32_t top = groups_->top(group);
  if (options_.downward == Downward::kGreatest) {
    const std::vector<BlockTarget> falls = groups_->falls(group);
    for (const BlockTarget& target : falls) claim(group, target, kGreatestPressure);
    if (!falls.empty()) return;
  }
  // The pressure towards a place is how far it lies below the group's top: a place beside water at
  // some depth has that depth, one above it a row less, one below it a row more.
  for (const BlockTarget& target : groups_->lowest(group, top)) {
    claim(group, target, top - target.height);
  }
}

void BlockWater::claim_for_one(BlockGroup group, std::uint64_t tick, const Grid& grid) {
  const BlockCell cell = groups_->only_cell(group);
  const std::int32_t top = groups_->top(group);
  const BlockCell below = cells_->neighbor(cell, Face::kBelow);
  if (below != kNoBlockCell && cells_->level(below) == 0) {
    const BlockTarget fall = *groups_->target_of(below, group);
    const bool greatest = options_.downward == Downward::kGreatest;
    claim(group, fall, greatest ? kGreatestPressure : top - fall.height);
    return;
  }
  if (cells_->level(cell) == 1) {
    claim_walk(group, tick, grid);
    return;
  }
  for (const Face side : sides_of(cells_->shape())) {
    const BlockCell next = cells_->neighbor(cell, side);
    if (next == kNoBlockCell || cells_->level(next) != 0) continue;
    const BlockTarget target = *groups_->target_of(next, group);
    claim(group, target, top - target.height);
  }
}

// A part that is left alone on a ledge goes astray, a bounded number of steps.
void BlockWater::claim_walk(BlockGroup group, std::uint64_t tick, const Grid& grid) {
  const BlockCell cell = groups_->only_cell(group);
  if (steps_at(cell, grid) >= options_.walk_steps) return;
  std::array<BlockCell, kFaces> ways{};
  std::uint32_t count = 0;
  for (const Face side : sides_of(cells_->shape())) {
    const BlockCell next = cells_->neighbor(cell, side);
    if (next != kNoBlockCell && cells_->level(next) == 0) ways[count++] = next;
  }
  if (count == 0) return;
  const std::uint64_t drawn = draw(seed_, tick, cells_->at(cell), DrawPurpose::kBlockWalk);
  claim(group, *groups_->target_of(ways[choose(drawn, count)], group), kNoPressure);
}

// Each place goes to the greatest pressure, then to the largest group, then to the one that touches
// it from the first of the faces.
void BlockWater::give_away() {
  for (const Claim& claim : claims_) groups_->mark(claim.group);  // the losers will claim again
  std::sort(claims_.begin(), claims_.end());
  const auto lost = std::unique(claims_.begin(), claims_.end(), [](const Claim& a, const Claim& b) {
    return a.target.cell == b.target.cell;
  });
  claims_.erase(lost, claims_.end());
  std::stable_sort(claims_.begin(), claims_.end(),
                   [](const Claim& a, const Claim& b) { return a.group < b.group; });
}

void BlockWater::choose_blocks() {
  from_.clear();
  to_.clear();
  lone_moves_.clear();
  std::vector<BlockMove> moves;
  for (std::size_t i = 0; i < claims_.size();) {
    const Claim& first = claims_[i];
    moves.clear();
    for (; i < claims_.size() && claims_[i].group == first.group; ++i) {
      const BlockTarget& target = claims_[i].target;
      moves.push_back({target.cell, target.height, cells_->at(target.cell)});
    }
    choose_for(first.group, moves, first.pressure == kNoPressure);
  }
}

void BlockWater::choose_for(BlockGroup group, std::vector<BlockMove>& moves, bool walks) {
  if (groups_->size(group) > 1) {
    take_from_top(*cells_, groups_->rows(group), moves, from_);
  } else {
    const BlockCell cell = groups_->only_cell(group);
    if (cells_->level(cell) == 1) {
      lone_moves_.push_back({cell, moves.front().to, walks});
      return;
    }
    const Vec3 at = cells_->at(cell);
    take_from_top(*cells_, {{groups_->top(group), {{at.x, at.z, cell}}}}, moves, from_);
  }
  for (const BlockMove& move : moves) to_.push_back(move.to);
}

WaterAdvance BlockWater::move(Grid& grid) {
  WaterAdvance done;
  // First what arrives: a group that moves on as a whole then stays one all the time.
  for (const BlockCell cell : to_) {
    if (cells_->in_gutter(cell)) {
      done.drained += quantum_;
    } else {
      change_level(grid, cell, 1);
    }
  }
  for (const BlockCell cell : from_) change_level(grid, cell, -1);
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

Chunk& BlockWater::chunk_of(Grid& grid, BlockCell cell) {
  const std::size_t slot = BlockCells::slot_number(cell);
  if (slot >= chunks_.size()) chunks_.resize(slot + 1, nullptr);
  if (chunks_[slot] == nullptr) {
    chunks_[slot] = &grid.obtain(cells_->coord(cell));
    slots_.push_back(slot);
  }
  return *chunks_[slot];
}

void BlockWater::change_level(Grid& grid, BlockCell cell, std::int32_t by) {
  groups_->set_level(cell, static_cast<std::uint8_t>(cells_->level(cell) + by));
  write(grid, cell, 0);
}

void BlockWater::move_alone(Grid& grid, BlockCell from, BlockCell to) {
  if (groups_->move_alone(from, to)) {
    write(grid, from, 0);
  } else {
    change_level(grid, to, 1);
    change_level(grid, from, -1);
  }
}

// Brings the grid to the level that is known here.
void BlockWater::write(Grid& grid, BlockCell cell, std::int32_t steps) {
  Chunk& chunk = chunk_of(grid, cell);
  chunk.cells.edit()[BlockCells::index(cell)] = cells_->level(cell) * quantum_;
  if (chunk.marks == nullptr) {
    if (steps == 0) return;
    chunk.marks = std::make_unique<Marks>();
  }
  chunk.marks->cells[BlockCells::index(cell)] = steps;
}

std::int32_t BlockWater::steps_at(BlockCell cell, const Grid& grid) const {
  const Chunk* chunk = grid.find(cells_->coord(cell));
  if (chunk == nullptr || chunk->marks == nullptr) return 0;
  return chunk->marks->cells[BlockCells::index(cell)];
}

}  // namespace

std::unique_ptr<WaterModelState> make_block_water(const WorldConfig& config) {
  return std::make_unique<BlockWater>(config);
}

std::span<const MarkField> block_marks() {
  static constexpr MarkField kFields[] = {{"steps", 0, 12}};
  return kFields;
}

}  // namespace sluice::sim
