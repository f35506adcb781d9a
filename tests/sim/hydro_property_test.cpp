// Goal: hydro water keeps its laws in any world.
// Method: worlds and scripts drawn by rapidcheck (which prints the seed of a failure), digging,
// building and pouring while all is in motion, run in ways that must agree: in the mirror and not,
// with sleep and without, with restores and without, by one worker and many.
#include <algorithm>
#include <map>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/models/hydro/hydro.h"
#include "tests/support/drawn_world.h"
#include "tests/support/histories.h"
#include "tests/support/lakes.h"
#include "tests/support/mirror.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::hydro_property_test {
namespace {

using sim::World;
using sim::WorldSpec;

constexpr std::size_t kTicks = 60;

/// A world and what happens in it: boxes of water that all move, or lakes at rest that are touched.
struct Plan {
  WorldSpec spec;
  Script script;
};

/// In one of two cases such that small worlds come to each number.
sim::RunOptions drawn_options(std::uint64_t seed) {
  Dice dice(seed);
  sim::RunOptions options;
  if (dice.chance(50)) return options;
  options.water = {.piece_bits = dice.roll(0, 4),
                   .spare_lakes = static_cast<std::size_t>(dice.roll(0, 4)),
                   .neighbours = static_cast<std::size_t>(dice.roll(0, 3)),
                   .open_runs = static_cast<std::size_t>(dice.roll(1, 4)),
                   .open_ticks = dice.roll(1, 3),
                   .open_tail = static_cast<std::size_t>(dice.roll(0, 4)),
                   .rings = dice.roll(0, 4),
                   .looks = dice.roll(0, 16)};
  return options;
}

struct PlanKind {
  bool solid = false;
  bool lakes = false;
  Pipes pipes = Pipes::kNone;
  bool springs = true;
};

Plan random_plan(std::uint64_t seed, PlanKind kind) {
  Plan plan;
  if (kind.lakes) {
    plan.spec = random_lakes(seed, kind.solid);
    plan.script = random_touches(seed, plan.spec.config.size, kTicks, kind.springs);
    return plan;
  }
  const WorldKind world = {.solid = kind.solid,
                           .springs = kind.springs,
                           .side = kind.solid ? 56 : 70,
                           .pipes = kind.pipes};
  plan.spec = random_world_of(sim::WaterModel::kHydro, seed, world);
  plan.script = fitted(random_script(seed, plan.spec.config.size, kTicks, Pipes::kNone),
                       sim::measure_of(plan.spec.config));
  for (auto& commands : plan.script) {
    std::erase_if(commands, [&](const sim::Command& command) {
      return !kind.springs && (std::holds_alternative<sim::AddSource>(command.body) ||
                               std::holds_alternative<sim::AddSourceUpTo>(command.body) ||
                               std::holds_alternative<sim::AddDrain>(command.body));
    });
  }
  return plan;
}

RC_GTEST_PROP(HydroProperty, ConservesEveryUnitAndNoCellHoldsMoreThanItsFill,
              (std::uint64_t seed, bool solid, bool lakes)) {
  const Plan plan = random_plan(seed, {solid, lakes, Pipes::kJoined});
  auto world = make_world(plan.spec);
  world->set_run_options(drawn_options(seed));
  sim::SerialExecutor serial;
  for (const auto& commands : plan.script) {
    (void)world->tick(commands, serial);
    std::int64_t water = 0;
    world->grid().for_each([&](const sim::Chunk& chunk) {
      for (std::size_t i = 0; i < kChunkCells; ++i) {
        RC_ASSERT(chunk.cells[i] <= kFull);
        water += water_of(chunk.cells[i]);
      }
    });
    RC_ASSERT(water == world->totals().water);
    RC_ASSERT(world->conserved());
    RC_ASSERT(world->digest() == world->recompute_digest());
  }
}

RC_GTEST_PROP(HydroProperty, WorkersOrderAndSleepChangeNothing,
              (std::uint64_t seed, bool solid, bool lakes)) {
  const Plan plan = random_plan(seed, {solid, lakes, Pipes::kJoined});
  expect_workers_order_and_sleep_change_nothing(plan.spec, plan.script, 4 * kTicks, seed,
                                                drawn_options(seed));
}

// In how many pieces workers take what moves, and when what is known of lakes is forgotten.
RC_GTEST_PROP(HydroProperty, SizesThatAreNoRulesChangeNothing,
              (std::uint64_t seed, bool solid, bool lakes)) {
  Plan plan = random_plan(seed, {solid, lakes, Pipes::kJoined});
  Dice dice(seed);
  auto world = make_world(plan.spec);
  auto other = make_world(plan.spec);
  sim::SerialExecutor serial;
  plan.script.resize(3 * kTicks);
  for (const auto& commands : plan.script) {
    if (dice.chance(30)) {
      other->set_run_options({.water = {.piece_bits = dice.roll(0, 4),
                                        .spare_lakes = static_cast<std::size_t>(dice.roll(0, 4)),
                                        .neighbours = static_cast<std::size_t>(dice.roll(0, 6)),
                                        .open_runs = static_cast<std::size_t>(dice.roll(1, 4)),
                                        .open_ticks = dice.roll(1, 3)}});
    }
    const sim::TickReport expected = world->tick(commands, serial);
    const sim::TickReport report = other->tick(commands, serial);
    RC_ASSERT(report.digest == expected.digest);
    RC_ASSERT(report.at_rest == expected.at_rest);
  }
}

RC_GTEST_PROP(HydroProperty, GoingOnFromASnapshotIsGoingOn,
              (std::uint64_t seed, bool solid, bool lakes)) {
  Plan plan = random_plan(seed, {solid, lakes, Pipes::kJoined});
  auto world = make_world(plan.spec);
  world->set_run_options(drawn_options(seed));
  auto restored = through_a_snapshot(*world);
  sim::SerialExecutor serial;
  Dice dice(seed);
  plan.script.resize(2 * kTicks);
  for (const auto& commands : plan.script) {
    if (dice.chance(40)) restored = through_a_snapshot(*restored);
    RC_ASSERT(restored->digest() == world->digest());
    const sim::TickReport expected = world->tick(commands, serial);
    const sim::TickReport report = restored->tick(commands, serial);
    RC_ASSERT(report.digest == expected.digest);
    RC_ASSERT(report.at_rest == expected.at_rest);
    RC_ASSERT(report.active_chunks == expected.active_chunks);
  }
}

/// Every one of the seven mirror images of a 3D world; one of a side view. With springs under roofs
/// and in the open, with heads and without. Returns the first tick whose cells are not those of the
/// image; -1: there is none.
int first_tick_unlike_its_mirror_image(std::uint64_t seed, bool solid, bool lakes) {
  auto [spec, script] = random_plan(seed, {solid, lakes});
  Dice dice(seed);
  for (sim::Spring& source : spec.sources) {
    if (dice.chance(50)) source.rate = dice.roll(1, 300);
    if (dice.chance(50)) source.head = dice.roll(0, spec.config.size.y * kFull);
  }
  // A world one cell wide would become a side view.
  spec.config.size.x = solid ? std::max(2, spec.config.size.x) : spec.config.size.x;
  const Mirror mirror = {solid ? dice.roll(1, 7) : 1, spec.config.size};
  auto world = make_world(spec);
  auto image = make_world(mirror(spec));
  world->set_run_options(drawn_options(seed));
  image->set_run_options(drawn_options(seed));
  script.resize(3 * kTicks);
  const Script mirrored = mirror(script);
  sim::SerialExecutor serial;
  const Vec3 size = spec.config.size;
  for (std::size_t t = 0; t < script.size(); ++t) {
    (void)world->tick(script[t], serial);
    (void)image->tick(mirrored[t], serial);
    for (std::int32_t z = 0; z < size.z; ++z) {
      for (std::int32_t y = 0; y < size.y; ++y) {
        for (std::int32_t x = 0; x < size.x; ++x) {
          if (world->cell({x, y, z}) != image->cell(mirror(Vec3{x, y, z}))) {
            return static_cast<int>(t);
          }
        }
      }
    }
  }
  return -1;
}

RC_GTEST_PROP(HydroProperty, TheMirrorImageOfAWorldHasTheMirroredHistory,
              (std::uint64_t seed, bool solid, bool lakes)) {
  RC_ASSERT(first_tick_unlike_its_mirror_image(seed, solid, lakes) == -1);
}

// Heaps in a lake are searched around all at once. Worlds in which searches meet: unless they are
// joined, it decides which is named first.
TEST(HydroMirror, HeapsThatMeetAreFilledAsOne) {
  EXPECT_EQ(first_tick_unlike_its_mirror_image(962, true, true), -1);
  EXPECT_EQ(first_tick_unlike_its_mirror_image(2782672, true, true), -1);
  EXPECT_EQ(first_tick_unlike_its_mirror_image(11770048430784310, false, true), -1);
}

/// The open intervals of a world at rest: what they hold, and whether it lies as water at rest.
class RestingRuns {
 public:
  explicit RestingRuns(const World& world) {
    const Vec3 size = world.config().size;
    for (std::int32_t z = 0; z < size.z; ++z) {
      for (std::int32_t x = 0; x < size.x; ++x) {
        for (std::int32_t y = 0; y < size.y; ++y) {
          if (!is_open(world.cell({x, y, z}))) continue;
          Run run{x, z, y, y, 0};
          for (; run.ceiling < size.y && is_open(world.cell({x, run.ceiling, z})); ++run.ceiling) {
            run_at_[{x, run.ceiling, z}] = runs_.size();
            run.volume += world.cell({x, run.ceiling, z});
          }
          honest_ = honest_ && lies_flat(world, run);
          y = run.ceiling;
          runs_.push_back(run);
        }
      }
    }
  }
  /// Every cell below a surface is full, and nothing hangs in the air.
  [[nodiscard]] bool honest() const { return honest_; }
  /// The greatest difference of heads over any opening that the higher one reaches. Below the sill
  /// of a fall a head counts as the sill; of a full run under the other's head, as that.
  [[nodiscard]] std::int64_t steepest() const {
    std::int64_t most = 0;
    for (const Run& one : runs_) {
      for (const Vec3 step : {Vec3{1, 0, 0}, Vec3{0, 0, 1}}) {
        for (std::int32_t y = one.floor; y < one.ceiling; ++y) {
          const auto found = run_at_.find({one.x + step.x, y, one.z + step.z});
          if (found == run_at_.end()) continue;
          most = std::max(most, difference(one, runs_[found->second]));
        }
      }
    }
    return most;
  }

 private:
  struct Run {
    std::int32_t x, z, floor, ceiling;
    std::int64_t volume;
    [[nodiscard]] std::int64_t head() const { return std::int64_t{floor} * kFull + volume; }
    [[nodiscard]] bool full() const { return volume == std::int64_t{ceiling - floor} * kFull; }
  };
  static bool lies_flat(const World& world, const Run& run) {
    std::int64_t left = run.volume;
    for (std::int32_t y = run.floor; y < run.ceiling; ++y) {
      const std::int64_t here = std::min<std::int64_t>(left, kFull);
      if (world.cell({run.x, y, run.z}) != here) return false;
      left -= here;
    }
    return true;
  }
  static std::int64_t difference(const Run& one, const Run& two) {
    const Run& high = one.head() > two.head() ? one : two;
    const Run& low = one.head() > two.head() ? two : one;
    const std::int64_t sill = std::int64_t{std::max(one.floor, two.floor)} * kFull;
    if (high.head() <= sill || low.full()) return 0;
    return high.head() - std::max(low.head(), sill);
  }

  std::map<Vec3, std::size_t> run_at_;
  std::vector<Run> runs_;
  bool honest_ = true;
};

/// Ticks to rest, or -1. Checks that rest is rest.
int ticks_to_rest(World& world, int most) {
  sim::SerialExecutor serial;
  for (int t = 1; t <= most; ++t) {
    if (!world.tick({}, serial).at_rest) continue;
    const auto layers = world.layer_digests();
    world.set_run_options({.sleep = false});
    (void)world.tick({}, serial);
    for (const sim::Layer layer : {sim::Layer::kCells, sim::Layer::kMarks}) {
      const auto i = static_cast<std::size_t>(layer);
      if (world.layer_digests()[i] != layers[i]) return -1;
    }
    return t;
  }
  return -1;
}

RC_GTEST_PROP(HydroProperty, WithoutSpringsEveryWorldComesToRestHonestAndFlat,
              (std::uint64_t seed, bool solid, bool lakes)) {
  const Plan plan = random_plan(seed, {solid, lakes, Pipes::kNone, false});
  auto world = make_world(plan.spec);
  world->set_run_options(drawn_options(seed));
  sim::SerialExecutor serial;
  for (const auto& commands : plan.script) (void)world->tick(commands, serial);
  RC_ASSERT(ticks_to_rest(*world, 20000) > 0);
  RC_ASSERT(world->conserved());
  RC_ASSERT(world->core().water.as<sim::HydroState>().nothing());
  const RestingRuns runs(*world);
  RC_ASSERT(runs.honest());
  // A rest that no symmetric rule can share out: one unit in a side view, up to three in 3D.
  RC_ASSERT(runs.steepest() <= (solid ? 3 : 1));
}

}  // namespace
}  // namespace sluice::tests::hydro_property_test
