// What finding conduits, measuring them and running them share.
#pragma once

#include <algorithm>
#include <cstdint>

#include "server/sim/pipes/step.h"

namespace sluice::sim {

/// Of two levels; their difference alone may pass the range of a Level when doubled.
inline std::uint64_t apart(Level a, Level b) {
  return a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
               : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a);
}

/// What flows over `links` links in a row, all like one of this conductance, under this difference.
inline std::int64_t flow_along(std::uint64_t difference, PackedConductance conductance,
                               std::uint32_t links) {
  const std::uint64_t flow = multiply_high(difference / links, expand_conductance(conductance));
  return static_cast<std::int64_t>(std::min<std::uint64_t>(flow, kMaxPipeCapacity));
}

/// conduit_measure.cpp: its openings, what each of them would pass, and the way between them.
void measure_conduit(const PipeGraph& graph, const PipeLayout& layout, PipeStep& step,
                     Conduit& conduit);

}  // namespace sluice::sim
