// The portable kernels: the definition that the vector ones are compared with, and what runs where
// there is no vector unit that they know.
#include <algorithm>

#include "server/sim/kernels.h"

namespace sluice::sim {

namespace {

void digest_cells_scalar(const Cell* cells, std::size_t first, std::size_t count,
                         std::uint64_t* sums) {
  constexpr std::size_t kStripe = 2 * kDigestLanes;  // cells
  std::fill_n(sums, kDigestLanes, 0);
  for (std::size_t i = first; i < first + count; i += kStripe) {
    for (std::size_t lane = 0; lane < kDigestLanes; ++lane) {
      // From the stripe each time: keys that were counted up came out wrong with GCC 12 at -O3.
      const std::uint64_t key = kDigestKeys[lane] + i / kStripe * kDigestStep;
      const std::uint64_t low = static_cast<std::uint32_t>(cells[i + 2 * lane]);
      const std::uint64_t high = static_cast<std::uint32_t>(cells[i + 2 * lane + 1]);
      const std::uint64_t data = low | high << 32;
      const std::uint64_t keyed = data ^ key;
      sums[lane] += (keyed & 0xffffffffU) * (keyed >> 32) + data;
    }
  }
}

}  // namespace

const Kernels& scalar_kernels() {
  static const Kernels kScalar = {"scalar",
                                  digest_cells_scalar,
                                  scalar_cellular_kernels(),
                                  step_waves_scalar,
                                  scalar_heat_kernels(),
                                  scalar_tracer_kernels(),
                                  hydro::scalar_hydro_kernels()};
  return kScalar;
}

}  // namespace sluice::sim
