#include "server/sim/tracers/kernels.h"

namespace sluice::sim {

namespace {

std::int64_t rising(const TracerFluxInput& input, const TracerCell& below,
                    const TracerCell& above) {
  if (input.sink != 0) {
    if (below.units == 0 || above.units == 0) return 0;
    return input.sink > 0 ? -(above.value * input.sink >> kLogTracerParts)
                          : below.value * -input.sink >> kLogTracerParts;
  }
  const bool turns = input.overturn > 0 && above.value > below.value;
  return spreading(turns ? input.overturn : input.spread, below, above);
}

// Each cell looks at all of its faces.
bool fluxes_scalar(const TracerFluxInput& input, const TracerPlane& plane, std::int64_t* change) {
  const ChunkShape& shape = input.shape;
  const auto cell = [&](std::size_t at) { return TracerCell{plane.values[at], plane.units[at]}; };
  const auto side = [&](std::size_t here, std::size_t from) {
    return input.sink != 0 ? 0 : spreading(input.spread, cell(from), cell(here));
  };
  std::int64_t any = 0;
  const auto flows = [&any](std::int64_t flux) {
    any |= flux;
    return flux;
  };
  std::size_t i = 0;
  for (std::int32_t y = 0; y < input.layers; ++y) {
    for (std::int32_t z = 0; z < shape.depth(); ++z) {
      for (std::int32_t x = 0; x < shape.width(); ++x, ++i) {
        const std::size_t at = plane.at(x, y, z);
        std::int64_t sum = flows(side(at, at - 1)) + flows(side(at, at + 1));
        if (shape.depth() > 1) {
          sum += flows(side(at, at - plane.stride)) + flows(side(at, at + plane.stride));
        }
        const std::int64_t from_below = rising(input, cell(at - plane.layer), cell(at));
        const std::int64_t upwards = rising(input, cell(at), cell(at + plane.layer));
        change[i] = sum + flows(from_below) - flows(upwards);
      }
    }
  }
  return any != 0;
}

}  // namespace

TracerKernels scalar_tracer_kernels() {
  return {fluxes_scalar};
}

}  // namespace sluice::sim
