// Goal: others are drawn where they point and what they see is framed, wherever the server says.
#include "client_stub/people.h"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace sluice::client::people_test {
namespace {

constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();

Picture picture_of(Vec3 size, int zoom) {
  Picture picture;
  picture.width = 40;
  picture.height = 20;
  picture.zoom = zoom;
  picture.center_on(size.x / 2.0, size.y / 2.0, size);
  return picture;
}

std::string drawn(const People& people, const Picture& picture, bool sights) {
  Screen screen;
  screen.set_style({ColourDepth::kTrue, true});
  screen.resize(40, 11);
  (void)screen.take_changes();
  people.draw(picture, sights, screen);
  return screen.take_changes();
}

TEST(People, AreTitledSoThatGuestsAreToldApart) {
  EXPECT_EQ(title_of({4, "", false, {}, true, {}}), "guest 4");
  EXPECT_EQ(title_of({4, "guest", false, {}, true, {}}), "guest 4");
  EXPECT_EQ(title_of({4, "guest", true, {}, true, {}}), "guest") << "an account";
  EXPECT_EQ(title_of({4, "anna", false, {}, true, {}}), "anna");
}

TEST(People, PointInTheirSlice) {
  const Picture picture = picture_of({40, 20, 3}, 0);
  People people;
  people.take({{1, "near", false, {20, 10, 0}, true, {}},
               {2, "deep", false, {20, 10, 1}, true, {}},
               {3, "idle", false, {20, 10, 0}, false, {}}},
              9);
  EXPECT_EQ(people.count(), 3U);
  const std::string text = drawn(people, picture, false);
  // Each character comes with its colours, so a name is not in one piece.
  EXPECT_NE(text.find('@'), std::string::npos);
  EXPECT_EQ(text.find('@'), text.rfind('@')) << "one of them";
}

TEST(People, FramesOfAnySizeAreCutToThePicture) {
  const Picture picture = picture_of({40, 20, 1}, 0);
  People people;
  people.take({{1, "a", false, {}, false, protocol::Sight{{5, 5, 0}, {10, 9, 0}}}}, 9);
  EXPECT_TRUE(drawn(people, picture, false).empty()) << "only where it is asked for";
  EXPECT_FALSE(drawn(people, picture, true).empty());
  for (const int zoom : {-6, 0, 4}) {
    const Picture at = picture_of({40, 20, 1}, zoom);
    people.take({{1,
                  "a",
                  false,
                  {kMost, kMost, 0},
                  true,
                  protocol::Sight{{0, 0, 0}, {kMost, kMost, kMost}}}},
                9);
    (void)drawn(people, at, true);
  }
}

TEST(People, SeeTheCellsOfThePicture) {
  EXPECT_EQ(sight_of(picture_of({100, 100, 5}, 0), {100, 100, 5}),
            (protocol::Sight{{30, 40, 0}, {69, 59, 0}}));
}

}  // namespace
}  // namespace sluice::client::people_test
