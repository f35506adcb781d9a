// Goal: whatever bytes a text has, what is printed of it does nothing to a terminal, is UTF-8, and
// is cut between characters; ordinary texts stay as they are.
// Method: each control character and its kin, and random bytes.
#include "server/sim/text.h"

#include <random>

#include <gtest/gtest.h>

#include "server/sim/limits.h"
#include "server/sim/world.h"

namespace sluice::sim::text_test {
namespace {

TEST(Text, OrdinaryTextsStayAsTheyAre) {
  for (const char* text : {"", "pipe-7", "the cell [1, 2, 0] is rock", "\u00e4\u6c34\U0001f4a7",
                           "back\\slash and 'quotes'"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Text, WhatATerminalWouldActOnIsSpelledOut) {
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\u0000b");
  EXPECT_EQ(printable("\x1b[2J\r\n\t\x7f"), "\\u001b[2J\\u000d\\u000a\\u0009\\u007f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m")
      << "a control sequence of eight bits";
  EXPECT_EQ(printable("\u202egnp.exe"), "\\u202egnp.exe") << "turns the direction of writing";
  EXPECT_EQ(printable("\xff\xc0\xaf\xed\xa0\x80\xe4\xbd"),
            "\\xff\\xc0\\xaf\\xed\\xa0\\x80\\xe4\\xbd");
}

TEST(Text, AnyBytesBecomeHarmlessOnceAndForAll) {
  std::mt19937 random(4);
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 40, '\0');
    for (char& byte : text) byte = static_cast<char>(random() % 3 == 0 ? random() : random() % 128);
    const std::string shown = printable(text);
    for (const char c : shown) {
      const auto byte = static_cast<unsigned char>(c);
      EXPECT_TRUE(byte >= 0x20 && byte != 0x7f);
    }
    EXPECT_EQ(printable(shown), shown);
  }
}

TEST(Text, CutsBetweenCharacters) {
  const std::string text = "ab\u00e4\u6c34\U0001f4a7";  // 2 + 2 + 3 + 4 bytes
  const std::size_t expected[] = {0, 1, 2, 2, 4, 4, 4, 7, 7, 7, 7, 11, 11};
  for (std::size_t most = 0; most < std::size(expected); ++most) {
    EXPECT_EQ(cut_text(text, most), text.substr(0, expected[most])) << most;
  }
  EXPECT_EQ(cut_text(std::string(9, '\x80'), 5).size(), 2U) << "no UTF-8: at most three less";
}

TEST(Text, ReasonsOfRefusedCommandsAreHarmlessAndShort) {
  WorldSpec spec;
  spec.config.name = "tub";
  spec.config.size = {8, 8, 1};
  auto world = World::create(spec);
  ASSERT_TRUE(world.ok()) << world.error();
  std::string name("\x1b]0;x\x07\0after", 12);
  name += std::string(32000, 'n');
  SerialExecutor executor;
  const Command commands[] = {{RemovePipe{name}}, {LinkPipes{name, name, false}}};
  for (const CommandOutcome& outcome : (*world)->tick(commands, executor).outcomes) {
    EXPECT_FALSE(outcome.applied());
    EXPECT_LE(outcome.reason.size(), std::size_t{kMaxReasonBytes});
    EXPECT_NE(outcome.reason.find("\\u001b]0;x\\u0007\\u0000after"), std::string::npos)
        << outcome.reason;
    EXPECT_EQ(outcome.reason, printable(outcome.reason));
  }
}

}  // namespace
}  // namespace sluice::sim::text_test
