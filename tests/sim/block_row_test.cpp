// Goal: a row of block water holds its cells in order, and finds the farthest, whatever its pages;
// the nearest place is that of a plain search. Method: random cells that come and go, with pages of
// 2 and 4 as well as at their size.
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "server/sim/models/block/row.h"
#include "server/sim/models/nearest_places.h"
#include "tests/support/dice.h"

namespace sluice::tests::block_row_test {
namespace {

using Place = std::pair<std::int32_t, std::int32_t>;  // x, z

std::int64_t size_of(std::int64_t a) {
  return a < 0 ? -a : a;
}

sim::RowCell cell_at(Place place) {
  return {place.first, place.second, std::int64_t{place.first} * 1000 + place.second};
}

/// Of the places, the one that is farthest from the middle of some; of several the first.
Place plain_farthest(const std::set<Place>& places, std::int64_t count, std::int64_t sum_x,
                     std::int64_t sum_z) {
  std::pair<std::int64_t, Place> best = {1, {}};
  for (const Place& place : places) {
    const std::int64_t apart =
        size_of(count * place.first - sum_x) + size_of(count * place.second - sum_z);
    best = std::min(best, std::pair(-apart, place));
  }
  return best.second;
}

void expect_same(const sim::BlockRow& row, const std::set<Place>& plain, Dice& dice) {
  RC_ASSERT(row.size() == plain.size());
  if (plain.empty()) return;
  std::vector<std::int64_t> sorted;
  for (const Place& place : plain) sorted.push_back(cell_at(place).cell);
  RC_ASSERT(row.front().cell == sorted.front());
  RC_ASSERT(row.back().cell == sorted.back());
  const auto count = static_cast<std::size_t>(dice.next() % (sorted.size() + 1));
  const auto some = static_cast<std::ptrdiff_t>(count);
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> last;
  row.first(count, [&](const sim::RowCell& cell) { first.push_back(cell.cell); });
  row.last(count, [&](const sim::RowCell& cell) { last.push_back(cell.cell); });
  RC_ASSERT(first == std::vector<std::int64_t>(sorted.begin(), sorted.begin() + some));
  RC_ASSERT(last == std::vector<std::int64_t>(sorted.end() - some, sorted.end()));
  const std::int64_t places = dice.roll(1, 3);
  const std::int64_t sum_x = dice.roll(-5, 60);
  const std::int64_t sum_z = dice.roll(-5, 60);
  RC_ASSERT(row.farthest(places, sum_x, sum_z).cell ==
            cell_at(plain_farthest(plain, places, sum_x, sum_z)).cell);
}

RC_GTEST_PROP(BlockRow, IsThatOfAPlainSet, (std::uint64_t seed)) {
  Dice dice(seed);
  const std::size_t pages[] = {1, 2, 4, sim::BlockRow::kMostInPage};
  sim::BlockRow row(pages[dice.roll(0, 3)]);
  std::set<Place> plain;
  const std::int32_t depth = dice.chance(50) ? 0 : 20;
  if (dice.chance(50)) {
    std::vector<sim::RowCell> sorted;
    for (std::int32_t x = 0; x < dice.roll(0, 2000); ++x) {
      plain.insert({x, 0});
      sorted.push_back(cell_at({x, 0}));
    }
    row.assign(sorted);
  }
  for (int i = 0; i < 200; ++i) {
    const Place place = {dice.roll(0, 20), dice.roll(0, depth)};
    if (plain.insert(place).second) {
      row.insert(cell_at(place));
    } else {
      plain.erase(place);
      row.erase(cell_at(place));
    }
    expect_same(row, plain, dice);
  }
}

// Beyond two pages of cells.
TEST(BlockRow, HoldsALakeOfManyPages) {
  sim::BlockRow row;
  const std::int32_t width = 5 * static_cast<std::int32_t>(sim::BlockRow::kMostInPage) + 1;
  for (std::int32_t x = width; x-- > 0;) row.insert(cell_at({x, x % 7}));
  std::int32_t next = 0;
  row.for_each([&](const sim::RowCell& cell) { EXPECT_EQ(cell.x, next++); });
  EXPECT_EQ(next, width);
}

RC_GTEST_PROP(NearestPlaces, AreThoseOfAPlainSearch, (std::uint64_t seed)) {
  Dice dice(seed);
  sim::NearestPlaces places;
  std::set<Place> plain;
  const std::int32_t width = dice.roll(0, 30);
  const std::int32_t depth = dice.chance(30) ? 0 : dice.roll(0, 30);
  for (int i = 0; i < 200; ++i) {
    const Vec3 at = {dice.roll(0, width), dice.roll(-3, 3), dice.roll(0, depth)};
    if (dice.chance(50)) {
      RC_ASSERT(places.add(at) == plain.insert({at.x, at.z}).second);
    } else {
      places.remove(at);
      plain.erase({at.x, at.z});
    }
    RC_ASSERT(places.size() == plain.size());
    const Vec3 from = {dice.roll(-3, width + 3), dice.roll(0, 9), dice.roll(-3, depth + 3)};
    std::optional<std::tuple<std::int64_t, std::int32_t, std::int32_t>> best;
    for (const auto& [x, z] : plain) {
      const std::tuple place(size_of(x - from.x) + size_of(z - from.z), x, z);
      if (!best || place < *best) best = place;
    }
    const auto found = places.nearest(from);
    RC_ASSERT(found.has_value() == best.has_value());
    if (!best) continue;
    RC_ASSERT(*found == (Vec3{std::get<1>(*best), from.y, std::get<2>(*best)}));
  }
}

}  // namespace
}  // namespace sluice::tests::block_row_test
