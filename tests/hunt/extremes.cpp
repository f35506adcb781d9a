#include "tests/hunt/extremes.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "server/sim/models/registry.h"
#include "server/sim/world.h"
#include "tests/support/dice.h"

namespace sluice::hunt {

namespace {

template <class Options>
struct Bounds {
  std::int32_t Options::*option;
  std::int32_t low, high;
};

// Of the parts of all faces, which may be no more than `kMostHeatParts` together, each a quarter.
constexpr std::int32_t kMostOfAFace = sim::kMostHeatParts / 4;
constexpr Bounds<sim::HeatOptions> kHeatBounds[] = {
    {&sim::HeatOptions::water, sim::kColdest, sim::kHottest},
    {&sim::HeatOptions::down, 0, kMostOfAFace},
    {&sim::HeatOptions::up, 0, kMostOfAFace},
    {&sim::HeatOptions::sideways, 0, kMostOfAFace / 2},
    {&sim::HeatOptions::ice, 0, kMostOfAFace / 4},
    {&sim::HeatOptions::surface, 0, kMostOfAFace},
    {&sim::HeatOptions::air_cells, 1, sim::kMostAirCells},
    {&sim::HeatOptions::growth, 0, sim::kMostGrowth},
    {&sim::HeatOptions::simmer, 0, sim::kBoiling - 1},
    {&sim::HeatOptions::day, 0, 4 * sim::kDaySteps},
    {&sim::HeatOptions::day_swing, 0, sim::kHottest - sim::kColdest},
};
constexpr Bounds<sim::WaveOptions> kWaveBounds[] = {
    {&sim::WaveOptions::tension, 1, sim::kMaxWaveTension},
    {&sim::WaveOptions::dampening, 1, sim::kMaxWaveDampening},
    {&sim::WaveOptions::spread, 0, sim::kMaxWaveSpread},
    {&sim::WaveOptions::steps, 1, sim::kMaxWaveSteps},
};
constexpr Bounds<sim::TracerOptions> kTracerBounds[] = {
    {&sim::TracerOptions::spread, 0, sim::kMostSpread},
    {&sim::TracerOptions::overturn, 0, sim::kMostOverturn},
    {&sim::TracerOptions::sink, -sim::kMostSink, sim::kMostSink},
    {&sim::TracerOptions::fade, 0, sim::kMostFade},
    {&sim::TracerOptions::crest, 0, sim::kMostCrest},
    {&sim::TracerOptions::whip, 0, sim::kMostWhip},
};

std::int32_t from_bound_to_bound(tests::Dice& dice, std::int32_t low, std::int32_t high) {
  const std::int32_t kind = dice.roll(0, 2);
  return kind == 0 ? low : kind == 1 ? high : dice.roll(low, high);
}

/// What no world takes is left as it was.
template <class Options, class Table>
void draw_all(tests::Dice& dice, std::int64_t percent, const Table& bounds, Options& options,
              const sim::WorldSpec& spec) {
  for (const Bounds<Options>& bound : bounds) {
    if (dice.roll(1, 100) > percent) continue;
    const std::int32_t before = options.*bound.option;
    options.*bound.option = from_bound_to_bound(dice, bound.low, bound.high);
    if (!sim::World::create(spec)) options.*bound.option = before;
  }
}

}  // namespace

void draw_model_extremes(std::uint64_t seed, std::int64_t percent, sim::WorldSpec& spec) {
  tests::Dice dice(seed);
  for (const sim::WaterOption& option : sim::options_of(spec.config.water)) {
    if (dice.roll(1, 100) > percent) continue;
    const auto before = spec.config.options;
    const std::int32_t value = from_bound_to_bound(dice, option.low, option.high);
    spec.config.options[option.name] = value;
    // What one of full cells holds follows from what a full one does.
    if (std::string_view(option.name) == "full") {
      spec.config.options["compressed_max"] = value + dice.roll(0, value / 8);
    }
    if (!sim::World::create(spec)) spec.config.options = before;
  }
}

void draw_layer_extremes(std::uint64_t seed, std::int64_t percent, sim::WorldSpec& spec) {
  tests::Dice dice(seed);
  if (spec.heat.on) {
    draw_all(dice, percent, kHeatBounds, spec.heat.options, spec);
    if (dice.chance(50)) spec.heat.air = from_bound_to_bound(dice, sim::kColdest, sim::kHottest);
    for (sim::PlacedHeater& heater : spec.heaters) {
      if (dice.roll(1, 100) > percent) continue;
      heater.rate = sim::kMostHeaterRate * (dice.chance(50) ? 1 : -1);
    }
    for (sim::Spring& source : spec.sources) {
      if (dice.roll(1, 100) > percent) continue;
      source.temperature = from_bound_to_bound(dice, sim::kColdest, sim::kHottest);
    }
  }
  if (spec.waves.on) draw_all(dice, percent, kWaveBounds, spec.waves.options, spec);
  for (sim::TracerOptions& tracer : spec.tracers) {
    // Waves alone make them: add_random_tracers() draws none.
    if (spec.waves.on && dice.chance(30)) {
      const std::string name = tracer.name;
      tracer = sim::usual_options(sim::TracerKind::kWhitecaps);
      tracer.name = name;
    }
    draw_all(dice, percent, kTracerBounds, tracer, spec);
  }
}

void draw_limits(std::uint64_t seed, sim::WorldSpec& spec) {
  tests::Dice dice(seed);
  const std::int32_t grows = dice.roll(0, 2);
  const ChunkShape shape = spec.config.shape();
  if (grows == 1) spec.config.size.x += shape.width();
  if (grows == 2) spec.config.size.y += shape.height();
  const auto world = sim::World::create(spec);
  if (!world) return;
  const auto before = spec.limits;
  spec.limits.chunks =
      std::max<std::int64_t>(1, (*world)->grid().holding_count()) + dice.roll(0, 1);
  // No world may have none at all.
  spec.limits.units =
      std::max<std::int64_t>(1, (*world)->totals().taken_in() + dice.roll(0, 400) * kFull);
  const std::int64_t pipes_to_come = dice.roll(1, 4);
  // Where water is the scarcer, it is refused before chunks are.
  if (dice.chance(50)) spec.limits.units = before.units;
  spec.limits.pipes = (*world)->pipes().node_count() + pipes_to_come;
  // What is placed over by later fills may have been more. A world that it is still too little for
  // after that keeps the room that it had.
  constexpr int kMostTries = 24;
  for (int tries = 0; tries < kMostTries; ++tries) {
    if (sim::World::create(spec)) return;
    spec.limits.chunks += 1;
    spec.limits.pipes += 1;
    spec.limits.units = 2 * std::min(spec.limits.units, before.units / 2);
  }
  spec.limits = before;
}

}  // namespace sluice::hunt
