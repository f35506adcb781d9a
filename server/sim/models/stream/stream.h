// The stream water model; stream.md says how its water moves.
#pragma once

#include <memory>
#include <span>

#include "server/sim/models/registry.h"

namespace sluice::sim {

[[nodiscard]] std::unique_ptr<WaterModelState> make_stream_water(const WorldConfig& config);
/// What the bits of a cell's mark mean.
[[nodiscard]] std::span<const MarkField> stream_marks();

}  // namespace sluice::sim
