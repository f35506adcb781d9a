#include "server/sim/models/cellular/border.h"

#include <array>
#include <bit>
#include <cstdlib>

#include "server/sim/kernels.h"

namespace sluice::sim {

namespace {

// A row of faces beside each other, as the kernel takes it.
using FaceRow = std::array<Cell, static_cast<std::size_t>(kSegment)>;
constexpr FaceRow kAirRow = {};
constexpr std::size_t kMostRows = 16;  // slabs of a chunk of a 3D world
constexpr std::uint32_t kAllLines = ~std::uint32_t{0} >> (32 - kSegment);

/// What one side of a 3D world's border holds along the lines of each slab.
class SideRows {
 public:
  /// `first`: of the border's cells, in each slab. Where they do not lie beside each other, those
  /// of all slabs are copied first: a row that is read right after it was written, cell by cell,
  /// would be waited for.
  SideRows(const Border& border, const BorderSide& side, std::int32_t first, FaceMask faces)
      : border_(border), side_(side), first_(first) {
    if (side.cells == nullptr || border.line_step == 1) return;
    if ((faces.slabs & 1U) != 0) copy(-1, faces.lines);
    for (std::uint64_t left = faces.slabs | faces.slabs >> 1; left != 0; left &= left - 1) {
      copy(std::countr_zero(left), faces.lines);
    }
  }

  /// In slab `y`, which is one of the faces' or below one; -1 is below the chunk.
  [[nodiscard]] const Cell* row(std::int32_t y) const {
    if (side_.cells == nullptr) return kAirRow.data();
    return border_.line_step == 1 ? cells(y) : copied_[static_cast<std::size_t>(y + 1)].data();
  }

 private:
  [[nodiscard]] const Cell* cells(std::int32_t y) const {
    return (y < 0 ? side_.below : side_.cells + std::int64_t{y} * border_.slab) + first_;
  }
  // What lies on lines of no concern is as air: nothing flows there.
  void copy(std::int32_t y, std::uint32_t lines) {
    FaceRow& row = copied_[static_cast<std::size_t>(y + 1)];
    const Cell* const from = cells(y);
    if (lines == kAllLines && border_.line_step == kSegment) {
      for (std::int32_t line = 0; line < kSegment; ++line) {
        row[static_cast<std::size_t>(line)] = from[line * kSegment];
      }
      return;
    }
    row.fill(kAir);
    for (std::uint32_t left = lines; left != 0; left &= left - 1) {
      const std::int32_t line = std::countr_zero(left);
      row[static_cast<std::size_t>(line)] = from[line * border_.line_step];
    }
  }

  const Border& border_;
  const BorderSide& side_;
  std::int32_t first_;
  std::array<FaceRow, kMostRows + 1> copied_;
};

/// Of a 3D world, slab by slab: all lines of one at once.
bool fluxes_by_slab(const CellularRule& rule, const Border& border, const BorderSide& low,
                    const BorderSide& high, FaceMask faces, std::int32_t least, std::int32_t* flux,
                    std::uint64_t& waits) {
  const SideRows from(border, low, border.last, faces);
  const SideRows to(border, high, 0, faces);
  const FacesKernel kernel = kernels().cellular.faces;
  bool flows = false;
  for (std::uint64_t left = faces.slabs; left != 0; left &= left - 1) {
    const std::int32_t y = std::countr_zero(left);
    const FaceCells cells = {from.row(y), to.row(y), from.row(y - 1), to.row(y - 1)};
    bool slab_waits = false;
    flows |= kernel(rule, cells, least, flux + y * border.lines, slab_waits);
    waits |= std::uint64_t{slab_waits} << y;
  }
  return flows;
}

/// Of a side view, where a slab has one face.
bool fluxes_up_the_line(const CellularRule& rule, const Border& border, const BorderSide& low,
                        const BorderSide& high, std::uint64_t slabs, std::int32_t least,
                        std::int32_t* flux, std::uint64_t& waits) {
  const auto cell = [&border](const BorderSide& side, std::int32_t y, std::int32_t first) {
    if (side.cells == nullptr) return kAir;
    return y < 0 ? side.below[first] : side.cells[y * border.slab + first];
  };
  bool flows = false;
  for (std::uint64_t left = slabs; left != 0; left &= left - 1) {
    const std::int32_t y = std::countr_zero(left);
    const Cell from = cell(low, y, border.last);
    const Cell to = cell(high, y, 0);
    if (from == to) continue;
    const std::int32_t amount =
        sideways_flux(rule, from, to, cell(low, y - 1, border.last), cell(high, y - 1, 0));
    if (amount == 0) continue;
    if (std::abs(amount) < least) {
      waits |= std::uint64_t{1} << y;
      continue;
    }
    flux[y] = amount;
    flows = true;
  }
  return flows;
}

}  // namespace

bool border_fluxes(const CellularRule& rule, const Border& border, const BorderSide& low,
                   const BorderSide& high, FaceMask faces, std::int32_t least, std::int32_t* flux,
                   std::uint64_t& waits) {
  if (border.lines > 1) {
    return fluxes_by_slab(rule, border, low, high, faces, least, flux, waits);
  }
  return fluxes_up_the_line(rule, border, low, high, faces.slabs, least, flux, waits);
}

}  // namespace sluice::sim
