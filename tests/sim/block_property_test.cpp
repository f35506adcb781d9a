// Goal: the block model is what block.md says, whatever the world.
// Method: worlds and scripts drawn by rapidcheck (which prints the seed of a failure), run in two
// ways that must agree: the engine and a plain reference that finds every group anew in every tick;
// a world and its mirror image, up to the first choice between two sides that are alike; one worker
// and many; with sleep and without; with a pause and without.
#include <functional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/world.h"
#include "server/workers/thread_pool.h"
#include "tests/support/drawn_world.h"
#include "tests/support/random_world.h"
#include "tests/support/reference_block.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::block_property_test {
namespace {

using sim::World;
using sim::WorldSpec;

constexpr std::size_t kTicks = 40;

WorldSpec random_block_world(std::uint64_t seed, WorldKind kind) {
  return random_world_of(sim::WaterModel::kBlock, seed, kind);
}

Script random_block_script(std::uint64_t seed, const sim::WorldConfig& config) {
  return fitted(random_script(seed, config.size, kTicks), sim::measure_of(config));
}

void for_each_cell(Vec3 size, const std::function<void(Vec3)>& f) {
  for (std::int32_t z = 0; z < size.z; ++z) {
    for (std::int32_t y = 0; y < size.y; ++y) {
      for (std::int32_t x = 0; x < size.x; ++x) f({x, y, z});
    }
  }
}

/// Hands the reference what commands, springs and ports left, before the water moves.
class Feeder final : public sim::PhaseObserver {
 public:
  explicit Feeder(ReferenceBlock& reference) : reference_(reference) {}
  void after_phase(const char* phase, const World& world) override {
    if (std::string_view(phase) == "pockets") reference_.load(world);
  }

 private:
  ReferenceBlock& reference_;
};

std::string difference_from_reference(std::uint64_t seed, bool solid) {
  const WorldSpec spec = random_block_world(seed, {.solid = solid, .side = solid ? 48 : 30});
  const Script script = random_block_script(seed, spec.config);
  auto world = make_world(spec);
  ReferenceBlock reference(*world);
  Feeder feeder(reference);
  world->set_phase_observer(&feeder);
  sim::SerialExecutor serial;
  std::string difference;
  for (std::size_t t = 0; t < kTicks && difference.empty(); ++t) {
    (void)world->tick(script[t], serial);
    (void)reference.advance(t + 1);
    for_each_cell(spec.config.size, [&](Vec3 p) {
      if (world->cell(p) == reference.cell(p)) return;
      difference = "tick " + std::to_string(t + 1) + ", cell " + to_string(p) + ": " +
                   std::to_string(world->cell(p)) + ", not " + std::to_string(reference.cell(p));
    });
  }
  return difference;
}

RC_GTEST_PROP(BlockProperty, EqualsThePlainReference, (std::uint64_t seed, bool solid)) {
  RC_ASSERT(difference_from_reference(seed, solid) == "");
}

RC_GTEST_PROP(BlockProperty, ConservesEveryPartAndBreaksNone, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_block_world(seed, {.solid = solid});
  const Script script = random_block_script(seed, spec.config);
  const std::int32_t quantum = sim::measure_of(spec.config).quantum;
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  for (const auto& commands : script) {
    (void)world->tick(commands, serial);
    std::int64_t water = 0;
    for_each_cell(spec.config.size, [&](Vec3 p) {
      const Cell cell = world->cell(p);
      water += water_of(cell);
      RC_ASSERT(cell <= kFull && water_of(cell) % quantum == 0);
    });
    RC_ASSERT(water == world->totals().water);
    RC_ASSERT(world->conserved());
    RC_ASSERT(world->digest() == world->recompute_digest());
  }
}

RC_GTEST_PROP(BlockProperty, NothingButTheStateMatters, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_block_world(seed, {.solid = solid});
  const Script script = random_block_script(seed, spec.config);
  auto plain = make_world(spec);
  auto awake = make_world(spec);
  auto broken = make_world(spec);
  awake->set_run_options({.sleep = false});
  sim::SerialExecutor serial;
  workers::ThreadPool pool(3);
  workers::ShuffledExecutor shuffled(pool, seed);
  Dice dice(seed);
  for (const auto& commands : script) {
    const sim::TickReport report = plain->tick(commands, serial);
    RC_ASSERT(awake->tick(commands, shuffled).digest == report.digest);
    if (dice.chance(30)) broken = through_a_snapshot(*broken);
    const sim::TickReport after_pause = broken->tick(commands, shuffled);
    RC_ASSERT(after_pause.digest == report.digest);
    RC_ASSERT(after_pause.at_rest == report.at_rest);
  }
}

RC_GTEST_PROP(BlockProperty, ComesToRestAndStaysThere, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_block_world(
      seed, {.solid = solid, .springs = false, .side = solid ? 60 : 40, .pipes = Pipes::kNone});
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  bool at_rest = false;
  for (int t = 0; t < 20000 && !at_rest; ++t) at_rest = world->tick({}, serial).at_rest;
  RC_ASSERT(at_rest);
  const sim::Digest cells = world->layer_digests()[static_cast<std::size_t>(sim::Layer::kCells)];
  world->set_run_options({.sleep = false});
  for (int t = 0; t < 5; ++t) (void)world->tick({}, serial);
  RC_ASSERT(world->layer_digests()[static_cast<std::size_t>(sim::Layer::kCells)] == cells);
}

WorldSpec mirrored(WorldSpec spec, bool in_x) {
  const Vec3 size = spec.config.size;
  for (sim::Fill& fill : spec.fills) {
    Vec3& from = fill.box.from;
    if (in_x) from.x = size.x - from.x - fill.box.size.x;
    if (!in_x) from.z = size.z - from.z - fill.box.size.z;
  }
  sim::Edges& edges = spec.config.edges;
  in_x ? std::swap(edges.left, edges.right) : std::swap(edges.front, edges.back);
  return spec;
}

RC_GTEST_PROP(BlockProperty, AMirrorChangesNothingButTheChoiceBetweenLikes,
              (std::uint64_t seed, bool solid, bool in_x)) {
  const bool across_x = in_x || !solid;
  const WorldSpec spec = random_block_world(
      seed, {.solid = solid, .springs = false, .side = solid ? 48 : 30, .pipes = Pipes::kNone});
  auto world = make_world(spec);
  auto image = make_world(mirrored(spec, across_x));
  // Both are asked: a search that finds its way on one side may find it full on the other.
  ReferenceBlock reference(*world);
  ReferenceBlock reflected(*image);
  sim::SerialExecutor serial;
  for (std::size_t t = 1; t <= kTicks; ++t) {
    (void)reference.advance(t);
    (void)reflected.advance(t);
    if (reference.ties() + reflected.ties() > 0) break;
    (void)world->tick({}, serial);
    (void)image->tick({}, serial);
    const Vec3 size = spec.config.size;
    for_each_cell(size, [&](Vec3 p) {
      const Vec3 q = across_x ? Vec3{size.x - 1 - p.x, p.y, p.z} : Vec3{p.x, p.y, size.z - 1 - p.z};
      RC_ASSERT(world->cell(p) == image->cell(q));
    });
  }
}

}  // namespace
}  // namespace sluice::tests::block_property_test
