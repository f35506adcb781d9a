// Goal: a chunk of one kind of cell costs bytes, and whether it does is nobody's business.
// Method: pages filled, written to and shared again; a world of rock whose chunks are counted.
#include "server/sim/cell_page.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/drawn_world.h"
#include "tests/support/through_a_snapshot.h"

namespace sluice::tests::cell_page_test {
namespace {

using sim::CellPage;

TEST(CellPage, ReadsTheSameSharedOrOwn) {
  for (const Cell kind : {kAir, kRock, kFull}) {
    CellPage page(kind);
    EXPECT_TRUE(page.is_shared());
    CellPage other(kind);
    EXPECT_EQ(page.data(), other.data());
    const Cell* const own = page.edit();
    EXPECT_EQ(own, page.data());
    EXPECT_FALSE(page.is_shared());
    for (const Cell cell : page) ASSERT_EQ(cell, kind);
    for (std::size_t i = 0; i < sim::kOverread; ++i) ASSERT_EQ(page.data()[kChunkCells + i], 0);
    page.share_if_uniform();
    EXPECT_TRUE(page.is_shared());
  }
}

TEST(CellPage, OneOtherCellKeepsItItsOwn) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{kChunkCells - 1}}) {
    CellPage page(kRock);
    page.edit()[at] = 7;
    page.share_if_uniform();
    EXPECT_FALSE(page.is_shared());
    EXPECT_EQ(page[at], 7);
    EXPECT_EQ(CellPage(kRock)[at], kRock);  // nobody else's page changed
    page.fill(kFull);
    EXPECT_TRUE(page.is_shared());
    page.fill(5);
    EXPECT_FALSE(page.is_shared());
    EXPECT_EQ(page[at], 5);
  }
}

std::int64_t own_pages(const sim::World& world) {
  std::int64_t count = 0;
  world.grid().for_each([&](const sim::Chunk& chunk) { count += chunk.cells.is_shared() ? 0 : 1; });
  return count;
}

// A command of 110 bytes made a gigabyte of cells that are all rock.
TEST(CellPage, AWorldOfRockHasNoCellsOfItsOwn) {
  sim::WorldSpec spec;
  spec.config.size = {kMaxSide, kMaxSide, 1};
  auto world = make_world(spec);
  sim::SerialExecutor serial;
  const std::vector<sim::Command> rock = {
      {sim::SetCells{{64, 64, 0}, {64 * 40, 64 * 40, 1}, kRock}}};
  ASSERT_TRUE(world->tick(rock, serial).outcomes.front().applied());
  while (!world->tick({}, serial).at_rest) {
  }
  EXPECT_EQ(world->grid().chunk_count(), 1600);
  EXPECT_EQ(own_pages(*world), 0);
  // A hole gives one chunk cells of its own; filled up again it has none.
  const Vec3 hole = {1000, 1000, 0};
  (void)world->tick(std::vector<sim::Command>{{sim::SetCells{hole, {1, 1, 1}, kAir}}}, serial);
  EXPECT_EQ(own_pages(*world), 1);
  EXPECT_EQ(world->cell(hole), kAir);
  EXPECT_EQ(own_pages(*through_a_snapshot(*world)), 1);
  (void)world->tick(std::vector<sim::Command>{{sim::SetCells{hole, {1, 1, 1}, kRock}}}, serial);
  EXPECT_EQ(own_pages(*world), 0);
  EXPECT_EQ(world->digest(), world->recompute_digest());
}

// Filled as a whole or cell by cell, the history is the same.
TEST(CellPage, WholeChunksAndSingleCellsGiveTheSameWorld) {
  for (const Cell kind : {kRock, kFull, Cell{1000}, kAir}) {
    sim::WorldSpec spec;
    spec.config.size = {192, 128, 1};
    spec.fills.push_back({{{30, 20, 0}, {100, 100, 1}}, 700});
    auto whole = make_world(spec);
    auto rows = make_world(spec);
    sim::SerialExecutor serial;
    std::vector<sim::Command> of_whole = {{sim::SetCells{{64, 64, 0}, {64, 64, 1}, kind}}};
    std::vector<sim::Command> of_rows;
    for (std::int32_t y = 64; y < 128; ++y) {
      of_rows.push_back({sim::SetCells{{64, y, 0}, {64, 1, 1}, kind}});
    }
    for (int tick = 0; tick < 10; ++tick) {
      (void)whole->tick(of_whole, serial);
      (void)rows->tick(of_rows, serial);
      ASSERT_EQ(whole->digest(), rows->digest()) << kind << " at tick " << tick;
      of_whole.clear();
      of_rows.clear();
    }
  }
}

}  // namespace
}  // namespace sluice::tests::cell_page_test
