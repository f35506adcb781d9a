// Goal: arrows point where heads drive water, and none stands where it rests.
#include "client_stub/flow.h"

#include <gtest/gtest.h>

#include "client_stub/overlay.h"
#include "tests/client_stub/scene.h"

namespace sluice::client::flow_test {
namespace {

using tests::Scene;

/// A trough of rock, 62 wide, whose water `draw` puts in.
Scene trough(const std::function<void(protocol::ChunkCells&)>& draw) {
  Scene scene;
  scene.mirror = mirror_of([&draw](protocol::ChunkCells& cells) {
    for (std::size_t x = 0; x < 64; ++x) cells[x] = kRock;
    for (std::size_t y = 0; y < 64; ++y) cells[y * 64] = cells[y * 64 + 63] = kRock;
    draw(cells);
  });
  scene.surfaces.settle(scene.mirror, {{}, {64, 64, 1}});
  return scene;
}

void fill(protocol::ChunkCells& cells, std::size_t x, std::size_t low, std::size_t high) {
  for (std::size_t y = low; y <= high; ++y) cells[y * 64 + x] = kFull;
}

TEST(Flow, WaterAtRestIsDrivenNowhere) {
  const Scene scene = trough([](protocol::ChunkCells& cells) {
    for (std::size_t x = 1; x < 63; ++x) fill(cells, x, 1, 10);
  });
  EXPECT_FALSE(drive_in(scene.known(), {{}, {64, 64, 1}}));
  EXPECT_FALSE(drive_at(scene.known(), {5, 20, 0})) << "air";
  EXPECT_FALSE(drive_at(scene.known(), {0, 5, 0})) << "rock";
  ASSERT_TRUE(drive_at(scene.known(), {1, 5, 0})) << "beside rock";
  EXPECT_EQ(drive_at(scene.known(), {1, 5, 0})->right, 0);
}

TEST(Flow, GoesFromTheHigherHeadToTheLowerWhicheverSideThatIs) {
  for (const bool mirrored : {false, true}) {
    const Scene scene = trough([mirrored](protocol::ChunkCells& cells) {
      for (std::size_t x = 1; x < 63; ++x) {
        const std::size_t down = mirrored ? 63 - x : x;
        fill(cells, x, 1, 40 - down / 4);
      }
    });
    const auto drive = drive_in(scene.known(), {{20, 5, 0}, {8, 8, 1}});
    ASSERT_TRUE(drive);
    EXPECT_NEAR(drive->right, mirrored ? -0.25 : 0.25, 0.01);
    EXPECT_EQ(arrow_of(*drive, false), mirrored ? "<" : ">");
    EXPECT_EQ(arrow_of(*drive, true), mirrored ? "\u2190" : "\u2192");
  }
}

TEST(Flow, SpillsIntoAirAndFalls) {
  const Scene scene = trough([](protocol::ChunkCells& cells) {
    for (std::size_t x = 1; x < 20; ++x) fill(cells, x, 1, 30);
    cells[50 * 64 + 40] = kFull / 2;
  });
  EXPECT_GT(drive_at(scene.known(), {19, 10, 0})->right, 5) << "a column without a wall";
  const Drive falls = drive_at(scene.known(), {40, 50, 0}).value();
  EXPECT_EQ(falls.up, -1);
  EXPECT_EQ(arrow_of(falls, false), "v");
  EXPECT_EQ(share_of_drive(falls), 1);
  EXPECT_EQ(share_of_drive({kLeastDrive, 0}), 0);
}

TEST(Flow, IsOfTheTunnelBetweenTwoArms) {
  const Scene scene = trough([](protocol::ChunkCells& cells) {
    for (std::size_t x = 10; x < 50; ++x) {
      for (std::size_t y = 4; y < 60; ++y) cells[y * 64 + x] = kRock;
    }
    for (std::size_t x = 1; x < 63; ++x) fill(cells, x, 1, x < 10 ? 40 : x < 50 ? 3 : 20);
  });
  const auto drive = drive_in(scene.known(), {{10, 1, 0}, {40, 3, 1}});
  ASSERT_TRUE(drive);
  EXPECT_GT(drive->right, kLeastDrive) << "towards the lower arm";
}

TEST(Flow, ArrowsStandWhereTheLegendSays) {
  Scene scene = trough([](protocol::ChunkCells& cells) {
    for (std::size_t x = 1; x < 63; ++x) fill(cells, x, 1, 40 - x / 4);
  });
  for (const bool unicode : {false, true}) {
    Overlay overlay(ColourDepth::kNone, unicode);
    while (overlay.kind() != OverlayKind::kFlow) overlay.next(scene.mirror);
    EXPECT_EQ(overlay.legend().entries.front().letters, ">");
    EXPECT_EQ(overlay.tint(scene.known(), {5, 5, 0}, {1, 2, 3}), (Colour{1, 2, 3}));
    Picture picture;
    picture.width = 64;
    picture.height = 64;
    picture.fit({64, 64, 1});
    Screen screen;
    screen.set_style({ColourDepth::kNone, unicode});
    screen.resize(64, 33);
    overlay.write(scene.known(), picture, screen);
    const std::string written = screen.take_changes();
    EXPECT_NE(written.find(unicode ? "\u2192" : ">"), std::string::npos);
    EXPECT_EQ(written.find(unicode ? "\u2190" : "<"), std::string::npos) << written;
  }
}

}  // namespace
}  // namespace sluice::client::flow_test
