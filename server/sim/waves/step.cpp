#include "server/sim/waves/step.h"

#include "server/sim/kernels.h"

namespace sluice::sim {

namespace {

void pull_in_z(const WaveSheet& sheet, const std::int32_t* heights,
               std::vector<std::int32_t>& pulls) {
  pulls.resize(sheet.surfaces.size());
  for (const WaveStretch& stretch : sheet.stretches) {
    const std::int32_t* const here = heights + stretch.from;
    const std::int32_t* const front = here + stretch.front;
    const std::int32_t* const back = here + stretch.back;
    std::int32_t* const __restrict pull = pulls.data() + stretch.from;
    const std::int32_t count = stretch.count;
    for (std::int32_t k = 0; k < count; ++k) pull[k] = front[k] + back[k] - 2 * here[k];
  }
}

}  // namespace

void step_waves(const WaveOptions& options, const WaveSheet& sheet, WaveColumns& columns,
                std::vector<std::int32_t>& beside) {
  WaveStepInput input{options, sheet.size(), sheet.passes_x.data(), nullptr};
  std::int32_t* const heights = columns.heights.data() + 1;
  if (!sheet.stretches.empty()) {
    pull_in_z(sheet, heights, beside);
    input.pulls = beside.data();
  }
  kernels().waves(input, heights, columns.speeds.data());
}

}  // namespace sluice::sim
