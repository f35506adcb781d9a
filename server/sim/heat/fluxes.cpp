// Every flux by its rule: what flows between two cells of any kind, and to the air.
#include <algorithm>
#include <array>
#include <optional>

#include "server/sim/heat/flux.h"
#include "server/sim/heat/step.h"

namespace sluice::sim {

HeatCell HeatStep::cell_of(const Chunk& chunk, const AmountPage* page, std::int32_t index) const {
  const auto i = static_cast<std::size_t>(index);
  const Cell cell = chunk.cells[i];
  const std::int32_t units = held_in(cell);
  if (units == 0) return {};
  const std::int64_t energy = page == nullptr ? 0 : page->at(i);
  HeatCell found{curve_.fine(energy, units), units, is_ice(cell), 0};
  if (found.fine < 0) found.ice = true;
  if (found.fine == 0 && !found.ice) found.frozen = frozen_share(energy, units);
  return found;
}

std::int64_t HeatStep::beside(const HeatCell& a, const HeatCell& b) const {
  if (a.units == 0 || b.units == 0) return 0;
  const std::int32_t parts = a.ice || b.ice ? options_.ice : options_.sideways;
  return conducted(parts, std::min(a.units, b.units), a.fine, b.fine);
}
std::int64_t HeatStep::upwards(const HeatCell& below, const HeatCell& above) const {
  if (below.units == 0 || above.units == 0) return 0;
  const std::int32_t parts = below.ice || above.ice            ? through_ice(below, above)
                             : lighter(below.fine, above.fine) ? options_.up
                                                               : options_.down;
  return conducted(parts, std::min(below.units, above.units), below.fine, above.fine);
}

// From the middle of a cell of ice to where its neighbour is still water: half of a cell of ice,
// and as much of the neighbour as is frozen.
std::int32_t HeatStep::through_ice(const HeatCell& a, const HeatCell& b) const {
  if (a.ice && b.ice) return options_.ice;
  const std::int32_t frozen = a.ice ? b.frozen : a.frozen;
  constexpr std::int32_t kWhole = 1 << kLogHeatParts;
  return options_.ice * 2 * kWhole / (kWhole + 2 * frozen);
}

void HeatStep::move(ChunkHeat& heat, std::int32_t index, std::int64_t energy) const {
  heat.changes.add(index, energy);
  heat.flows = true;
}

void HeatStep::find_within(ChunkHeat& heat) const {
  std::vector<HeatCell> cells(kChunkCells);
  for (std::int32_t i = 0; i < kChunkCells; ++i) {
    cells[static_cast<std::size_t>(i)] = cell_of(*heat.chunk, heat.page, i);
  }
  heat.changes.expect_all_faces();
  const std::int32_t slab = shape_.slab();
  const std::int32_t width = shape_.width();
  const auto exchange = [&](std::int32_t a, std::int32_t b, std::int64_t energy) {
    if (energy == 0) return;
    move(heat, a, -energy);
    move(heat, b, energy);
  };
  for (std::int32_t i = 0; i < kChunkCells; ++i) {
    const HeatCell& here = cells[static_cast<std::size_t>(i)];
    if (here.units == 0) continue;
    const auto at = [&](std::int32_t index) -> const HeatCell& {
      return cells[static_cast<std::size_t>(index)];
    };
    if ((i & (width - 1)) != width - 1) exchange(i, i + 1, beside(here, at(i + 1)));
    if ((i & (slab - 1)) < slab - width) exchange(i, i + width, beside(here, at(i + width)));
    if (i >= kChunkCells - slab) continue;
    if (at(i + slab).units > 0) {
      exchange(i, i + slab, upwards(here, at(i + slab)));
    } else {
      meet_air(heat, i, here);
    }
  }
}

const AmountPage* HeatStep::page_of(const Chunk* chunk) const {
  if (chunk == nullptr) return nullptr;
  const auto found = state_.pages.find(chunk->coord);
  return found == state_.pages.end() ? nullptr : &found->second;
}

std::array<HeatStep::Border, 6> HeatStep::borders_of(const Chunk& chunk) const {
  const std::int32_t slab = shape_.slab();
  const std::int32_t width = shape_.width();
  const std::int32_t height = shape_.height();
  const std::int32_t depth = shape_.depth();
  const std::int32_t top = kChunkCells - slab;
  const auto along_x = [&](const Chunk* other, bool high) {
    const std::int32_t last = width - 1;
    return Border{other,  high,  false, high ? last : 0,     slab,
                  height, width, depth, high ? -last : last, {high ? 1 : -1, 0, 0}};
  };
  const auto along_z = [&](const Chunk* other, bool high) {
    const std::int32_t last = slab - width;
    return Border{other,  high, false, high ? last : 0,     slab,
                  height, 1,    width, high ? -last : last, {0, 0, high ? 1 : -1}};
  };
  const auto along_y = [&](const Chunk* other, bool high) {
    return Border{other, high, true,  high ? top : 0,    width,
                  depth, 1,    width, high ? -top : top, {0, high ? 1 : -1, 0}};
  };
  // A side view has no cells along its borders in z.
  const bool solid = depth > 1;
  return {along_x(chunk.left, false),
          along_x(chunk.right, true),
          solid ? along_z(chunk.front, false) : Border{},
          solid ? along_z(chunk.back, true) : Border{},
          along_y(chunk.below, false),
          along_y(chunk.above, true)};
}

void HeatStep::find_over_border(ChunkHeat& heat, const Border& border) const {
  // Over the top there may be air.
  if (border.other == nullptr && !(border.vertical && border.high)) return;
  const AmountPage* const page = page_of(border.other);
  for (std::int32_t i = 0; i < border.outer_count; ++i) {
    for (std::int32_t j = 0; j < border.inner_count; ++j) {
      const std::int32_t index = border.first + i * border.outer + j * border.inner;
      if (held_in(heat.chunk->cells[static_cast<std::size_t>(index)]) == 0) continue;
      find_over_face(heat, border, page, index);
    }
  }
}

// Of a cell that holds water or ice; `page`: of the chunk beyond the border.
void HeatStep::find_over_face(ChunkHeat& heat, const Border& border, const AmountPage* page,
                              std::int32_t index) const {
  const HeatCell here = cell_of(*heat.chunk, heat.page, index);
  const HeatCell there =
      border.other == nullptr ? HeatCell{} : cell_of(*border.other, page, index + border.to_other);
  if (there.units == 0) {
    if (border.vertical && border.high) meet_air(heat, index, here);
    return;
  }
  const HeatCell& low = border.high ? here : there;
  const HeatCell& high = border.high ? there : here;
  const std::int64_t energy = border.vertical ? upwards(low, high) : beside(low, high);
  if (energy != 0) move(heat, index, border.high ? -energy : energy);
}

// A cell straight over one of the chunk's; `index` goes on counting beyond its top. Most lie in the
// chunk itself or in the next one, which need not be looked up.
Cell HeatStep::cell_over(const Chunk& chunk, std::int32_t index, Vec3 at) const {
  if (at.y >= grid_.world_box().end().y) return kOutside;
  if (index < kChunkCells) return chunk.cells[static_cast<std::size_t>(index)];
  if (index >= 2 * kChunkCells) return grid_.cell(at);
  if (chunk.above == nullptr) return kAir;
  return chunk.above->cells[static_cast<std::size_t>(index - kChunkCells)];
}

// Over its gap; the more air, the faster.
void HeatStep::meet_air(ChunkHeat& heat, std::int32_t index, const HeatCell& here,
                        std::int32_t air) const {
  const std::int32_t most = options_.air_cells * kFull;
  std::int32_t gap = (here.ice ? 0 : kFull - std::min(here.units, kFull)) + air * kFull;
  if (gap < most) {
    const auto more = gap_over(heat, index, air, most - gap);
    if (!more) return;
    gap += *more;
  }
  if (gap == 0) return;
  if (here.fine >= options_.simmer << kLogFine && !here.ice) {
    heat.simmering.push_back(shape_.cell_at(heat.coord, index));
  }
  const std::int32_t parts = gap >= most ? options_.surface : options_.surface * gap / most;
  const std::int64_t energy = conducted(parts, here.units, here.fine, air_);
  if (energy == 0) return;
  move(heat, index, -energy);
  (energy > 0 ? heat.to_air : heat.from_air) += energy > 0 ? energy : -energy;
}

// What whole cells of air add to a gap, of which so many are known, until it is `enough`; nothing
// where water or ice lies straight over the cell.
std::optional<std::int32_t> HeatStep::gap_over(const ChunkHeat& heat, std::int32_t index,
                                               std::int32_t known, std::int32_t enough) const {
  Vec3 up = shape_.cell_at(heat.coord, index) + Vec3{0, known + 1, 0};
  std::int32_t over = index + (known + 1) * shape_.slab();
  std::int32_t gap = 0;
  for (; gap < enough; ++up.y, over += shape_.slab(), gap += kFull) {
    const Cell cell = cell_over(*heat.chunk, over, up);
    if (held_in(cell) > 0 && known == 0 && gap == 0) return std::nullopt;
    if (cell != kAir) break;
  }
  return gap;
}

}  // namespace sluice::sim
