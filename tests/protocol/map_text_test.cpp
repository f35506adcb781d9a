// Goal: the printed alphabet is the one of the interface, at the borders between its characters.
#include "protocol/base/map_text.h"

#include <gtest/gtest.h>

#include "protocol/chunk.h"

namespace sluice::protocol::map_text_test {
namespace {

TEST(MapText, RoundsToTheNearestEighth) {
  EXPECT_EQ(glyph_of(-1), '#');
  EXPECT_EQ(glyph_of(-2), ' ');
  EXPECT_EQ(glyph_of(-3), 'o');  // trapped air
  EXPECT_EQ(glyph_of(-4), '#');  // a solid of later times
  EXPECT_EQ(glyph_of(0), '.');
  EXPECT_EQ(glyph_of(1), ',');
  EXPECT_EQ(glyph_of(255), ',');
  EXPECT_EQ(glyph_of(256), '1');
  EXPECT_EQ(glyph_of(767), '1');
  EXPECT_EQ(glyph_of(768), '2');
  EXPECT_EQ(glyph_of(2048), '4');
  EXPECT_EQ(glyph_of(3839), '7');
  EXPECT_EQ(glyph_of(3840), '~');
  EXPECT_EQ(glyph_of(4096), '~');
  EXPECT_EQ(glyph_of(1 << 30), '~');
  EXPECT_EQ(glyph_of(INT32_MAX), '~');
  EXPECT_EQ(glyph_of(kIceBase), '#');
  EXPECT_EQ(glyph_of(kThinnestIce), '*');
  EXPECT_EQ(glyph_of(INT32_MIN), '*');
}

TEST(MapText, PrintsTheTopRowFirstAndSeparatesLayers) {
  const auto cell = [](std::int32_t x, std::int32_t y, std::int32_t z) {
    if (y == 0) return -1;
    return z == 0 ? 512 * x : 4096;
  };
  EXPECT_EQ(print_map(3, 2, 1, cell), ".12\n###\n");
  EXPECT_EQ(print_map(3, 2, 2, cell), ".12\n###\n\n~~~\n###\n");
  EXPECT_EQ(print_map(0, 2, 2, cell), "");
}

}  // namespace
}  // namespace sluice::protocol::map_text_test
