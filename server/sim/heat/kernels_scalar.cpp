#include <algorithm>
#include <array>
#include <cstdlib>

#include "server/sim/heat/flux.h"
#include "server/sim/heat/kernels.h"

namespace sluice::sim {

namespace {

/// Calls visit(index, where it goes) for all cells.
template <class Visit>
void for_each_cell(const HeatRows& rows, Visit&& visit) {
  for (std::size_t row = 0; row < rows.rows * rows.layers; ++row) {
    const std::size_t to = row / rows.rows * rows.to_layer + row % rows.rows * rows.to_step;
    for (std::size_t x = 0; x < rows.cells; ++x) visit(row * rows.from_step + x, to + x);
  }
}

void count(std::int32_t plain, HeatCellsRead& all) {
  all.plain += is_plain(plain) ? 1 : 0;
  all.by_rule += plain == kByRule ? 1 : 0;
}

HeatCellsRead read_scalar(const HeatCurve& curve, const HeatRows& rows, const Cell* cells,
                          const std::int64_t* energies, std::int32_t* plain) {
  HeatCellsRead all;
  for_each_cell(rows, [&](std::size_t from, std::size_t to) {
    const std::int32_t units = held_in(cells[from]);
    plain[to] =
        units == 0 || units == kFull ? plain_of(curve, cells[from], energies[from]) : kByRule;
    count(plain[to], all);
  });
  return all;
}

HeatCellsRead read_units_scalar(const HeatCurve& curve, const HeatRows& rows, const Cell* cells,
                                const std::int64_t* energies, std::int32_t* plain,
                                std::int32_t* units) {
  HeatCellsRead all;
  for_each_cell(rows, [&](std::size_t from, std::size_t to) {
    plain[to] = plain_of(curve, cells[from], energies[from]);
    units[to] = held_in(cells[from]);
    count(plain[to], all);
    all.not_full += is_plain(plain[to]) && units[to] != kFull ? 1 : 0;
  });
  return all;
}

HeatFluxesFound fluxes_scalar(const HeatFluxInput& input, const HeatPlane& plane,
                              std::int32_t* change) {
  const ChunkShape& shape = input.shape;
  HeatFluxesFound found;
  // Into the one from the other.
  const auto flux = [&](std::size_t to, std::size_t other, std::int32_t parts) {
    const std::int32_t here = plane.plain[to];
    const std::int32_t from = plane.plain[other];
    if (!is_plain(here) || !is_plain(from)) return 0;
    const std::int32_t units =
        plane.has_units ? std::min(plane.units[to], plane.units[other]) : kFull;
    const auto energy = static_cast<std::int32_t>(
        conducted(parts, units, fine_of_plain(from), fine_of_plain(here)));
    found.any = found.any || energy != 0;
    return energy;
  };
  const auto side = [&](std::size_t at, std::size_t beside) {
    const bool ice = is_plain_ice(plane.plain[at] | plane.plain[beside]);
    return flux(at, beside, ice ? input.ice : input.sideways);
  };
  const auto rising = [&](std::size_t below, std::size_t above, bool& left_out) {
    const std::int32_t low = plane.plain[below];
    const std::int32_t high = plane.plain[above];
    if (is_beyond_planes(low, high)) {
      left_out = true;
      return 0;
    }
    const std::int32_t parts = is_plain_ice(low & high)                           ? input.ice
                               : is_plain_ice(low | high)                         ? 2 * input.ice
                               : lighter(fine_of_plain(low), fine_of_plain(high)) ? input.up
                                                                                  : input.down;
    return flux(above, below, parts);
  };
  std::size_t i = 0;
  for (std::int32_t y = 0; y < shape.height(); ++y) {
    bool below_left_out = false;
    bool above_left_out = false;
    for (std::int32_t z = 0; z < shape.depth(); ++z) {
      for (std::int32_t x = 0; x < shape.width(); ++x, ++i) {
        const std::size_t at = plane.at(x, y, z);
        std::int32_t sum = side(at, at - 1) + side(at, at + 1);
        if (shape.depth() > 1) sum += side(at, at - plane.stride) + side(at, at + plane.stride);
        const std::size_t below = at - plane.layer;
        const std::size_t above = at + plane.layer;
        if (plane.plain[at] != kNoHeat && plane.plain[above] == kNoHeat) {
          found.surfaces |= std::uint64_t{1} << y;
        }
        change[i] = sum + rising(below, at, below_left_out) - rising(at, above, above_left_out);
      }
    }
    found.left_out |= std::uint64_t{below_left_out} << y;
    found.left_out_above = above_left_out;
  }
  return found;
}

HeatOfAir meet_air_scalar(std::int32_t parts, std::int32_t air, std::size_t count,
                          const std::int32_t* plain, const std::int32_t* units,
                          std::int32_t* change) {
  HeatOfAir all;
  for (std::size_t i = 0; i < count; ++i) {
    const auto energy = static_cast<std::int32_t>(
        conducted(parts, units == nullptr ? kFull : units[i], fine_of_plain(plain[i]), air));
    change[i] -= energy;
    (energy > 0 ? all.given : all.taken) += std::abs(energy);
  }
  return all;
}

std::uint64_t others_scalar(const HeatRange& range, const Cell* cells,
                            const std::int64_t* energies) {
  std::uint64_t groups = 0;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const std::int32_t units = held_in(cells[i]);
    const bool lasts = units <= kMostPlain && range.has(cells[i], energies[i]);
    if (units > 0 && !lasts) groups |= std::uint64_t{1} << (i / 64);
  }
  return groups;
}

std::uint64_t add_scalar(const HeatRange& range, const Cell* cells, const std::int32_t* change,
                         std::int64_t* energies) {
  for (std::size_t i = 0; i < kChunkCells; ++i) energies[i] += change[i];
  return others_scalar(range, cells, energies);
}

std::uint64_t digest_scalar(const std::int64_t* energies) {
  std::uint64_t key = kHeatDigestKey;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const auto energy = static_cast<std::uint64_t>(energies[i]);
    const std::uint64_t keyed = energy ^ key;
    sum += (keyed & 0xffffffffU) * (keyed >> 32) + energy;
    key += kHeatDigestStep;
  }
  return sum;
}

}  // namespace

const std::uint32_t* heat_reciprocals() {
  struct Reciprocals {
    std::array<std::uint32_t, kMostPlain + 1> of{};
    constexpr Reciprocals() {
      for (std::uint32_t units = 1; units <= kMostPlain; ++units) {
        of[units] = (std::uint32_t{1} << 31) / units + 1;
      }
    }
  };
  static constexpr Reciprocals kReciprocals;
  return kReciprocals.of.data();
}

HeatKernels scalar_heat_kernels() {
  return {read_scalar, read_units_scalar, fluxes_scalar, meet_air_scalar,
          add_scalar,  others_scalar,     digest_scalar};
}

}  // namespace sluice::sim
