// Fluxes between plain cells, which are found by vectors (kernels.h); then those of the few others,
// each by its rule.
#include <algorithm>
#include <array>

#include "server/sim/heat/step.h"
#include "server/sim/kernels.h"

namespace sluice::sim {

namespace {

/// With fewer plain cells the rules alone are as fast.
constexpr std::int32_t kFewPlain = kChunkCells / 8;

/// Energies of cells from `index` on, and the steps between rows of them; `room` is for those that
/// are kept as one number.
const std::int64_t* energies_at(const AmountPage& page, std::size_t index, std::int64_t* room) {
  if (page.data() != nullptr) return page.data() + index;
  std::fill_n(room, kChunkCells, page.at(0));
  return room;
}

/// Whether a cell holds water or ice, without a branch: loops over rows ask for it.
unsigned holds_any(Cell cell) {
  return static_cast<unsigned>(cell > 0) | static_cast<unsigned>(cell <= kThinnestIce);
}

}  // namespace

bool HeatStep::Plain::over(const ChunkShape& shape, const Border& border,
                           std::int32_t index) const {
  const Vec3 at = shape.cell_at({0, 0, 0}, index);
  const std::size_t here = plane.at(at.x, at.y, at.z);
  const Vec3 next = at + border.step;
  const std::int32_t a = plane.plain[here];
  const std::int32_t b = plane.plain[plane.at(next.x, next.y, next.z)];
  if (a == kNotPlain || b == kNotPlain) return false;
  return !border.vertical || !is_beyond_planes(a, b);
}

bool HeatStep::find_plain(ChunkHeat& heat) const {
  if (heat.page == nullptr) return false;
  HeatPlane plane(shape_);
  const std::int32_t cells = read_plain(heat, plane);
  if (cells < kFewPlain) return false;
  const std::array<Border, 6> borders = borders_of(*heat.chunk);
  std::array<bool, 6> all_plain{};
  for (std::size_t i = 0; i < borders.size(); ++i) {
    if (borders[i].outer_count == 0) continue;
    all_plain[i] = read_beside(borders[i], plane) && cells == kChunkCells;
  }
  heat.change.resize(kChunkCells);
  heat.written = true;
  const HeatFluxInput input{shape_, options_.sideways, options_.down, options_.up, options_.ice};
  const HeatFluxesFound found = kernels().heat.fluxes(input, plane, heat.change.data());
  heat.flows = found.any;
  if (cells < kChunkCells || found.left_out) find_of_others(heat, plane);
  if (cells < kChunkCells) find_surfaces(heat);
  const Plain plain{plane};
  // Full cells under the world's top have no gap.
  const Box box = shape_.box(heat.coord);
  const bool air = cells < kChunkCells || box.end().y < grid_.world_box().end().y;
  for (std::size_t i = 0; i < borders.size(); ++i) {
    const bool top = borders[i].vertical && borders[i].high;
    if (all_plain[i] && !(borders[i].vertical && found.left_out)) continue;
    if (borders[i].other == nullptr && !(top && air)) continue;
    find_over_border(heat, borders[i], &plain);
  }
  return true;
}

// Returns how many of its cells are plain.
std::int32_t HeatStep::read_plain(const ChunkHeat& heat, HeatPlane& plane) const {
  const auto width = static_cast<std::size_t>(shape_.width());
  const auto slab = static_cast<std::size_t>(shape_.slab());
  std::array<std::int64_t, kChunkCells> room;
  const std::int64_t* const energies = energies_at(*heat.page, 0, room.data());
  const Cell* const cells = heat.chunk->cells.data();
  // In a side view all rows of a chunk at once, in 3D those of a slab.
  const bool solid = shape_.depth() > 1;
  const std::size_t slabs = solid ? static_cast<std::size_t>(shape_.height()) : 1;
  const HeatRows rows{kChunkCells / width / slabs, width, width, plane.stride};
  std::int32_t count = 0;
  for (std::size_t y = 0; y < slabs; ++y) {
    count += kernels().heat.read(curve_, rows, cells + y * slab, energies + y * slab,
                                 plane.plain.data() + plane.first + y * plane.layer);
  }
  return count;
}

// True if all cells behind the border are plain.
bool HeatStep::read_beside(const Border& border, HeatPlane& plane) const {
  const AmountPage* const page = page_of(border.other);
  const Vec3 at = shape_.cell_at({0, 0, 0}, border.first) + border.step;
  std::int32_t* const to = plane.plain.data() + plane.at(at.x, at.y, at.z);
  const auto from = static_cast<std::size_t>(border.first + border.to_other);
  const auto step = static_cast<std::size_t>(border.outer);
  const std::size_t to_step = border.vertical ? plane.stride : plane.layer;
  if (page == nullptr) {
    const std::size_t inner = border.inner > 1 ? plane.stride : 1;
    for (std::size_t i = 0; i < static_cast<std::size_t>(border.outer_count); ++i) {
      for (std::size_t j = 0; j < static_cast<std::size_t>(border.inner_count); ++j) {
        to[i * to_step + j * inner] = kNotPlain;
      }
    }
    return false;
  }
  if (border.inner > 1) return read_column(border, *page, plane, from, to);
  const HeatRows rows{static_cast<std::size_t>(border.outer_count),
                      static_cast<std::size_t>(border.inner_count), step, to_step};
  std::array<std::int64_t, kChunkCells> room;
  const std::int64_t* const energies = energies_at(*page, from, room.data());
  return kernels().heat.read(curve_, rows, border.other->cells.data() + from, energies, to) ==
         border.outer_count * border.inner_count;
}

// Of cells that lie apart: a column of a side view, a side of a 3D chunk.
bool HeatStep::read_column(const Border& border, const AmountPage& page, const HeatPlane& plane,
                           std::size_t from, std::int32_t* to) const {
  const std::int64_t* const energies = page.data();
  const Cell* const cells = border.other->cells.data();
  const auto width = static_cast<std::size_t>(shape_.width());
  bool all = true;
  std::size_t index = from;
  for (std::int32_t i = 0; i < border.outer_count; ++i) {
    std::int32_t* row = to + static_cast<std::size_t>(i) * plane.layer;
    for (std::int32_t j = 0; j < border.inner_count; ++j, index += width, row += plane.stride) {
      const std::int64_t energy = energies == nullptr ? page.at(0) : energies[index];
      *row = plain_of(curve_, cells[index], energy);
      all = all && *row != kNotPlain;
    }
  }
  return all;
}

// Inside of the chunk, all faces that the kernel left out. Most rows have none.
void HeatStep::find_of_others(ChunkHeat& heat, const HeatPlane& plane) const {
  const std::int32_t width = shape_.width();
  for (std::int32_t row = 0; row < kChunkCells; row += width) {
    const Vec3 at = shape_.cell_at({0, 0, 0}, row);
    const Cell* const cells = heat.chunk->cells.data() + row;
    const std::int32_t* const plain = plane.plain.data() + plane.at(0, at.y, at.z);
    const std::int32_t* const above = at.y + 1 < shape_.height() ? plain + plane.layer : nullptr;
    unsigned any = 0;
    for (std::int32_t x = 0; x < width; ++x) {
      any |= static_cast<unsigned>(plain[x] == kNotPlain) & holds_any(cells[x]);
    }
    for (std::int32_t x = 0; above != nullptr && x < width; ++x) {
      any |= static_cast<unsigned>(plain[x] == kMelting) | (above[x] == kMelting);
    }
    for (std::int32_t x = 0; any != 0 && x < width; ++x) {
      if (plain[x] == kNotPlain) {
        if (held_in(cells[x]) > 0) find_of_other(heat, plane, row + x);
      } else if (above != nullptr && is_beyond_planes(plain[x], above[x])) {
        exchange(heat, row + x, row + x + shape_.slab(), true);
      }
    }
  }
}

// With those that come after it, and with plain ones before it.
void HeatStep::find_of_other(ChunkHeat& heat, const HeatPlane& plane, std::int32_t index) const {
  const Vec3 at = shape_.cell_at({0, 0, 0}, index);
  const auto before = [&](Vec3 step, std::int32_t other, bool vertical) {
    const Vec3 next = at + step;
    if (plane.plain[plane.at(next.x, next.y, next.z)] == kNotPlain) return;
    exchange(heat, other, index, vertical);
  };
  const std::int32_t slab = shape_.slab();
  const std::int32_t width = shape_.width();
  if (at.x > 0) before({-1, 0, 0}, index - 1, false);
  if (at.z > 0) before({0, 0, -1}, index - width, false);
  if (at.y > 0) before({0, -1, 0}, index - slab, true);
  if (at.x + 1 < width) exchange(heat, index, index + 1, false);
  if (at.z + 1 < shape_.depth()) exchange(heat, index, index + width, false);
  if (at.y + 1 < shape_.height()) exchange(heat, index, index + slab, true);
}

// Between two cells of the chunk, of which `low` comes first.
void HeatStep::exchange(ChunkHeat& heat, std::int32_t low, std::int32_t high, bool vertical) const {
  const HeatCell a = cell_of(*heat.chunk, heat.page, low);
  const HeatCell b = cell_of(*heat.chunk, heat.page, high);
  const std::int64_t energy = vertical ? upwards(a, b) : beside(a, b);
  if (energy == 0) return;
  move(heat, low, -energy);
  move(heat, high, energy);
}

// Inside of the chunk, where nothing lies on water.
void HeatStep::find_surfaces(ChunkHeat& heat) const {
  const Cell* const cells = heat.chunk->cells.data();
  const std::int32_t slab = shape_.slab();
  const std::int32_t width = shape_.width();
  const auto meets = [&](std::int32_t i) {
    return holds_any(cells[i]) & (holds_any(cells[i + slab]) ^ 1U);
  };
  for (std::int32_t row = 0; row + slab < kChunkCells; row += width) {
    unsigned any = 0;
    for (std::int32_t i = row; i < row + width; ++i) any |= meets(i);
    for (std::int32_t i = row; any != 0 && i < row + width; ++i) {
      if (meets(i) != 0) meet_air(heat, i, cell_of(*heat.chunk, heat.page, i));
    }
  }
}

}  // namespace sluice::sim
