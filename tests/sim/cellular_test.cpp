// Goal: the cellular model is what cellular.md says, whatever the world.
// Method: worlds and scripts drawn by rapidcheck (which prints the seed of a failure), run in two
// ways that must agree: the engine and a plain reference; a world and its mirror image; a world and
// the same world elsewhere; one worker and many; with sleep and without; with a pause and without.
#include <functional>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/kernels.h"
#include "server/sim/world.h"
#include "server/workers/thread_pool.h"
#include "tests/support/random_world.h"
#include "tests/support/reference_water.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::cellular_test {
namespace {

using sim::World;
using sim::WorldSpec;

constexpr std::size_t kTicks = 24;

std::unique_ptr<World> make(const WorldSpec& spec) {
  auto world = World::create(spec);
  if (!world) throw std::runtime_error(world.error());
  return std::move(world).value();
}

void for_each_cell(Vec3 size, const std::function<void(Vec3)>& f) {
  for (std::int32_t z = 0; z < size.z; ++z) {
    for (std::int32_t y = 0; y < size.y; ++y) {
      for (std::int32_t x = 0; x < size.x; ++x) f({x, y, z});
    }
  }
}

std::int64_t water_in(const World& world) {
  std::int64_t sum = 0;
  world.grid().for_each([&](const sim::Chunk& chunk) {
    for (std::size_t i = 0; i < kChunkCells; ++i) sum += water_of(chunk.cells[i]);
  });
  return sum;
}

/// The first cell in which the engine and the reference differ, or nothing.
std::string difference_from_reference(std::uint64_t seed, bool solid) {
  const WorldSpec spec =
      random_world(seed, {.solid = solid, .springs = false, .pipes = Pipes::kApart});
  auto world = make(spec);
  ReferenceWater reference(*world);
  sim::SerialExecutor serial;
  std::int64_t drained = 0;
  std::string difference;
  for (std::size_t t = 1; t <= kTicks && difference.empty(); ++t) {
    (void)world->tick({}, serial);
    drained += reference.advance();
    for_each_cell(spec.config.size, [&](Vec3 p) {
      if (world->cell(p) == reference.cell(p)) return;
      difference = "tick " + std::to_string(t) + ", cell " + to_string(p) + ": " +
                   std::to_string(world->cell(p)) + ", not " + std::to_string(reference.cell(p));
    });
    if (world->totals().drained != drained) difference = "drained at tick " + std::to_string(t);
  }
  return difference;
}

RC_GTEST_PROP(Cellular, EqualsThePlainReference, (std::uint64_t seed, bool solid)) {
  RC_ASSERT(difference_from_reference(seed, solid) == "");
}

// Water rose from one chunk and fell from another into the missing chunk between them: the rising
// half was settled before the falling half had arrived.
TEST(Cellular, RisingAndFallingWaterMeetInAChunkThatWasNotThere) {
  EXPECT_EQ(difference_from_reference(564893238800849607U, true), "");
}

// A chunk cut by the world's edge was missing when water fell into it.
TEST(Cellular, WaterReachesAnEdgeThatNothingWasStoredAt) {
  EXPECT_EQ(difference_from_reference(8928916351342064648U, true), "");
}

// Along an even slope as much comes into a cell as goes out of it: nothing changes, and yet nothing
// may sleep. Several chunks of it, in either view.
RC_GTEST_PROP(Cellular, AnEvenSlopeOverManyChunksIsAwake, (std::uint64_t seed, bool solid)) {
  Dice dice(seed);
  WorldSpec spec;
  const std::int32_t chunk = solid ? 16 : 64;
  spec.config.size = {chunk * dice.roll(3, 6) + dice.roll(0, 5), 3, solid ? 2 : 1};
  spec.config.options["smallest_flow"] = dice.roll(0, 41);
  const std::int32_t steep = dice.roll(1, 40);
  for_each_cell(spec.config.size, [&](Vec3 p) {
    if (p.y == 0) spec.cells.push_back({p, steep * (p.x + 1)});
  });
  auto world = make(spec);
  auto awake = make(spec);
  awake->set_run_options({.sleep = false});
  ReferenceWater reference(*world);
  sim::SerialExecutor serial;
  for (int t = 0; t < 30; ++t) {
    RC_ASSERT(world->tick({}, serial).digest == awake->tick({}, serial).digest);
    (void)reference.advance();
    for_each_cell(spec.config.size,
                  [&](Vec3 p) { RC_ASSERT(world->cell(p) == reference.cell(p)); });
  }
}

// A drop in a shaft falls the same way whatever goes on beside it.
TEST(Cellular, ADropFallsAsFastBesideABusyLake) {
  WorldSpec spec;
  spec.config.size = {40, 64, 1};
  spec.fills.push_back({{{3, 0, 0}, {1, 64, 1}}, kRock});
  spec.cells.push_back({{1, 60, 0}, 30});
  auto alone = make(spec);
  spec.fills.push_back({{{4, 0, 0}, {8, 50, 1}}, kFull});
  auto beside = make(spec);
  sim::SerialExecutor serial;
  for (int t = 0; t < 12; ++t) {
    (void)alone->tick({}, serial);
    (void)beside->tick({}, serial);
    for (std::int32_t x = 0; x < 3; ++x) {
      for (std::int32_t y = 0; y < 64; ++y) {
        ASSERT_EQ(alone->cell({x, y, 0}), beside->cell({x, y, 0})) << "tick " << t << ", y " << y;
      }
    }
  }
  EXPECT_EQ(alone->cell({1, 0, 0}) + alone->cell({0, 0, 0}) + alone->cell({2, 0, 0}), 30);
}

// What a sweep looks at follows what moves: the row that the drop leaves, that which it comes into,
// the one above, where water may now spread, and the one below.
TEST(Cellular, AFallingDropKeepsFourRowsAwake) {
  WorldSpec spec;
  spec.config.size = {200, 300, 1};
  spec.config.options["max_sweeps"] = 1;
  spec.cells.push_back({{100, 290, 0}, kFull});
  auto world = make(spec);
  sim::SerialExecutor serial;
  (void)world->tick({}, serial);  // looks at everything
  for (int t = 0; t < 280; ++t) {
    const std::int64_t looks = world->tick({}, serial).cell_updates;
    EXPECT_GT(looks, 0) << "tick " << t;
    EXPECT_LE(looks, 4 * sim::kSegment) << "tick " << t;
  }
}

// Beside a place where no chunk is water waits for the next tick, too little for this one; then a
// drop falls there, and the chunk is made. On either axis, whatever comes first in the tick.
TEST(Cellular, WhatWaitsBesideAChunkThatADropMakesFlows) {
  for (const bool along_z : {false, true}) {
    for (std::int32_t i = 0; i < 100; ++i) {
      WorldSpec spec;
      const std::int32_t side = along_z ? 16 : 64;
      const auto at = [&](std::int32_t along, std::int32_t y) {
        return along_z ? Vec3{8, y, along} : Vec3{along, y, 0};
      };
      spec.config.size = along_z ? Vec3{16, 2 * side, 2 * side} : Vec3{2 * side, 2 * side, 1};
      spec.cells.push_back({at(i % 2 == 0 ? side - 2 : side + 1, 0), 100 + 20 * (i / 20)});
      spec.cells.push_back({at(i % 2 == 0 ? side + 5 : side - 6, side + i / 2 % 10), kFull});
      auto world = make(spec);
      auto awake = make(spec);
      awake->set_run_options({.sleep = false});
      sim::SerialExecutor serial;
      for (int t = 0; t < 6; ++t) {
        ASSERT_EQ(world->tick({}, serial).digest, awake->tick({}, serial).digest)
            << "tick " << t << ", " << i << (along_z ? " along z" : " along x");
      }
    }
  }
}

RC_GTEST_PROP(Cellular, ConservesEveryUnitAndNeverGoesBelowZero, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_world(seed, {.solid = solid});
  const Script script = random_script(seed, spec.config.size, kTicks);
  auto world = make(spec);
  sim::SerialExecutor serial;
  const std::int64_t initial = water_in(*world) + world->totals().pipes;
  for (const auto& commands : script) {
    (void)world->tick(commands, serial);
    const sim::Totals& totals = world->totals();
    RC_ASSERT(water_in(*world) == totals.water);
    RC_ASSERT(initial + totals.sourced - totals.drained - totals.evaporated ==
              totals.water + totals.pipes);
    RC_ASSERT(world->digest() == world->recompute_digest());
    for_each_cell(spec.config.size, [&](Vec3 p) { RC_ASSERT(world->cell(p) >= kTrappedAir); });
  }
}

/// The same place, seen in a mirror across x or z.
Vec3 mirrored(Vec3 p, Vec3 size, bool in_x) {
  return in_x ? Vec3{size.x - 1 - p.x, p.y, p.z} : Vec3{p.x, p.y, size.z - 1 - p.z};
}

Box mirrored(const Box& box, Vec3 size, bool in_x) {
  const Vec3 last = box.end() - Vec3{1, 1, 1};
  const Vec3 a = mirrored(box.from, size, in_x);
  const Vec3 b = mirrored(last, size, in_x);
  const Vec3 from = {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
  return {from, box.size};
}

sim::Command mirrored(const sim::Command& command, Vec3 size, bool in_x) {
  sim::Command image = command;
  std::visit(
      [&](auto& body) {
        if constexpr (requires { body.at; }) {
          body.at = mirrored(body.at, size, in_x);
        } else if constexpr (requires { body.size; }) {
          body.from = mirrored(Box{body.from, body.size}, size, in_x).from;
        }
      },
      image.body);
  return image;
}

WorldSpec mirrored(WorldSpec spec, bool in_x) {
  const Vec3 size = spec.config.size;
  sim::Edges& edges = spec.config.edges;
  if (in_x) {
    std::swap(edges.left, edges.right);
  } else {
    std::swap(edges.front, edges.back);
  }
  for (sim::Fill& fill : spec.fills) fill.box = mirrored(fill.box, size, in_x);
  for (sim::Spring& spring : spec.sources) spring.at = mirrored(spring.at, size, in_x);
  for (sim::Spring& spring : spec.drains) spring.at = mirrored(spring.at, size, in_x);
  return spec;
}

RC_GTEST_PROP(Cellular, AMirroredWorldHasTheMirroredHistory,
              (std::uint64_t seed, bool solid, bool in_x)) {
  const WorldSpec spec = random_world(seed, {.solid = solid, .pipes = Pipes::kNone});
  const Vec3 size = spec.config.size;
  const Script script = random_script(seed, size, kTicks, Pipes::kNone);
  auto world = make(spec);
  auto image = make(mirrored(spec, in_x));
  sim::SerialExecutor serial;
  for (const auto& commands : script) {
    std::vector<sim::Command> images;
    for (const sim::Command& command : commands) images.push_back(mirrored(command, size, in_x));
    (void)world->tick(commands, serial);
    (void)image->tick(images, serial);
    for_each_cell(
        size, [&](Vec3 p) { RC_ASSERT(world->cell(p) == image->cell(mirrored(p, size, in_x))); });
  }
}

Vec3 exchanged(Vec3 p) {
  return {p.z, p.y, p.x};
}

WorldSpec exchanged(WorldSpec spec) {
  spec.config.size = exchanged(spec.config.size);
  sim::Edges& edges = spec.config.edges;
  std::swap(edges.left, edges.front);
  std::swap(edges.right, edges.back);
  for (sim::Fill& fill : spec.fills) {
    fill.box = {exchanged(fill.box.from), exchanged(fill.box.size)};
  }
  for (sim::Spring& spring : spec.sources) spring.at = exchanged(spring.at);
  for (sim::Spring& spring : spec.drains) spring.at = exchanged(spring.at);
  return spec;
}

// The two level axes are alike: no flow comes before another.
RC_GTEST_PROP(Cellular, ExchangingXAndZExchangesTheHistory, (std::uint64_t seed)) {
  const WorldSpec spec = random_world(seed, {.solid = true, .pipes = Pipes::kNone});
  RC_PRE(spec.config.size.x > 1);  // else the image is a side view
  const Script script = random_script(seed, spec.config.size, kTicks, Pipes::kNone);
  auto world = make(spec);
  auto image = make(exchanged(spec));
  sim::SerialExecutor serial;
  for (const auto& commands : script) {
    std::vector<sim::Command> images = commands;
    for (sim::Command& command : images) {
      std::visit(
          [](auto& body) {
            if constexpr (requires { body.at; }) {
              body.at = exchanged(body.at);
            } else if constexpr (requires { body.size; }) {
              body.from = exchanged(body.from);
              body.size = exchanged(body.size);
            }
          },
          command.body);
    }
    (void)world->tick(commands, serial);
    (void)image->tick(images, serial);
    for_each_cell(spec.config.size,
                  [&](Vec3 p) { RC_ASSERT(world->cell(p) == image->cell(exchanged(p))); });
  }
}

RC_GTEST_PROP(Cellular, AWorldElsewhereHasTheSameHistory, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec =
      random_world(seed, {.solid = solid, .edges = false, .pipes = Pipes::kNone});
  const Vec3 size = spec.config.size;
  Dice dice(seed + 1);
  const std::int32_t x = dice.roll(1, 70);
  const std::int32_t y = dice.roll(1, 70);
  const Vec3 offset = {x, y, solid ? dice.roll(1, 20) : 0};
  // Elsewhere: the same inside a shell of rock.
  WorldSpec shifted = spec;
  const Vec3 room = {2, 2, solid ? 2 : 0};
  shifted.config.size = size + offset + room;
  shifted.fills.clear();
  const Vec3 shell = {1, 1, solid ? 1 : 0};
  shifted.fills.push_back({{offset - shell, size + shell + shell}, kRock});
  shifted.fills.push_back({{offset, size}, kAir});
  for (const sim::Fill& fill : spec.fills) {
    shifted.fills.push_back({{fill.box.from + offset, fill.box.size}, fill.cell});
  }
  // A head counts from the world's floor; the default is that of the world's top.
  for (sim::Spring& spring : shifted.sources) {
    spring.at = spring.at + offset;
    spring.head = (size.y + offset.y) * kFull;
  }
  for (sim::Spring& spring : shifted.drains) spring.at = spring.at + offset;
  auto world = make(spec);
  auto elsewhere = make(shifted);
  sim::SerialExecutor serial;
  for (std::size_t t = 0; t < kTicks; ++t) {
    (void)world->tick({}, serial);
    (void)elsewhere->tick({}, serial);
    for_each_cell(size, [&](Vec3 p) { RC_ASSERT(world->cell(p) == elsewhere->cell(p + offset)); });
  }
}

RC_GTEST_PROP(Cellular, WorkersOrderSleepAndVectorsChangeNothing,
              (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_world(seed, {.solid = solid});
  const Script script = random_script(seed, spec.config.size, kTicks);
  auto plain = make(spec);
  auto shuffled = make(spec);
  auto awake = make(spec);
  awake->set_run_options({.sleep = false, .pipe_block_nodes = 4});
  auto asks = make(spec);  // what stands: never, of little, or always
  constexpr std::array<int, 3> kAsked = {0, 2, 1 << 20};
  asks->set_run_options({.water = {.asked_segments = kAsked[seed % kAsked.size()]}});
  sim::SerialExecutor serial;
  workers::ThreadPool pool(3);
  workers::ShuffledExecutor any_order(pool, seed);
  for (const auto& commands : script) {
    const sim::TickReport report = plain->tick(commands, serial);
    RC_ASSERT(shuffled->tick(commands, any_order).digest == report.digest);
    const sim::TickReport sleepless = awake->tick(commands, serial);
    RC_ASSERT(sleepless.digest == report.digest);
    RC_ASSERT(sleepless.at_rest == report.at_rest);
    RC_ASSERT(asks->tick(commands, serial).digest == report.digest);
  }
}

RC_GTEST_PROP(Cellular, GoingOnFromASnapshotIsGoingOn, (std::uint64_t seed, bool solid)) {
  const WorldSpec spec = random_world(seed, {.solid = solid});
  const Script script = random_script(seed, spec.config.size, kTicks);
  auto world = make(spec);
  auto restored = through_a_snapshot(*world);
  sim::SerialExecutor serial;
  Dice dice(seed);
  for (const auto& commands : script) {
    if (dice.chance(30)) restored = through_a_snapshot(*restored);
    RC_ASSERT(restored->digest() == world->digest());
    const sim::TickReport expected = world->tick(commands, serial);
    const sim::TickReport report = restored->tick(commands, serial);
    RC_ASSERT(report.digest == expected.digest);
    RC_ASSERT(report.at_rest == expected.at_rest);
  }
}

RC_GTEST_PROP(Cellular, ComesToRestWithoutSources, (std::uint64_t seed, bool solid)) {
  WorldSpec spec =
      random_world(seed, {.solid = solid, .springs = false, .side = 40, .pipes = Pipes::kNone});
  spec.config.options["smallest_flow"] = 0;
  spec.config.options["max_sweeps"] = 64;
  auto world = make(spec);
  sim::SerialExecutor serial;
  bool at_rest = false;
  for (int t = 0; t < 20000 && !at_rest; ++t) at_rest = world->tick({}, serial).at_rest;
  RC_ASSERT(at_rest);
  // At rest means at rest: nothing changes any more, even when every chunk is looked at.
  const sim::Digest cells = world->layer_digests()[static_cast<std::size_t>(sim::Layer::kCells)];
  world->set_run_options({.sleep = false});
  (void)world->tick({}, serial);
  RC_ASSERT(world->layer_digests()[static_cast<std::size_t>(sim::Layer::kCells)] == cells);
}

}  // namespace
}  // namespace sluice::tests::cellular_test
