// Goal: what marks fill is said and written, and pictures show the world.
// Method: the program itself; its pictures are read back by the library's own reader.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <png.h>

#include "tests/support/toolbox.h"

namespace sluice::tests::toolbox_picture_test {
namespace {

TEST_F(Toolbox, FillSaysWhatMarksDoAndWritesTheWorld) {
  const std::string marks = folder.write("m.toml", R"([world]
name = "m"
size = [5, 4, 1]
water = "hydro"
[[map]]
rows = """
#.#.#
#.#.#
#...#
#####
"""
[[mark]]
at = [1, 2, 0]
kind = "level"
[[mark]]
at = [0, 0, 0]
kind = "level"
)");
  const std::string out = folder.file("f.toml");
  const Finished said = sluice({"fill", marks, "--write", out});
  EXPECT_EQ(said.status, 0) << said.error;
  EXPECT_EQ(said.out,
            "mark[0] level at [1, 2, 0], level 12288: +20480 units\n"
            "mark[1] level at [0, 0, 0], level 4096: 0 units (in rock: ignored)\n"
            "2 marks; the world holds 20480 units of water\n");
  const nlohmann::json object = last_line(sluice({"fill", marks, "--json"}));
  EXPECT_EQ(object.at("marks").at(0).at("units"), 20480);
  EXPECT_EQ(object.at("marks").at(0).at("level"), 12288);
  EXPECT_EQ(object.at("marks").at(1).at("in_rock"), true);
  EXPECT_EQ(object.at("water"), 20480);
  const Finished map = sluice({"sim", out, "--ticks", "5", "--map"});
  EXPECT_EQ(map.out, "#.#.#\n#~#~#\n#~~~#\n#####\n") << map.error;
  expect_wrong({"fill", "/no/such.toml"}, "/no/such.toml");
  expect_wrong({"fill", marks, "--write", "/no/such/f.toml"}, "/no/such/f.toml");
  EXPECT_EQ(sluice({"fill", world}).out, "0 marks; the world holds 28672 units of water\n");
}

/// A picture, as somebody else's library reads it.
class ReadPicture {
 public:
  explicit ReadPicture(const std::string& path) {
    std::memset(&image_, 0, sizeof image_);
    image_.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&image_, path.c_str()) == 0) return;
    image_.format = PNG_FORMAT_RGB;
    bytes_.resize(PNG_IMAGE_SIZE(image_));
    (void)png_image_finish_read(&image_, nullptr, bytes_.data(), 0, nullptr);
  }
  [[nodiscard]] std::uint32_t width() const { return image_.width; }
  [[nodiscard]] std::uint32_t height() const { return image_.height; }
  /// What a person would call the pixel, from the left and from the top.
  [[nodiscard]] char kind(std::uint32_t left, std::uint32_t down) const {
    const std::uint8_t* const pixel = &bytes_[(std::size_t{down} * image_.width + left) * 3];
    if (pixel[2] > pixel[0] + 60) return '~';
    return pixel[0] > 55 ? '#' : '.';
  }
  /// The middles of cells of so many pixels.
  [[nodiscard]] std::string map(std::uint32_t scale) const {
    std::string text;
    for (std::uint32_t y = scale / 2; y < height(); y += scale) {
      for (std::uint32_t x = scale / 2; x < width(); x += scale) text += kind(x, y);
      text += '\n';
    }
    return text;
  }

 private:
  png_image image_;
  std::vector<std::uint8_t> bytes_;
};

TEST_F(Toolbox, PicturesShowTheWorld) {
  const std::string png = folder.file("u.png");
  ASSERT_EQ(sluice({"sim", world, "--ticks", "0", "--png", png, "--scale", "6"}).status, 0);
  const ReadPicture drawn(png);
  ASSERT_EQ(drawn.width(), 5U * 6);
  EXPECT_EQ(drawn.map(6), "#~#.#\n#~#.#\n#~#.#\n#~#.#\n#~~~#\n#####\n");
  const Finished finished =
      sluice({"sim", world, "--ticks", "9999", "--until-rest", "--png", png, "--map"});
  ASSERT_EQ(finished.status, 0) << finished.error;
  const ReadPicture rested(png);
  EXPECT_EQ(rested.width(), 5U * 16);  // and no more, however small the world
  EXPECT_EQ(rested.map(16), "#.#.#\n#.#.#\n#~#~#\n#~#~#\n#~~~#\n#####\n") << finished.out;
  ASSERT_EQ(
      sluice({"sim", world, "--ticks", "0", "--png", png, "--scale", "1", "--view", "1,0,0,2,6,1"})
          .status,
      0);
  EXPECT_EQ(ReadPicture(png).map(1), "~#\n~#\n~#\n~#\n~~\n##\n");
  const std::string recording = folder.file("p.sluice");
  ASSERT_EQ(sluice({"sim", world, "--ticks", "30", "--record", recording}).status, 0);
  ASSERT_EQ(sluice({"replay", recording, "--to", "0", "--png", png, "--scale", "6"}).status, 0);
  EXPECT_EQ(ReadPicture(png).map(6), drawn.map(6));
}

// It ended a cell over the surface that it fell on.
TEST_F(Toolbox, InAPictureAStrandGoesDownToTheSurface) {
  const std::string falling = folder.write("s.toml", R"([world]
name = "s"
size = [3, 4, 1]
[[map]]
rows = """
.2.
.2.
#3#
###
"""
)");
  const std::string png = folder.file("s.png");
  ASSERT_EQ(sluice({"sim", falling, "--ticks", "0", "--png", png, "--scale", "10"}).status, 0);
  const ReadPicture drawn(png);
  std::string middle;
  std::string beside;
  for (std::uint32_t down = 0; down < drawn.height(); ++down) {
    middle += drawn.kind(15, down);
    beside += drawn.kind(11, down);
  }
  EXPECT_EQ(middle, std::string(30, '~') + std::string(10, '#'));
  EXPECT_EQ(beside.substr(0, 26), std::string(26, '.'));
}

TEST_F(Toolbox, PicturesOnTheWayAreNumberedWithoutGaps) {
  const auto bytes_of = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string recording = folder.file("way.sluice");
  const std::string png = folder.file("way.png");
  const Finished run = sluice({"sim", world, "--ticks", "20", "--png", png, "--every", "8",
                               "--scale", "2", "--record", recording});
  ASSERT_EQ(run.status, 0) << run.error;
  EXPECT_THAT(run.error, testing::HasSubstr("way-00001.png to " + folder.file("way-00003.png") +
                                            ", every 8 ticks from tick 0"));
  EXPECT_FALSE(std::filesystem::exists(png));
  EXPECT_FALSE(std::filesystem::exists(folder.file("way-00004.png")));
  // Each is the picture of its tick, and so are a recording's, from wherever they begin.
  const std::string alone = folder.file("alone.png");
  for (const auto& [tick, number] : {std::pair(0, 1), {8, 2}, {16, 3}}) {
    ASSERT_EQ(
        sluice({"sim", world, "--ticks", std::to_string(tick), "--png", alone, "--scale", "2"})
            .status,
        0);
    EXPECT_EQ(bytes_of(folder.file("way-0000" + std::to_string(number) + ".png")), bytes_of(alone))
        << tick;
  }
  const Finished replayed = sluice({"replay", recording, "--from", "8", "--to", "19", "--png",
                                    folder.file("again.png"), "--every", "8", "--scale", "2"});
  ASSERT_EQ(replayed.status, 0) << replayed.error;
  EXPECT_EQ(bytes_of(folder.file("again-00001.png")), bytes_of(folder.file("way-00002.png")));
  EXPECT_EQ(bytes_of(folder.file("again-00002.png")), bytes_of(folder.file("way-00003.png")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("again-00003.png")));
  expect_wrong({"replay", recording, "--from", "3"}, "--every, which is not given");
  expect_wrong({"replay", recording, "--from", "9", "--to", "8", "--png", png, "--every", "1"},
               "--from 9: allowed are 0 to 8");
  expect_wrong({"replay", recording, "--png", folder.file("no/such.png"), "--every", "5"},
               "no/such-00001.png");
  expect_wrong({"replay", recording, "--png", png, "--every", "1", "--view", "9,9,0,1,1,1"},
               "--view");
  expect_wrong({"replay", recording, "--serve", "127.0.0.1:0", "--every", "5"}, "--png");
}

TEST_F(Toolbox, WrongPicturesAreAnsweredBeforeTheRun) {
  const std::string png = folder.file("u.png");
  expect_wrong({"sim", world, "--scale", "4"}, "--png");
  expect_wrong({"sim", world, "--png", png, "--scale", "0"}, "--scale");
  expect_wrong({"sim", world, "--png", png, "--scale", "65"}, "--scale");
  expect_wrong({"sim", world, "--png", png, "--view", "1,2"}, "six whole numbers");
  expect_wrong({"sim", world, "--png", png, "--view", "1,2,0,1,1,1,"}, "six whole numbers");
  expect_wrong({"sim", world, "--png", png, "--view", "0,0,0,6,6,1"},
               "leaves the world of size [5, 6, 1]");
  expect_wrong({"sim", world, "--png", png, "--view", "0,0,0,0,6,1"}, "is empty");
  expect_wrong({"sim", world, "--ticks", "1", "--png", "/no/such/u.png"}, "/no/such/u.png");
  expect_wrong({"sim", world, "--every", "4"}, "--png");
  expect_wrong({"sim", world, "--png", png, "--every", "0"}, "--every 0");
  expect_wrong({"sim", world, "--png", png, "--every", "often"}, "--every");
  expect_wrong({"sim", world, "--ticks", "99999", "--png", png, "--every", "1"},
               "100000 pictures from tick 0 to 99999, allowed: 99999");
  expect_wrong({"sim", world, "--ticks", "1", "--png", "/no/such/u.png", "--every", "1"},
               "/no/such/u-00001.png");
  const std::string wide =
      folder.write("w.toml", "[world]\nname = \"w\"\nsize = [1048576, 1000, 1]\n");
  expect_wrong({"sim", wide, "--ticks", "1", "--png", png}, "more than 67108864 pixels");
  EXPECT_FALSE(std::filesystem::exists(png));
}

}  // namespace
}  // namespace sluice::tests::toolbox_picture_test
