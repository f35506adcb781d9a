// The portable kernels of hydro water: the definition that the vector ones are compared with.
#include <algorithm>

#include "server/sim/models/hydro/flows.h"
#include "server/sim/models/hydro/kernels.h"

namespace sluice::sim::hydro {

namespace {

End end_of(const OpenTick& tick, std::int32_t run) {
  return {tick.level[run], tick.base[run], tick.lead[run]};
}

/// With the height of the water in its opening.
Way way_of(const OpenTick& tick, std::size_t w, Level low, Level high) {
  Way way;
  way.sill_cell = tick.sill_cell[w];
  way.top_cell = tick.top_cell[w];
  way.joint = Joint::kContact;
  way.height = std::min(std::max(low, high) - way.sill(), way.opening());
  way.conductance = static_cast<std::int32_t>(conductance_of(way.height, tick.most_conductance));
  way.flow = tick.flow[w];
  way.carry = tick.carry[w];
  return way;
}

void measure_runs_scalar(const OpenTick& tick, std::size_t from, std::size_t to, Quotient& heads) {
  for (std::size_t m = from; m < to; ++m) {
    heads.add((tick.level[m] - tick.lowest) >> tick.head_shift);
  }
}

OpenSums measure_ways_scalar(const OpenTick& tick, std::size_t from, std::size_t to) {
  OpenSums sums;
  for (std::size_t w = from; w < to; ++w) {
    const Level low = tick.level[tick.low[w]];
    const Level high = tick.level[tick.high[w]];
    const Way way = way_of(tick, w, low, high);
    sums.conductances += way.conductance;
    sums.heads += head_across(way, low - high, tick.head_shift);
  }
  return sums;
}

bool move_scalar(const OpenTick& tick, std::size_t from, std::size_t to) {
  Braking known;
  bool fast = false;
  for (std::size_t w = from; w < to; ++w) {
    const End low = end_of(tick, tick.low[w]);
    const End high = end_of(tick, tick.high[w]);
    const std::int32_t low_friction = tick.friction[tick.low[w]];
    const std::int32_t high_friction = tick.friction[tick.high[w]];
    if (low_friction != known.low_friction || high_friction != known.high_friction) {
      known.low_friction = low_friction;
      known.high_friction = high_friction;
      known.friction = (friction_towards(tick.target_friction, low_friction) +
                        friction_towards(tick.target_friction, high_friction)) >>
                       tick.friction_shift;
    }
    Way way = way_of(tick, w, low.level, high.level);
    const Drive drive = drive_of<true>(low, high, way, known);
    set_flow(low, high, way, flow_by_levels(low, high, way, drive));
    tick.flow[w] = way.flow;
    tick.carry[w] = way.carry;
    tick.moved[w] = way.moved;
    tick.way_lead[w] = way.lead();
    fast |= way.fast();
  }
  return fast;
}

OpenOutcome fill_scalar(const OpenTick& tick, std::size_t from, std::size_t to,
                        std::int32_t* outside) {
  OpenOutcome all;
  for (std::size_t m = from; m < to; ++m) {
    Units given = 0;
    Units change = 0;
    Q16 lead = 0;
    for (const std::int32_t* const ends : tick.ends) {
      if (ends == nullptr) break;
      const std::int32_t way = ends[m] >> 1;
      const bool high = (ends[m] & 1) != 0;
      const Units taken = high ? tick.moved[way] : -tick.moved[way];
      change += taken;
      given += std::max<Units>(-taken, 0);
      lead += high ? tick.way_lead[way] : -tick.way_lead[way];
    }
    const Units volume = tick.level[m] - tick.base[m];
    const Level level = tick.level[m] + change;
    const bool wet = level > tick.base[m];
    all.fits &= given <= volume && tick.least[m] < level;
    all.moved |= given > 0;
    all.lowest = std::min(all.lowest, level);
    all.highest = std::max(all.highest, level);
    if (level > tick.most[m] || wet != (volume > 0)) {
      outside[all.outside++] = static_cast<std::int32_t>(m);
    }
    tick.level[m] = level;
    tick.lead[m] = lead;
    tick.friction[m] = wet ? friction_towards(tick.target_friction, tick.friction[m]) : 0;
  }
  return all;
}

void divide_scalar(const std::int64_t* numbers, const std::int64_t* divisors, std::size_t count,
                   std::int64_t* quotients) {
  for (std::size_t i = 0; i < count; ++i) quotients[i] = quotient(numbers[i], divisors[i]);
}

template <class Entry>
Digest digest_scalar(std::span<const Entry> entries) {
  Digest digest = 0;
  for (const Entry& one : entries) digest += one.state.digest(one.digest);
  return digest;
}

}  // namespace

HydroKernels scalar_hydro_kernels() {
  return {measure_runs_scalar, measure_ways_scalar, move_scalar,   move_scalar,
          fill_scalar,         divide_scalar,       digest_scalar, digest_scalar};
}

}  // namespace sluice::sim::hydro
