// Goal: keys and the mouse reach what they are for; a large world is looked at from afar until
// something needs its cells, and nothing that was pressed meanwhile is lost.
#include "client_stub/desk.h"

#include <gtest/gtest.h>

#include "protocol/layers.h"
#include "tests/client_stub/mirrors.h"
#include "tests/client_stub/scene.h"

namespace sluice::client::desk_test {
namespace {

using std::chrono::seconds;
using tests::Scene;

/// What stands on the screen, without its colours.
class Shown {
 public:
  Shown(int columns, int rows)
      : rows_(static_cast<std::size_t>(rows), std::string(static_cast<std::size_t>(columns), ' ')) {
  }

  void take(const std::string& written) {
    std::size_t row = 0;
    std::size_t column = 0;
    for (std::size_t i = 0; i < written.size(); ++i) {
      if (written[i] != '\x1b') {
        rows_.at(row).at(column++) = written[i];
        continue;
      }
      const std::size_t end = written.find_first_of("Hm", i);
      if (written[end] == 'H') {
        row = std::stoul(written.substr(i + 2)) - 1;
        column = std::stoul(written.substr(written.find(';', i) + 1)) - 1;
      }
      i = end;
    }
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& row : rows_) all += row + "\n";
    return all;
  }

 private:
  std::vector<std::string> rows_;
};

TEST(Desk, KeysAndTheMouseReachToolsOverlaysAndTheInspector) {
  Scene scene;
  Desk desk({ColourDepth::kNone, false});
  desk.resize(100, 34);
  desk.welcomed(scene.mirror, true);
  Shown shown(100, 34);
  const auto press = [&](const Key& key) { desk.handle(scene.mirror, key, true, scene.now); };
  const auto type = [&](const std::string& keys) {
    for (const char key : keys) press({KeyKind::kCharacter, key, 0, 0, 0});
    shown.take(desk.draw(scene.mirror, true, "", scene.now));
    return shown.text();
  };
  std::vector<std::string> sent;
  const auto flush = [&] {
    desk.queue().flush(scene.now, [&](std::string line) {
      sent.push_back(std::move(line));
      return sent.size();
    });
  };
  EXPECT_EQ(type("").find("eighths"), std::string::npos);
  EXPECT_NE(type("O").find("1-8 eighths of a full cell"), std::string::npos) << shown.text();
  EXPECT_NE(shown.text().find("8888"), std::string::npos) << shown.text();
  EXPECT_EQ(desk.view(scene.mirror).layers, 0U);
  EXPECT_NE(type("OOOO").find("Temperature"), std::string::npos) << shown.text();
  EXPECT_EQ(desk.view(scene.mirror).layers, 2U) << "asked for while it is shown";
  EXPECT_NE(type("OOOO").find("Bytes a second"), std::string::npos);
  EXPECT_NE(type("O").find("What others see"), std::string::npos);
  EXPECT_EQ(type("O").find("What others see"), std::string::npos);
  EXPECT_EQ(desk.view(scene.mirror).layers, 0U);
  EXPECT_NE(type("I").find("[32, 32] air"), std::string::npos) << shown.text();
  EXPECT_EQ(desk.view(scene.mirror).layers, 3U) << "the inspector tells of both";
  EXPECT_NE(type("T").find("0.00 units"), std::string::npos) << shown.text();
  EXPECT_NE(type("II").find("chunk [0, 0, 0]"), std::string::npos) << shown.text();

  type("R");
  // The picture is 100 x 66 pixels, one a cell: [32, 32] stands in the middle.
  press({KeyKind::kMousePress, 0, 0, 50, 10});
  press({KeyKind::kMouseDrag, 0, 0, 53, 11});
  press({KeyKind::kMouseRelease, 0, 0, 53, 11});
  flush();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_NE(sent[0].find(R"("size":[4,3,1],"cell":"."})"), std::string::npos) << sent[0];
  type("f");
  press({KeyKind::kMousePress, 0, 2, 50, 10});
  press({KeyKind::kMouseRelease, 0, 2, 50, 10});
  flush();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_NE(sent[1].find(R"("cell":"."})"), std::string::npos) << "the right button digs";
  EXPECT_NE(type("z").find("there is nothing of yours to undo"), std::string::npos)
      << "air was dug: " << shown.text();
  scene.fixtures.sources = {{{32, 32, 0}, 7}};
  desk.set_fixtures(scene.fixtures);
  EXPECT_NE(type("").find('S'), std::string::npos) << shown.text();
  type("gU");
  flush();
  ASSERT_EQ(sent.size(), 4U);
  EXPECT_TRUE(sent[2].starts_with(R"({"cmd":"add_source","at":[)")) << sent[2];
  EXPECT_TRUE(sent[3].starts_with(R"({"cmd":"add_drain","at":[)")) << sent[3];
  desk.lost("gone");
  EXPECT_TRUE(desk.queue().idle());
  shown.take(desk.draw(scene.mirror, false, " lost: ", scene.now));
  EXPECT_NE(shown.text().find("lost: gone; 4 edits may be lost"), std::string::npos)
      << shown.text();
}

TEST(Desk, ShowsWhoElseIsHereAndGoesThere) {
  Scene scene;
  Desk desk({ColourDepth::kNone, false});
  desk.resize(100, 34);
  desk.welcomed(scene.mirror, true);
  Shown shown(100, 34);
  const auto type = [&](const std::string& keys) {
    for (const char key : keys) {
      desk.handle(scene.mirror, {KeyKind::kCharacter, key, 0, 0, 0}, true, scene.now);
    }
    shown.take(desk.draw(scene.mirror, true, "", scene.now));
    return shown.text();
  };
  EXPECT_NE(type("N").find("nobody else is here"), std::string::npos);
  desk.set_people({{3, "guest", false, {32, 32, 0}, true, {}},
                   {7, "anna", false, {40, 30, 0}, true, {}},
                   {9, "", false, {10, 50, 0}, true, {}}},
                  3);
  const std::string text = type("");
  EXPECT_NE(text.find("@anna"), std::string::npos) << text;
  EXPECT_NE(text.find("@guest 9"), std::string::npos) << text;
  EXPECT_EQ(text.find("@guest 3"), std::string::npos) << "oneself";
  EXPECT_NE(type("N").find("here is anna"), std::string::npos);
  EXPECT_EQ(desk.pointer(scene.mirror).at, (Vec3{40, 30, 0}));
  type("N");
  EXPECT_EQ(desk.pointer(scene.mirror).at, (Vec3{10, 50, 0}));
  type("N");
  EXPECT_EQ(desk.pointer(scene.mirror).at, (Vec3{40, 30, 0})) << "and round again";
  EXPECT_EQ(desk.pointer(scene.mirror).sees, (protocol::Sight{{0, 0, 0}, {63, 63, 0}}));
}

/// 512x256 cells, of which a terminal of 64x33 characters shows 8x8 a pixel.
class FarDesk : public ::testing::Test {
 protected:
  static constexpr Vec3 kSize{512, 256, 1};

  FarDesk() {
    protocol::Welcome welcome;
    welcome.world = "wide";
    welcome.size = kSize;
    welcome.tick_rate = 20;
    welcome.levels_of_detail = 3;
    mirror_ = protocol::Mirror(welcome);
    desk_.resize(64, 33);
    desk_.welcomed(mirror_, true);
  }

  /// The server's answer to a view of level 3: of all, the lower half is rock.
  void send_coarse() {
    protocol::ChunkCells coarse{};
    for (std::size_t i = 0; i < 16 * 64; ++i) coarse[i] = kRock;
    send_layer(mirror_, 2, coarse);
    desk_.ticked(mirror_, now_);
  }
  /// And to one of the cells: only the first chunk has any.
  void send_cells() {
    protocol::ChunkCells cells{};
    cells.fill(kRock);
    protocol::Bytes payload;
    protocol::encode_keyframe(cells, kSideViewShape, payload);
    protocol::Tick tick;
    tick.tick = mirror_.tick() + 1;
    tick.layers.push_back({2, {}, {{0, 0, 0}}, {}});
    tick.chunks.push_back({{0, 0, 0}, payload});
    ASSERT_TRUE(mirror_.apply(tick).ok());
    desk_.ticked(mirror_, now_);
  }
  const std::string& draw() {
    shown_.take(desk_.draw(mirror_, true, "", now_));
    return text_ = shown_.text();
  }
  /// Of the picture, without the status.
  std::string picture() { return draw().substr(0, 32 * 65); }
  int level() { return desk_.view(mirror_).level_of_detail; }
  void press(char character) {
    desk_.handle(mirror_, {KeyKind::kCharacter, character, 0, 0, 0}, true, now_);
  }
  std::vector<std::string> sent() {
    std::vector<std::string> lines;
    desk_.queue().flush(now_, [&](std::string line) {
      lines.push_back(std::move(line));
      return lines.size();
    });
    return lines;
  }

  protocol::Mirror mirror_;
  Desk desk_{{ColourDepth::kNone, false}};
  Shown shown_{64, 33};
  std::string text_;
  Desk::Clock::time_point now_ = Desk::Clock::now();
};

TEST_F(FarDesk, AsksForWhatAPixelShowsFromTheFirstViewOn) {
  EXPECT_EQ(level(), 3);
  send_coarse();
  const std::string seen = picture();
  EXPECT_EQ(std::count(seen.begin(), seen.end(), '#'), 8 * 64) << seen << "the lower half";
  EXPECT_NE(text_.find("air (mean of"), std::string::npos) << text_;
  for (const int expected : {2, 1, 0, 0}) {
    press('+');
    draw();
    EXPECT_EQ(level(), expected);
  }
}

TEST_F(FarDesk, HoldsWhatNeedsCellsUntilTheyAreThere) {
  send_coarse();
  const std::string before = picture();
  press('x');
  press('d');
  press('x');
  EXPECT_EQ(picture(), before) << "it stays until the cells have come";
  EXPECT_EQ(level(), 0);
  EXPECT_TRUE(sent().empty());
  send_cells();
  const std::string after = picture();
  EXPECT_NE(after, before);
  const auto commands = sent();
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_NE(commands[0].find(R"("from":[256,128,0])"), std::string::npos) << commands[0];
  EXPECT_NE(commands[1].find(R"("from":[257,128,0])"), std::string::npos) << "in their order";
  for (const std::uint64_t seq : {1U, 2U}) desk_.answered({seq, true, 5, ""});
  draw();
  EXPECT_EQ(level(), 0) << "somebody who builds goes on";
  now_ += seconds(6);
  draw();
  EXPECT_EQ(level(), 3);
}

TEST_F(FarDesk, KeepsCellsWhileAnEditWaits) {
  press('x');
  draw();
  send_cells();
  draw();
  ASSERT_EQ(sent().size(), 1U);
  now_ += seconds(60);
  draw();
  EXPECT_EQ(level(), 0);
  desk_.answered({1, true, 5, ""});
  draw();
  EXPECT_EQ(level(), 3);
}

TEST_F(FarDesk, DrawsWhatIsThereAfterAWhile) {
  send_coarse();
  const std::string before = picture();
  press('O');
  EXPECT_EQ(picture(), before);
  EXPECT_EQ(level(), 0) << "an overlay is of cells";
  now_ += Far::kPatience;
  EXPECT_NE(picture(), before);
}

TEST_F(FarDesk, HoldsSoManyKeysAndNoMore) {
  send_coarse();
  draw();
  for (std::size_t i = 0; i < Desk::kMostHeldKeys; ++i) press('x');
  draw();
  EXPECT_EQ(text_.find("faster than the cells come"), std::string::npos) << text_;
  press('x');
  draw();
  EXPECT_NE(text_.find("faster than the cells come"), std::string::npos) << text_;
  send_cells();
  draw();
  EXPECT_TRUE(sent().empty());
}

TEST_F(FarDesk, ForgetsHeldKeysWithEscapeAndWithTheConnection) {
  send_coarse();
  draw();
  press('x');
  desk_.handle(mirror_, {KeyKind::kEscape, 0, 0, 0, 0}, true, now_);
  press('x');
  desk_.lost("gone");
  desk_.welcomed(mirror_, false);
  send_cells();
  draw();
  EXPECT_TRUE(sent().empty());
}

TEST_F(FarDesk, WithoutLevelsLooksAtCells) {
  protocol::Welcome welcome = mirror_.welcome();
  welcome.levels_of_detail = 0;
  mirror_ = protocol::Mirror(welcome);
  desk_.welcomed(mirror_, true);
  draw();
  EXPECT_EQ(level(), 0);
}

// The overlay of a layer, where the server has coarse cells of those.
TEST_F(FarDesk, AnOverlayOfALayerIsOfCoarseCells) {
  protocol::Welcome welcome = mirror_.welcome();
  welcome.layers = {"temperature"};
  mirror_ = protocol::Mirror(welcome);
  desk_.welcomed(mirror_, true);
  for (int i = 0; i < 20 && desk_.view(mirror_).layers == 0; ++i) {
    press('O');
    draw();
  }
  EXPECT_EQ(level(), 0) << "an older server";
  welcome.coarse_layers = true;
  mirror_ = protocol::Mirror(welcome);
  desk_.welcomed(mirror_, true);
  draw();
  EXPECT_EQ(desk_.view(mirror_), (Desk::View{{{}, kSize}, 0, 3, 1}));
  protocol::ChunkCells water{};
  protocol::ChunkCells degrees{};
  for (std::size_t i = 0; i < 16 * 64; ++i) {
    water[i] = kFull;
    degrees[i] = protocol::told_temperature(4 * 9);
  }
  send_layer(mirror_, 3, water);
  send_layer(mirror_, static_cast<std::uint8_t>(mirror_.layer_of_coarse(3, 0)), degrees);
  desk_.ticked(mirror_, now_);
  const std::string seen = picture();
  EXPECT_GE(std::count(seen.begin(), seen.end(), '8'), 8 * 60) << seen << "9 degrees, of 10";
}

TEST(Surfaces, OfALevelAreInCellsOfTheWorld) {
  protocol::Welcome welcome;
  welcome.size = {512, 256, 1};
  welcome.levels_of_detail = 3;
  protocol::Mirror mirror(welcome);
  protocol::ChunkCells coarse{};
  for (std::size_t i = 0; i < 10 * 64; ++i) coarse[i] = kFull;
  send_layer(mirror, 2, coarse);
  Surfaces surfaces;
  surfaces.settle(mirror, {{}, welcome.size}, 3);
  EXPECT_DOUBLE_EQ(surfaces.head(511, 5).value(), 80.0);
  EXPECT_DOUBLE_EQ(surfaces.depth(100, 9).value(), 70.5);
  EXPECT_FALSE(surfaces.depth(100, 80));
}

}  // namespace
}  // namespace sluice::client::desk_test
