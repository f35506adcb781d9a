// Goal: the terminal gets what it can show: colours by TERM, COLORTERM and NO_COLOR, half blocks by
// the locale; and where there are neither, cells are still told apart.
#include "client_stub/terminal_style.h"

#include <map>

#include <gtest/gtest.h>

#include "client_stub/screen.h"

namespace sluice::client::terminal_style_test {
namespace {

std::optional<TerminalStyle> style_in(const std::map<std::string, std::string>& variables) {
  return style_of([&](const char* name) {
    const auto place = variables.find(name);
    return place == variables.end() ? nullptr : place->second.c_str();
  });
}

constexpr Colour kRock{84, 76, 72};
constexpr Colour kWater{58, 155, 214};
constexpr Colour kAir{24, 32, 46};

TEST(TerminalStyle, ColoursGoByTheEnvironment) {
  EXPECT_EQ(style_in({{"TERM", "xterm"}})->colours, ColourDepth::k16);
  EXPECT_EQ(style_in({{"TERM", "linux"}})->colours, ColourDepth::k16);
  EXPECT_EQ(style_in({{"TERM", "tmux-256color"}})->colours, ColourDepth::k256);
  EXPECT_EQ(style_in({{"TERM", "xterm-direct"}})->colours, ColourDepth::kTrue);
  EXPECT_EQ(style_in({{"TERM", "xterm"}, {"COLORTERM", "truecolor"}})->colours, ColourDepth::kTrue);
  EXPECT_EQ(style_in({{"TERM", "vt220"}})->colours, ColourDepth::kNone);
  EXPECT_EQ(style_in({{"TERM", "xterm-256color"}, {"NO_COLOR", "1"}})->colours, ColourDepth::kNone);
  EXPECT_EQ(style_in({{"TERM", "xterm-256color"}, {"NO_COLOR", ""}})->colours, ColourDepth::k256);
  EXPECT_FALSE(style_in({{"TERM", "dumb"}}));
  EXPECT_FALSE(style_in({}));
}

TEST(TerminalStyle, HalfBlocksGoByTheLocale) {
  EXPECT_TRUE(style_in({{"TERM", "xterm"}})->unicode);
  EXPECT_TRUE(style_in({{"TERM", "xterm"}, {"LANG", "en_GB.UTF-8"}})->unicode);
  EXPECT_FALSE(style_in({{"TERM", "xterm"}, {"LANG", "C"}})->unicode);
  EXPECT_FALSE(style_in({{"TERM", "xterm"}, {"LC_ALL", "C"}, {"LANG", "C.UTF-8"}})->unicode);
}

TEST(TerminalStyle, EachDepthHasItsOwnSequences) {
  EXPECT_EQ(colour_sequence(ColourDepth::kTrue, true, {1, 2, 3}), "\x1b[38;2;1;2;3m");
  EXPECT_EQ(colour_sequence(ColourDepth::k256, false, {255, 0, 0}), "\x1b[48;5;196m");
  EXPECT_EQ(colour_sequence(ColourDepth::k256, true, {128, 128, 128}), "\x1b[38;5;244m");
  EXPECT_EQ(colour_sequence(ColourDepth::k16, true, {250, 250, 250}), "\x1b[97m");
  EXPECT_EQ(colour_sequence(ColourDepth::k16, false, {0, 0, 0}), "\x1b[40m");
  EXPECT_EQ(colour_sequence(ColourDepth::kNone, true, {9, 9, 9}), "");
}

std::string picture_of(TerminalStyle style) {
  Screen screen;
  screen.set_style(style);
  screen.resize(4, 2);
  const Colour columns[] = {kRock, kWater, kAir, kCursor};
  for (int x = 0; x < 4; ++x) {
    for (int y = 0; y < 2; ++y) screen.pixel(x, y, columns[x]);
  }
  screen.text(0, 1, "bar\u00e9", {215, 223, 235}, {24, 32, 46});
  return screen.take_changes();
}

TEST(TerminalStyle, WithoutColoursCellsAreLetters) {
  const std::string plain = picture_of({ColourDepth::kNone, false});
  EXPECT_NE(plain.find("#~ +"), std::string::npos) << plain;
  EXPECT_NE(plain.find("\x1b[7mbar*"), std::string::npos) << plain;
  for (const char character : plain) EXPECT_GE(character, 0) << "only ASCII";
  EXPECT_EQ(plain.find("\x1b[38"), std::string::npos);
  EXPECT_EQ(plain.find("\x1b[48"), std::string::npos);
}

TEST(TerminalStyle, MaterialsStayApartInSixteenColours) {
  const auto paper = [](Colour colour) { return colour_sequence(ColourDepth::k16, false, colour); };
  EXPECT_NE(paper(kRock), paper(kWater));
  EXPECT_NE(paper(kRock), paper(kAir));
  EXPECT_NE(paper(kWater), paper(kAir));
  const std::string picture = picture_of({ColourDepth::k16, false});
  EXPECT_EQ(picture.find("\u2580"), std::string::npos);
}

}  // namespace
}  // namespace sluice::client::terminal_style_test
