// The portable kernels: the definition that the vector ones are compared with, and what runs where
// there is no vector unit that they know.
#include <algorithm>

#include "server/sim/kernels.h"

namespace sluice::sim {

namespace {

void digest_cells_scalar(const Cell* cells, std::uint64_t* sums) {
  std::array<std::uint64_t, kDigestLanes> keys = kDigestKeys;
  std::fill_n(sums, kDigestLanes, 0);
  for (std::size_t i = 0; i < kChunkCells; i += 2 * kDigestLanes) {
    for (std::size_t lane = 0; lane < kDigestLanes; ++lane) {
      const std::uint64_t low = static_cast<std::uint32_t>(cells[i + 2 * lane]);
      const std::uint64_t high = static_cast<std::uint32_t>(cells[i + 2 * lane + 1]);
      const std::uint64_t data = low | high << 32;
      const std::uint64_t keyed = data ^ keys[lane];
      sums[lane] += (keyed & 0xffffffffU) * (keyed >> 32) + data;
      keys[lane] += kDigestStep;
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
