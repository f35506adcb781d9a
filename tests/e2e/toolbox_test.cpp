// Goal: the toolbox keeps the interface: output forms, exit statuses, and an answer to every wrong
// use that says what and where.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <png.h>

#include "tests/support/process.h"

namespace sluice::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kUTube = R"([world]
name = "u-tube"
size = [5, 6, 1]
[[map]]
rows = """
#~#.#
#~#.#
#~#.#
#~#.#
#~~~#
#####
"""
)";

class Toolbox : public ::testing::Test {
 protected:
  Finished sluice(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), SLUICE_TOOL);
    return run_program(arguments);
  }
  nlohmann::json last_line(const Finished& finished) {
    std::istringstream lines(finished.out);
    std::string last;
    for (std::string line; std::getline(lines, line);) last = line;
    return nlohmann::json::parse(last);
  }
  void expect_wrong(const std::vector<std::string>& arguments, const std::string& message) {
    const Finished finished = sluice(arguments);
    EXPECT_EQ(finished.status, 2) << finished.error;
    EXPECT_THAT(finished.error, HasSubstr(message));
    EXPECT_EQ(finished.out, "");
  }

  TemporaryDirectory folder;
  std::string world = folder.write("u.toml", kUTube);
};

TEST_F(Toolbox, SimPrintsTheObjectOfTheInterface) {
  const Finished finished = sluice({"sim", world, "--ticks", "100000", "--until-rest", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.error;
  EXPECT_EQ(finished.error, "");
  const nlohmann::json object = last_line(finished);
  EXPECT_TRUE(object.at("at_rest"));
  EXPECT_EQ(object.at("rest_tick"), object.at("tick"));
  EXPECT_EQ(object.at("digest").get<std::string>().size(), 16U);
  EXPECT_EQ(object.at("water"), 7 * 4096);
  for (const char* key : {"pipes", "sourced", "drained", "evaporated", "active_chunks"}) {
    EXPECT_EQ(object.at(key), 0) << key;
  }
  EXPECT_EQ(object.at("chunks"), 1);
  EXPECT_GT(object.at("seconds"), 0);
  EXPECT_EQ(object.at("cell_updates").get<std::int64_t>() % 30, 0);
}

TEST_F(Toolbox, TheDumpHasPipesByName) {
  const std::string pipes = folder.write("pipes.toml", R"([world]
name = "pipes"
size = [4, 4, 1]
[[pump]]
name = "b"
rate = 5
at = [1, 2, 0]
[[pipe]]
name = "a"
fluid = "oil"
amount = 7
[[valve]]
name = "c"
open = false
)");
  const Finished dump = sluice({"sim", pipes, "--ticks", "1", "--dump", "-", "--json"});
  EXPECT_THAT(dump.out, StartsWith("kind,name,x,y,z,material,amount\npipe,a,,,,oil,7\n"
                                   "pump,b,1,2,0,water,0\nvalve,c,,,,water,0\n"));
  EXPECT_EQ(last_line(dump).at("pipes"), 7);
}

TEST_F(Toolbox, SimPrintsMapDumpAndDigests) {
  const Finished map = sluice({"sim", world, "--ticks", "0", "--map"});
  EXPECT_EQ(map.out, "#~#.#\n#~#.#\n#~#.#\n#~#.#\n#~~~#\n#####\n");
  const Finished dump = sluice({"sim", world, "--ticks", "0", "--dump", "-"});
  EXPECT_THAT(dump.out, StartsWith("kind,name,x,y,z,material,amount\ncell,,0,0,0,rock,0\n"));
  EXPECT_THAT(dump.out, HasSubstr("\ncell,,1,5,0,water,4096\n"));
  const Finished digests = sluice({"sim", world, "--ticks", "3", "--digests", "-"});
  std::istringstream lines(digests.out);
  std::string tick;
  std::string digest;
  for (int i = 1; i <= 3; ++i) {
    lines >> tick >> digest;
    EXPECT_EQ(tick, std::to_string(i));
    EXPECT_EQ(digest.size(), 16U);
  }
}

TEST_F(Toolbox, AScriptIsAppliedAndRefusalsAreReported) {
  const std::string script =
      folder.write("s.jsonl", R"({"tick": 2, "cmd": "pour", "at": [3,5,0], "units": 10}
{"tick": 3, "cmd": "pour", "at": [0,0,0], "units": 10}
)");
  const Finished finished = sluice({"sim", world, "--ticks", "5", "--script", script, "--json"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(last_line(finished).at("sourced"), 10);
  EXPECT_THAT(finished.error, HasSubstr("tick 3: pour refused: the cell [0, 0, 0] is rock"));
}

TEST_F(Toolbox, ThreadsOrderKernelsAndSleepDoNotChangeDigests) {
  const std::string plain = sluice({"sim", world, "--ticks", "50", "--digests", "-"}).out;
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{{"--threads", "1"},
                                             {"--threads", "3"},
                                             {"--shuffle", "7"},
                                             {"--kernels", "scalar"},
                                             {"--no-sleep"}}) {
    std::vector<std::string> arguments = {"sim", world, "--ticks", "50", "--digests", "-"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    EXPECT_EQ(sluice(arguments).out, plain) << flags[0];
  }
}

TEST_F(Toolbox, ARecordedRunVerifiesReplaysAndLogs) {
  const std::string script =
      folder.write("s.jsonl", "{\"tick\": 2, \"cmd\": \"pour\", \"at\": [3,5,0], \"units\": 10}\n");
  const std::string file = folder.file("u.sluice");
  const Finished run = sluice(
      {"sim", world, "--ticks", "60", "--script", script, "--record", file, "--map", "--json"});
  ASSERT_EQ(run.status, 0) << run.error;
  EXPECT_EQ(sluice({"verify", file}).status, 0);
  const Finished replay = sluice({"replay", file, "--map", "--json"});
  EXPECT_EQ(last_line(replay).at("digest"), last_line(run).at("digest"));
  EXPECT_EQ(replay.out.substr(0, 36), run.out.substr(0, 36));
  EXPECT_EQ(last_line(sluice({"replay", file, "--to", "30", "--json"})).at("tick"), 30);
  EXPECT_THAT(sluice({"log", file}).out, HasSubstr("\"cmd\":\"pour\""));
  EXPECT_THAT(sluice({"log", file}).out, HasSubstr("\"seq\":1"));
  // A recording is never written over.
  expect_wrong({"sim", world, "--record", file}, file);
  // What a log prints is a script.
  const std::string log = folder.write("log.jsonl", sluice({"log", file}).out);
  const Finished again = sluice({"sim", world, "--ticks", "60", "--script", log, "--json"});
  EXPECT_EQ(last_line(again).at("digest"), last_line(run).at("digest"));
}

TEST_F(Toolbox, DiffNamesTheFirstDifference) {
  const auto record = [&](const std::string& name, const std::string& units) {
    const std::string script = folder.write(
        name + ".jsonl",
        "{\"tick\": 20, \"cmd\": \"pour\", \"at\": [3,5,0], \"units\": " + units + "}\n");
    const std::string file = folder.file(name + ".sluice");
    EXPECT_EQ(sluice({"sim", world, "--ticks", "60", "--script", script, "--record", file}).status,
              0);
    return file;
  };
  const std::string a = record("a", "10");
  const std::string b = record("b", "11");
  EXPECT_EQ(sluice({"diff", a, a}).status, 0);
  const Finished found = sluice({"diff", a, b, "--json"});
  EXPECT_EQ(found.status, 1);
  EXPECT_THAT(found.out, HasSubstr("differ first at tick 20, in phase commands"));
  const nlohmann::json object = last_line(found);
  EXPECT_EQ(object.at("difference").at("tick"), 20);
  EXPECT_EQ(object.at("difference").at("first").at("cell"), nlohmann::json({3, 5, 0}));
  EXPECT_EQ(object.at("difference").at("first").at("a"), "10");
  EXPECT_EQ(object.at("difference").at("first").at("b"), "11");
  // A trace of either side says the same of the tick.
  const std::string trace = folder.file("b.trace");
  EXPECT_EQ(sluice({"trace", b, "--tick", "20", "--out", trace}).status, 0);
  EXPECT_EQ(sluice({"diff", a, b, "--trace-b", trace}).status, 1);
  expect_wrong({"diff", a, b, "--trace-a", trace}, "does not replay that tick");
  expect_wrong({"diff", a, b, "--trace-a", a}, a + ": is not a trace");
  expect_wrong({"diff", a}, "B");
  expect_wrong({"diff", a, world}, world);
  expect_wrong({"trace", a, "--tick", "61"}, "holds ticks 1 to 60");
}

TEST_F(Toolbox, VerifyTakesRangesRestoresAndFollows) {
  const std::string file = folder.file("v.sluice");
  ASSERT_EQ(sluice({"sim", world, "--ticks", "90", "--record", file}).status, 0);
  const nlohmann::json part =
      last_line(sluice({"verify", file, "--from", "50", "--to", "60", "--json"}));
  EXPECT_EQ(part.at("first_tick"), 40) << "the checkpoint before";
  EXPECT_EQ(part.at("last_tick"), 60);
  EXPECT_TRUE(part.at("verified"));
  EXPECT_EQ(sluice({"verify", file, "--every-tick-restore"}).status, 0);
  // Nobody writes it any more: following ends at its end.
  EXPECT_EQ(last_line(sluice({"verify", file, "--follow", "--json"})).at("last_tick"), 90);
  expect_wrong({"verify", file, "--to", "91"}, "ends at tick 90, before --to 91");
  expect_wrong({"verify", file, "--from", "50", "--to", "40"}, "lies before --from 50");
}

TEST_F(Toolbox, SyncTestRunsTwoEngines) {
  const std::string script =
      folder.write("s.jsonl", "{\"tick\": 2, \"cmd\": \"pour\", \"at\": [3,5,0], \"units\": 10}\n");
  const nlohmann::json report = last_line(sluice(
      {"sync-test", world, "--script", script, "--ticks", "80", "--threads", "2", "--json"}));
  EXPECT_TRUE(report.at("same"));
  EXPECT_EQ(report.at("ticks"), 80);
  EXPECT_EQ(report.at("commands"), 1);
  EXPECT_EQ(report.at("restores"), 80);
  expect_wrong({"sync-test", "/no/such.toml"}, "/no/such.toml: cannot be opened");
  expect_wrong({"sync-test", world, "--restore-every", "-1"}, "--restore-every");
}

TEST_F(Toolbox, BundlesAndBackupsVerifyAndRepairSaysWhatItFound) {
  const std::string file = folder.file("v.sluice");
  ASSERT_EQ(sluice({"sim", world, "--ticks", "300", "--record", file}).status, 0);
  const std::string bundle = folder.file("b.sluice");
  const nlohmann::json cut = last_line(sluice({"bundle", file, "--around", "100", "--before", "10",
                                               "--after", "20", "--out", bundle, "--json"}));
  EXPECT_EQ(cut.at("first_tick"), 80);
  EXPECT_EQ(cut.at("last_tick"), 120);
  EXPECT_EQ(sluice({"verify", bundle}).status, 0);
  EXPECT_EQ(sluice({"diff", file, bundle}).status, 0);
  const std::string copy = folder.file("copy.sluice");
  EXPECT_EQ(sluice({"backup", file, copy}).status, 0);
  EXPECT_EQ(sluice({"verify", copy}).status, 0);
  EXPECT_THAT(sluice({"repair", copy}).out, HasSubstr("whole: ticks 0 to 300"));
  expect_wrong({"bundle", file, "--around", "301"}, "holds ticks 0 to 300");
  expect_wrong({"bundle", file, "--around", "3", "--out", bundle}, "never overwritten");
  expect_wrong({"repair", world}, "is not a recording");
  expect_wrong({"repair", folder.file("none")}, "none");
  expect_wrong({"backup", folder.file("none"), copy}, "none");
}

TEST_F(Toolbox, WrongUseIsAnsweredWithStatusTwo) {
  expect_wrong({}, "subcommand");
  expect_wrong({"fly"}, "there is no command 'fly'");
  expect_wrong({"sim"}, "FILE");
  expect_wrong({"sim", "/no/such.toml"}, "/no/such.toml: cannot be opened");
  expect_wrong({"sim", world, "--bogus"}, "--bogus");
  // A negative number became a number of ticks without end.
  expect_wrong({"sim", world, "--ticks", "-5"}, "--ticks");
  expect_wrong({"sim", world, "--ticks", "many"}, "--ticks");
  expect_wrong({"sim", world, "--threads", "-1"}, "--threads");
  expect_wrong({"sim", world, "--threads", "100000"}, "--threads");
  expect_wrong({"sim", world, "--kernels", "none"}, "allowed: scalar");
  expect_wrong({"sim", world, "--script", "/no/such.jsonl"}, "/no/such.jsonl");
  expect_wrong({"sim", world, "--ticks", "1", "--dump", "/no/such/dump.csv"}, "/no/such/dump.csv");
  expect_wrong({"sim", world, "--ticks", "1", "--digests", "/no/such/digests"}, "/no/such/digests");
  expect_wrong({"sim", world, "--record", "/no/such/u.sluice"}, "/no/such/u.sluice");
  expect_wrong({"verify", world}, world);
  expect_wrong({"replay", "/no/such.sluice"}, "/no/such.sluice");
  expect_wrong({"log", world}, world);
  const std::string bad =
      folder.write("bad.toml", "[world]\nname = \"a\"\nsize = [1, 1, 1]\nx = 1\n");
  expect_wrong({"sim", bad}, "bad.toml:4: unknown key 'world.x'; allowed here: ");
}

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
  const std::string wide =
      folder.write("w.toml", "[world]\nname = \"w\"\nsize = [1048576, 1000, 1]\n");
  expect_wrong({"sim", wide, "--ticks", "1", "--png", png}, "more than 67108864 pixels");
  EXPECT_FALSE(std::filesystem::exists(png));
}

// Whatever a client called something: what is printed does nothing to a terminal, and is a script.
TEST_F(Toolbox, TheLogOfAnyNamesIsAScriptAndHarmless) {
  const std::string tick = "{\"tick\": ";
  const std::string name = "\"\\u001b[2J\\u0000\\u009b31m\\u202e" + std::string(30000, 'n') + "\"";
  std::string script = tick + R"(1, "cmd": "pour", "at": [1, 5, 0], "units": 4096})" + "\n";
  for (int i = 2; i < 12; ++i) {
    script += tick + std::to_string(i) + R"(, "cmd": "remove_pipe", "name": )" + name + "}\n";
    script += tick + std::to_string(i) + R"(, "cmd": "link", "from": )" + name +
              ", \"to\": " + name + "}\n";
  }
  const std::string recording = folder.file("a.sluice");
  const Finished sim = sluice({"sim", world, "--ticks", "20", "--record", recording, "--json",
                               "--script", folder.write("s.jsonl", script)});
  ASSERT_EQ(sim.status, 0) << sim.error;
  EXPECT_LT(sim.error.size(), 20 * 600U) << "reasons are cut";
  const Finished log = sluice({"log", recording});
  ASSERT_EQ(log.status, 0) << log.error;
  const Finished outcomes = sluice({"log", recording, "--outcomes"});
  const Finished verified = sluice({"verify", recording, "--json"});
  EXPECT_EQ(verified.status, 0) << verified.out;
  for (const std::string& text : {sim.error, log.out, outcomes.out, verified.out, verified.error}) {
    for (const char c : text) {
      ASSERT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c) << " in " << text;
    }
  }
  const Finished again = sluice(
      {"sim", world, "--ticks", "20", "--json", "--script", folder.write("l.jsonl", log.out)});
  ASSERT_EQ(again.status, 0) << again.error;
  EXPECT_EQ(last_line(again).at("digest"), last_line(sim).at("digest"));
}

TEST_F(Toolbox, RepairSaysWhatWasLostAndIsRestartable) {
  const std::string recording = folder.file("a.sluice");
  ASSERT_EQ(sluice({"sim", world, "--ticks", "300", "--record", recording}).status, 0);
  EXPECT_THAT(sluice({"repair", recording}).out, HasSubstr("whole: ticks 0 to 300"));
  std::ofstream(recording + ".new-main") << "left by a repair that was killed";
  EXPECT_EQ(sluice({"repair", recording}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(recording + ".new-main"));
}

TEST_F(Toolbox, MistakesAreToldWithWhatWasMeant) {
  expect_wrong({"simm", world}, "there is no command 'simm'; did you mean 'sim'?");
  expect_wrong({"reply", world}, "did you mean 'replay'?");
  expect_wrong({"xyzzy"}, "there is no command 'xyzzy' (commands: ");
  expect_wrong({"sim", world, "--tiks", "5"}, "there is no flag '--tiks'; did you mean '--ticks'?");
  expect_wrong({"sim", world, "--ticks", "-5"}, "'-5' is not a whole number from 0 on");
  const Finished far = sluice({"sim", world, "--ticks", "-5"});
  EXPECT_LT(far.error.size(), 200U) << far.error;
}

TEST_F(Toolbox, TellsItsVersion) {
  const Finished version = sluice({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, StartsWith("sluice "));
  EXPECT_EQ(version.error, "");
}

TEST_F(Toolbox, ADirectoryIsNoRecording) {
  const std::string directory = std::filesystem::path(world).parent_path();
  for (const char* command : {"log", "replay", "verify", "bundle", "trace"}) {
    expect_wrong({command, directory}, "is a directory; a recording is a file");
  }
}

TEST_F(Toolbox, TheLogSaysWhenItHasNothingToPrint) {
  const std::string file = folder.file("u.sluice");
  ASSERT_EQ(sluice({"sim", world, "--ticks", "50", "--record", file}).status, 0);
  expect_wrong({"log", file, "--from", "900", "--to", "100"}, "--from 900 is after --to 100");
  const Finished late = sluice({"log", file, "--from", "900"});
  EXPECT_EQ(late.status, 0);
  EXPECT_THAT(late.error, HasSubstr("the recording ends with tick 50"));
}

TEST_F(Toolbox, NumbersThatAreTooLargeAreNamed) {
  const std::string large =
      folder.write("large.toml", "[world]\nname = \"a\"\nsize = [99999999999, 1, 1]\n");
  expect_wrong({"sim", large}, "key 'world.size' holds 99999999999, but at most 2147483647");
}

}  // namespace
}  // namespace sluice::tests
