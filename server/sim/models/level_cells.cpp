#include "server/sim/models/level_cells.h"

#include <bit>

namespace sluice::sim {

std::span<const CellFace> faces_of(const ChunkShape& shape) {
  static constexpr CellFace kSideView[] = {CellFace::kAbove, CellFace::kLeft, CellFace::kRight,
                                           CellFace::kBelow};
  static constexpr CellFace kSolid[] = {CellFace::kAbove, CellFace::kLeft, CellFace::kRight,
                                        CellFace::kFront, CellFace::kBack, CellFace::kBelow};
  return shape.log_z == 0 ? std::span<const CellFace>(kSideView)
                          : std::span<const CellFace>(kSolid);
}

std::span<const CellFace> sides_of(const ChunkShape& shape) {
  const std::span<const CellFace> faces = faces_of(shape);
  return faces.subspan(1, faces.size() - 2);
}

LevelCells::LevelCells(const Grid& grid, std::int32_t parts, FirstLook first_look, Cell marked)
    : grid_(&grid),
      first_look_(first_look),
      parts_(parts),
      marked_(marked),
      quantum_log_(std::countr_zero(static_cast<std::uint32_t>(kFull / parts))),
      shape_(grid.shape()),
      world_(grid.world_box()) {
  // A place is [y][z][x]: each axis has its bits.
  const auto axis = [this](CellFace low, CellFace high, std::int32_t log, std::int32_t shift) {
    const std::int32_t mask = ((1 << log) - 1) << shift;
    const std::int32_t one = 1 << shift;
    steps_[static_cast<std::size_t>(low)] = {mask, 0, -one, mask};
    steps_[static_cast<std::size_t>(high)] = {mask, mask, one, -mask};
  };
  axis(CellFace::kLeft, CellFace::kRight, shape_.log_x, 0);
  axis(CellFace::kFront, CellFace::kBack, shape_.log_z, shape_.log_x);
  axis(CellFace::kBelow, CellFace::kAbove, shape_.log_y, shape_.log_x + shape_.log_z);
}

void LevelCells::rebuild(const Grid& grid) {
  grid_ = &grid;
  slots_.clear();
  index_.clear();
  grid.for_each([this](const Chunk& chunk) {
    const std::int32_t number = obtain(chunk.coord);
    std::array<std::uint8_t, kChunkCells>& level = slots_[static_cast<std::size_t>(number)]->level;
    for (std::size_t i = 0; i < kChunkCells; ++i) level[i] = level_of(chunk, i);
  });
}

std::int32_t LevelCells::obtain(ChunkCoord coord) {
  const auto [known, is_new] = index_.try_emplace(coord, kNone);
  if (!is_new || !grid_->reaches(coord)) return known->second;
  known->second = static_cast<std::int32_t>(slots_.size());
  auto slot = std::make_unique<Slot>();
  slot->coord = coord;
  slot->beside.fill(kUnknown);
  slot->group.fill(kNoGroup);
  const std::unique_ptr<Chunk> empty = grid_->make(coord);
  slot->has_gutter = empty->has_gutter;
  const Chunk* const stored = first_look_ == FirstLook::kAsItIs ? grid_->find(coord) : nullptr;
  const Chunk& chunk = stored == nullptr ? *empty : *stored;
  for (std::size_t i = 0; i < kChunkCells; ++i) slot->level[i] = level_of(chunk, i);
  slots_.push_back(std::move(slot));
  return known->second;
}

std::int32_t LevelCells::look_beside(std::int32_t slot, CellFace face) {
  ChunkCoord coord = slots_[static_cast<std::size_t>(slot)]->coord;
  switch (face) {
    case CellFace::kAbove:
      ++coord.y;
      break;
    case CellFace::kLeft:
      --coord.x;
      break;
    case CellFace::kRight:
      ++coord.x;
      break;
    case CellFace::kFront:
      --coord.z;
      break;
    case CellFace::kBack:
      ++coord.z;
      break;
    case CellFace::kBelow:
      --coord.y;
      break;
  }
  const std::int32_t other = obtain(coord);
  slots_[static_cast<std::size_t>(slot)]->beside[static_cast<std::size_t>(face)] = other;
  return other;
}

}  // namespace sluice::sim
