// Goal: the terminal's picture shows each cell where the camera says, at every zoom, shaded by how
// deep it lies under the water that it hangs together with.
#include "client_stub/picture.h"

#include <functional>

#include <gtest/gtest.h>

#include "client_stub/status_text.h"
#include "protocol/base/map_text.h"
#include "tests/client_stub/mirrors.h"

namespace sluice::client::picture_test {
namespace {

/// 64x64 cells: the lower half rock, one cell of water on it at [10, 32]; and what `draw` does.
protocol::Mirror make_mirror(const std::function<void(protocol::ChunkCells&)>& draw = {}) {
  return mirror_of([&draw](protocol::ChunkCells& cells) {
    for (std::size_t i = 0; i < 32 * 64; ++i) cells[i] = kRock;
    cells[32 * 64 + 10] = 4096;
    if (draw) draw(cells);
  });
}

TEST(Picture, FitsTheWorldIntoTheTerminal) {
  Picture picture;
  picture.width = 130;
  picture.height = 130;
  picture.fit({64, 64, 1});
  EXPECT_EQ(picture.zoom, 1);
  EXPECT_EQ(picture.cell_x(1), 0);
  EXPECT_EQ(picture.cell_x(128), 63);
  EXPECT_EQ(picture.cell_y(1), 63);
  EXPECT_EQ(picture.cell_y(128), 0);
  picture.fit({1 << 20, 1 << 20, 1});
  EXPECT_EQ(picture.zoom, -6) << "as far as it goes";
}

TEST(Picture, EveryPixelOfACellIsThatCell) {
  Picture picture;
  picture.width = 101;
  picture.height = 60;
  for (int zoom = 0; zoom <= 4; ++zoom) {
    picture.zoom = zoom;
    picture.center_on(20, 30, {64, 64, 1});
    const int pixels = 1 << zoom;
    int run = 0;
    for (int x = 1; x < picture.width; ++x) {
      run = picture.cell_x(x) == picture.cell_x(x - 1) ? run + 1 : 0;
      EXPECT_LT(run, pixels);
      EXPECT_LE(picture.cell_x(x) - picture.cell_x(x - 1), 1);
    }
  }
}

TEST(Picture, DrawsWithoutTouchingWhatIsOutside) {
  const protocol::Mirror mirror = make_mirror();
  Picture picture;
  picture.width = 40;
  picture.height = 20;
  Screen screen;
  screen.resize(40, 10);
  for (int zoom = -6; zoom <= 4; ++zoom) {
    picture.zoom = zoom;
    for (const double place : {-100.0, 0.0, 31.0, 64.0, 1000.0}) {
      picture.center_on(place, place, {64, 64, 1});
      Surfaces surfaces;
      surfaces.settle(mirror, {{}, {64, 64, 1}});
      const auto as_it_is = [](Vec3, Colour base) { return base; };
      picture.draw(mirror, surfaces, as_it_is, screen);
      (void)screen.take_changes();
      picture.draw(mirror, surfaces, as_it_is, screen);
      EXPECT_TRUE(screen.take_changes().empty()) << "a picture is a function of what it shows";
    }
  }
}

TEST(Picture, TheCursorStaysInTheWorldAndInSight) {
  Picture picture;
  picture.width = 40;
  picture.height = 20;
  picture.zoom = 1;
  const Vec3 size = {64, 64, 1};
  picture.center_on(32, 32, size);
  picture.move_cursor(500, -3, size);
  EXPECT_EQ(picture.cursor_x, 63);
  EXPECT_EQ(picture.cursor_y, 0);
  EXPECT_LE(picture.cell_x(0), 63);
  EXPECT_GE(picture.cell_x(39), 63);
  EXPECT_LE(picture.cell_y(19), 0);
}

/// A basin 30 cells deep: open at its left, under a roof of rock at its right.
protocol::Mirror make_basin() {
  return make_mirror([](protocol::ChunkCells& cells) {
    for (std::size_t y = 1; y < 31; ++y) {
      for (std::size_t x = 1; x < 20; ++x) {
        cells[y * 64 + x] = x < 10 || y < 20 ? kFull : kRock;
      }
    }
    for (std::size_t x = 1; x < 10; ++x) cells[31 * 64 + x] = 0;
  });
}

TEST(Surfaces, WaterUnderARoofIsAsDeepAsTheWaterBesideIt) {
  Surfaces surfaces;
  surfaces.settle(make_basin(), {{}, {64, 64, 1}});
  EXPECT_DOUBLE_EQ(surfaces.head(5, 10).value(), 31.0);
  EXPECT_DOUBLE_EQ(surfaces.depth(5, 30).value(), 0.5);
  EXPECT_NEAR(surfaces.depth(15, 19).value(), 11.5, 0.01) << "under the roof";
  EXPECT_NEAR(surfaces.deepest(), 29.5, 0.01);
  EXPECT_FALSE(surfaces.head(15, 25)) << "rock";
  EXPECT_FALSE(surfaces.head(40, 40)) << "air";
  EXPECT_FALSE(surfaces.head(64, 0)) << "outside";
}

TEST(Surfaces, WhatFallsHasNoDepthAndWhatIsTooMuchIsNotLookedAt) {
  const protocol::Mirror mirror = make_mirror([](protocol::ChunkCells& cells) {
    cells[50 * 64 + 20] = kFull / 2;
    cells[49 * 64 + 20] = kFull / 2;
  });
  Surfaces surfaces;
  surfaces.settle(mirror, {{}, {64, 64, 1}});
  EXPECT_FALSE(surfaces.depth(20, 50));
  EXPECT_TRUE(surfaces.depth(10, 32)) << "full, on rock";
  protocol::Welcome vast;
  vast.size = {4096, 4096, 1};
  surfaces.settle(protocol::Mirror(vast), {{}, vast.size});
  EXPECT_FALSE(surfaces.known());
  EXPECT_FALSE(surfaces.depth(10, 32));
}

TEST(Status, NamesWhatTheIssueAsksFor) {
  const protocol::Mirror mirror = make_mirror();
  Facts facts;
  facts.picture.cursor_x = 10;
  facts.picture.cursor_y = 32;
  facts.tick_came(mirror);
  const std::string line = facts.status(mirror);
  for (const char* part :
       {"test", "tick 1", "20.0/s", "B/s", "water", "[10, 32] 4096 units", "dig 1", "? help"}) {
    EXPECT_NE(line.find(part), std::string::npos) << part << " in " << line;
  }
  for (const std::string_view help : help_lines()) {
    EXPECT_EQ(help.size(), help_lines().front().size());
  }
}

}  // namespace
}  // namespace sluice::client::picture_test
