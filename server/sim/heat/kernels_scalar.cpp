#include <algorithm>

#include "server/sim/heat/flux.h"
#include "server/sim/heat/kernels.h"

namespace sluice::sim {

namespace {

std::int32_t read_scalar(const HeatCurve& curve, const HeatRows& rows, const Cell* cells,
                         const std::int64_t* energies, std::int32_t* plain) {
  std::int32_t count = 0;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    for (std::size_t x = 0; x < rows.cells; ++x) {
      const std::size_t i = row * rows.from_step + x;
      const std::int32_t found = plain_of(curve, cells[i], energies[i]);
      plain[row * rows.to_step + x] = found;
      count += found != kNotPlain ? 1 : 0;
    }
  }
  return count;
}

HeatFluxesFound fluxes_scalar(const HeatFluxInput& input, const HeatPlane& plane,
                              std::int64_t* change) {
  const ChunkShape& shape = input.shape;
  HeatFluxesFound found;
  // Into the one from the other.
  const auto flux = [&](std::int32_t here, std::int32_t from, std::int32_t parts) -> std::int64_t {
    if (here == kNotPlain || from == kNotPlain) return 0;
    const std::int64_t energy = conducted(parts, kFull, fine_of_plain(from), fine_of_plain(here));
    found.any = found.any || energy != 0;
    return energy;
  };
  const auto side = [&](std::size_t at, std::size_t beside) {
    const std::int32_t here = plane.plain[at];
    const std::int32_t from = plane.plain[beside];
    return flux(here, from, is_plain_ice(here | from) ? input.ice : input.sideways);
  };
  const auto rising = [&](std::size_t below, std::size_t above) -> std::int64_t {
    const std::int32_t low = plane.plain[below];
    const std::int32_t high = plane.plain[above];
    if (is_beyond_planes(low, high)) {
      found.left_out = true;
      return 0;
    }
    const std::int32_t parts = is_plain_ice(low & high)                           ? input.ice
                               : is_plain_ice(low | high)                         ? 2 * input.ice
                               : lighter(fine_of_plain(low), fine_of_plain(high)) ? input.up
                                                                                  : input.down;
    return flux(high, low, parts);
  };
  std::size_t i = 0;
  for (std::int32_t y = 0; y < shape.height(); ++y) {
    for (std::int32_t z = 0; z < shape.depth(); ++z) {
      for (std::int32_t x = 0; x < shape.width(); ++x, ++i) {
        const std::size_t at = plane.at(x, y, z);
        std::int64_t sum = side(at, at - 1) + side(at, at + 1);
        if (shape.depth() > 1) sum += side(at, at - plane.stride) + side(at, at + plane.stride);
        const std::size_t below = at - plane.layer;
        const std::size_t above = at + plane.layer;
        change[i] = sum + rising(below, at) - rising(at, above);
      }
    }
  }
  return found;
}

std::uint64_t others_scalar(const HeatRange& range, const Cell* cells,
                            const std::int64_t* energies) {
  std::uint64_t groups = 0;
  for (std::size_t i = 0; i < kChunkCells; ++i) {
    const bool lasts = cells[i] == ice_of(kFull)
                           ? energies[i] < range.most_of_ice
                           : cells[i] == kFull && range.has_water(energies[i]);
    if (held_in(cells[i]) > 0 && !lasts) groups |= std::uint64_t{1} << (i / 64);
  }
  return groups;
}

std::uint64_t add_scalar(const HeatRange& range, const Cell* cells, const std::int64_t* change,
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

HeatKernels scalar_heat_kernels() {
  return {read_scalar, fluxes_scalar, add_scalar, others_scalar, digest_scalar};
}

}  // namespace sluice::sim
