// Goal: the terminal's picture shows each cell where the camera says, at every zoom, and the tools'
// commands touch what the cursor covers.
#include "client_stub/picture.h"

#include <functional>

#include <gtest/gtest.h>

#include "client_stub/status_text.h"
#include "protocol/base/map_text.h"
#include "protocol/codec.h"
#include "server/formats/script.h"

namespace sluice::client {
namespace {

/// 64x64 cells: the lower half rock, one cell of water on it at [10, 32]; and what `draw` does.
protocol::Mirror make_mirror(const std::function<void(protocol::ChunkCells&)>& draw = {}) {
  protocol::Welcome welcome;
  welcome.world = "test";
  welcome.size = {64, 64, 1};
  welcome.tick_rate = 20;
  protocol::Mirror mirror(welcome);
  protocol::ChunkCells cells{};
  for (std::size_t i = 0; i < 32 * 64; ++i) cells[i] = kRock;
  cells[32 * 64 + 10] = 4096;
  if (draw) draw(cells);
  protocol::Bytes payload;
  protocol::encode_keyframe(cells, payload);
  protocol::Tick tick;
  tick.tick = 1;
  tick.chunks.push_back({{0, 0, 0}, payload});
  EXPECT_TRUE(mirror.apply(tick).ok());
  return mirror;
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
      picture.draw(mirror, screen);
      (void)screen.take_changes();
      picture.draw(mirror, screen);
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

TEST(Tools, BrushesAreCutToTheWorldAndPouringSparesRock) {
  const protocol::Mirror mirror = make_mirror();
  Picture picture;
  picture.brush = 4;
  picture.move_cursor(0, 32, {64, 64, 1});
  const Box box = picture.brush_box({64, 64, 1});
  EXPECT_EQ(box, (Box{{0, 31, 0}, {3, 4, 1}}));
  EXPECT_EQ(
      commands_of(Tool::kDig, box, mirror),
      std::vector<std::string>{R"({"cmd":"set_cells","from":[0,31,0],"size":[3,4,1],"cell":"."})"});
  const auto pours = commands_of(Tool::kPour, box, mirror);
  ASSERT_EQ(pours.size(), 9U) << "the row of rock is left out";
  EXPECT_EQ(pours[0], R"({"cmd":"pour","at":[0,32,0],"units":4096})");
}

// Setting a cell full would take from one that holds more.
TEST(Tools, PouringOnlyEverAdds) {
  const protocol::Mirror mirror = make_mirror([](protocol::ChunkCells& cells) {
    for (std::size_t y = 1; y < 5; ++y) cells[y * 64 + 8] = y == 4 ? 1024 : 5000;
    for (std::size_t y = 0; y < 4; ++y) cells[y * 64 + 9] = kFull;
    cells[4 * 64 + 9] = kRock;
  });
  using Lines = std::vector<std::string>;
  EXPECT_EQ(commands_of(Tool::kPour, {{8, 4, 0}, {1, 1, 1}}, mirror),
            Lines{R"({"cmd":"pour","at":[8,4,0],"units":3072})"});
  EXPECT_EQ(commands_of(Tool::kPour, {{8, 1, 0}, {1, 2, 1}}, mirror),
            Lines{R"({"cmd":"pour","at":[8,4,0],"units":3072})"})
      << "deep in water it is the surface that rises";
  EXPECT_EQ(commands_of(Tool::kPour, {{9, 0, 0}, {1, 2, 1}}, mirror), Lines{})
      << "what is full up to the rock has no room";
  for (const Tool tool : {Tool::kDig, Tool::kRock, Tool::kPour}) {
    for (const std::string& line : commands_of(tool, {{8, 1, 0}, {3, 8, 1}}, mirror)) {
      const auto parsed = formats::parse_command(line, "tool");
      EXPECT_TRUE(parsed.ok()) << parsed.error();
    }
  }
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
}  // namespace sluice::client
