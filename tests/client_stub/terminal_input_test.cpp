// Goal: keys and mouse come out of a terminal's bytes, however these are cut; the screen writes
// only what changed.
#include <gtest/gtest.h>

#include "client_stub/keys.h"
#include "client_stub/screen.h"

namespace sluice::client::terminal_input_test {
namespace {

TEST(Keys, SequencesAreReadWhole) {
  KeyParser parser;
  const auto keys = parser.feed("q\x1b[A\x1b[5~\x1bOD\x1b[<0;11;5M\x1b[<0;11;5m\x1b[<65;1;1M");
  ASSERT_EQ(keys.size(), 7U);
  EXPECT_EQ(keys[0].character, 'q');
  EXPECT_EQ(keys[1].kind, KeyKind::kUp);
  EXPECT_EQ(keys[2].kind, KeyKind::kPageUp);
  EXPECT_EQ(keys[3].kind, KeyKind::kLeft);
  EXPECT_EQ(keys[4].kind, KeyKind::kMousePress);
  EXPECT_EQ(keys[4].column, 10);
  EXPECT_EQ(keys[4].row, 4);
  EXPECT_EQ(keys[5].kind, KeyKind::kMouseRelease);
  EXPECT_EQ(keys[6].kind, KeyKind::kWheelDown);
}

TEST(Keys, MotionWithAButtonHeldIsNoPress) {
  KeyParser parser;
  const auto keys = parser.feed("\x1b[<2;3;4M\x1b[<34;5;6M");
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0].kind, KeyKind::kMousePress);
  EXPECT_EQ(keys[1].kind, KeyKind::kMouseDrag);
  EXPECT_EQ(keys[1].button, 2);
  EXPECT_EQ(keys[1].column, 4);
}

TEST(Keys, SequencesMayComeInPieces) {
  KeyParser parser;
  EXPECT_TRUE(parser.feed("\x1b").empty());
  EXPECT_TRUE(parser.feed("[").empty());
  const auto keys = parser.feed("Bx");
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0].kind, KeyKind::kDown);
  EXPECT_EQ(keys[1].character, 'x');
}

TEST(Keys, AnEscapeAloneIsAKeyOnceNothingFollows) {
  KeyParser parser;
  EXPECT_TRUE(parser.feed("\x1b").empty());
  const auto keys = parser.idle();
  ASSERT_EQ(keys.size(), 1U);
  EXPECT_EQ(keys[0].kind, KeyKind::kEscape);
}

TEST(Keys, NoiseIsDropped) {
  KeyParser parser;
  EXPECT_TRUE(parser.feed("\x1b[<;;M\x1b[99~\x1b[200;3z").empty());
  EXPECT_TRUE(parser.feed("\x1b[" + std::string(100, '1')).empty());
  EXPECT_EQ(parser.feed("q").size(), 1U);
}

TEST(Screen, WritesOnlyWhatChanged) {
  Screen screen;
  screen.resize(4, 2);
  EXPECT_FALSE(screen.take_changes().empty());
  EXPECT_TRUE(screen.take_changes().empty());
  screen.pixel(1, 3, {10, 20, 30});
  EXPECT_EQ(screen.take_changes(), "\x1b[2;2H\x1b[38;2;0;0;0m\x1b[48;2;10;20;30m\u2580");
  screen.text(2, 0, "a\u2026bc", {1, 1, 1}, {2, 2, 2});
  EXPECT_EQ(screen.take_changes(), "\x1b[1;3H\x1b[38;2;1;1;1m\x1b[48;2;2;2;2ma\u2026");
  screen.pixel(9, 0, {1, 1, 1});
  screen.pixel(-1, -1, {1, 1, 1});
  EXPECT_TRUE(screen.take_changes().empty()) << "outside";
}

}  // namespace
}  // namespace sluice::client::terminal_input_test
