#include "server/sim/models/block/cells.h"

#include <bit>

namespace sluice::sim {

std::span<const BlockFace> faces_of(const ChunkShape& shape) {
  static constexpr BlockFace kSideView[] = {BlockFace::kAbove, BlockFace::kLeft, BlockFace::kRight,
                                            BlockFace::kBelow};
  static constexpr BlockFace kSolid[] = {BlockFace::kAbove, BlockFace::kLeft, BlockFace::kRight,
                                         BlockFace::kFront, BlockFace::kBack, BlockFace::kBelow};
  return shape.log_z == 0 ? std::span<const BlockFace>(kSideView)
                          : std::span<const BlockFace>(kSolid);
}

std::span<const BlockFace> sides_of(const ChunkShape& shape) {
  const std::span<const BlockFace> faces = faces_of(shape);
  return faces.subspan(1, faces.size() - 2);
}

BlockCells::BlockCells(const Grid& grid, std::int32_t parts)
    : grid_(&grid),
      parts_(parts),
      quantum_log_(std::countr_zero(static_cast<std::uint32_t>(kFull / parts))),
      shape_(grid.shape()),
      world_(grid.world_box()) {
  // A place is [y][z][x]: each axis has its bits.
  const auto axis = [this](BlockFace low, BlockFace high, std::int32_t log, std::int32_t shift) {
    const std::int32_t mask = ((1 << log) - 1) << shift;
    const std::int32_t one = 1 << shift;
    steps_[static_cast<std::size_t>(low)] = {mask, 0, -one, mask};
    steps_[static_cast<std::size_t>(high)] = {mask, mask, one, -mask};
  };
  axis(BlockFace::kLeft, BlockFace::kRight, shape_.log_x, 0);
  axis(BlockFace::kFront, BlockFace::kBack, shape_.log_z, shape_.log_x);
  axis(BlockFace::kBelow, BlockFace::kAbove, shape_.log_y, shape_.log_x + shape_.log_z);
}

void BlockCells::rebuild(const Grid& grid) {
  grid_ = &grid;
  slots_.clear();
  index_.clear();
  grid.for_each([this](const Chunk& chunk) {
    const std::int32_t number = obtain(chunk.coord);
    std::array<std::uint8_t, kChunkCells>& level = slots_[static_cast<std::size_t>(number)]->level;
    for (std::size_t i = 0; i < kChunkCells; ++i) level[i] = level_of(chunk.cells[i]);
  });
}

std::int32_t BlockCells::obtain(ChunkCoord coord) {
  const auto [known, is_new] = index_.try_emplace(coord, kNone);
  if (!is_new || !grid_->reaches(coord)) return known->second;
  known->second = static_cast<std::int32_t>(slots_.size());
  auto slot = std::make_unique<Slot>();
  slot->coord = coord;
  slot->beside.fill(kUnknown);
  slot->group.fill(kNoGroup);
  // As if nothing stood there: what does is found by comparing.
  const std::unique_ptr<Chunk> empty = grid_->make(coord);
  slot->has_gutter = empty->has_gutter;
  for (std::size_t i = 0; i < kChunkCells; ++i) slot->level[i] = level_of(empty->cells[i]);
  slots_.push_back(std::move(slot));
  return known->second;
}

std::int32_t BlockCells::look_beside(std::int32_t slot, BlockFace face) {
  ChunkCoord coord = slots_[static_cast<std::size_t>(slot)]->coord;
  switch (face) {
    case BlockFace::kAbove:
      ++coord.y;
      break;
    case BlockFace::kLeft:
      --coord.x;
      break;
    case BlockFace::kRight:
      ++coord.x;
      break;
    case BlockFace::kFront:
      --coord.z;
      break;
    case BlockFace::kBack:
      ++coord.z;
      break;
    case BlockFace::kBelow:
      --coord.y;
      break;
  }
  const std::int32_t other = obtain(coord);
  slots_[static_cast<std::size_t>(slot)]->beside[static_cast<std::size_t>(face)] = other;
  return other;
}

}  // namespace sluice::sim
