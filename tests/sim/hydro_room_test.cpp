// Goal: where water comes to lie that is put in somewhere is what a new search finds, however long
// one goes on from the last; and thousands of cells that one spring gives in a tick cost one
// search. Method: random caves, filled from many places in turn; the number of runs that are looked
// at set small, and beyond the body.
#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/models/hydro/head.h"
#include "tests/support/drawn_world.h"
#include "tests/support/random_world.h"

namespace sluice::tests::hydro_room_test {
namespace {

using sim::hydro::RoomSearch;

/// Passages, chambers and sills, with water in some, and falling water over it.
void draw_cave(sim::Grid& grid, Vec3 size, Dice& dice) {
  const std::int32_t rock = dice.roll(5, 45);
  const std::int32_t full_up_to = dice.roll(0, size.y);
  for (std::int32_t z = 0; z < size.z; ++z) {
    for (std::int32_t y = 0; y < size.y; ++y) {
      for (std::int32_t x = 0; x < size.x; ++x) {
        if (dice.chance(rock)) {
          put(grid, {x, y, z}, kRock);
        } else if (dice.chance(y < full_up_to ? 95 : 4)) {
          put(grid, {x, y, z}, dice.chance(90) ? kFull : dice.roll(1, kFull));
        }
      }
    }
  }
}

using Gifts = std::vector<sim::WaterGift>;
constexpr std::int64_t kHighest = std::int64_t{1} << 40;

/// No more than there was, in cells that have room; large parts, but for those that fill a row and
/// the last ones, which are equally near, and the units that those cannot share.
void check(const Gifts& gifts, std::int32_t units, std::int64_t head, const sim::Grid& grid) {
  std::int64_t sum = 0;
  std::int32_t small = 0;
  for (const auto& [at, some] : gifts) {
    RC_ASSERT(some > 0);
    RC_ASSERT(grid.cell(at) + some <= kFull);
    const std::int64_t level = std::int64_t{at.y} * kFull + grid.cell(at) + some;
    RC_ASSERT(level <= head);
    const std::int64_t end = std::min(head, (std::int64_t{at.y} + 1) * kFull);
    small += some < RoomSearch::kLeastGift && level < end ? 1 : 0;
    sum += some;
  }
  RC_ASSERT(sum <= units);
  RC_ASSERT(small < 2 * sim::WaterModelState::kMostAlike);
}

void goes_on_as_a_new_search_would(std::uint64_t seed, bool solid) {
  Dice dice(seed);
  sim::WorldConfig config;
  config.size = solid ? Vec3{dice.roll(1, 9), dice.roll(2, 20), dice.roll(1, 9)}
                      : Vec3{dice.roll(1, 24), dice.roll(2, 40), 1};
  sim::Grid grid(config);
  draw_cave(grid, config.size, dice);
  const std::size_t most = dice.chance(30) ? 1024 : static_cast<std::size_t>(dice.roll(1, 12));
  RoomSearch search(most);
  std::vector<Vec3> springs;
  for (int i = 0; i < 3; ++i) springs.push_back(random_place(dice, config.size));
  for (int i = 0; i < 300; ++i) {
    const Vec3 at = springs[static_cast<std::size_t>(i / dice.roll(1, 40)) % springs.size()];
    const auto place = search.find(grid, at);
    RC_ASSERT(place == RoomSearch(most).find(grid, at));
    if (dice.chance(3)) {  // somebody else's change, that it is told of
      const Vec3 other = random_place(dice, config.size);
      if (const Cell cell = grid.cell(other); cell > 0)
        grid.add_to_cell(other, -dice.roll(1, cell));
      search.follow(grid, other);
      continue;
    }
    if (!place) continue;
    const std::int32_t room = kFull - grid.cell(*place);
    RC_ASSERT(room > 0);
    if (dice.chance(30)) {
      grid.add_to_cell(*place, dice.chance(80) ? room : dice.roll(1, room));
      search.follow(grid, *place);
      continue;
    }
    const std::int32_t units = dice.chance(50) ? dice.roll(1, 9) : dice.roll(1, 9 * kFull);
    const std::int64_t head = dice.chance(50) ? dice.roll(0, config.size.y * kFull) : kHighest;
    Gifts gifts;
    search.spread(grid, at, units, head, gifts);
    Gifts anew;
    RoomSearch(most).spread(grid, at, units, head, anew);
    const auto alike = [](const sim::WaterGift& a, const sim::WaterGift& b) {
      return a.at == b.at && a.units == b.units;
    };
    RC_ASSERT(std::equal(gifts.begin(), gifts.end(), anew.begin(), anew.end(), alike));
    check(gifts, units, head, grid);
    for (const auto& [cell, some] : gifts) {
      grid.add_to_cell(cell, some);
      search.follow(grid, cell);
    }
  }
}

RC_GTEST_PROP(HydroRoom, GoesOnAsANewSearchWould, (std::uint64_t seed, bool solid)) {
  goes_on_as_a_new_search_would(seed, solid);
}

/// Questions of the grid that a search asks, by how often its tops were climbed.
std::int64_t steps_of(const sim::World& world) {
  return world.grid().full_columns().steps();
}

// A lake under a roof, with a shaft at its far end.
TEST(HydroRoom, AFloodUnderARoofIsOneSearchATick) {
  const auto spec = [](std::int32_t rate) {
    sim::WorldSpec made;
    made.config.size = {300, 200, 1};
    made.config.water = sim::WaterModel::kHydro;
    made.fills.push_back({{{0, 5, 0}, {290, 195, 1}}, kRock});
    made.fills.push_back({{{0, 0, 0}, {300, 5, 1}}, kFull});
    made.sources.push_back({{2, 2, 0}, rate});
    return made;
  };
  sim::SerialExecutor serial;
  auto drop = make_world(spec(kFull));
  auto flood = make_world(spec(400 * kFull));
  const std::int64_t before = steps_of(*drop);
  (void)drop->tick({}, serial);
  const std::int64_t of_a_drop = steps_of(*drop) - before;
  const std::int64_t start = steps_of(*flood);
  (void)flood->tick({}, serial);
  EXPECT_EQ(flood->totals().sourced, std::int64_t{400} * kFull);
  EXPECT_LT(steps_of(*flood) - start, 2 * of_a_drop + 10 * 400);
}

// Each gives to a few of the body's surfaces, not to all.
TEST(HydroRoom, AHundredSpringsUnderOneRoofAreOneSearchATick) {
  const auto steps_with = [](std::int32_t springs) {
    sim::WorldSpec spec;
    spec.config.size = {1000, 64, 1};
    spec.config.water = sim::WaterModel::kHydro;
    spec.fills.push_back({{{0, 0, 0}, {1000, 8, 1}}, kFull});
    spec.fills.push_back({{{899, 4, 0}, {101, 60, 1}}, kRock});
    for (std::int32_t i = 0; i < springs; ++i) spec.sources.push_back({{900 + i, 1, 0}, 1000});
    sim::SerialExecutor serial;
    auto world = make_world(spec);
    (void)world->tick({}, serial);
    const std::int64_t before = steps_of(*world);
    const std::int64_t sourced = world->totals().sourced;
    (void)world->tick({}, serial);
    EXPECT_GE(world->totals().sourced - sourced, std::int64_t{1000 - 7} * springs);
    return steps_of(*world) - before;
  };
  EXPECT_LT(steps_with(100), steps_with(1) + 100 * 60);
}

}  // namespace
}  // namespace sluice::tests::hydro_room_test
