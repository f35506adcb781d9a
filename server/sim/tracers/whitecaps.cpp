// The foam that waves make: where one is sharper than a threshold, its surface gets some.
#include <algorithm>
#include <vector>

#include "server/sim/tracers/field.h"
#include "server/sim/waves/field.h"

namespace sluice::sim {

namespace {

struct Whipped {
  Vec3 at;
  std::int64_t units = 0;
};

/// No cell gets more foam than it holds water.
std::int64_t room_for_foam(const Grid& grid, const AmountPages& pages, Vec3 at) {
  return std::max<std::int64_t>(0, water_of(grid.cell(at)) - amount_at(pages, grid.shape(), at));
}

std::vector<Whipped> find_whipped(const WaveField& waves, const WaveState& wave_state,
                                  const Grid& grid, const Tracer& tracer) {
  const TracerOptions& options = tracer.options;
  std::vector<Whipped> found;
  waves.for_each_crest(wave_state, [&](const Surface& surface, std::int32_t sharpness) {
    if (sharpness <= options.crest) return;
    const std::int64_t wanted = std::int64_t{sharpness - options.crest} * options.whip / kWhipParts;
    const std::int64_t units = std::min(wanted, room_for_foam(grid, tracer.pages, surface.at));
    if (units > 0) found.push_back({surface.at, units});
  });
  return found;
}

}  // namespace

// The world takes a tick's foam in as a whole, or none of it: then no order of columns matters.
void TracerField::whip_up(const WaveField& waves, const WaveState& wave_state, const Grid& grid,
                          TracerState& state) {
  for (std::size_t t = 0; t < static_cast<std::size_t>(state.count); ++t) {
    Tracer& tracer = state.tracers[t];
    if (tracer.options.kind != TracerKind::kWhitecaps || tracer.options.whip == 0) continue;
    const std::vector<Whipped> whipped = find_whipped(waves, wave_state, grid, tracer);
    std::int64_t sum = 0;
    for (const Whipped& one : whipped) sum += one.units;
    if (sum > state.room(t)) continue;
    for (const Whipped& one : whipped) {
      const ChunkCoord coord = shape_.chunk_of(one.at);
      tracer.pages[coord].edit()[static_cast<std::size_t>(shape_.index_of(one.at))] += one.units;
      note(t, state, coord);
    }
    tracer.totals.come(sum);
  }
}

}  // namespace sluice::sim
