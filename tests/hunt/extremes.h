// Worlds at their bounds, where defaults and what tests draw stand in the middle: options, and
// room.
#pragma once

#include <cstdint>

#include "server/sim/spec.h"

namespace sluice::hunt {

/// So many percent of the water model's options, from bound to bound, as far as a world takes them.
void draw_model_extremes(std::uint64_t seed, std::int64_t percent, sim::WorldSpec& spec);
/// The same of its heat, waves and tracers.
void draw_layer_extremes(std::uint64_t seed, std::int64_t percent, sim::WorldSpec& spec);
/// Limits that are what the world begins with, and a little more. Most such worlds get a chunk that
/// is empty, beside or above.
void draw_limits(std::uint64_t seed, sim::WorldSpec& spec);

}  // namespace sluice::hunt
