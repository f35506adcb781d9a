#include "server/sim/models/block/cells.h"

#include <bit>

namespace sluice::sim {

std::span<const Face> faces_of(const ChunkShape& shape) {
  static constexpr Face kSideView[] = {Face::kAbove, Face::kLeft, Face::kRight, Face::kBelow};
  static constexpr Face kSolid[] = {Face::kAbove, Face::kLeft, Face::kRight,
                                    Face::kFront, Face::kBack, Face::kBelow};
  return shape.log_z == 0 ? std::span<const Face>(kSideView) : std::span<const Face>(kSolid);
}

std::span<const Face> sides_of(const ChunkShape& shape) {
  const std::span<const Face> faces = faces_of(shape);
  return faces.subspan(1, faces.size() - 2);
}

BlockCells::BlockCells(const Grid& grid, std::int32_t parts)
    : grid_(&grid),
      parts_(parts),
      quantum_log_(std::countr_zero(static_cast<std::uint32_t>(kFull / parts))),
      shape_(grid.shape()),
      world_(grid.world_box()) {
  // A place is [y][z][x]: each axis has its bits.
  const auto axis = [this](Face low, Face high, std::int32_t log, std::int32_t shift) {
    const std::int32_t mask = ((1 << log) - 1) << shift;
    const std::int32_t one = 1 << shift;
    steps_[static_cast<std::size_t>(low)] = {mask, 0, -one, mask};
    steps_[static_cast<std::size_t>(high)] = {mask, mask, one, -mask};
  };
  axis(Face::kLeft, Face::kRight, shape_.log_x, 0);
  axis(Face::kFront, Face::kBack, shape_.log_z, shape_.log_x);
  axis(Face::kBelow, Face::kAbove, shape_.log_y, shape_.log_x + shape_.log_z);
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

std::int32_t BlockCells::look_beside(std::int32_t slot, Face face) {
  ChunkCoord coord = slots_[static_cast<std::size_t>(slot)]->coord;
  switch (face) {
    case Face::kAbove:
      ++coord.y;
      break;
    case Face::kLeft:
      --coord.x;
      break;
    case Face::kRight:
      ++coord.x;
      break;
    case Face::kFront:
      --coord.z;
      break;
    case Face::kBack:
      ++coord.z;
      break;
    case Face::kBelow:
      --coord.y;
      break;
  }
  const std::int32_t other = obtain(coord);
  slots_[static_cast<std::size_t>(slot)]->beside[static_cast<std::size_t>(face)] = other;
  return other;
}

}  // namespace sluice::sim
