// Goal: open water's own tick is the one that all water has, bit for bit, and is given to what
// sloshes.
// Method: random seas with touches here and there, each in two worlds of which one takes no body
// for open water; and Flow by itself, which tells what it takes.
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/models/hydro/flow.h"
#include "server/workers/thread_pool.h"
#include "tests/support/lakes.h"
#include "tests/support/seas.h"

namespace sluice::tests::hydro_open_water_test {
namespace {

using sim::World;

constexpr std::size_t kTicks = 200;
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

Script sea_script(std::uint64_t seed, Vec3 size) {
  Dice dice(seed ^ 0x5c21U);
  Script script = random_touches(seed, size, kTicks, dice.chance(30));
  // Most ticks are to have nothing but waves.
  for (auto& commands : script) {
    if (dice.chance(60)) commands.clear();
  }
  return script;
}

sim::WaterSizes drawn_sizes(Dice& dice) {
  return {.piece_bits = dice.chance(50) ? 12 : dice.roll(0, 5),
          .open_runs = static_cast<std::size_t>(dice.roll(1, 6)),
          .open_ticks = dice.roll(1, 4)};
}

RC_GTEST_PROP(HydroOpenWater, ItsTickIsThatOfAllWater, (std::uint64_t seed, bool solid)) {
  const sim::WorldSpec spec = random_sea(seed, solid);
  const Script script = sea_script(seed, spec.config.size);
  auto plain = make_world(spec);
  auto open = make_world(spec);
  Dice dice(seed);
  plain->set_run_options({.water = {.open_runs = kNever}});
  open->set_run_options({.water = drawn_sizes(dice)});
  sim::SerialExecutor serial;
  workers::ThreadPool pool(3);
  workers::ShuffledExecutor any_order(pool, seed);
  for (const auto& commands : script) {
    const sim::TickReport expected = plain->tick(commands, serial);
    const sim::TickReport report = open->tick(commands, any_order);
    RC_ASSERT(report.digest == expected.digest);
    RC_ASSERT(report.at_rest == expected.at_rest);
    RC_ASSERT(report.active_chunks == expected.active_chunks);
    RC_ASSERT(open->recompute_digest() == report.digest);
  }
}

}  // namespace
}  // namespace sluice::tests::hydro_open_water_test
