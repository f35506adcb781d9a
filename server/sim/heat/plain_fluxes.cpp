// Fluxes between plain cells, which are found by vectors (kernels.h); then those of the few others,
// each by its rule (left_out.cpp).
#include <algorithm>
#include <array>

#include "server/sim/heat/step.h"
#include "server/sim/kernels.h"

namespace sluice::sim {

namespace {

using EnergyRoom = std::array<std::int64_t, kChunkCells>;

/// Energies of `count` cells from `index` on; `room` is for those that are kept as one number.
const std::int64_t* energies_at(const AmountPage* page, std::size_t index, std::size_t count,
                                EnergyRoom& room) {
  if (page != nullptr && page->data() != nullptr) return page->data() + index;
  std::fill_n(room.begin(), count, page == nullptr ? 0 : page->at(0));
  return room.data();
}

}  // namespace

bool HeatStep::find_plain(ChunkHeat& heat) const {
  if (heat.page == nullptr) return false;
  HeatPlane plane(shape_);
  const std::array<Border, 6> borders = borders_of(*heat.chunk);
  HeatCellsRead own;
  std::array<HeatCellsRead, 6> beside;
  // Returns whether any cell is not full.
  const auto read = [&](bool with_units) {
    plane.has_units = with_units;
    own = read_plain(heat, plane);
    beside = read_beside(borders, plane);
    const auto finds = [](const HeatCellsRead& some) { return some.by_rule + some.not_full > 0; };
    return finds(own) || std::any_of(beside.begin(), beside.end(), finds);
  };
  // Mostly it is as it was in the last step.
  const bool was = heat.has_units;
  heat.has_units = read(was);
  if (heat.has_units && !was) (void)read(true);
  if (own.plain < own.by_rule) return false;  // the rules alone are as fast
  const HeatFluxInput input{shape_, options_.sideways, options_.down, options_.up, options_.ice};
  const HeatFluxesFound found = kernels().heat.fluxes(input, plane, heat.changes.of_plain_faces());
  heat.flows = found.any;
  if (own.by_rule > 0) find_by_rule(heat, plane);
  for (std::int32_t layer = 0; layer < shape_.height(); ++layer) {
    const bool left_out = layer > 0 && (found.left_out >> layer & 1) != 0;
    if (left_out) find_beyond_planes(heat, plane, layer);
    if ((found.surfaces >> layer & 1) != 0) find_surfaces(heat, plane, layer);
  }
  for (std::size_t i = 0; i < borders.size(); ++i) {
    const bool left_out = borders[i].high ? found.left_out_above : (found.left_out & 1) != 0;
    if (own.by_rule > 0 || beside[i].by_rule > 0 || (borders[i].vertical && left_out)) {
      find_left_out_over(heat, borders[i], plane);
    }
  }
  return true;
}

HeatCellsRead HeatStep::read_plain(const ChunkHeat& heat, HeatPlane& plane) const {
  const auto width = static_cast<std::size_t>(shape_.width());
  const auto depth = static_cast<std::size_t>(shape_.depth());
  EnergyRoom room;
  const std::int64_t* const energies = energies_at(heat.page, 0, kChunkCells, room);
  const HeatRows rows{
      depth, width, width, plane.stride, static_cast<std::size_t>(shape_.height()), plane.layer};
  return read_rows(rows, heat.chunk->cells.data(), energies, plane, plane.first);
}

HeatCellsRead HeatStep::read_rows(const HeatRows& rows, const Cell* cells,
                                  const std::int64_t* energies, HeatPlane& plane,
                                  std::size_t to) const {
  std::int32_t* const plain = plane.plain.data() + to;
  if (!plane.has_units) return kernels().heat.read(curve_, rows, cells, energies, plain);
  return kernels().heat.read_units(curve_, rows, cells, energies, plain, plane.units.data() + to);
}

std::array<HeatCellsRead, 6> HeatStep::read_beside(const std::array<Border, 6>& borders,
                                                   HeatPlane& plane) const {
  std::array<HeatCellsRead, 6> beside;
  for (std::size_t i = 0; i < borders.size(); ++i) {
    if (borders[i].outer_count > 0) beside[i] = read_beside(borders[i], plane);
  }
  return beside;
}

// Of the cells behind the border.
HeatCellsRead HeatStep::read_beside(const Border& border, HeatPlane& plane) const {
  const BorderRows rows = rows_of(border, plane);
  if (border.other == nullptr) {
    read_nothing(border, rows, plane);
    return {};
  }
  const auto from = static_cast<std::size_t>(border.first + border.to_other);
  EnergyRoom room;
  const std::int64_t* const energies =
      energies_at(page_of(border.other), from, kChunkCells - from, room);
  const Cell* const cells = border.other->cells.data() + from;
  if (border.inner > 1) return read_column(rows, cells, energies, plane);
  return read_rows(
      {rows.count, rows.cells, static_cast<std::size_t>(border.outer), rows.step, 1, 0}, cells,
      energies, plane, rows.other);
}

// Only surfaces need to know. To the side and below, where nothing may flow either, a mirror keeps
// rows of one kind.
void HeatStep::read_nothing(const Border& border, const BorderRows& rows, HeatPlane& plane) const {
  const bool top = border.vertical && border.high;
  for (std::size_t i = 0; i < rows.count; ++i) {
    for (std::size_t j = 0; j < rows.cells; ++j) {
      const std::size_t at = i * rows.step + j * rows.inner;
      plane.plain[rows.other + at] = top ? kNoHeat : plane.plain[rows.own + at];
      if (plane.has_units) plane.units[rows.other + at] = plane.units[rows.own + at];
    }
  }
}

// Of cells that lie apart: a column of a side view, a side of a 3D chunk.
HeatCellsRead HeatStep::read_column(const BorderRows& rows, const Cell* cells,
                                    const std::int64_t* energies, HeatPlane& plane) const {
  constexpr std::size_t kMostCells = 256;
  std::array<Cell, kMostCells> near_cells;
  std::array<std::int64_t, kMostCells> near_energies;
  const std::size_t count = rows.count * rows.cells;
  const auto width = static_cast<std::size_t>(shape_.width());
  for (std::size_t i = 0; i < count; ++i) {
    near_cells[i] = cells[i * width];
    near_energies[i] = energies[i * width];
  }
  std::array<std::int32_t, kMostCells> plain;
  std::array<std::int32_t, kMostCells> units;
  const HeatRows row{1, count, 0, 0, 1, 0};
  const HeatKernels& heat = kernels().heat;
  const HeatCellsRead read =
      plane.has_units
          ? heat.read_units(curve_, row, near_cells.data(), near_energies.data(), plain.data(),
                            units.data())
          : heat.read(curve_, row, near_cells.data(), near_energies.data(), plain.data());
  for (std::size_t i = 0, next = 0; i < rows.count; ++i) {
    for (std::size_t j = 0; j < rows.cells; ++j, ++next) {
      const std::size_t at = rows.other + i * rows.step + j * rows.inner;
      plane.plain[at] = plain[next];
      if (plane.has_units) plane.units[at] = units[next];
    }
  }
  return read;
}

HeatStep::BorderRows HeatStep::rows_of(const Border& border, const HeatPlane& plane) const {
  const Vec3 at = shape_.cell_at({0, 0, 0}, border.first);
  const Vec3 next = at + border.step;
  return {plane.at(at.x, at.y, at.z),
          plane.at(next.x, next.y, next.z),
          static_cast<std::size_t>(border.outer_count),
          border.vertical ? plane.stride : plane.layer,
          static_cast<std::size_t>(border.inner_count),
          border.inner > 1 ? plane.stride : 1};
}

}  // namespace sluice::sim
