// Goal: the top of a column is what a plain walk finds, however often it is asked and whatever
// changes between; who asks is told of changes on the way; many who ask climb once.
// Method: random columns, changes and questions against the walk; counted steps.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/drawn_world.h"
#include "tests/support/random_world.h"
#include "tests/support/water_options.h"
#include "tests/support/world_access.h"

namespace sluice::tests::full_columns_test {
namespace {

Vec3 walked_top(const sim::Grid& grid, Vec3 at, Cell full) {
  while (grid.cell(at) >= full) ++at.y;
  return at;
}

void tops_are_those_of_a_walk(std::uint64_t seed, bool solid) {
  Dice dice(seed);
  sim::WorldConfig config;
  config.size = solid ? Vec3{3, 80, 2} : Vec3{3, 300, 1};
  config.edges.top = dice.chance(50) ? sim::Edge::kOpen : sim::Edge::kWall;
  sim::Grid grid(config);
  const Cell full = dice.chance(50) ? kFull : 3000;
  for (int i = 0; i < 400; ++i) {
    const Vec3 at = random_place(dice, config.size);
    switch (dice.roll(0, 5)) {
      case 0: {
        const std::int32_t high = std::min(config.size.y - at.y, dice.roll(1, config.size.y));
        const Cell cell = dice.roll(full - 1, full + 2);
        for (std::int32_t y = at.y; y < at.y + high; ++y) {
          const Vec3 one = {at.x, y, at.z};
          grid.add_to_cell(one, cell - std::max(grid.cell(one), 0));
        }
        break;
      }
      case 1:
        if (const Cell cell = grid.cell(at); cell > 0) grid.add_to_cell(at, -dice.roll(1, cell));
        break;
      case 2:
        grid.add_to_cell(at, dice.roll(1, 500));
        break;
      case 3: {
        if (!dice.chance(20)) break;
        sim::Chunk& chunk = grid.obtain(grid.shape().chunk_of(at));
        chunk.cells.edit()[static_cast<std::size_t>(grid.shape().index_of(at))] = full / 2;
        grid.note_change(chunk, sim::kChangedAll);
        break;
      }
      default: {
        const Vec3 top = grid.top_over(at, full);
        RC_ASSERT(top == walked_top(grid, at, full));
        for (std::int32_t y = at.y; y <= std::min(top.y, config.size.y - 1); ++y) {
          const sim::Chunk* const chunk = grid.find(grid.shape().chunk_of({at.x, y, at.z}));
          const bool noticed = chunk == nullptr || chunk->watched;  // RC_ASSERT looks at both sides
          RC_ASSERT(noticed);
        }
        break;
      }
    }
  }
}

RC_GTEST_PROP(FullColumns, FindWhatAWalkFinds, (std::uint64_t seed, bool solid)) {
  tops_are_those_of_a_walk(seed, solid);
}

// One spring under a column of a million cells took 80 ms, and 65,536 of them would climb it each.
TEST(FullColumns, SpringsOfOneColumnClimbItOnce) {
  for (const sim::WaterModel water : {sim::WaterModel::kCellular, sim::WaterModel::kHydro}) {
    sim::WorldSpec spec;
    spec.config.water = water;
    set_option(spec.config, "compression", 1);
    spec.config.size = {1, 64 * 200, 1};
    spec.fills.push_back({{{0, 0, 0}, {1, 64 * 150, 1}}, kFull});
    // From the top down, which is the order of their cells backwards, too.
    for (std::int32_t y = 0; y < 64 * 150; y += 16) spec.sources.push_back({{0, y, 0}, 1});
    auto world = make_world(spec);
    sim::SerialExecutor serial;
    (void)world->tick({}, serial);
    const std::int64_t before = world->grid().full_columns().steps();
    (void)world->tick({}, serial);
    const std::int64_t steps = world->grid().full_columns().steps() - before;
    EXPECT_GT(world->totals().sourced, 600) << static_cast<int>(water);
    // 150 chunks, once or twice, and a few steps for each of 600 springs.
    EXPECT_LT(steps, 600 * 8) << static_cast<int>(water);
  }
}

}  // namespace
}  // namespace sluice::tests::full_columns_test
