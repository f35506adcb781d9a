// What vectors leave out of a chunk most of whose cells are plain: faces of cells that are not,
// faces between ice and water that is partly frozen, and surfaces under air. A plane says where
// they are.
#include <algorithm>

#include "server/sim/heat/step.h"
#include "server/sim/kernels.h"

namespace sluice::sim {

HeatCell HeatStep::cell_of(const ChunkHeat& heat, const HeatPlane& plane, std::size_t at,
                           std::int32_t index) const {
  const std::int32_t plain = plane.plain[at];
  if (!is_plain(plain)) return cell_of(*heat.chunk, heat.page, index);
  const std::int32_t units = plane.has_units ? plane.units[at] : kFull;
  if (plain != kMelting) return {fine_of_plain(plain), units, is_plain_ice(plain), 0};
  // How much of it is frozen, a plane does not say.
  return {0, units, false, frozen_share(heat.page->at(static_cast<std::size_t>(index)), units)};
}

// Inside of the chunk, all faces of cells that are not plain. Most rows have none.
void HeatStep::find_by_rule(ChunkHeat& heat, const HeatPlane& plane) const {
  const std::int32_t width = shape_.width();
  for (std::int32_t row = 0; row < kChunkCells; row += width) {
    const Vec3 at = shape_.cell_at({0, 0, 0}, row);
    const std::int32_t* const plain = plane.plain.data() + plane.at(0, at.y, at.z);
    unsigned any = 0;
    for (std::int32_t x = 0; x < width; ++x) any |= static_cast<unsigned>(plain[x] == kByRule);
    for (std::int32_t x = 0; any != 0 && x < width; ++x) {
      if (plain[x] == kByRule) find_by_rule(heat, plane, row + x);
    }
  }
}

// With those that come after it, and with plain ones before it.
void HeatStep::find_by_rule(ChunkHeat& heat, const HeatPlane& plane, std::int32_t index) const {
  const Vec3 at = shape_.cell_at({0, 0, 0}, index);
  const HeatCell here = cell_of(*heat.chunk, heat.page, index);
  const auto beside = [&](Vec3 step) {
    const Vec3 next = at + step;
    return plane.at(next.x, next.y, next.z);
  };
  const auto before = [&](Vec3 step, std::int32_t other, bool vertical) {
    const std::size_t there = beside(step);
    if (!is_plain(plane.plain[there])) return;
    exchange(heat, {other, cell_of(heat, plane, there, other)}, {index, here}, vertical);
  };
  const auto after = [&](Vec3 step, std::int32_t other, bool vertical) {
    const std::size_t there = beside(step);
    if (plane.plain[there] == kNoHeat) return;
    exchange(heat, {index, here}, {other, cell_of(heat, plane, there, other)}, vertical);
  };
  const std::int32_t slab = shape_.slab();
  const std::int32_t width = shape_.width();
  if (at.x > 0) before({-1, 0, 0}, index - 1, false);
  if (at.z > 0) before({0, 0, -1}, index - width, false);
  if (at.y > 0) before({0, -1, 0}, index - slab, true);
  if (at.x + 1 < width) after({1, 0, 0}, index + 1, false);
  if (at.z + 1 < shape_.depth()) after({0, 0, 1}, index + width, false);
  if (at.y + 1 < shape_.height()) after({0, 1, 0}, index + slab, true);
}

// Between the layer and the one below it, both inside of the chunk.
void HeatStep::find_beyond_planes(ChunkHeat& heat, const HeatPlane& plane,
                                  std::int32_t layer) const {
  const std::int32_t slab = shape_.slab();
  for (std::int32_t index = layer * slab; index < (layer + 1) * slab; index += shape_.width()) {
    const Vec3 at = shape_.cell_at({0, 0, 0}, index);
    const std::size_t above = plane.at(0, at.y, at.z);
    const std::size_t below = above - plane.layer;
    for (std::int32_t x = 0; x < shape_.width(); ++x) {
      const auto i = static_cast<std::size_t>(x);
      if (!is_beyond_planes(plane.plain[below + i], plane.plain[above + i])) continue;
      const std::int32_t high = index + x;
      const std::int32_t low = high - slab;
      exchange(heat, {low, cell_of(heat, plane, below + i, low)},
               {high, cell_of(heat, plane, above + i, high)}, true);
    }
  }
}

// Between two cells of the chunk, of which `low` comes first.
void HeatStep::exchange(ChunkHeat& heat, const CellAt& low, const CellAt& high,
                        bool vertical) const {
  const std::int64_t energy = vertical ? upwards(low.cell, high.cell) : beside(low.cell, high.cell);
  if (energy == 0) return;
  move(heat, low.index, -energy);
  move(heat, high.index, energy);
}

// Both between what holds water or ice.
void HeatStep::find_left_out_over(ChunkHeat& heat, const Border& border,
                                  const HeatPlane& plane) const {
  if (border.other == nullptr) return;
  const BorderRows rows = rows_of(border, plane);
  const auto is_left_out = [&](std::int32_t a, std::int32_t b) {
    const bool by_rule = (a == kByRule && b != kNoHeat) || (b == kByRule && a != kNoHeat);
    return by_rule || (border.vertical && is_beyond_planes(a, b));
  };
  const AmountPage* const page = page_of(border.other);
  for (std::size_t i = 0; i < rows.count; ++i) {
    const std::int32_t* const own = plane.plain.data() + rows.own + i * rows.step;
    const std::int32_t* const other = plane.plain.data() + rows.other + i * rows.step;
    for (std::size_t j = 0; j < rows.cells; ++j) {
      if (!is_left_out(own[j * rows.inner], other[j * rows.inner])) continue;
      const auto index = static_cast<std::int32_t>(i) * border.outer +
                         static_cast<std::int32_t>(j) * border.inner + border.first;
      find_over_face(heat, border, page, index);
    }
  }
}

// What holds water or ice in a layer of the chunk, with nothing of either over it.
void HeatStep::find_surfaces(ChunkHeat& heat, const HeatPlane& plane, std::int32_t layer) const {
  const std::int32_t width = shape_.width();
  const std::int32_t slab = shape_.slab();
  for (std::int32_t row = layer * slab; row < (layer + 1) * slab; row += width) {
    const Vec3 at = shape_.cell_at({0, 0, 0}, row);
    const std::size_t first = plane.at(0, at.y, at.z);
    const std::int32_t* const plain = plane.plain.data() + first;
    const std::int32_t* const above = plain + plane.layer;
    const auto is_surface = [&](std::int32_t x) {
      return static_cast<unsigned>(plain[x] != kNoHeat) &
             static_cast<unsigned>(above[x] == kNoHeat);
    };
    unsigned any = 0;
    unsigned all = 1;
    for (std::int32_t x = 0; x < width; ++x) {
      any |= is_surface(x);
      all &= is_surface(x);
    }
    if (any == 0) continue;
    const std::int32_t air = rows_of_air_over(heat, row);
    if (all != 0 && air == options_.air_cells && meet_air_alike(heat, plane, first, row)) continue;
    for (std::int32_t x = 0; x < width; ++x) {
      if (is_surface(x) == 0) continue;
      meet_air(heat, row + x, cell_of(heat, plane, first + static_cast<std::size_t>(x), row + x),
               air);
    }
  }
}

// A row of surfaces with the widest gap over all of them. False if they have to be looked at one by
// one.
bool HeatStep::meet_air_alike(ChunkHeat& heat, const HeatPlane& plane, std::size_t at,
                              std::int32_t row) const {
  const std::int32_t* const plain = plane.plain.data() + at;
  const std::int32_t* const end = plain + shape_.width();
  const std::int32_t simmering = 2 * (options_.simmer << kLogFine);
  if (!std::all_of(plain, end, [=](std::int32_t v) { return is_plain(v) && v < simmering; })) {
    return false;
  }
  const HeatOfAir found = kernels().heat.meet_air(
      options_.surface, air_, static_cast<std::size_t>(shape_.width()), plain,
      plane.has_units ? plane.units.data() + at : nullptr, heat.changes.of_plain_faces() + row);
  heat.to_air += found.given;
  heat.from_air += found.taken;
  heat.flows = heat.flows || found.given > 0 || found.taken > 0;
  return true;
}

// So many whole rows straight over it are air, as far as surfaces ask.
std::int32_t HeatStep::rows_of_air_over(const ChunkHeat& heat, std::int32_t row) const {
  const std::int32_t top = grid_.world_box().end().y - shape_.cell_at(heat.coord, row).y - 1;
  const std::int32_t most = std::min(options_.air_cells, top);
  std::int32_t count = 0;
  for (std::int32_t over = row + shape_.slab(); count < most; ++count, over += shape_.slab()) {
    const bool within = over < kChunkCells;
    const Chunk* const chunk = within ? heat.chunk : heat.chunk->above;
    if (chunk == nullptr) continue;  // air
    const Cell* const first = chunk->cells.data() + (within ? over : over - kChunkCells);
    if (!std::all_of(first, first + shape_.width(), [](Cell cell) { return cell == kAir; })) break;
  }
  return count;
}

}  // namespace sluice::sim
