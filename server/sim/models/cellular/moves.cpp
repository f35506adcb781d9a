// What a sweep moves sideways, told to those who follow what water carries.
#include <bit>
#include <cstdlib>

#include "server/sim/models/cellular/cellular.h"

namespace sluice::sim {

namespace {

void tell_flux(SidewaysAxis axis, Vec3 low, std::int32_t flux, WaterMoves& moves) {
  const Vec3 high = low + (axis == SidewaysAxis::kX ? Vec3{1, 0, 0} : Vec3{0, 0, 1});
  flux > 0 ? moves.add(low, high, flux) : moves.add(high, low, -flux);
}

void tell_within(const CellularRule& rule, const Grid& grid, SidewaysAxis axis,
                 const ActiveChunk& active, std::int32_t least, WaterMoves& moves) {
  const Chunk& chunk = *active.chunk;
  if (active.sideways.empty() || chunk.cells.is_shared()) return;
  const ChunkShape& shape = grid.shape();
  const std::int32_t slab = shape.slab();
  const std::int32_t next = axis == SidewaysAxis::kX ? 1 : shape.width();
  const auto in_region = [&](std::int32_t in_slab) {
    return (active.sideways.segments >> (in_slab / kSegment) & 1U) != 0;
  };
  for (std::uint64_t left = active.sideways.slabs; left != 0; left &= left - 1) {
    const std::int32_t y = std::countr_zero(left);
    const Cell* const cells = chunk.cells.data() + y * slab;
    const Cell* const under = y == 0 ? slab_below(grid, chunk) : cells - slab;
    for (std::int32_t i = 0; i < slab; ++i) {
      const bool last = axis == SidewaysAxis::kX ? (i & (shape.width() - 1)) == shape.width() - 1
                                                 : i >= slab - shape.width();
      if (last || cells[i] == cells[i + next] || !in_region(i) || !in_region(i + next)) continue;
      const std::int32_t flux =
          sideways_flux(rule, cells[i], cells[i + next], under[i], under[i + next]);
      if (std::abs(flux) < std::max(least, 1)) continue;
      tell_flux(axis, shape.cell_at(chunk.coord, y * slab + i), flux, moves);
    }
  }
}

// Each stands as the high border of the chunk on its low side.
void tell_over(const Border& border, const Grid& grid, SidewaysAxis axis, const ActiveChunk& active,
               const BorderFluxes& fluxes, WaterMoves& moves) {
  const std::int32_t* const flux = fluxes.high(active.fluxes, axis);
  for (std::size_t face = 0; face < border.faces(); ++face) {
    if (flux[face] == 0) continue;
    const auto y = static_cast<std::int32_t>(face) / border.lines;
    const auto line = static_cast<std::int32_t>(face) % border.lines;
    const std::int32_t index = y * border.slab + line * border.line_step + border.last;
    tell_flux(axis, grid.shape().cell_at(active.chunk->coord, index), flux[face], moves);
  }
}

}  // namespace

void tell_moves(const CellularRule& rule, std::span<const Border> borders, const Grid& grid,
                std::span<const ActiveChunk> chunks, const BorderFluxes& fluxes, std::int32_t least,
                WaterMoves& moves) {
  const std::size_t axes = grid.shape().depth() > 1 ? 2 : 1;
  for (const ActiveChunk& active : chunks) {
    for (std::size_t i = 0; i < axes; ++i) {
      const auto axis = static_cast<SidewaysAxis>(i);
      if (active.stands) tell_within(rule, grid, axis, active, least, moves);
      tell_over(borders[i], grid, axis, active, fluxes, moves);
    }
  }
}

}  // namespace sluice::sim
